// SPDX-License-Identifier: Apache-2.0
#include "dperm/random/choice/subset.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <unordered_set>

#include "dperm/core/check.hpp"
#include "dperm/random/bernoulli.hpp"

namespace dperm::random {
namespace {

constexpr std::size_t kWordBits = 64;

// [proof random_subset.coins]
// The binary digits of a number in [0, 1), the first one worth 1/2.
class Digits {
 public:
  explicit Digits(double number) : rest_(number) {}
  bool any_left() const { return rest_ > 0; }
  bool next() {
    rest_ *= 2;  // exact, and so is the subtraction
    if (rest_ < 1) return false;
    rest_ -= 1;
    return true;
  }

 private:
  double rest_;
};

// 64 coins at once: bit j is 1 if the uniform number whose digits are bit j of successive words is below `rate` < 1.
std::uint64_t coins(BitSource& bits, double rate) {
  std::uint64_t below = 0, equal_so_far = ~std::uint64_t{0};
  for (Digits digits(rate); equal_so_far != 0 && digits.any_left();) {
    const std::uint64_t word = bits.next();
    if (digits.next()) {
      below |= equal_so_far & ~word;
      equal_so_far &= word;
    } else {
      equal_so_far &= ~word;
    }
  }
  return below;
}
// [/proof]

}  // namespace

// [proof random_subset.subsets]
std::vector<std::size_t> poisson_subset(BitSource& bits, std::size_t count, double rate) {
  require_in_closed_range("rate", rate, 0, 1);
  std::vector<std::size_t> chosen;
  for (std::size_t first = 0; first < count; first += kWordBits) {
    const std::size_t here = std::min(kWordBits, count - first);
    std::uint64_t heads = rate == 1 ? ~std::uint64_t{0} : coins(bits, rate);
    if (here < kWordBits) heads &= (std::uint64_t{1} << here) - 1;
    for (; heads != 0; heads &= heads - 1) chosen.push_back(first + static_cast<std::size_t>(std::countr_zero(heads)));
  }
  return chosen;
}

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
