// SPDX-License-Identifier: Apache-2.0
#include "dperm/random/choice/subset.hpp"

#include <algorithm>
#include <cstdint>
#include <unordered_set>

#include "dperm/core/check.hpp"
#include "dperm/random/bernoulli.hpp"

namespace dperm::random {

// [proof random_subset.subsets]
std::vector<std::size_t> fixed_subset(BitSource& bits, std::size_t count, std::size_t size) {
  require(size <= count, "a sample without replacement cannot be larger than what it is drawn from");
  std::unordered_set<std::size_t> taken;
  taken.reserve(size);
  for (std::size_t last = count - size; last < count; ++last) {
    const auto number = static_cast<std::size_t>(uniform_below(bits, last + 1));
    if (!taken.insert(number).second) taken.insert(last);
  }
  std::vector<std::size_t> chosen(taken.begin(), taken.end());
  std::sort(chosen.begin(), chosen.end());
  return chosen;
}
// [/proof]

}  // namespace dperm::random
