// SPDX-License-Identifier: Apache-2.0
#include "dperm/privacy/discrete_loss.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace dperm::privacy {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr int kCellsPerStep = 4;

// Mass p of P at loss `value`: a cell of the law replaced by its mean, for the lower law; all losses inside it lie
// between the neighbouring grid points, for the upper law.
struct Cell {
  double p;
  double value;
};

Cell cell_of(const Masses& m, double least, double most) {
  if (!(m.p > 0)) return {0, least};
  if (!(m.q > 0)) return {m.p, most};
  return {m.p, std::clamp(std::log(m.p / m.q), least, most)};
}

struct Grid {
  double origin, step;
  std::int64_t first, last;
  double at(std::int64_t i) const { return origin + static_cast<double>(i) * step; }
};

Grid grid_for(const LossLaw& law, double step, double tail) {
  const LossRange range = law.range(tail);
  const double origin = law.anchor();
  const double slack = 1e-9;
  return {origin, step, static_cast<std::int64_t>(std::floor((range.lower - slack - origin) / step)),
          static_cast<std::int64_t>(std::ceil((range.upper + slack - origin) / step))};
}

// [proof privacy_loss_sum.lower]
// Merges cells from the left until their mean loss is exactly a grid point; a cell that straddles is divided.
class Merger {
 public:
  Merger(const Grid& grid, std::vector<double>& masses) : grid_(grid), masses_(masses), target_(grid.first) {}

  void add(Cell cell) {
    while (cell.p > 0) {
      const bool fresh = mass_ == 0;
      if (fresh) aim_above(cell.value);
      double pull = -std::expm1(grid_.at(target_) - cell.value);  // per unit of mass; positive above the target
      if (fresh) pull = std::min(pull, 0.0);                      // the rounding of ceil
      const double sum = balance_ + cell.p * pull;
      if (sum <= 0) {
        mass_ += cell.p;
        balance_ = sum;
        return;
      }
      const double part = balance_ < 0 ? std::min(1.0, -balance_ / (cell.p * pull)) : 0;
      emit(target_, mass_ + part * cell.p);
      cell.p *= 1 - part;
      mass_ = balance_ = 0;
    }
  }
  // What is left has its mean below the target: rounded down.
  void finish() {
    if (mass_ == 0) return;
    const double mean = grid_.at(target_) - std::log1p(-balance_ / mass_);
    emit(static_cast<std::int64_t>(std::floor((mean - grid_.origin) / grid_.step)), mass_);
  }

 private:
  void aim_above(double loss) {
    target_ = static_cast<std::int64_t>(std::ceil((loss - grid_.origin) / grid_.step));
    balance_ = 0;
  }
  void emit(std::int64_t index, double mass) {
    if (index < grid_.first) return;
    masses_[static_cast<std::size_t>(std::min(index, grid_.last) - grid_.first)] += mass;
  }
  const Grid& grid_;
  std::vector<double>& masses_;
  std::int64_t target_;
  double mass_ = 0, balance_ = 0;
};
// [/proof]

}  // namespace

double grid_points(const LossLaw& law, double step, double tail) {
  const LossRange range = law.range(tail);
  return (range.upper - range.lower) / step + 4;
}

DiscreteLoss discretise(const LossLaw& law, double step, double tail) {
  const Grid grid = grid_for(law, step, tail);
  const auto size = static_cast<std::size_t>(grid.last - grid.first + 1);
  DiscreteLoss result{grid.origin, grid.first, std::vector<double>(size), std::vector<double>(size), 0};
  // [proof privacy_loss_sum.upper]
  Merger merger(grid, result.lower);
  result.upper[0] = law.between(-kInfinity, grid.at(grid.first)).p;  // losses below the grid move up to its end
  const double shrink = std::expm1(-step);
  for (std::size_t i = 0; i + 1 < size; ++i) {
    const auto index = grid.first + static_cast<std::int64_t>(i);
    const double least = grid.at(index), most = grid.at(index + 1);
    double from = least;
    for (int part = 1; part <= kCellsPerStep; ++part) {
      const double to = part == kCellsPerStep ? most : least + step * part / kCellsPerStep;
      const Cell cell = cell_of(law.between(from, to), least, most);
      from = to;
      if (cell.p == 0) continue;
      // Divided between the two ends so that the mass of Q is kept as well.
      const double up = std::clamp(std::expm1(least - cell.value) / shrink, 0.0, 1.0);
      result.upper[i] += cell.p * (1 - up);
      result.upper[i + 1] += cell.p * up;
      merger.add(cell);
    }
  }
  const Masses beyond = law.between(grid.at(grid.last), kInfinity);
  result.infinite = beyond.p * (1 + kLossMargin) + 1e-290;
  // [/proof]
  merger.add(cell_of(beyond, grid.at(grid.last), grid.at(grid.last)));
  merger.finish();
  return result;
}

}  // namespace dperm::privacy
