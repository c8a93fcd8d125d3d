// SPDX-License-Identifier: Apache-2.0
// The curator's door for sums over a random sample of the records.
#include <utility>

#include "dperm/core/check.hpp"
#include "dperm/privacy/curator/curator.hpp"
#include "dperm/random/noise/gaussian.hpp"

namespace dperm::privacy {

// [proof privacy_sampled_release.release]
Released<std::vector<std::int64_t>> Curator::release(const SampledQuery& query, std::size_t rows,
                                                     const SampledGaussianEvent& mechanism, std::string what) {
  validate(PrivacyEvent{.what = what, .mechanism = mechanism, .neighbours = neighbours_});
  require_in_closed_range("sigma", mechanism.sigma, random::kMinimumSigma, random::kMaximumSigma);
  require(rows >= 1, "a sample needs records to be drawn from");
  record(mechanism, std::move(what));
  const Sensitive<SharedSample> sample(draw_sample(mechanism, rows));
  const Sensitive<std::vector<std::int64_t>> sum = query(sample);
  ensure(!sum.value_.empty(), "a query without coordinates reached the curator");
  return with_gaussian_noise(sum.value_, mechanism.sigma);
}
// [/proof]

}  // namespace dperm::privacy
