// SPDX-License-Identifier: Apache-2.0
// The bits that a release is made with: secure ones, unless someone asks for reproducible ones and gives up privacy.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>

#include "dperm/random/bits.hpp"

namespace dperm::random {

inline std::unique_ptr<BitSource> bits_for(std::optional<std::uint64_t> seed) {
  if (seed) return std::make_unique<SeededBits>(*seed);
  return std::make_unique<SecureBits>();
}

}  // namespace dperm::random
