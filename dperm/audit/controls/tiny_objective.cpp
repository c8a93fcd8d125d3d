// SPDX-License-Identifier: Apache-2.0
// Objective perturbation of [CMS11] in a few lines, for logistic loss with rows of norm up to R, as other packages have
// it: right, and with two mistakes that were found in one of them. The attacker uses the exact density of what is
// released.
#include <array>
#include <cmath>
#include <vector>

#include "dperm/audit/controls/controls.hpp"

namespace dperm::audit {

namespace {

using Vector = std::array<double, 2>;

struct Point {
  Vector x;
  double y;
};

struct Tiny {
  std::vector<Point> rows;  // of the first table
  Point other;              // stands in place 0 of the second
  std::size_t dimension;    // 1 or 2
  Vector penalty;           // of the sum, by coordinate
  double noise_scale;       // the term's density is proportional to exp(-||b|| / noise_scale)
};

double sigmoid(double t) { return 1 / (1 + std::exp(-t)); }

struct Local {
  Vector gradient{};
  std::array<double, 3> hessian{};  // 00, 01, 11
};

Local local(const Tiny& tiny, bool first, const Vector& w) {
  Local sum;
  for (std::size_t j = 0; j < 2; ++j) sum.gradient[j] = tiny.penalty[j] * w[j];
  sum.hessian = {tiny.penalty[0], 0, tiny.dimension == 2 ? tiny.penalty[1] : 1};
  for (std::size_t i = 0; i < tiny.rows.size(); ++i) {
    const Point& row = i == 0 && !first ? tiny.other : tiny.rows[i];
    const double miss = sigmoid(-row.y * (w[0] * row.x[0] + w[1] * row.x[1]));
    for (std::size_t j = 0; j < 2; ++j) sum.gradient[j] -= row.y * miss * row.x[j];
    const double curvature = miss * (1 - miss);
    sum.hessian[0] += curvature * row.x[0] * row.x[0];
    sum.hessian[1] += curvature * row.x[0] * row.x[1];
    sum.hessian[2] += curvature * row.x[1] * row.x[1];
  }
  return sum;
}

double determinant(const Local& at) { return at.hessian[0] * at.hessian[2] - at.hessian[1] * at.hessian[1]; }

// Damped Newton steps on the objective with the term; far out, where it is nearly flat, steps are kept short.
Vector minimiser(const Tiny& tiny, bool first, const Vector& term) {
  Vector w{};
  for (int step = 0; step < 200; ++step) {
    Local at = local(tiny, first, w);
    for (std::size_t j = 0; j < tiny.dimension; ++j) at.gradient[j] += term[j];
    const double scale = std::fmax(determinant(at), 1e-300);
    Vector move = {(at.hessian[2] * at.gradient[0] - at.hessian[1] * at.gradient[1]) / scale,
                   (at.hessian[0] * at.gradient[1] - at.hessian[1] * at.gradient[0]) / scale};
    if (tiny.dimension == 1) move = {at.gradient[0] / at.hessian[0], 0};
    const double length = std::hypot(move[0], move[1]), shorten = length > 2 ? 2 / length : 1;
    for (std::size_t j = 0; j < 2; ++j) w[j] -= shorten * move[j];
    if (length < 1e-10) break;
  }
  return w;
}

double log_density(const Tiny& tiny, bool first, const Vector& w) {
  const Local at = local(tiny, first, w);
  const double term = tiny.dimension == 1 ? std::fabs(at.gradient[0]) : std::hypot(at.gradient[0], at.gradient[1]);
  return std::log(determinant(at)) - term / tiny.noise_scale;
}

double uniform(random::BitSource& bits) { return (static_cast<double>(bits.next() >> 11) + 0.5) * 0x1p-53; }

// Length gamma with `dimension`, direction even.
Vector draw_term(const Tiny& tiny, random::BitSource& bits) {
  double length = 0;
  for (std::size_t j = 0; j < tiny.dimension; ++j) length -= tiny.noise_scale * std::log(uniform(bits));
  constexpr double kTurn = 6.283185307179586;
  const double angle = kTurn * uniform(bits);
  if (tiny.dimension == 1) return {angle < kTurn / 2 ? length : -length, 0};
  return {length * std::cos(angle), length * std::sin(angle)};
}

Play play_of(const Tiny& tiny) {
  return [tiny](bool first, std::uint64_t seed) -> std::vector<double> {
    random::SeededBits bits(seed);
    const Vector w = minimiser(tiny, first, draw_term(tiny, bits));
    return {log_density(tiny, true, w) - log_density(tiny, false, w)};
  };
}

// Penalty and noise as [CMS11, Algorithm 2] has them, for second derivatives up to `curvature` and rows of norm up to
// `norm`: epsilon less what the determinant costs is left for the noise; a small penalty is raised first.
void calibrate(Tiny& tiny, double epsilon, double penalty, double curvature, double norm) {
  double left = epsilon - 2 * std::log1p(curvature / penalty);
  if (left <= 0) {
    penalty = curvature / std::expm1(epsilon / 4);
    left = epsilon / 2;
  }
  tiny.penalty = {penalty, penalty};
  tiny.noise_scale = 2 * norm / left;
}

Verdict verdict(const Tiny& tiny, std::size_t runs, const ControlOptions& options) {
  return judged(play_of(tiny), options.epsilon,
                {.runs = runs, .error = options.error, .threads = options.threads, .seed = options.seed});
}

constexpr std::size_t kRows = 20;

}  // namespace

// Weight and intercept, three rows of norm at most 1; the one that is replaced moves to where only the intercept is.
// Where its score is near 0 and the others' are far out, it alone holds the intercept.
Verdict no_intercept_penalty(bool broken, const ControlOptions& options) {
  const double half = std::sqrt(0.5);
  Tiny tiny{.rows = {{{half, half}, 1}, {{0, half}, 1}, {{0, half}, -1}},
            .other = {{0, half}, 1},
            .dimension = 2,
            .penalty = {},
            .noise_scale = 0};
  calibrate(tiny, options.epsilon, 0.3, 0.25, 1);
  if (broken) tiny.penalty[1] = 1e-9;  // a Hessian must have an inverse
  return verdict(tiny, 200000, options);
}

// One weight; the row that is replaced moves from norm 100 to norm 0, all others have none.
Verdict norm_not_squared(bool broken, const ControlOptions& options) {
  constexpr double kNorm = 100;
  Tiny tiny{.rows = std::vector<Point>(kRows, Point{{0, 0}, 1}),
            .other = {{0, 0}, 1},
            .dimension = 1,
            .penalty = {},
            .noise_scale = 0};
  tiny.rows[0] = {{kNorm, 0}, 1};
  calibrate(tiny, options.epsilon, 1, (broken ? kNorm : kNorm * kNorm) / 4, kNorm);
  return verdict(tiny, 60000, options);
}

}  // namespace dperm::audit
