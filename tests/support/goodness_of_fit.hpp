// SPDX-License-Identifier: Apache-2.0
// Tests a sample against an exactly known distribution. Every verdict carries a proven bound of its own false-alarm
// rate: no asymptotics, so it holds for any sample size and any cells.
//
// For cells: with n samples, empirical distribution q and true distribution p over c + 1 cells, P(n KL(q || p) >= x) is
// at most exp(-x) (e x / c)^c for x > c [AGRAWAL20]. For one event: the exact binomial tails.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <boost/math/special_functions/beta.hpp>
#include <cmath>
#include <cstdint>
#include <functional>
#include <limits>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

namespace dperm::testing {

inline constexpr double kFalseAlarmRate = 1e-9;

struct Cell {
  double probability;
  std::uint64_t observed;
};

struct Verdict {
  double false_alarm;  // at most this chance that a sample of the true distribution looks at least this bad
  std::string text;

  explicit operator bool() const { return false_alarm > kFalseAlarmRate; }
};

// Joins neighbouring cells until each expects at least `minimum` samples. Fewer cells make a sharper test.
inline std::vector<Cell> pooled(std::span<const Cell> cells, double minimum) {
  double total = 0;
  for (const Cell& cell : cells) total += static_cast<double>(cell.observed);
  std::vector<Cell> joined;
  Cell open{0, 0};
  for (const Cell& cell : cells) {
    open = {open.probability + cell.probability, open.observed + cell.observed};
    if (open.probability * total >= minimum) {
      joined.push_back(open);
      open = {0, 0};
    }
  }
  if (joined.empty()) return {open};
  joined.back() = {joined.back().probability + open.probability, joined.back().observed + open.observed};
  return joined;
}

// The likelihood-ratio test of all cells together. Their probabilities must add up to 1 (checked to 1e-9).
inline Verdict test_cells(std::span<const Cell> cells, double minimum_expected = 20) {
  double sum = 0;
  double total = 0;
  bool impossible = false;
  for (const Cell& cell : cells) {
    if (!(cell.probability >= 0)) throw std::logic_error("a cell's probability is negative or NaN");
    sum += cell.probability;
    total += static_cast<double>(cell.observed);
    impossible = impossible || (cell.probability == 0 && cell.observed > 0);
  }
  if (!(std::fabs(sum - 1) <= 1e-9)) throw std::logic_error(fmt::format("the cells' probabilities sum to {}", sum));
  if (!(total > 0)) throw std::logic_error("no samples");
  if (impossible) return {0, "an outcome of probability 0 was observed"};
  const std::vector<Cell> joined = pooled(cells, minimum_expected);
  double divergence = 0;
  for (const Cell& cell : joined) {
    const auto observed = static_cast<double>(cell.observed);
    if (observed > 0) divergence += observed * std::log(observed / (total * cell.probability));
  }
  const double free_cells = static_cast<double>(joined.size()) - 1;
  double false_alarm = 1;
  if (free_cells > 0 && divergence > free_cells) {
    false_alarm = std::exp(-divergence + free_cells + free_cells * std::log(divergence / free_cells));
  }
  return {false_alarm, fmt::format("n KL = {:.3f} over {} cells, {:.0f} samples: false-alarm rate at most {:.3g}",
                                   divergence, joined.size(), total, false_alarm)};
}

// Exact two-sided binomial test of one event, e.g. a far tail.
inline Verdict test_event(std::uint64_t observed, std::uint64_t trials, double probability) {
  if (!(probability >= 0 && probability <= 1)) throw std::logic_error("an event's probability is outside [0, 1]");
  const auto k = static_cast<double>(observed);
  const auto n = static_cast<double>(trials);
  const double at_least = observed == 0 ? 1 : boost::math::ibeta(k, n - k + 1, probability);
  const double at_most = observed == trials ? 1 : boost::math::ibetac(k + 1, n - k, probability);
  const double false_alarm = std::min(1.0, 2 * std::min(at_least, at_most));
  return {false_alarm, fmt::format("{} of {} where {:.6g} are expected: false-alarm rate {:.3g}", observed, trials,
                                   n * probability, false_alarm)};
}

// Counts integers into (-inf, e_0), [e_0, e_1), ..., [e_m, inf); `below(e)` is P(X < e), a distribution's distribution
// function.
inline std::vector<Cell> count_between(std::span<const std::int64_t> samples, std::span<const std::int64_t> edges,
                                       const std::function<double(std::int64_t)>& below) {
  std::vector<Cell> cells;
  double previous = 0;
  for (const std::int64_t edge : edges) {
    cells.push_back({std::max(0.0, below(edge) - previous), 0});
    previous = below(edge);
  }
  cells.push_back({std::max(0.0, 1 - previous), 0});
  for (const std::int64_t sample : samples) {
    const auto cell = std::upper_bound(edges.begin(), edges.end(), sample) - edges.begin();
    ++cells[static_cast<std::size_t>(cell)].observed;
  }
  return cells;
}

}  // namespace dperm::testing
