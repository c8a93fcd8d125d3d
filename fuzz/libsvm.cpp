// SPDX-License-Identifier: Apache-2.0
// LIBSVM text: nothing may be refused, every line is a row.
#include "fuzz/tables.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace dperm;
  static const auto encoding = fuzz::table("");
  if (size == 0) return 0;
  const std::string_view text = fuzz::text_of(data, size);
  const fuzz::MemoryFile file(text);
  fuzz::require_that(data::read_tiles({file.path()}, encoding, fuzz::options("libsvm")).rows == fuzz::lines(text));
  data::read_columns({file.path()}, {}, "libsvm");
  return 0;
}
