// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <utility>

#include "dperm/core/check.hpp"
#include "dperm/privacy/curator/curator.hpp"
#include "dperm/random/noise/gaussian.hpp"

namespace dperm::privacy {

// [proof privacy_select_values.door]
Released<Curator::ValueCounts> Curator::select_values(const Sensitive<ValueCounts>& counts,
                                                      const SelectedCountsEvent& mechanism, std::string what) {
  validate(Mechanism(mechanism));
  require_in_closed_range("sigma", mechanism.sigma, random::kMinimumSigma, random::kMaximumSigma);
  record(mechanism, std::move(what));
  ValueCounts selected;
  for (const std::vector<ValueCount>& column : counts.value_) {
    std::vector<std::int64_t> exact;
    exact.reserve(column.size());
    for (const ValueCount& each : column) exact.push_back(each.count);
    const Released<std::vector<std::int64_t>> noisy = with_gaussian_noise(exact, mechanism.sigma);
    std::vector<ValueCount>& kept = selected.emplace_back();
    for (std::size_t i = 0; i < column.size(); ++i) {
      const std::int64_t count = noisy.get()[i];
      const bool reaches = count > 0 && static_cast<std::uint64_t>(count) >= mechanism.threshold;
      if (exact[i] > 0 && reaches) kept.push_back({column[i].value, count});
    }
    // The order in which the values were met would tell about records that stay hidden.
    std::sort(kept.begin(), kept.end(), [](const auto& a, const auto& b) { return a.value < b.value; });
  }
  return Released<ValueCounts>(std::move(selected));
}
// [/proof]

}  // namespace dperm::privacy
