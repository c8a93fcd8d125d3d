// SPDX-License-Identifier: Apache-2.0
// The sum of many independent discretised losses, by Fourier transform under an exponential tilt, with every error
// bounded. Note: loss_sum.md.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <vector>

#include "dperm/privacy/distributions/discrete_loss.hpp"

namespace dperm::privacy {

// The largest value of (1 - e^-x) e^(-theta x), rounded up.
double peak_weight(double theta);

// The sum's distribution near one tilt: sharp for epsilons near the tilted mean, valid for all.
class TiltedSum {
 public:
  // Bounds of delta(epsilon) = E[(1 - e^(epsilon - L))_+]; epsilon may be negative.
  double delta_upper(double epsilon) const;
  double delta_lower(double epsilon) const;
  // The smallest epsilon >= 0 proved to have delta(epsilon) <= delta, infinity when none; and the largest proved to
  // have delta(epsilon) > delta, 0 when none.
  double epsilon_upper(double delta) const;
  double epsilon_lower(double delta) const;

 private:
  friend class LossSum;
  // All numbers are relative to e^(log_moment - theta s).
  struct Side {
    std::vector<double> masses;
    double log_moment = 0;
    double outside = 0;   // bounds the tilted mass outside the window
    double blending = 0;  // L2 norm of the error of one mean mixture instead of many different ones
    double gap = 0;  // bounds what the releases of a heterogeneous composition lack, at most `reach` beyond an epsilon
    double reach = 0;
  };
  double at(const Side& side, double epsilon) const;
  double error(const Side& side) const;
  template <class Accept>
  double search(const Side& side, double beyond, const Accept& accept) const;

  double theta_ = 0, first_ = 0, step_ = 0, noise_ = 0, shift_ = 0, factor_ = 1, infinite_ = 0;
  Side upper_, lower_;
};

// `count` losses, each from a mixture of the distributions named. The mixtures may differ: `weight` is a distribution's
// mean weight and `spread` the root of the sum of the squared distances of the single weights from it, 0 when all are
// equal.
struct LossShare {
  std::size_t distribution;
  double weight = 1;
  double spread = 0;
};
struct LossPart {
  std::vector<LossShare> shares;
  double count;
  // In a heterogeneous composition: not above e^-log_reference times the sum of the moments E e^(theta L) of the
  // releases that the part stands for, less four times what the part's own moments have beyond its grids. Empty where
  // it is not known.
  std::function<double(double theta, double log_reference)> moments = {};
};

class LossSum {
 public:
  // With both ends every part has one distribution, which is bounded from both sides. Else the sum is that of a
  // heterogeneous composition: parts are mixtures of distributions of one origin that dominate its releases, and lower
  // ends come from `moments`.
  LossSum(std::vector<DiscreteLoss> distributions, std::vector<LossPart> parts, double step, Ends ends);

  double tilt_for_delta(double delta) const;
  double tilt_for_epsilon(double epsilon) const;
  // The largest sum of finite losses: an epsilon for every delta that covers the infinite ones, else infinity.
  double epsilon_from_support(double delta) const;
  // An estimate of ln of the chance that the sum is at most `loss`, by Chernoff's bound: a hint, on which no claim may
  // rest.
  double log_chance_at_most(double loss) const;
  // Nothing when the window needs more than `most_points`.
  std::optional<TiltedSum> at(double theta, std::size_t most_points) const;

 private:
  struct Moments {
    double log_moment, mean, variance;
  };
  struct Window {
    double lower, upper, left_order, right_order;
  };
  Moments moments(double theta) const;
  double log_moment(bool upper, double theta) const;
  Window window(double theta, const Moments& m) const;
  void transform(TiltedSum& sum, std::size_t points, double first_index) const;
  void transform_heterogeneous(TiltedSum& sum, std::size_t points, double first_index, const Moments& m) const;

  std::vector<DiscreteLoss> distributions_;
  std::vector<LossPart> parts_;
  double step_;
  Ends ends_;
  double origin_ = 0, origin_size_ = 0, count_ = 0, infinite_ = 0, largest_ = 0;
};

}  // namespace dperm::privacy
