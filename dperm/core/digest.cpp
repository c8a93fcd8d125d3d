// SPDX-License-Identifier: Apache-2.0
#include "dperm/core/digest.hpp"

#include <sodium.h>

#include <array>

namespace dperm {

std::string digest(std::string_view content) {
  std::array<unsigned char, 32> hash{};
  crypto_generichash(hash.data(), hash.size(), reinterpret_cast<const unsigned char*>(content.data()), content.size(),
                     nullptr, 0);
  std::array<char, 65> hex{};
  sodium_bin2hex(hex.data(), hex.size(), hash.data(), hash.size());
  return std::string("blake2b-256:") + hex.data();
}

}  // namespace dperm
