// SPDX-License-Identifier: Apache-2.0
// Parquet, through Arrow: read, or refused by our own error.
#include "fuzz/tables.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace dperm;
  static const auto encoding = fuzz::table("");
  const fuzz::MemoryFile file(fuzz::text_of(data, size));
  fuzz::accepted([&] { data::read_tiles({file.path()}, encoding, fuzz::options("parquet")); });
  return 0;
}
