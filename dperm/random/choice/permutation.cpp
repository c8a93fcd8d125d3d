// SPDX-License-Identifier: Apache-2.0
#include "dperm/random/choice/permutation.hpp"

#include "dperm/core/check.hpp"
#include "dperm/random/bernoulli.hpp"

namespace dperm::random {

// [proof random_permutation.order]
std::vector<std::uint32_t> permutation(BitSource& bits, std::size_t count) {
  require(count <= kMostPermuted, "a random order is drawn for at most 2^32 records");
  std::vector<std::uint32_t> order(count);
  for (std::size_t i = 0; i < count; ++i) {
    const auto j = static_cast<std::size_t>(uniform_below(bits, i + 1));
    order[i] = order[j];
    order[j] = static_cast<std::uint32_t>(i);
  }
  return order;
}
// [/proof]

}  // namespace dperm::random
