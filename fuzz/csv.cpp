// SPDX-License-Identifier: Apache-2.0
// Delimited text. The first byte chooses the format; without a header every other byte belongs to a record, and then
// nothing may be refused and every line is a row.
#include "fuzz/tables.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace dperm;
  static const auto with_header = fuzz::table("");
  static const auto multi_line = fuzz::table("[format]\nmulti_line = true\nskip_last_rows = 1\n");
  static const auto by_person = fuzz::table("[unit]\ncolumn = 'who'\nrows = 2\n");
  static const auto records_only =
      fuzz::table("[format]\ndelimiter = ';'\nheader = false\ncolumn_names = ['label', '1', '2', '3']\n");
  static const auto returns_only =
      fuzz::table("[format]\nline_end = \"\\r\"\nheader = false\ncolumn_names = ['label', '1', '2', '3']\n");
  if (size < 2) return 0;
  const std::string_view text = fuzz::text_of(data + 1, size - 1);
  const auto read = [&](const auto& encoding) { return fuzz::read(text, encoding, "csv"); };
  constexpr std::uint8_t kHalf = 128;
  switch (data[0] % 4) {
    case 0:
      fuzz::accepted([&] { read(with_header); });
      break;
    case 1:
      fuzz::accepted([&] { read(multi_line); });
      break;
    case 3:
      fuzz::accepted([&] { read(by_person); });
      break;
    default:
      if (data[0] < kHalf) {
        fuzz::require_that(read(records_only) == fuzz::lines(text));
      } else {
        fuzz::require_that(read(returns_only) == fuzz::lines(text, '\r'));
      }
  }
  return 0;
}
