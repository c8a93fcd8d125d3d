// SPDX-License-Identifier: Apache-2.0
#include "dperm/audit/exact/choice_loss.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace dperm::audit {

namespace {

double difference(std::int64_t a, std::int64_t b) {
  return static_cast<double>(static_cast<long double>(a) - static_cast<long double>(b));
}

struct Extremes {
  double most = -std::numeric_limits<double>::infinity(), least = std::numeric_limits<double>::infinity();
};

// Of first minus second. Between two ends of runs it is linear in the candidate's number: extremes are at the ends.
Extremes differences(const CostRuns& first, const CostRuns& second) {
  Extremes result;
  std::size_t i = 0, j = 0;
  std::uint64_t from_i = 0, from_j = 0;  // candidates of the current runs that are behind
  while (i < first.size() && j < second.size()) {
    const std::uint64_t length = std::min(first[i].size - from_i, second[j].size - from_j);
    for (const std::uint64_t k : {std::uint64_t{0}, length - 1}) {
      const double gap = difference(first[i].cost + static_cast<std::int64_t>(from_i + k) * first[i].slope,
                                    second[j].cost + static_cast<std::int64_t>(from_j + k) * second[j].slope);
      result.most = std::max(result.most, gap);
      result.least = std::min(result.least, gap);
    }
    from_i += length;
    from_j += length;
    if (from_i == first[i].size) ++i, from_i = 0;
    if (from_j == second[j].size) ++j, from_j = 0;
  }
  return result;
}

// ln sum exp(-cost / scale), costs counted from `from`.
double log_total(const CostRuns& runs, double scale, std::int64_t from) {
  double total = 0;
  for (const random::CostRun& run : runs) {
    const double count = static_cast<double>(run.size), lead = std::exp(-difference(run.cost, from) / scale);
    const double slope = static_cast<double>(run.slope) / scale;
    // A geometric series; expm1 keeps the digits of small slopes.
    total += run.slope == 0 ? count * lead : lead * std::expm1(-slope * count) / std::expm1(-slope);
  }
  return std::log(total);
}

std::int64_t least_cost(const CostRuns& runs) {
  std::int64_t least = std::numeric_limits<std::int64_t>::max();
  for (const random::CostRun& run : runs) {
    least = std::min({least, run.cost, run.cost + static_cast<std::int64_t>(run.size - 1) * run.slope});
  }
  return least;
}

}  // namespace

double cost_range(const CostRuns& first, const CostRuns& second) {
  const Extremes gaps = differences(first, second);
  return gaps.most >= gaps.least ? gaps.most - gaps.least : 0;
}

double choice_loss(const CostRuns& first, const CostRuns& second, double scale) {
  // ln P - ln P' = -(c - c') / scale - ln Z + ln Z'.
  const std::int64_t from = std::min(least_cost(first), least_cost(second));
  const double totals = log_total(second, scale, from) - log_total(first, scale, from);
  const Extremes gaps = differences(first, second);
  return std::max(std::fabs(totals - gaps.most / scale), std::fabs(totals - gaps.least / scale));
}

}  // namespace dperm::audit
