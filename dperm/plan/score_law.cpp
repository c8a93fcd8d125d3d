// SPDX-License-Identifier: Apache-2.0
#include "dperm/plan/score_law.hpp"

#include <algorithm>
#include <boost/math/tools/minima.hpp>
#include <cmath>
#include <utility>

namespace dperm::plan {

namespace {

// Classification: log-odds of the positive answer are normal. Regression: predictions and residuals are, the target
// being in [-1, 1]. Where from: docs/prediction.md.
constexpr double kLogOddsMean = -1.5, kLogOddsSpread = 1.6;
constexpr double kPredictionMean = 0.4, kPredictionSpread = 0.32, kResidualSpread = 0.37;
// Noise that follows the score stretches it and turns no answer.
constexpr double kTurningShare = 0.75;

constexpr int kNodes = 41;  // of the trapezoid rule for a normal law, up to 5 standard deviations

double node(int k) { return (k - kNodes / 2) * 0.25; }
double weight(int k) { return 0.25 * std::exp(-node(k) * node(k) / 2) / std::sqrt(2 * M_PI); }

double minimum(double low, double high, const auto& function) {
  return boost::math::tools::brent_find_minima(function, low, high, 20).first;
}

}  // namespace

ScoreLaw::ScoreLaw(const loss::Loss& loss) : loss_(loss) {
  const bool margin = loss::is_classification(loss.kind);
  // One parameter brings the scores to their best: the scale of margin losses, else an offset.
  const double best = minimum(margin ? std::log(1e-3) : -2, margin ? std::log(1e2) : 2, [&](double parameter) {
    set_cases(parameter);
    return risk(0);
  });
  set_cases(best);
  best_risk_ = risk(0);
  mean_ = margin ? std::fabs(kLogOddsMean) * scale_ : kPredictionMean;
  spread_ = margin ? kLogOddsSpread * scale_ : kPredictionSpread;
  const double little = 0.1 * spread_;
  curvature_ = 2 * excess_risk(little) / (little * little);
}

void ScoreLaw::set_cases(double parameter) {
  cases_.clear();
  const bool margin = loss::is_classification(loss_.kind);
  scale_ = margin ? std::exp(parameter) : 1;
  for (int k = 0; k < kNodes; ++k) {
    if (!margin) {
      cases_.push_back({parameter, kResidualSpread * node(k), weight(k)});
      continue;
    }
    const double log_odds = kLogOddsMean + kLogOddsSpread * node(k);
    const double positive = 1 / (1 + std::exp(-log_odds));
    cases_.push_back({scale_ * log_odds, 1, weight(k) * positive});
    cases_.push_back({scale_ * log_odds, -1, weight(k) * (1 - positive)});
  }
}

double ScoreLaw::risk(double noise) const {
  double sum = 0;
  for (const Case& each : cases_) {
    double mean = 0;
    if (noise > 0) {
      for (int k = 0; k < kNodes; ++k) {
        mean += weight(k) * loss::value(loss_, each.score + noise * node(k), each.target);
      }
    } else {
      mean = loss::value(loss_, each.score, each.target);
    }
    sum += each.probability * mean;
  }
  return sum;
}

double ScoreLaw::excess_risk(double noise) const { return std::max(0.0, risk(noise) - best_risk_); }

double ScoreLaw::accuracy_lost(double noise) const {
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

}  // namespace dperm::plan
