// SPDX-License-Identifier: Apache-2.0
#include "dperm/audit/exact/term_density.hpp"

#include <Eigen/Dense>
#include <algorithm>
#include <cmath>
#include <variant>

namespace dperm::audit {

namespace {

double target_of(const loss::Loss& loss, std::int32_t stored) {
  if (loss::is_classification(loss.kind)) return stored > 0 ? 1 : -1;
  return static_cast<double>(stored) / kTargetOne;
}

double curvature(const loss::Loss& loss, double score, double target) {
  constexpr double kStep = 1e-5;
  return (loss::slope(loss, score + kStep, target) - loss::slope(loss, score - kStep, target)) / (2 * kStep);
}

}  // namespace

TermDensity::TermDensity(const methods::Plan& plan, const Pair& pair, const privacy::Mechanism& term)
    : loss_(plan.task.problem.loss) {
  if (const auto* gaussian = std::get_if<privacy::ObjectivePerturbationEvent>(&term)) {
    penalty_ = gaussian->objective.penalty;
    sigma_ = gaussian->objective.sigma;
  } else {
    const auto& pure = std::get<privacy::PureObjectiveEvent>(term).objective;
    penalty_ = pure.penalty;
    scale_ = pure.scale;
  }
  const auto point = [&](const Row& row) {
    return Point{features(*pair.encoding, row), target_of(loss_, row.target), 1};
  };
  for (std::size_t i = 0; i < pair.rows.size(); ++i) {
    if (i >= pair.place && i < pair.place + pair.copies) continue;
    const Point each = point(pair.rows[i]);
    const auto alike = std::find_if(common_.begin(), common_.end(), [&](const Point& other) {
      return other.x == each.x && other.target == each.target;
    });
    if (alike == common_.end()) {
      common_.push_back(each);
    } else {
      ++alike->count;
    }
  }
  first_ = point(pair.row());
  second_ = point(pair.other);
  first_.count = second_.count = static_cast<double>(pair.copies);
}

double TermDensity::log_density(const std::vector<double>& weights, bool first) const {
  const auto dimension = static_cast<Eigen::Index>(weights.size());
  const Eigen::Map<const Eigen::VectorXd> w(weights.data(), dimension);
  Eigen::VectorXd gradient = penalty_ * w;
  Eigen::MatrixXd hessian = penalty_ * Eigen::MatrixXd::Identity(dimension, dimension);
  const auto add = [&](const Point& point) {
    const Eigen::Map<const Eigen::VectorXd> x(point.x.data(), dimension);
    const double score = w.dot(x);
    gradient += point.count * loss::slope(loss_, score, point.target) * x;
    hessian.selfadjointView<Eigen::Lower>().rankUpdate(x, point.count * curvature(loss_, score, point.target));
  };
  for (const Point& point : common_) add(point);
  add(first ? first_ : second_);
  const Eigen::LLT<Eigen::MatrixXd, Eigen::Lower> factor(hessian);
  double log_determinant = 0;
  for (Eigen::Index j = 0; j < dimension; ++j) log_determinant += 2 * std::log(factor.matrixLLT()(j, j));
  const double term = sigma_ > 0 ? gradient.squaredNorm() / (2 * sigma_ * sigma_) : gradient.norm() / scale_;
  return log_determinant - term;
}

double TermDensity::log_ratio(const std::vector<double>& weights) const {
  return log_density(weights, true) - log_density(weights, false);
}

std::optional<TermDensity> term_density(const methods::Plan& plan, const Pair& pair) {
  if (!std::holds_alternative<methods::ObjectivePerturbationOptions>(plan.options) || plan.events.empty()) {
    return std::nullopt;
  }
  if (plan.task.problem.loss.kind == loss::LossKind::softmax || pair.encoding->has_knots()) return std::nullopt;
  return TermDensity(plan, pair, plan.events.front().mechanism);
}

}  // namespace dperm::audit
