// SPDX-License-Identifier: Apache-2.0
#include "dperm/privacy/distributions/loss_distribution.hpp"

#include <algorithm>
#include <boost/math/distributions/normal.hpp>
#include <cmath>
#include <limits>
#include <numbers>
#include <utility>

#include "dperm/core/check.hpp"
#include "dperm/privacy/distributions/normal_mass.hpp"

namespace dperm::privacy {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

// [proof privacy_loss_distribution.pairs]
class Gaussian final : public LossDistribution {
 public:
  explicit Gaussian(double mu) : mu_(mu) {}
  // With x the observation, L = mu x - mu^2/2.
  Masses between(double lower, double upper) const override {
    const double a = observation(lower), b = observation(upper);
    return {normal_mass(a - mu_, b - mu_), normal_mass(a, b)};
  }
  LossRange range(double tail) const override {
    const double reach = normal_reach(tail);
    return {mu_ * (mu_ / 2 - reach), mu_ * (mu_ / 2 + reach)};
  }
  double log_moment_beyond(double theta, double top) const override {
    return (1 + theta) * top + log_exponential_tail((1 + theta) * mu_, observation(top));
  }

 private:
  double observation(double loss) const { return loss / mu_ + mu_ / 2; }
  double mu_;
};

// e^(b/2) - e^(a/2), all times e^(-shift/2), without cancellation.
double half_exponential_difference(double a, double b, double shift) {
  return -std::exp((b - shift) / 2) * std::expm1((a - b) / 2);
}

// Atoms at -epsilon and epsilon, the upper with P-mass `at_end` and the lower with e^-epsilon times that, and between
// them P-density inside/2 e^((l - epsilon)/2); Q mirrored.
class Symmetric final : public LossDistribution {
 public:
  Symmetric(double epsilon, double at_end, double inside) : epsilon_(epsilon), at_end_(at_end), inside_(inside) {}
  Masses between(double lower, double upper) const override {
    Masses m;
    const double a = std::max(lower, -epsilon_), b = std::min(upper, epsilon_), seldom = std::exp(-epsilon_) * at_end_;
    if (a < b) {
      m.p = inside_ * half_exponential_difference(a, b, epsilon_);
      m.q = inside_ * half_exponential_difference(-b, -a, epsilon_);
    }
    if (lower < -epsilon_ && -epsilon_ <= upper) m.p += seldom, m.q += at_end_;
    if (lower < epsilon_ && epsilon_ <= upper) m.p += at_end_, m.q += seldom;
    return m;
  }
  LossRange range(double) const override { return {-epsilon_, epsilon_}; }
  double anchor() const override { return epsilon_; }
  double spacing() const override { return at_end_ > 0 ? 2 * epsilon_ : 0; }

 private:
  double epsilon_, at_end_, inside_;
};

class Sampled final : public LossDistribution {
 public:
  Sampled(Distribution base, double rate) : base_(std::move(base)), rate_(rate) {}
  Masses between(double lower, double upper) const override {
    const Masses m = base_->between(unsampled(lower), unsampled(upper));
    return {(1 - rate_) * m.q + rate_ * m.p, m.q};
  }
  LossRange range(double tail) const override {
    // P's tail is at most rate tail_p + (1 - rate) tail_q, and Q's right tail is below P's.
    const LossRange inner = base_->range(tail);
    return {std::log1p(-rate_), sampled(inner.upper)};
  }
  // The loss grows no faster than the unsampled one.
  double log_moment_beyond(double theta, double top) const override {
    const double base_top = unsampled(top);
    if (std::isinf(base_top)) return kInfinity;
    return (1 + theta) * (top - base_top) + base_->log_moment_beyond(theta, base_top);
  }
  double anchor() const override { return spacing() > 0 ? sampled(base_->anchor()) : std::log1p(-rate_); }
  double spacing() const override {
    return base_->spacing() > 0 ? sampled(base_->anchor()) - sampled(base_->anchor() - base_->spacing()) : 0;
  }

 private:
  double sampled(double loss) const {
    return loss > 30 ? loss + std::log(rate_ + (1 - rate_) * std::exp(-loss)) : std::log1p(rate_ * std::expm1(loss));
  }
  double unsampled(double loss) const {
    if (loss == kInfinity) return kInfinity;
    if (loss > 30) return loss + std::log1p(-(1 - rate_) * std::exp(-loss)) - std::log(rate_);
    const double odds = std::expm1(loss) + rate_;
    return odds > 0 ? std::log(odds / rate_) : -kInfinity;
  }
  Distribution base_;
  double rate_;
};

class Reversed final : public LossDistribution {
 public:
  explicit Reversed(Distribution base, double upper) : base_(std::move(base)), upper_(upper) {}
  // {lower < -L <= upper} is {-upper <= L < -lower}; moving an end by one step of its last place is within the margin.
  Masses between(double lower, double upper) const override {
    const Masses m = base_->between(std::nextafter(-upper, -kInfinity), std::nextafter(-lower, -kInfinity));
    return {m.q, m.p};
  }
  LossRange range(double tail) const override {
    // Q(L > u) <= e^-u P(L > u) and, for the other end, Q(L <= l) has to be found from P's: widen until it is small.
    const LossRange inner = base_->range(tail);
    double lower = inner.lower;
    for (int i = 0; i < 60 && base_->between(-kInfinity, lower).q > tail; ++i) lower -= 1 + std::abs(lower);
    return {-inner.upper - 1e-9, std::min(-lower, upper_) + 1e-9};
  }
  double anchor() const override { return -base_->anchor(); }
  double spacing() const override { return base_->spacing(); }

