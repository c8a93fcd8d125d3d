// SPDX-License-Identifier: Apache-2.0
#include "dperm/privacy/objective/objective_classical.hpp"

#include <fmt/core.h>

#include <cmath>

#include "dperm/core/check.hpp"
#include "dperm/core/rounding.hpp"
#include "dperm/privacy/calibration/calibration.hpp"

namespace dperm::privacy {

namespace {

constexpr double kAmpNoiseShare = 0.9;

void require_budget(double epsilon, double delta) {
  require_meaningful_epsilon(epsilon);
  require_in_open_range("delta", delta, 0, 1);
}

void require_penalty(const char* theorem, double penalty, double least) {
  require(penalty >= least,
          fmt::format("{} needs l2_penalty times rows of at least {:.6g}; got {:.6g}", theorem, least, penalty));
}

}  // namespace

double cms11_least_penalty(const RecordBounds& record, double epsilon) {
  require_meaningful_epsilon(epsilon);
  return rounded_up(record.second_derivative / std::expm1(epsilon / 4));
}

double cms11_scale(const RecordBounds& record, double penalty, double epsilon) {
  require_meaningful_epsilon(epsilon);
  require_positive_finite("penalty", penalty);
  const double left = epsilon - rounded_up(2 * std::log1p(record.second_derivative / penalty));
  if (!(left > 0)) require_penalty("cms11", penalty, cms11_least_penalty(record, epsilon));
  return rounded_up(2 * record.gradient / left);
}

double kst12_least_penalty(const RecordBounds& record, double epsilon) {
  require_meaningful_epsilon(epsilon);
  return rounded_up(2 * record.second_derivative / epsilon);
}

double kst12_sigma(const RecordBounds& record, double penalty, double epsilon, double delta) {
  require_budget(epsilon, delta);
  require_penalty("kst12", penalty, kst12_least_penalty(record, epsilon));
  return rounded_up(2 * record.gradient * std::sqrt(8 * std::log(2 / delta) + 4 * epsilon) / epsilon);
}

double amp_least_penalty(const RecordBounds& record, double epsilon) {
  require_meaningful_epsilon(epsilon);
  return rounded_up(2 * record.second_derivative / ((1 - kAmpNoiseShare) * epsilon));
}

double amp_sigma(const RecordBounds& record, double penalty, double epsilon, double delta) {
  require_budget(epsilon, delta);
  require_penalty("amp", penalty, amp_least_penalty(record, epsilon));
  return amp_output_sigma(2 * record.gradient, kAmpNoiseShare * epsilon, delta);
}

double amp_output_sigma(double sensitivity, double epsilon, double delta) {
  require_budget(epsilon, delta);
  require_positive_finite("sensitivity", sensitivity);
  return rounded_up(sensitivity * (1 + std::sqrt(2 * std::log(1 / delta))) / epsilon);
}

}  // namespace dperm::privacy
