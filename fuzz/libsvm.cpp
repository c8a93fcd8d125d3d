// SPDX-License-Identifier: Apache-2.0
// LIBSVM text: nothing may be refused, every line is a row.
#include "fuzz/tables.hpp"

namespace {

// An index of many digits makes a list of up to a million columns: it takes seconds, and no other code.
bool has_large_index(std::string_view text) {
  std::size_t digits = 0;
  for (const char c : text) {
    if (c == ':' && digits > 4) return true;
    digits = c >= '0' && c <= '9' ? digits + 1 : 0;
  }
  return false;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace dperm;
  static const auto encoding = fuzz::table("");
  if (size == 0) return 0;
  const std::string_view text = fuzz::text_of(data, size);
  fuzz::require_that(fuzz::read(text, encoding, "libsvm", has_large_index(text)) == fuzz::lines(text));
  return 0;
}
