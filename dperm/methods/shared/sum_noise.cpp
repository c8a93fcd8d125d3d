// SPDX-License-Identifier: Apache-2.0
#include "dperm/methods/shared/sum_noise.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <limits>

#include "dperm/core/check.hpp"
#include "dperm/privacy/calibration/calibration.hpp"
#include "dperm/random/noise/gaussian.hpp"

namespace dperm::methods {

// [proof methods_sum_noise.noise]
SumNoise sum_noise(const SumSensitivity& sensitivity, const Budget& budget, std::optional<MeanNoise> asked,
                   std::string_view option) {
  require(budget.delta > 0 || asked != MeanNoise::gaussian,
          fmt::format("gaussian noise needs `delta` above 0; for pure epsilon leave `{}` out", option));
  SumNoise result{{}, std::numeric_limits<double>::infinity(), {}};
  if (asked != MeanNoise::gaussian) {
    const privacy::LaplaceScale scale = privacy::laplace_scale_for(sensitivity.l1, budget.epsilon);
    const double b = static_cast<double>(scale.numerator) / static_cast<double>(scale.denominator);
    result = {privacy::DiscreteLaplaceEvent{sensitivity.l1, scale.numerator, scale.denominator}, 2 * b * b,
              "discrete Laplace of scale sensitivity / epsilon"};
  }
  if (budget.delta > 0 && asked != MeanNoise::laplace) {
    // The sampler's least sigma is more noise than asked for, never less.
    const double sigma =
        std::max(privacy::sigma_for(sensitivity.l2, budget.epsilon, budget.delta), random::kMinimumSigma);
    if (sigma * sigma + 1 < result.square) {
      result = {privacy::GaussianEvent{sensitivity.l2, sigma}, sigma * sigma + 1, "exact Gaussian calibration [BW18]"};
    }
  }
  return result;
}
// [/proof]

}  // namespace dperm::methods
