// SPDX-License-Identifier: Apache-2.0
#include "dperm/privacy/distributions/sampled_group.hpp"

#include <algorithm>
#include <boost/math/distributions/binomial.hpp>
#include <cmath>
#include <limits>

#include "dperm/core/check.hpp"
#include "dperm/privacy/distributions/loss_distribution.hpp"
#include "dperm/privacy/distributions/normal_mass.hpp"

namespace dperm::privacy {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
// Beyond these a group is accounted for as one of which every record takes part.
constexpr double kMostLogOutside = 100, kMostShift = 64;
constexpr double kReach = 40;       // standard deviations; no double tells what lies beyond
constexpr double kNodesAUnit = 32;  // of the table that inverting the loss starts from
constexpr double kLossError = 0x1p-41;
constexpr double kNegligible = 50;  // exponents this far below the largest: a thousand of them are below 2^-60 of it

// [proof privacy_sampled_group.pair]
// P = sum_j b_j N(j mu, 1) against Q = sum_j b_j N(-j mu, 1), or against N(0, 1), b the binomial chances.
class Group final : public LossDistribution {
 public:
  Group(double mu, double rate, std::uint64_t group, bool replaced)
      : mu_(mu), replaced_(replaced), chances_(binomial_chances(group, rate)) {
    for (std::size_t j = 0; j < chances_.size(); ++j) {
      const double shift = static_cast<double>(j) * mu_;
      logs_.push_back(std::log(chances_[j]) - shift * shift / 2);
    }
    lowest_ = replaced_ ? -kInfinity : logs_.front();
    const double end = kReach + shift();
    const auto nodes = static_cast<std::size_t>(std::ceil(2 * end * kNodesAUnit));
    for (std::size_t i = 0; i <= nodes; ++i) {
      nodes_.push_back(-end + 2 * end * static_cast<double>(i) / static_cast<double>(nodes));
      losses_.push_back(loss(nodes_.back()).value);
    }
  }

  Masses between(double lower, double upper) const override {
    const double a = observation(lower), b = observation(upper);
    if (!(a < b)) return {};
    return {mixture_mass(a, b), replaced_ ? mixture_mass(-b, -a) : normal_mass(a, b)};
  }

  LossRange range(double tail) const override {
    const double top = loss(normal_reach(tail) + shift()).value;
    return {replaced_ ? -top : lowest_, top};
  }

  // The loss grows by at most (once or twice) shift() for each unit of x, and for x > 0 Q's density is at most the
  // normal one; where only removed, everywhere.
  double log_moment_beyond(double theta, double top) const override {
    const double x = observation(top);
    if (std::isinf(x) || (replaced_ && !(x > 0))) return kInfinity;
    return (1 + theta) * top + log_exponential_tail((replaced_ ? 2 : 1) * (1 + theta) * shift(), x);
  }

  double anchor() const override { return replaced_ ? 0 : lowest_; }

 private:
  struct Value {
    double value, slope;
  };

  double shift() const { return static_cast<double>(chances_.size() - 1) * mu_; }

  // The logarithm of how often j of the group are in the sample where x is seen, up to a constant.
  double log_weight(std::size_t j, double x) const { return logs_[j] + static_cast<double>(j) * mu_ * x; }
  double largest_log_weight(double x) const {
    double top = -kInfinity;
    for (std::size_t j = 0; j < logs_.size(); ++j) top = std::max(top, log_weight(j, x));
    return top;
  }

  // sum_j b_j N(j mu, 1) of an interval. In a short one, in which weights change by a factor of at most e, those that
  // are far below the largest are left out.
  double mixture_mass(double a, double b) const {
    const bool is_short = (b - a) * shift() <= 1;
    const double middle = a + (b - a) / 2, least = is_short ? largest_log_weight(middle) - kNegligible : -kInfinity;
    double mass = 0;
    for (std::size_t j = 0; j < chances_.size(); ++j) {
      if (is_short && log_weight(j, middle) < least) continue;
      const double by = static_cast<double>(j) * mu_;
      mass += chances_[j] * normal_mass(a - by, b - by);
    }
    return mass;
  }

  // ln sum_j e^(logs_j + j mu x) and its slope in mu x.
  Value log_mixture(double x) const {
    const double top = largest_log_weight(x);
    double sum = 0, weighted = 0;
    for (std::size_t j = 0; j < logs_.size(); ++j) {
      const double exponent = log_weight(j, x) - top;
      if (exponent < -kNegligible) continue;
      const double each = std::exp(exponent);
      sum += each;
      weighted += static_cast<double>(j) * each;
    }
    return {top + std::log(sum), weighted / sum};
  }

  Value loss(double x) const {
    const Value p = log_mixture(x);
    if (!replaced_) return {p.value, mu_ * p.slope};
    const Value q = log_mixture(-x);
    return {p.value - q.value, mu_ * (p.slope + q.slope)};
  }

  // The x with this loss, which rises in x: Newton's steps from the table, kept between two of its nodes. A function of
  // the loss alone, so that intervals that meet have the same end.
  double observation(double l) const {
    if (!(l > losses_.front())) return -kInfinity;
    if (!(l < losses_.back())) return kInfinity;
    const auto above = std::upper_bound(losses_.begin(), losses_.end(), l);
    const auto i = static_cast<std::size_t>(above - losses_.begin());
    double low = nodes_[i - 1], high = nodes_[i];
    double x = low + (high - low) * (l - losses_[i - 1]) / (losses_[i] - losses_[i - 1]);
    for (int trial = 0; trial < 60; ++trial) {
      const Value here = loss(x);
      const double off = here.value - l;
      if (std::abs(off) <= kLossError) break;
      (off > 0 ? high : low) = x;
      const double next = x - off / here.slope;
      x = next > low && next < high ? next : (low + high) / 2;
    }
    return x;
  }

  double mu_;
  bool replaced_;
  std::vector<double> chances_, logs_, nodes_, losses_;
  double lowest_;
};
// [/proof]

Distribution group_pair(double mu, double rate, std::uint64_t group, bool replaced) {
  require(rate > 0 && rate <= 1 && group >= 1, "a group needs a record and a sampling rate above 0 and at most 1");
  if (group_distribution_is_attained(mu, rate, group)) return std::make_shared<Group>(mu, rate, group, replaced);
  return gaussian_distribution((replaced ? 2 : 1) * static_cast<double>(group) * mu);
}

}  // namespace

std::vector<double> binomial_chances(std::uint64_t group, double rate) {
  const boost::math::binomial_distribution<double> binomial(static_cast<double>(group), rate);
  std::vector<double> chances;
  for (std::uint64_t j = 0; j <= group; ++j) chances.push_back(boost::math::pdf(binomial, static_cast<double>(j)));
  return chances;
}

bool group_distribution_is_attained(double mu, double rate, std::uint64_t group) {
  const auto size = static_cast<double>(group);
  return rate < 1 && -size * std::log1p(-rate) <= kMostLogOutside && size * mu <= kMostShift;
}

Distribution group_replace_distribution(double mu, double rate, std::uint64_t group) {
  return group_pair(mu, rate, group, true);
}

Distribution group_removal_distribution(double mu, double rate, std::uint64_t group) {
  return group_pair(mu, rate, group, false);
}

}  // namespace dperm::privacy
