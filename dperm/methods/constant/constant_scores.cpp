// SPDX-License-Identifier: Apache-2.0
#include "dperm/methods/constant/constant_scores.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

namespace dperm::methods {

namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kHalfARow = 0.5;
constexpr double kLargestScore = 0x1p40;  // far beyond the minimiser of any loss that validates
constexpr double kSmallestPenalty = 0x1p-40;
constexpr int kHalvings = 200;  // from 2^40 down to 2^-160, or until two doubles are neighbours

// The first point of [low, high], to the last digit, at which the predicate holds; it holds from there on, or at high.
template <class Predicate>
double first_where(double low, double high, Predicate holds) {
  for (int i = 0; i < kHalvings; ++i) {
    const double middle = low + (high - low) / 2;
    if (!(middle > low && middle < high)) break;
    (holds(middle) ? high : low) = middle;
  }
  return high;
}

// The root t of e^(t - u) + penalty t = share: Newton's steps on a convex, increasing function from the right of its
// root never pass it.
double score_at(double share, double penalty, double u) {
  const double unpenalised = u + std::log(share);
  double t = unpenalised >= 0 ? std::min(unpenalised, share / penalty) : 0;
  for (int i = 0; i < kHalvings; ++i) {
    const double power = std::exp(t - u);
    const double next = t - (power + penalty * t - share) / (power + penalty);
    if (!(next < t)) break;
    t = next;
  }
  return t;
}

double norm(std::span<const double> scores) {
  return std::sqrt(std::inner_product(scores.begin(), scores.end(), scores.begin(), 0.0));
}

// Minus their mean, the logarithms of the shares: without a penalty the minimisers are these plus any constant, and
// these have the smallest norm.
std::vector<double> centred_logarithms(std::span<const double> shares) {
  std::vector<double> scores;
  for (const double share : shares) scores.push_back(std::log(share));
  const double mean = std::accumulate(scores.begin(), scores.end(), 0.0) / static_cast<double>(scores.size());
  for (double& score : scores) score -= mean;
  return scores;
}

// With a penalty and every score within +-limit. At the minimum each score is its own root, moved between the limits,
// for u = ln(sum_k e^s_k); the sum of their shares falls as u grows.
std::vector<double> penalised_scores(std::span<const double> shares, double penalty, double limit) {
  std::vector<double> scores(shares.size());
  const auto reaches = [&](double u) {
    double sum = 0;
    for (std::size_t k = 0; k < shares.size(); ++k) {
      scores[k] = std::clamp(score_at(shares[k], penalty, u), -limit, limit);
      sum += std::exp(scores[k] - u);
    }
    return sum <= 1;
  };
  const double farthest = norm(centred_logarithms(shares)) + 1;  // a penalty only shortens
  const double most = farthest + std::log(static_cast<double>(shares.size()));
  reaches(first_where(-farthest, most, reaches));
  return scores;
}

}  // namespace

double smallest_count(double noise, double rows, std::size_t classes) {
  return std::min(std::max(kHalfARow, noise), rows / static_cast<double>(classes));
}

double believed_share(std::int64_t noisy, double rows, double smallest) {
  return std::clamp(static_cast<double>(noisy), smallest, rows - smallest) / rows;
}

std::vector<double> believed_shares(std::span<const std::int64_t> noisy, double rows, double smallest) {
  std::vector<double> shares;
  for (const std::int64_t count : noisy) shares.push_back(std::clamp(static_cast<double>(count), smallest, rows));
  const double sum = std::accumulate(shares.begin(), shares.end(), 0.0);
  for (double& share : shares) share /= sum;
  return shares;
}

double constant_score(const loss::Loss& loss, double share, double penalty, double limit) {
  limit = std::min(limit, kLargestScore);
  // A constant's risk is the same with both classes exchanged and the score's sign too: the answer is at least 0.
  if (share < 0.5) return -constant_score(loss, 1 - share, penalty, limit);
  const auto rises = [&](double score) {
    return share * loss::slope(loss, score, 1) + (1 - share) * loss::slope(loss, score, -1) + penalty * score >= 0;
  };
  if (rises(0)) return 0;
  double high = std::min(1.0, limit);
  while (high < limit && !rises(high)) high = std::min(2 * high, limit);
  return first_where(0, high, rises);
}

std::vector<double> constant_class_scores(std::span<const double> shares, double penalty,
                                          const loss::FeasibleSet& set) {
  const bool boxed = set.kind == loss::SetKind::box, balled = set.kind == loss::SetKind::ball;
  std::vector<double> scores = centred_logarithms(shares);
  const auto fits = [&](const std::vector<double>& each) {
    const auto largest = [&] {
      return std::abs(
          *std::max_element(each.begin(), each.end(), [](double a, double b) { return std::abs(a) < std::abs(b); }));
    };
    return boxed ? largest() <= set.radius : !balled || norm(each) <= set.radius;
  };
  if (penalty == 0 && fits(scores)) return scores;
  const double limit = boxed ? set.radius : kInfinity;
  const double least = std::max(penalty, kSmallestPenalty);
  scores = penalised_scores(shares, least, limit);
  if (fits(scores)) return scores;
  // On the ball's surface the multiplier of its constraint is one more penalty, and ||s|| <= sqrt(2) / penalty.
  const double enough = std::max(least, 2 / set.radius);
  const double exact =
      first_where(least, enough, [&](double each) { return fits(penalised_scores(shares, each, limit)); });
  return penalised_scores(shares, exact, limit);
}

}  // namespace dperm::methods
