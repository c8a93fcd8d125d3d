// SPDX-License-Identifier: Apache-2.0
#include "dperm/privacy/distributions/discrete_loss.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace dperm::privacy {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr int kCellsPerStep = 4;
constexpr double kLeastMass = 1e-290;  // below, doubles lose digits and then vanish
constexpr double kRangeSlack = 1e-9;   // by which a grid is longer, at each end, than the range of its distribution
constexpr double kVarianceWeight = 5;  // of the order of half the tilt at usual deltas

// Mass p of P at loss `value`: a cell of the distribution replaced by its mean, for the lower distribution; all losses
// inside it lie between the neighbouring grid points, for the upper distribution.
struct Cell {
  double p;
  double value;
};

// `otherwise` where Q's mass is too small a double to tell the loss.
Cell cell_of(const Masses& m, double least, double most, double otherwise) {
  if (!(m.p > 0)) return {0, least};
  if (!(m.q > kLeastMass)) return {m.p, otherwise};
  return {m.p, std::clamp(std::log(m.p / m.q), least, most)};
}

struct Grid {
  double origin, step;
  std::int64_t first, last;
  double at(std::int64_t i) const { return origin + static_cast<double>(i) * step; }
};

Grid grid_for(const LossDistribution& distribution, double origin, double step, double tail) {
  const LossRange range = distribution.range(tail);
  return {origin, step, static_cast<std::int64_t>(std::floor((range.lower - kRangeSlack - origin) / step)),
          static_cast<std::int64_t>(std::ceil((range.upper + kRangeSlack - origin) / step))};
}

// [proof privacy_loss_sum.lower]
// Merges cells from the left until their mean loss is exactly a grid point; a cell that straddles is divided. Where the
// mass nearby does not suffice, the cell is rounded down to the grid instead. Both only lower every delta.
class Merger {
 public:
  Merger(const Grid& grid, const std::vector<Cell>& cells, std::vector<double>& masses)
      : grid_(grid), cells_(cells), masses_(masses) {}

  void run() {
    for (std::size_t i = 0; i < cells_.size(); ++i) {
      for (double left = cells_[i].p; left > 0;) left = add(i, left);
    }
    if (mass_ > 0) emit(floor_index(grid_.at(target_) - std::log1p(-balance_ / mass_)), mass_);
  }

 private:
  // Per unit of mass and relative to the target; positive above it.
  double pull(double value) const { return -std::expm1(grid_.at(target_) - value); }

  // Adds `mass` of cell i; returns what is left of it after a grid point was completed.
  double add(std::size_t i, double mass) {
    const double value = cells_[i].value;
    const bool fresh = mass_ == 0;
    if (fresh) {
      target_ = static_cast<std::int64_t>(std::ceil((value - kLossMargin / 4 - grid_.origin) / grid_.step));
      balance_ = 0;
      if (!enough_nearby(i, mass)) {  // the same test for what is left of a divided cell
        emit(target_ - 1, mass);
        return 0;
      }
    }
    const double own = fresh ? std::min(pull(value), 0.0) : pull(value), sum = balance_ + mass * own;
    if (sum <= 0) {
      mass_ += mass;
      balance_ = sum;
      return 0;
    }
    const double part = balance_ < 0 ? std::min(1.0, -balance_ / (mass * own)) : 0;
    emit(target_, mass_ + part * mass);
    mass_ = balance_ = 0;
    return mass * (1 - part);
  }

  // Whether merging cell i up to the target is expected to cost less than rounding it down: the first shrinks the
  // variance, the second moves the mean. Sharpness only.
  bool enough_nearby(std::size_t i, double mass) const {
    const double value = cells_[i].value, target = grid_.at(target_);
    const double cost_of_rounding = value - grid_.at(target_ - 1), short_of = std::max(0.0, target - value);
    double balance = mass * std::min(0.0, pull(value));
    for (std::size_t k = i + 1; balance < -kLossMargin * mass; ++k) {
      if (k >= cells_.size()) return false;
      if (kVarianceWeight * short_of * (cells_[k].value - target) > cost_of_rounding) return false;
      balance += cells_[k].p * pull(cells_[k].value);
    }
    return true;
  }

  std::int64_t floor_index(double loss) const {
    return static_cast<std::int64_t>(std::floor((loss + kLossMargin / 4 - grid_.origin) / grid_.step));
  }
  void emit(std::int64_t index, double mass) {
    if (index < grid_.first) return;
    masses_[static_cast<std::size_t>(std::min(index, grid_.last) - grid_.first)] += mass;
  }
  const Grid& grid_;
  const std::vector<Cell>& cells_;
  std::vector<double>& masses_;
  std::int64_t target_ = 0;
  double mass_ = 0, balance_ = 0;
};
// [/proof]

}  // namespace

double grid_points(const LossDistribution& distribution, double step, double tail) {
  const LossRange range = distribution.range(tail);
  return (range.upper - range.lower + 2 * kRangeSlack) / step + 4;
}

DiscreteLoss discretise(const LossDistribution& distribution, double origin, double step, double tail, Ends ends) {
  const Grid grid = grid_for(distribution, origin, step, tail);
  const int parts = ends == Ends::both ? kCellsPerStep : 1;  // one is enough for the dominating distribution
  const auto size = static_cast<std::size_t>(grid.last - grid.first + 1);
  DiscreteLoss result{grid.origin, grid.first, std::vector<double>(size), std::vector<double>(size), 0, 1};
  // [proof privacy_loss_sum.upper]
  std::vector<Cell> cells;
  cells.reserve(size * static_cast<std::size_t>(parts) + 1);
  result.upper[0] =
      distribution.between(-kInfinity, grid.at(grid.first)).p;  // losses below the grid move up to its end
  const double shrink = std::expm1(-step);
  for (std::size_t i = 0; i + 1 < size; ++i) {
    const auto index = grid.first + static_cast<std::int64_t>(i);
    const double least = grid.at(index), most = grid.at(index + 1);
    double from = least;
    for (int part = 1; part <= parts; ++part) {
      const double to = part == parts ? most : least + step * part / parts;
      const Masses masses = distribution.between(from, to);
      const Cell cell = cell_of(masses, least, most, most);
      from = to;
      if (cell.p == 0) continue;
      // Divided between the two ends so that the mass of Q is kept as well.
      const double up = std::clamp(std::expm1(least - cell.value) / shrink, 0.0, 1.0);
      result.upper[i] += cell.p * (1 - up);
      result.upper[i + 1] += cell.p * up;
      cells.push_back(cell_of(masses, least, most, least));
    }
  }
  const Masses beyond = distribution.between(grid.at(grid.last), kInfinity);
  result.infinite = beyond.p * (1 + kLossMargin) + 1e-290;
  // [/proof]
  if (ends == Ends::upper) {
    result.lower.clear();
    return result;
  }
  cells.push_back(cell_of(beyond, grid.at(grid.last), grid.at(grid.last), grid.at(grid.last)));
  Merger(grid, cells, result.lower).run();
  return result;
}

}  // namespace dperm::privacy
