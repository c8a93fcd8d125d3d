// SPDX-License-Identifier: Apache-2.0
#include "dperm/privacy/objective/objective_profile.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "dperm/core/check.hpp"
#include "dperm/core/error.hpp"
#include "dperm/core/rounding.hpp"
#include "dperm/privacy/calibration/calibration.hpp"
#include "dperm/privacy/composition/gaussian_dp.hpp"

namespace dperm::privacy {

namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

// [proof privacy_objective_profile.kappa]
// At most the trace of K class shares' Hessian, 1 - ||p||^2.
double largest_trace(std::size_t classes) { return rounded_up(1 - 1 / static_cast<double>(classes)); }

// Monotone: kappa = max(0, 1/(h penalty) - 1/(2 sigma^2)). Two-sided: the determinant's ln(1 + curvature/penalty).
// Multinomial: kappa (1 - 1/classes), h = 1.
double determinant_cost(const PerturbedObjective& m) {
  if (m.sign == GradientSign::two_sided) return rounded_up(std::log1p(m.curvature / m.penalty));
  const double curvature = rounded_up(m.curvature / m.penalty);
  const double noise = rounded_down(1 / (2 * m.sigma * m.sigma));
  const double kappa = std::max(0.0, curvature - noise);
  return m.sign == GradientSign::monotone ? kappa : rounded_up(kappa * largest_trace(m.classes));
}
// [/proof]

// A ratio is used as mu where larger is safe.
double ratio(double numerator, double sigma) { return rounded_up(numerator / sigma); }

[[noreturn]] void refuse_penalty(double penalty, double epsilon, double least) {
  throw ArgumentError(
      fmt::format("l2_penalty times rows = {:.4g} is too small for objective perturbation at epsilon {:g}; it must "
                  "be well above {:.4g}",
                  penalty, epsilon, least));
}

template <class Objective>
void validate_objective(const Objective& m) {
  require_positive_finite("gradient", m.gradient);
  require_positive_finite("curvature", m.curvature);
  require_positive_finite("penalty", m.penalty);
  require(m.sign != GradientSign::monotone || m.gradient == 1, "a monotone loss has gradient bound 1");
  if (m.sign == GradientSign::multinomial) {
    require(m.gradient == kMultinomialGradient && m.curvature == 1,
            "the softmax loss has gradient bound sqrt(2) and curvature 1");
    require(m.classes >= 2 && m.classes <= 65536, "the softmax loss has between 2 and 65536 classes");
  }
}

}  // namespace

void validate(const PerturbedObjective& m) {
  validate_objective(m);
  require_positive_finite("sigma", m.sigma);
}

void validate(const PureObjective& m) {
  validate_objective(m);
  require_positive_finite("scale", m.scale);
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
  } else if (m.sign == GradientSign::multinomial) {
    // Pairs of vertices of the two records' simplices, by the distance of their gradients.
    const double others = static_cast<double>(m.classes) - 1;
    delta = others * profile(remaining, ratio(std::sqrt(8.0), m.sigma)) +
            2 * others * profile(remaining, ratio(std::sqrt(2.0), m.sigma));
    if (others > 1) delta += others * (others - 1) * profile(remaining, ratio(std::sqrt(6.0), m.sigma));
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
  if (delta_objective_quick(low, m) <= delta) return low;
  double high = std::max(1.0, 2 * low);
  while (delta_objective_quick(high, m) > delta) {
    high *= 2;
    if (high > 1e6) return kInfinity;
  }
  // Only epsilons at which the inequality itself was evaluated are returned. The quick bound proves it as well.
  while (high - low > 1e-12 * high) {
    const double middle = low + (high - low) / 2;
    if (middle <= low || middle >= high) break;
    (delta_objective_quick(middle, m) <= delta ? high : low) = middle;
  }
  return high;
}

double sigma_for_objective(PerturbedObjective m, double epsilon, double delta) {
  require_meaningful_epsilon(epsilon);
  require_in_open_range("delta", delta, 0, 1);
  // The quick bound is an upper bound as well; a plan asks for many of these.
  const auto enough = [&](double sigma) {
    m.sigma = sigma;
    return delta_objective_quick(epsilon, m) <= delta;
  };
  // From the plain Gaussian value upwards: more noise only helps until the determinant's cost alone exceeds epsilon.
  double high = 2 * m.gradient / mu_for(epsilon, delta);
  double low = high / 2;
  for (int doubling = 0; !enough(high); ++doubling) {
    if (doubling == 60) {
      const double trace = m.sign == GradientSign::multinomial ? largest_trace(m.classes) : 1;
      refuse_penalty(m.penalty, epsilon, trace * m.curvature / epsilon);
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

// [proof privacy_objective_profile.pure]
double epsilon_pure_objective(const PureObjective& m) {
  validate(m);
  const double rate = rounded_up(1 / m.scale);
  const double curvature = rounded_up(m.curvature / m.penalty);
  if (m.sign == GradientSign::two_sided) return rounded_up(2 * m.gradient * rate + std::log1p(curvature));
  if (m.sign == GradientSign::multinomial) {
    return rounded_up(2 * m.gradient * rate + curvature * largest_trace(m.classes));
  }
  // The largest of s (1 - s) curvature + s rate over s in [0, 1], and `rate` for the other record.
  const double own = rate >= curvature ? rate : (rate + curvature) * (rate + curvature) / (4 * curvature);
  return rounded_up(rate + own);
}
// [/proof]

double least_pure_penalty(const PureObjective& m, double epsilon) {
  switch (m.sign) {
    case GradientSign::monotone:
      return m.curvature / (4 * epsilon);
    case GradientSign::two_sided:
      return m.curvature / std::expm1(std::min(epsilon, 50.0));  // beyond an epsilon of 50 it is no restriction
    case GradientSign::multinomial:
      return m.curvature * largest_trace(m.classes) / epsilon;
  }
  throw InternalError("a sign of gradients without a least penalty");
}

double scale_for_pure_objective(PureObjective m, double epsilon) {
  require_meaningful_epsilon(epsilon);
  const double curvature = m.curvature / m.penalty;
  double rate = epsilon / 2;
  if (m.sign == GradientSign::two_sided) {
    rate = (epsilon - std::log1p(curvature)) / (2 * m.gradient);
  } else if (m.sign == GradientSign::multinomial) {
    rate = (epsilon - curvature * largest_trace(m.classes)) / (2 * m.gradient);
  } else if (rate < curvature) {
    rate = std::sqrt(8 * curvature * curvature + 4 * curvature * epsilon) - 3 * curvature;
  }
  if (!(rate > 0)) refuse_penalty(m.penalty, epsilon, least_pure_penalty(m, epsilon));
  // The margin that reconciles both directions' rounding is found by asking. Near the least penalty the closed form
  // loses digits, hence the growth.
  for (double margin = 0x1p-40; margin < 1; margin *= 2) {
    m.scale = (1 + margin) / rate;
    if (epsilon_pure_objective(m) <= epsilon) return m.scale;
  }
  refuse_penalty(m.penalty, epsilon, m.curvature / epsilon);
}

}  // namespace dperm::privacy
