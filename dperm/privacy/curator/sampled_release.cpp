// SPDX-License-Identifier: Apache-2.0
// The curator's door for sums over a random sample of the records.
#include <memory>
#include <utility>

#include "dperm/core/check.hpp"
#include "dperm/privacy/composition/sampling.hpp"
#include "dperm/privacy/curator/curator.hpp"
#include "dperm/random/choice/coin_sample.hpp"
#include "dperm/random/choice/subset.hpp"
#include "dperm/random/noise/gaussian.hpp"

namespace dperm::privacy {

namespace {

// [proof privacy_sampled_release.draw]
SharedSample drawn(random::BitSource& bits, const SampledGaussianEvent& mechanism, std::size_t rows) {
  if (mechanism.sampling == Sampling::poisson) return {random::draw_sample(bits, rows, mechanism.rate)};
  return {
      std::make_shared<const ListedRows>(random::fixed_subset(bits, rows, size_of_rate(mechanism.rate, rows)), rows)};
}
// [/proof]

}  // namespace

// [proof privacy_sampled_release.release]
Released<std::vector<std::int64_t>> Curator::release(const SampledQuery& query, std::size_t rows,
                                                     const SampledGaussianEvent& mechanism, std::string what) {
  validate(PrivacyEvent{.what = what, .mechanism = mechanism, .neighbours = neighbours_});
  require_in_closed_range("sigma", mechanism.sigma, random::kMinimumSigma, random::kMaximumSigma);
  require(rows >= 1, "a sample needs records to be drawn from");
  record(mechanism, std::move(what));
  const Sensitive<SharedSample> sample(drawn(bits_, mechanism, rows));
  const Sensitive<std::vector<std::int64_t>> sum = query(sample);
  ensure(!sum.value_.empty(), "a query without coordinates reached the curator");
  return with_gaussian_noise(sum.value_, mechanism.sigma);
}
// [/proof]

}  // namespace dperm::privacy
