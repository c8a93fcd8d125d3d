// SPDX-License-Identifier: Apache-2.0
#include "dperm/solve/lbfgs.hpp"

#include <deque>
#include <utility>
#include <vector>

#include "dperm/core/check.hpp"
#include "dperm/solve/vectors.hpp"

namespace dperm::solve {
namespace {

using detail::all_finite;
using detail::dot;
using detail::norm_above;

constexpr double kDecrease = 1e-4;  // Armijo constant
constexpr double kCurvature = 0.9;  // weak Wolfe constant
constexpr int kLongestSearch = 25;  // 2^25 in step length either way covers any sensible scaling
// Iterations without progress before giving up. Where values are too coarse to tell progress and the problem is badly
// conditioned, the gradient's norm rises and falls for many dozens before it is lower for good.
constexpr int kLongestStandstill = 200;

struct Point {
  std::vector<double> w, gradient;
  double value = 0;
  double norm = 0;
};

// The last pairs (step, change of gradient), newest at the back.
class Memory {
 public:
  explicit Memory(std::size_t size) : size_(size) {}

  void clear() { pairs_.clear(); }
  bool empty() const { return pairs_.empty(); }

  void add(const Point& before, const Point& after) {
    Pair pair{std::vector<double>(before.w.size()), std::vector<double>(before.w.size()), 0};
    for (std::size_t j = 0; j < before.w.size(); ++j) {
      pair.step[j] = after.w[j] - before.w[j];
      pair.change[j] = after.gradient[j] - before.gradient[j];
    }
    const double product = dot(pair.step, pair.change);
    // A pair in the noise would turn the model indefinite or absurdly flat.
    if (!(product > 1e-10 * norm_above(pair.step) * norm_above(pair.change))) return;
    pair.inverse_product = 1 / product;
    pairs_.push_back(std::move(pair));
    if (pairs_.size() > size_) pairs_.pop_front();
  }

  // -(approximate inverse Hessian) gradient, by the two-loop recursion [NW06, Algorithm 7.4].
  std::vector<double> direction(std::span<const double> gradient, double first_step) const {
    std::vector<double> p(gradient.begin(), gradient.end()), weight(pairs_.size());
    for (std::size_t i = pairs_.size(); i-- > 0;) {
      weight[i] = pairs_[i].inverse_product * dot(pairs_[i].step, p);
      for (std::size_t j = 0; j < p.size(); ++j) p[j] -= weight[i] * pairs_[i].change[j];
    }
    double scale = first_step;
    if (!pairs_.empty()) {
      const Pair& last = pairs_.back();
      scale = 1 / (last.inverse_product * dot(last.change, last.change));
    }
    for (double& x : p) x *= scale;
    for (std::size_t i = 0; i < pairs_.size(); ++i) {
      const double correction = weight[i] - pairs_[i].inverse_product * dot(pairs_[i].change, p);
      for (std::size_t j = 0; j < p.size(); ++j) p[j] += correction * pairs_[i].step[j];
    }
    for (double& x : p) x = -x;
    return p;
  }

 private:
  struct Pair {
    std::vector<double> step, change;
    double inverse_product;
  };
  std::size_t size_;
  std::deque<Pair> pairs_;
};

class Minimiser {
 public:
  Minimiser(const Objective& objective, const LbfgsOptions& options)
      : objective_(objective), options_(options), memory_(options.memory) {}

