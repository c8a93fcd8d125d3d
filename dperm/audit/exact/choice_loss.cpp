// SPDX-License-Identifier: Apache-2.0
#include "dperm/audit/exact/choice_loss.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

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

// Candidates of about the same loss, and how likely they are on each table.
struct Bundle {
  double loss, first, second;
};

// A piece of a run: its weight in units of exp(-from / scale).
double weight_of(const random::CostRun& run, std::uint64_t begin, std::uint64_t size, double scale, std::int64_t from) {
  const random::CostRun piece{size, run.cost + static_cast<std::int64_t>(begin) * run.slope, run.slope};
  return std::exp(log_total({piece}, scale, from));
}

// Runs of both tables side by side, each cut into a few pieces.
std::vector<Bundle> bundles(const CostRuns& first, const CostRuns& second, double scale) {
  constexpr std::uint64_t kPieces = 16;
  const std::int64_t from = std::min(least_cost(first), least_cost(second));
  const double z_first = std::exp(log_total(first, scale, from)), z_second = std::exp(log_total(second, scale, from));
  std::vector<Bundle> result;
  std::size_t i = 0, j = 0;
  std::uint64_t from_i = 0, from_j = 0;
  while (i < first.size() && j < second.size()) {
    const std::uint64_t length = std::min(first[i].size - from_i, second[j].size - from_j);
    const std::uint64_t pieces = first[i].slope == second[j].slope ? 1 : std::min(kPieces, length);
    for (std::uint64_t k = 0; k < pieces; ++k) {
      const std::uint64_t begin = length / pieces * k, end = k + 1 == pieces ? length : length / pieces * (k + 1);
      const double p = weight_of(first[i], from_i + begin, end - begin, scale, from) / z_first;
      const double q = weight_of(second[j], from_j + begin, end - begin, scale, from) / z_second;
      if (p > 0 && q > 0) result.push_back({std::log(p / q), p, q});
    }
    from_i += length;
    from_j += length;
    if (from_i == first[i].size) ++i, from_i = 0;
    if (from_j == second[j].size) ++j, from_j = 0;
  }
  return result;
}

// What a test of these two rates is expected to show: each rate gives way by 3.3 standard deviations.
double expected_bound(double hits, double alarms, double runs) {
  const auto spread = [&](double rate) { return 3.3 * std::sqrt(rate * (1 - rate) / runs) + 7.6 / runs; };
  const double least = hits - spread(hits);
  return least > 0 ? std::log(least / (alarms + spread(alarms))) : 0;
}

}  // namespace

double choice_power(const CostRuns& first, const CostRuns& second, double scale, double runs) {
  std::vector<Bundle> all = bundles(first, second, scale);
  std::sort(all.begin(), all.end(), [](const Bundle& a, const Bundle& b) { return a.loss > b.loss; });
  double best = 0, p = 0, q = 0;
  for (const Bundle& each : all) {
    p = std::min(1.0, p + each.first);
    q = std::min(1.0, q + each.second);
    best = std::max({best, expected_bound(p, q, runs), expected_bound(1 - q, 1 - p, runs)});
  }
  return best;
}

double cost_range(const CostRuns& first, const CostRuns& second) {
  const Extremes gaps = differences(first, second);
  return gaps.most >= gaps.least ? gaps.most - gaps.least : 0;
}

double normaliser_gap(const CostRuns& first, const CostRuns& second, double scale) {
  const std::int64_t from = std::min(least_cost(first), least_cost(second));
  return log_total(second, scale, from) - log_total(first, scale, from);
}

double choice_loss(const CostRuns& first, const CostRuns& second, double scale) {
  // ln P - ln P' = -(c - c') / scale - ln Z + ln Z'.
  const double totals = normaliser_gap(first, second, scale);
  const Extremes gaps = differences(first, second);
  return std::max(std::fabs(totals - gaps.most / scale), std::fabs(totals - gaps.least / scale));
}

}  // namespace dperm::audit