 private:
  Distribution base_;
  double upper_;
};

class SampledReplace final : public LossDistribution {
 public:
  SampledReplace(double mu, double rate) : mu_(mu), rate_(rate) {}
  Masses between(double lower, double upper) const override {
    const double a = observation(lower), b = observation(upper);
    const double common = (1 - rate_) * normal_mass(a, b);
    return {common + rate_ * normal_mass(a - mu_, b - mu_), common + rate_ * normal_mass(a + mu_, b + mu_)};
  }
  LossRange range(double tail) const override {
    const double x = normal_reach(tail) + mu_;
    return {-loss(x), loss(x)};
  }
  // The loss grows by at most 2 mu for each unit of x, and Q's density at x > 0 is below the normal one.
  double log_moment_beyond(double theta, double top) const override {
    const double x = observation(top);
    if (!(x > 0)) return kInfinity;
    return (1 + theta) * top + log_exponential_tail(2 * (1 + theta) * mu_, x);
  }

 private:
  static double log_sum(double a, double b) { return std::max(a, b) + std::log1p(std::exp(-std::abs(a - b))); }
  double loss(double x) const {
    const double none = std::log1p(-rate_), one = std::log(rate_) - mu_ * mu_ / 2;
    return log_sum(none, one + mu_ * x) - log_sum(none, one - mu_ * x);
  }
  // With d = 1-q, c = q e^(-mu^2/2): mu x = l/2 + asinh(d/c sinh(l/2)).
  double observation(double l) const {
    if (std::isinf(l)) return l;
    const double scale = std::log1p(-rate_) - std::log(rate_) + mu_ * mu_ / 2;
    const double half = std::abs(l) / 2;
    const double log_sinh =
        half > 1 ? half + std::log1p(-std::exp(-2 * half)) - std::log(2.0) : std::log(std::sinh(half));
    const double t = scale + log_sinh;
    const double inner = t > 20 ? t + std::log(2.0) : std::asinh(std::exp(t));
    return std::copysign(half + inner, l) / mu_;
  }
  double mu_, rate_;
};

// Positive losses: rate P + (1-rate) Q against Q of the base at ln(1 + (e^l - 1)/rate); negative ones mirrored; the
// rest of the mass at loss 0.
class FixedSize final : public LossDistribution {
 public:
  FixedSize(Distribution base, double rate) : half_(std::make_shared<Sampled>(std::move(base), rate)) {
    const Masses above = half_->between(0, kInfinity);
    centre_ = 1 - above.p - above.q;
  }
  Masses between(double lower, double upper) const override {
    Masses m;
    if (upper > 0) m = half_->between(std::max(lower, 0.0), upper);
    if (lower < 0) {
      const Masses mirrored = half_->between(upper < 0 ? -upper : 0.0, -lower);
      m.p += mirrored.q;
      m.q += mirrored.p;
    }
    if (lower < 0 && upper >= 0) m.p += centre_, m.q += centre_;
    return m;
  }
  LossRange range(double tail) const override {
    const double reach = half_->range(tail).upper;
    return {-reach, reach};
  }
  double spacing() const override { return half_->spacing() > 0 ? half_->anchor() : 0; }

 private:
  Distribution half_;
  double centre_;
};
// [/proof]

}  // namespace

double LossDistribution::log_moment_beyond(double, double top) const {
  return between(top, kInfinity).p > 0 ? kInfinity : -kInfinity;
}

Distribution gaussian_distribution(double mu) { return std::make_shared<Gaussian>(mu); }
Distribution laplace_distribution(double epsilon) { return std::make_shared<Symmetric>(epsilon, 0.5, 0.5); }
Distribution pure_distribution(double epsilon) {
  return std::make_shared<Symmetric>(epsilon, 1 / (1 + std::exp(-epsilon)), 0);
}
Distribution bounded_range_distribution(double epsilon) {
  return std::make_shared<Symmetric>(epsilon, 0, -1 / std::expm1(-epsilon));
}
Distribution sampled_distribution(Distribution base, double rate) {
  require(rate > 0 && rate <= 1, "the sampling rate must be above 0 and at most 1");
  if (rate == 1) return base;
  return std::make_shared<Sampled>(std::move(base), rate);
}
Distribution reversed_distribution(Distribution base) {
  return std::make_shared<Reversed>(base, -base->range(1e-300).lower);
}
Distribution sampled_gaussian_replace_distribution(double mu, double rate) {
  require(rate > 0 && rate <= 1, "the sampling rate must be above 0 and at most 1");
  if (rate == 1) return gaussian_distribution(2 * mu);
  return std::make_shared<SampledReplace>(mu, rate);
}
Distribution fixed_size_distribution(Distribution base, double rate) {
  require(rate > 0 && rate <= 1, "the sampling rate must be above 0 and at most 1");
  if (rate == 1) return base;
  return std::make_shared<FixedSize>(std::move(base), rate);
}

}  // namespace dperm::privacy