  SolveSummary run(std::span<double> w) {
    Point current;
    current.w.assign(w.begin(), w.end());
    current.gradient.resize(w.size());
    if (!evaluate(current)) return finish(Stop::non_finite, std::move(current), w);
    best_ = current;
    Stop stop = Stop::iteration_limit;
    int standstill = 0;
    while (current.norm > options_.gradient_tolerance && iterations_ < options_.iteration_limit) {
      ++iterations_;
      Point next;
      if (!search(current, next)) {
        if (memory_.empty()) {
          stop = Stop::stalled;
          break;
        }
        memory_.clear();  // the plain gradient gets one chance before the end
        continue;
      }
      memory_.add(current, next);
      const bool progress = next.norm < 0.9 * best_.norm || next.value < current.value - noise(current);
      standstill = progress ? 0 : standstill + 1;
      if (next.norm < best_.norm) best_ = next;
      current = std::move(next);
      if (standstill >= kLongestStandstill) {
        stop = Stop::stalled;
        break;
      }
    }
    if (best_.norm <= options_.gradient_tolerance) stop = Stop::converged;
    return finish(stop, std::move(best_), w);
  }

 private:
  bool evaluate(Point& point) {
    ++evaluations_;
    point.value = objective_.value_and_gradient(point.w, point.gradient);
    point.norm = norm_above(point.gradient);
    return all_finite(point.value, point.gradient);
  }

  double noise(const Point& at) const { return options_.value_resolution + 0x1p-46 * std::abs(at.value); }

  // A step that decreases the value enough and flattens the slope. Where the values differ by less than their noise the
  // slopes decide alone, as in the approximate Wolfe conditions of Hager and Zhang.
  bool search(const Point& from, Point& to) {
    std::vector<double> p = memory_.direction(from.gradient, options_.first_step);
    double slope = dot(p, from.gradient);
    if (!(slope < 0) || !std::isfinite(slope)) {
      memory_.clear();
      p = memory_.direction(from.gradient, options_.first_step);
      slope = dot(p, from.gradient);
    }
    to.w.resize(p.size());
    to.gradient.resize(p.size());
    double low = 0, low_slope = slope, high = 0, step = 1;
    for (int trial = 0; trial < kLongestSearch; ++trial) {
      bool moved = false;
      for (std::size_t j = 0; j < p.size(); ++j) {
        to.w[j] = from.w[j] + step * p[j];
        moved = moved || to.w[j] != from.w[j];
      }
      if (!moved) return false;
      const bool finite = evaluate(to);
      const double new_slope = finite ? dot(p, to.gradient) : 0;
      const bool clear_decrease = to.value <= from.value + kDecrease * step * slope;
      const bool flat_decrease = to.value <= from.value + noise(from) && new_slope <= -(1 - 2 * kDecrease) * slope;
      if (!finite || !(clear_decrease || flat_decrease)) {
        high = step;
        const double secant = finite && new_slope > 0 ? low_slope / (low_slope - new_slope) : 0.5;
        step = low + (high - low) * std::clamp(secant, 0.1, 0.9);
      } else if (new_slope < kCurvature * slope) {
        low = step;
        low_slope = new_slope;
        step = high > 0 ? low + (high - low) / 2 : 4 * step;
      } else {
        return true;
      }
    }
    return false;
  }

  SolveSummary finish(Stop stop, Point point, std::span<double> w) const {
    std::copy(point.w.begin(), point.w.end(), w.begin());
    const double norm = stop == Stop::non_finite ? std::numeric_limits<double>::infinity() : point.norm;
    return {stop, point.value, norm, norm, iterations_, evaluations_};
  }

  const Objective& objective_;
  const LbfgsOptions& options_;
  Memory memory_;
  Point best_;
  std::int64_t iterations_ = 0, evaluations_ = 0;
};

}  // namespace

SolveSummary minimise(const Objective& objective, std::span<double> w, const LbfgsOptions& options) {
  require_nonnegative_finite("gradient_tolerance", options.gradient_tolerance);
  require(options.iteration_limit >= 0, "iteration_limit must not be negative");
  require(options.memory >= 1, "memory must be at least 1");
  require_positive_finite("first_step", options.first_step);
  require_nonnegative_finite("value_resolution", options.value_resolution);
  require(w.size() == objective.dimension(), "the starting point has the wrong dimension");
  return Minimiser(objective, options).run(w);
}

}  // namespace dperm::solve
