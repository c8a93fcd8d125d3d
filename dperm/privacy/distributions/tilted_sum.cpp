// SPDX-License-Identifier: Apache-2.0
// What a tilted sum of losses says about delta and epsilon. Note: loss_sum.md.
#include <algorithm>
#include <cmath>
#include <limits>

#include "dperm/core/rounding.hpp"
#include "dperm/privacy/distributions/loss_sum.hpp"

namespace dperm::privacy {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

// The L2 norm of the same function on a grid.
double weight_norm(double theta, double step) {
  const double square = 1 / (theta * (2 * theta + 1) * (2 * theta + 2));
  const double peak = peak_weight(theta);
  return rounded_up(std::sqrt(square / step + 2 * peak * peak));
}

}  // namespace

double peak_weight(double theta) { return rounded_up(std::exp(-theta * std::log1p(1 / theta)) / (1 + theta)); }

// [proof privacy_loss_sum.delta]
// sum over s > epsilon of (1 - e^(epsilon - s)) e^(-theta (s - epsilon)) mass(s).
double TiltedSum::at(const Side& side, double epsilon) const {
  const double position = std::floor((epsilon - first_) / step_) + 1;
  double sum = 0;
  for (auto k = static_cast<std::size_t>(std::max(0.0, position)); k < side.masses.size(); ++k) {
    const double x = first_ + static_cast<double>(k) * step_ - epsilon;
    if (x <= 0) continue;
    if (theta_ * x > 700) break;
    sum -= std::expm1(-x) * std::exp(-theta_ * x) * side.masses[k];
  }
  return sum;
}

double TiltedSum::error(const Side& side) const {
  return peak_weight(theta_) * side.outside + weight_norm(theta_, step_) * (noise_ + side.blending) + side.gap + 1e-300;
}

double TiltedSum::delta_upper(double epsilon) const {
  const double e = epsilon - shift_;
  const double value = (at(upper_, e) * (1 + 1e-9) + error(upper_)) * std::exp(upper_.log_moment - theta_ * e);
  return std::min(1.0, value * factor_ * (1 + 1e-9) + infinite_);
}

double TiltedSum::delta_lower(double epsilon) const {
  const double e = epsilon + shift_ + lower_.reach;
  const double value = (at(lower_, e) * (1 - 1e-9) - error(lower_)) * std::exp(lower_.log_moment - theta_ * e);
  return std::max({0.0, 1 - std::exp(epsilon), value / factor_ * (1 - 1e-9)});
}

// Walks down the window with A = sum e^(-theta (s-s_k)) mass, B = sum e^(-(theta+1)(s-s_k)) mass to the last grid point
// that `accept`s its delta; only candidates are found here, the caller proves them.
template <class Accept>
double TiltedSum::search(const Side& side, double beyond, const Accept& accept) const {
  const double decay = std::exp(-theta_ * step_), faster = std::exp(-(theta_ + 1) * step_), e = error(side);
  double a = 0, b = 0;
  for (std::size_t k = side.masses.size(); k-- > 0;) {
    const double s = first_ + static_cast<double>(k) * step_;
    const double scale = std::exp(side.log_moment - theta_ * s);
    const double a_next = a, b_next = b;
    a *= decay;
    b *= faster;
    if (s < 0 || !accept(std::max(0.0, a - b), e, scale)) {
      double low = std::max(0.0, s), high = std::max(low, s + step_);
      if (s < 0 && accept(std::max(0.0, a_next * std::exp(-theta_ * high) - b_next * std::exp(-(theta_ + 1) * high)), e,
                          std::exp(side.log_moment))) {
        return 0;
      }
      for (int i = 0; i < 40; ++i) {
        const double middle = (low + high) / 2, x = s + step_ - middle;
        const double value = a_next * std::exp(-theta_ * x) - b_next * std::exp(-(theta_ + 1) * x);
        (accept(std::max(0.0, value), e, std::exp(side.log_moment - theta_ * middle)) ? high : low) = middle;
      }
      return high;
    }
    a += side.masses[k];
    b += side.masses[k];
  }
  return beyond;
}

double TiltedSum::epsilon_upper(double delta) const {
  const double candidate = search(upper_, std::max(0.0, first_), [&](double value, double e, double scale) {
    return (value * (1 + 2e-9) + e) * scale * factor_ * (1 + 2e-9) + infinite_ <= delta;
  });
  for (double margin = 0x1p-40; margin < 1; margin *= 16) {
    const double epsilon = candidate + shift_ + margin * (1 + candidate);
    if (delta_upper(candidate == 0 && delta_upper(0) <= delta ? 0 : epsilon) <= delta) {
      return candidate == 0 && delta_upper(0) <= delta ? 0 : epsilon;
    }
  }
  return kInfinity;
}

double TiltedSum::epsilon_lower(double delta) const {
  const double candidate = search(lower_, std::max(0.0, first_), [&](double value, double e, double scale) {
    return !((value * (1 - 2e-9) - e) * scale / factor_ * (1 - 2e-9) > delta);
  });
  for (double margin = 0x1p-40; margin < 1; margin *= 16) {
    const double epsilon = candidate - shift_ - lower_.reach - margin * (1 + candidate);
    if (epsilon <= 0) return 0;
    if (delta_lower(epsilon) > delta) return epsilon;
  }
  return 0;
}
// [/proof]

}  // namespace dperm::privacy
