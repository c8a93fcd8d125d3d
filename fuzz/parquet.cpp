// SPDX-License-Identifier: Apache-2.0
// Parquet, through Arrow: read, or refused by our own error.
#include "fuzz/tables.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace dperm;
  static const auto encoding = fuzz::table("");
  fuzz::accepted([&] { fuzz::read(fuzz::text_of(data, size), encoding, "parquet"); });
  return 0;
}
