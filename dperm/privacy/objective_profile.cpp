// SPDX-License-Identifier: Apache-2.0
#include "dperm/privacy/objective_profile.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "dperm/core/check.hpp"
#include "dperm/core/error.hpp"
#include "dperm/core/rounding.hpp"
#include "dperm/privacy/calibration.hpp"
#include "dperm/privacy/gaussian_dp.hpp"

namespace dperm::privacy {

namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

// [proof privacy_objective_profile.kappa]
// Monotone: kappa = max(0, 1/(h penalty) - 1/(2 sigma^2)). Two-sided: the determinant's ln(1 + curvature/penalty).
double determinant_cost(const PerturbedObjective& m) {
  if (m.sign == GradientSign::two_sided) return rounded_up(std::log1p(m.curvature / m.penalty));
  const double curvature = rounded_up(m.curvature / m.penalty);
  const double noise = rounded_down(1 / (2 * m.sigma * m.sigma));
  return std::max(0.0, curvature - noise);
}
// [/proof]

// A ratio is used as mu where larger is safe.
double ratio(double numerator, double sigma) { return rounded_up(numerator / sigma); }

}  // namespace

void validate(const PerturbedObjective& m) {
  require_positive_finite("gradient", m.gradient);
  require_positive_finite("curvature", m.curvature);
  require_positive_finite("penalty", m.penalty);
  require_positive_finite("sigma", m.sigma);
  require(m.sign == GradientSign::two_sided || m.gradient == 1, "a monotone loss has gradient bound 1");
}

double least_epsilon(const PerturbedObjective& mechanism) { return determinant_cost(mechanism); }

// [proof privacy_objective_profile.delta]
template <class Profile>
double delta_by(const Profile& profile, double epsilon, const PerturbedObjective& m) {
  validate(m);
  const double cost = determinant_cost(m);
  if (!(epsilon >= cost)) return 1;
  const double remaining = std::max(0.0, epsilon - cost);
  double delta = 0;
  if (m.sign == GradientSign::monotone) {
    delta = profile(epsilon, ratio(2, m.sigma));
    if (cost > 0) delta += profile(epsilon, ratio(1, m.sigma)) + profile(remaining, ratio(1, m.sigma));
  } else {
    delta = 2 * profile(remaining, ratio(2 * m.gradient, m.sigma)) +
            2 * profile(remaining, ratio(std::sqrt(2.0) * m.gradient, m.sigma));
  }
  return std::min(1.0, rounded_up(delta));
}

double delta_objective(double epsilon, const PerturbedObjective& m) { return delta_by(delta_gaussian, epsilon, m); }

double delta_objective_quick(double epsilon, const PerturbedObjective& m) {
  return delta_by(delta_gaussian_quick, epsilon, m);
}

double mu_objective(const PerturbedObjective& m) {
  validate(m);
  return m.sign == GradientSign::monotone && determinant_cost(m) == 0 ? ratio(2, m.sigma) : 0;
}
// [/proof]

double epsilon_objective(const PerturbedObjective& m, double delta) {
  validate(m);
  require_in_open_range("delta", delta, 0, 1);
  double low = least_epsilon(m);
  if (delta_objective(low, m) <= delta) return low;
  double high = std::max(1.0, 2 * low);
  while (delta_objective(high, m) > delta) {
    high *= 2;
    if (high > 1e6) return kInfinity;
  }
  // Only epsilons at which the inequality itself was evaluated are returned.
  while (high - low > 1e-12 * high) {
    const double middle = low + (high - low) / 2;
    if (middle <= low || middle >= high) break;
    (delta_objective(middle, m) <= delta ? high : low) = middle;
  }
  return high;
}

double sigma_for_objective(PerturbedObjective m, double epsilon, double delta) {
  require_meaningful_epsilon(epsilon);
  require_in_open_range("delta", delta, 0, 1);
  const auto enough = [&](double sigma) {
    m.sigma = sigma;
    return delta_objective(epsilon, m) <= delta;
  };
  // From the plain Gaussian value upwards: more noise only helps until the determinant's cost alone exceeds epsilon.
  double high = 2 * m.gradient / mu_for(epsilon, delta);
  double low = high / 2;
  for (int doubling = 0; !enough(high); ++doubling) {
    if (doubling == 60) {
      throw ArgumentError(
          fmt::format("l2_penalty times rows = {:.4g} is too small for objective perturbation at epsilon {:g}; it must "
                      "be well above {:.4g}",
                      m.penalty, epsilon, m.curvature / epsilon));
    }
    low = high;
    high *= 2;
  }
  while (high > low * (1 + 1e-10)) {
    const double middle = low + (high - low) / 2;
    (enough(middle) ? high : low) = middle;
  }
  return high;
}

}  // namespace dperm::privacy
