// SPDX-License-Identifier: Apache-2.0
#include "dperm/audit/statistics/roc.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "dperm/core/check.hpp"

namespace dperm::audit {

namespace {

void sort_down(std::vector<double>& scores) {
  require(!scores.empty(), "a curve needs scores of both kinds");
  for (const double score : scores) require(!std::isnan(score), "a score must be a number");
  std::sort(scores.begin(), scores.end(), std::greater<>());
}

// How many lead the list with a score of at least this.
std::size_t past(const std::vector<double>& scores, std::size_t from, double least) {
  while (from < scores.size() && scores[from] >= least) ++from;
  return from;
}

}  // namespace

std::vector<RocPoint> roc(std::vector<double> with, std::vector<double> without) {
  sort_down(with);
  sort_down(without);
  const double count_with = static_cast<double>(with.size()), count_without = static_cast<double>(without.size());
  std::vector<RocPoint> curve = {{std::max(with.front(), without.front()), 0, 0}};
  std::size_t hits = 0, alarms = 0;
  while (hits < with.size() || alarms < without.size()) {
    const double next = std::max(hits < with.size() ? with[hits] : -std::numeric_limits<double>::infinity(),
                                 alarms < without.size() ? without[alarms] : -std::numeric_limits<double>::infinity());
    hits = past(with, hits, next);
    alarms = past(without, alarms, next);
    curve.push_back({std::nextafter(next, -std::numeric_limits<double>::infinity()),
                     static_cast<double>(alarms) / count_without, static_cast<double>(hits) / count_with});
  }
  return curve;
}

double true_positives_at(const std::vector<RocPoint>& curve, double false_positives) {
  double best = 0;
  for (const RocPoint& point : curve) {
    if (point.false_positives <= false_positives) best = std::max(best, point.true_positives);
  }
  return best;
}

double area(const std::vector<RocPoint>& curve) {
  double sum = 0;
  for (std::size_t i = 1; i < curve.size(); ++i) {
    sum += (curve[i].false_positives - curve[i - 1].false_positives) *
           (curve[i].true_positives + curve[i - 1].true_positives) / 2;
  }
  return sum;
}

Guesses guesses_above(double threshold, const std::vector<double>& with, const std::vector<double>& without) {
  const auto above = [&](double score) { return score > threshold; };
  return {static_cast<std::uint64_t>(std::count_if(with.begin(), with.end(), above)), with.size(),
          static_cast<std::uint64_t>(std::count_if(without.begin(), without.end(), above)), without.size()};
}

}  // namespace dperm::audit
