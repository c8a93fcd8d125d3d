// SPDX-License-Identifier: Apache-2.0
#include "dperm/planner/score_distribution.hpp"

#include <algorithm>
#include <boost/math/tools/minima.hpp>
#include <cmath>
#include <limits>
#include <utility>

namespace dperm::planner {

namespace {

// Classification: log-odds of the positive answer are normal. Regression: predictions and residuals are, the target
// being in [-1, 1], residuals with some skew. Where from: docs/forecast.md.
constexpr double kLogOddsMean = -1.5, kLogOddsSpread = 1.6;
constexpr double kPredictionMean = 0.4, kPredictionSpread = 0.32, kResidualSpread = 0.37, kResidualSkew = 0.7;
// Noise that follows the score stretches it and turns no answer.
constexpr double kTurningShare = 0.75;

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kFarScore = 1e3;  // no score is beyond

constexpr int kNodes = 41;  // of the trapezoid rule for a normal distribution, up to 5 standard deviations

double node(int k) { return (k - kNodes / 2) * 0.25; }
double weight(int k) { return 0.25 * std::exp(-node(k) * node(k) / 2) / std::sqrt(2 * M_PI); }

// Of a normal number: mean 0, the spread and nearly the skew above.
double residual(double normal) {
  return kResidualSpread * (normal + kResidualSkew / 6 * (normal * normal - 1)) /
         std::sqrt(1 + kResidualSkew * kResidualSkew / 18);
}

double minimum(double low, double high, const auto& function) {
  return boost::math::tools::brent_find_minima(function, low, high, 20).first;
}

}  // namespace

LimitedLoss::LimitedLoss(const loss::Loss& loss, double largest_slope) : loss_(loss), largest_slope_(largest_slope) {
  // The slope rises with the argument.
  const double target = loss::is_classification(loss.kind) ? 1 : 0;
  const auto steeper = [&](double at) { return std::fabs(loss::slope(loss_, at, target)) > largest_slope_; };
  const auto crossing = [&](double outside) {
    double inside = 0;
    if (!steeper(outside)) return outside < 0 ? -kInfinity : kInfinity;
    if (steeper(inside)) inside = -outside;  // a margin loss
    for (int k = 0; k < 60; ++k) {
      const double middle = (outside + inside) / 2;
      (steeper(middle) ? outside : inside) = middle;
    }
    return inside;
  };
  low_ = crossing(-kFarScore);
  high_ = crossing(kFarScore);
}

// Margin losses are functions of target times score, the others of the difference.
double LimitedLoss::argument(double score, double target) const {
  return loss::is_classification(loss_.kind) ? score * target : score - target;
}

double LimitedLoss::value(double score, double target) const {
  const double at = argument(score, target), near = std::clamp(at, low_, high_);
  const double beyond = std::fabs(at - near);
  return loss::value(loss_, near, loss::is_classification(loss_.kind) ? 1 : 0) +
         (beyond > 0 ? largest_slope_ * beyond : 0);
}

double LimitedLoss::slope(double score, double target) const {
  return std::clamp(loss::slope(loss_, score, target), -largest_slope_, largest_slope_);
}

ScoreDistribution::ScoreDistribution(const loss::Loss& loss, double largest_slope)
    : margin_(loss::is_classification(loss.kind)), loss_(loss, kInfinity) {
  const double best = best_parameter(loss_);
  set_cases(best);
  best_risk_ = risk(loss_, 0);
  const double best_scale = scale_;
  const LimitedLoss limited(loss, largest_slope);
  const double reached = best_parameter(limited);
  set_cases(reached);
  mean_ = margin_ ? std::fabs(kLogOddsMean) * scale_ : kPredictionMean;
  spread_ = margin_ ? kLogOddsSpread * scale_ : kPredictionSpread;
  shift_ =
      margin_ ? std::fabs(scale_ - best_scale) * std::hypot(kLogOddsMean, kLogOddsSpread) : std::fabs(reached - best);
  for (const Case& each : cases_) {
    const double slope = limited.slope(each.score, each.target);
    slope_square_ += each.probability * slope * slope;
  }
  const double little = 0.1 * spread_;
  curvature_ = 2 * std::max(0.0, risk(limited, little) - risk(limited, 0)) / (little * little);
}

// One parameter brings the scores to their best: the scale of margin losses, else an offset.
double ScoreDistribution::best_parameter(const LimitedLoss& loss) {
  return minimum(margin_ ? std::log(1e-3) : -2, margin_ ? std::log(1e2) : 2, [&](double parameter) {
    set_cases(parameter);
    return risk(loss, 0);
  });
}

void ScoreDistribution::set_cases(double parameter) {
  cases_.clear();
  scale_ = margin_ ? std::exp(parameter) : 1;
  for (int k = 0; k < kNodes; ++k) {
    if (!margin_) {
      cases_.push_back({parameter, residual(node(k)), weight(k)});
      continue;
    }
    const double log_odds = kLogOddsMean + kLogOddsSpread * node(k);
    const double positive = 1 / (1 + std::exp(-log_odds));
    cases_.push_back({scale_ * log_odds, 1, weight(k) * positive});
    cases_.push_back({scale_ * log_odds, -1, weight(k) * (1 - positive)});
  }
}

double ScoreDistribution::risk(const LimitedLoss& loss, double noise) const {
  double sum = 0;
  for (const Case& each : cases_) {
    double mean = 0;
    if (noise > 0) {
      for (int k = 0; k < kNodes; ++k) {
        mean += weight(k) * loss.value(each.score + noise * node(k), each.target);
      }
    } else {
      mean = loss.value(each.score, each.target);
    }
    sum += each.probability * mean;
  }
  return sum;
}

double ScoreDistribution::excess_risk(double noise) const { return std::max(0.0, risk(loss_, noise) - best_risk_); }

double ScoreDistribution::accuracy_lost(double noise) const {
  // A row of log-odds t is right more often than wrong by tanh(|t|/2), and noise turns its answer with probability
  // Phi(-|t|/noise).
  const double width = noise / scale_;
  if (!(width > 0)) return 0;
  const double step = std::min(width, 1.0) / 40;
  const double end = std::min(8 * width, std::fabs(kLogOddsMean) + 8 * kLogOddsSpread);
  double sum = 0;
  for (double t = -end; t <= end; t += step) {
    const double z = (t - kLogOddsMean) / kLogOddsSpread;
    sum += std::exp(-z * z / 2) * std::tanh(std::fabs(t) / 2) * std::erfc(std::fabs(t) / (width * std::sqrt(2.0))) / 2;
  }
  return kTurningShare * sum * step / (kLogOddsSpread * std::sqrt(2 * M_PI));
}

}  // namespace dperm::planner
