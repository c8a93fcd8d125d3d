// SPDX-License-Identifier: Apache-2.0
// The loss distribution of a perturbed objective: atoms at the corners of a convex curve above the proved profile.
// Proof note: dperm/privacy/distributions/loss_distribution.md.
#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>
#include <vector>

#include "dperm/privacy/distributions/loss_distribution.hpp"

namespace dperm::privacy {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr int kNodes = 400;
constexpr double kNegligible = 1e-22;

class Atoms final : public LossDistribution {
 public:
  Atoms(std::vector<Atom> atoms, double infinite) : atoms_(std::move(atoms)), infinite_(infinite) {}
  Masses between(double lower, double upper) const override {
    Masses m;
    const auto above = [](double loss, const Atom& atom) { return loss < atom.loss; };
    auto atom = std::upper_bound(atoms_.begin(), atoms_.end(), lower, above);
    for (; atom != atoms_.end() && atom->loss <= upper; ++atom) {
      m.p += atom->p;
      m.q += atom->p * std::exp(-atom->loss);
    }
    if (upper == kInfinity) m.p += infinite_;
    return m;
  }
  // Without atoms all mass is at infinity.
  LossRange range(double) const override {
    return atoms_.empty() ? LossRange{0, 0} : LossRange{atoms_.front().loss, atoms_.back().loss};
  }
  double anchor() const override { return 0; }

 private:
  std::vector<Atom> atoms_;
  double infinite_;
};

// [proof privacy_loss_distribution.objective]
struct Point {
  double alpha, loss, delta;
};

double slope(const Point& a, const Point& b) { return (b.delta - a.delta) / (b.alpha - a.alpha); }

// Bounds at both ends of the proved range and its mirror image, in the order of alpha = e^loss; between them the curve
// is convex, so a chord is above it.
std::vector<Point> profile_points(const PerturbedObjective& objective) {
  const double least = least_epsilon(objective);
  double most = std::max(0.5, 2 * least);
  while (delta_objective_quick(most, objective) > kNegligible && most < 600) most *= 1.25;
  std::vector<Point> right;
  for (int i = 0; i <= kNodes; ++i) {
    const double loss = least + (most - least) * i / kNodes;
    right.push_back({std::exp(loss), loss, std::min(1.0, delta_objective_quick(loss, objective) * (1 + 1e-9))});
  }
  std::vector<Point> points{{0, -kInfinity, 1}};
  for (auto point = right.rbegin(); point != right.rend(); ++point) {
    const double alpha = std::exp(-point->loss);
    // Fewer points are still a bound; two at the same alpha would have no slope between them.
    if (point->loss > 1e-9)
      points.push_back({alpha, -point->loss, std::min(1.0, 1 - alpha * (1 - point->delta) + 1e-15)});
  }
  points.insert(points.end(), right.begin(), right.end());
  return points;
}

}  // namespace

Distribution atoms_distribution(std::vector<Atom> atoms, double infinite) {
  return std::make_shared<Atoms>(std::move(atoms), infinite);
}

Distribution objective_distribution(const PerturbedObjective& objective) {
  std::vector<Point> hull;
  for (const Point& point : profile_points(objective)) {
    while (hull.size() >= 2 && slope(hull[hull.size() - 2], hull.back()) >= slope(hull.back(), point)) hull.pop_back();
    hull.push_back(point);
  }
  std::vector<Atom> atoms;
  for (std::size_t i = 1; i < hull.size(); ++i) {
    const double right = i + 1 < hull.size() ? slope(hull[i], hull[i + 1]) : 0;
    const double q = std::max(0.0, right - slope(hull[i - 1], hull[i]));
    atoms.push_back({hull[i].loss, hull[i].alpha * q});
  }
  return atoms_distribution(std::move(atoms), hull.back().delta);
}
// [/proof]

}  // namespace dperm::privacy
