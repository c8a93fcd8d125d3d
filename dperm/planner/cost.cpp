// SPDX-License-Identifier: Apache-2.0
#include "dperm/planner/cost.hpp"

#include <algorithm>
#include <cmath>
#include <thread>

#include "dperm/methods/shared/pass_time.hpp"

namespace dperm::planner {

namespace {

using methods::ModelForm;
using methods::Plan;

// Measured on one core of a server of 2023 with AVX-512 (bench/clipped_pass, bench/gradient_pass, bench/network_step,
// bench/scaling.py): nanoseconds. Machines differ by a factor of three or so either way.
constexpr double kClipped = 1.05;              // a pass with clipping, times that of release resolution
constexpr double kSolver = 2;                  // times this in double
constexpr double kCoin = 0.9;                  // a row's coin
constexpr double kCopied = 1.2, kMissed = 16;  // each cell of a chosen row that is copied, near others and alone
constexpr double kFew = 1.0 / 6;               // share of chosen rows from which on the whole tile is passed over
constexpr double kNetworkRow = 100;            // a row of a network or of softmax regression by sgd ...
constexpr double kNetworkWeight = 1.5;         // ... and each weight, while they are few
constexpr double kNetworkWide = 0.06;          // the same of wide layers
constexpr double kMoment = 1.2;                // an entry of a row's second moments
constexpr double kStep = 20e3, kNoise = 60;    // a step, and each coordinate of its noise
constexpr double kSort = 120;                  // a row of a sort or of a table of rules
constexpr double kSolverPasses = 60;           // of a minimisation to a certified residual, typically
constexpr double kStart = 0.03;                // seconds
constexpr double kStartBytes = 25e6, kWeightBytes = 200;

struct Rows {
  double count, columns, weights;
  double pass;  // nanoseconds of a pass over one row
};

Rows rows_of(const Plan& plan) {
  const methods::PublicFacts& facts = plan.task.facts;
  const auto columns = static_cast<double>(facts.columns);
  return {static_cast<double>(facts.rows), columns, static_cast<double>(methods::weight_count(plan.task)),
          methods::row_nanoseconds(facts)};
}

// Passes of `steps` noisy steps.
Cost stepped(const Rows& rows, double passes, double per_row, double steps) {
  const double seconds = 1e-9 * (passes * rows.count * per_row + steps * (kStep + kNoise * rows.weights));
  return {passes, seconds, 0, std::max(passes, steps)};
}

Cost sampled_steps(const Plan& plan, const Rows& rows) {
  const privacy::PrivacyEvent& event = plan.events.front();
  const auto steps = static_cast<double>(event.repetitions);
  const auto* mechanism = std::get_if<privacy::SampledGaussianEvent>(&event.mechanism);
  const double rate = mechanism == nullptr ? 1 : mechanism->rate;
  if (methods::model_form(plan.task.problem) == ModelForm::linear) {
    const double all = kClipped * rows.pass, coin = rate < 1 ? kCoin : 0;
    const double copied = std::clamp(0.1 / rate, kCopied, kMissed);
    const double per_row = rate >= kFew ? all + coin : coin + rate * (all + copied * rows.columns);
    Cost cost = stepped(rows, steps, per_row, steps);
    cost.passes = steps * rate;
    return cost;
  }
  const double few = std::min(rows.weights, 4096.0), wide = rows.weights - few;
  const double per_row = kNetworkRow + kNetworkWeight * few + kNetworkWide * wide + (rate < 1 ? kCoin / rate : 0);
  return stepped(rows, steps * rate, per_row, steps);
}

double repetitions(const Plan& plan) {
  std::int64_t most = 1;
  for (const privacy::PrivacyEvent& each : plan.events) most = std::max(most, each.repetitions);
  return static_cast<double>(most);
}

double moments(const Rows& rows) { return kMoment * rows.columns * (rows.columns + 1) / 2; }

// One score a class.
double scores(const Plan& plan) {
  return methods::model_form(plan.task.problem) == ModelForm::multiclass
             ? 4 * static_cast<double>(std::max<std::size_t>(plan.task.facts.classes, 1))
             : 1;
}

struct CostOf {
  const Plan& plan;
  Rows rows;

  Cost solved(double passes) const { return stepped(rows, passes, kSolver * rows.pass * scores(plan), 0); }

  Cost operator()(const methods::SgdOptions&) const { return sampled_steps(plan, rows); }
  Cost operator()(const methods::GradientDescentOptions&) const {
    const double steps = repetitions(plan);
    return stepped(rows, steps, rows.pass * scores(plan), steps);
  }
  Cost operator()(const methods::OutputDescentOptions& options) const {
    return solved(static_cast<double>(options.passes.value_or(1000)));
  }
  Cost operator()(const methods::OutputSgdOptions& options) const {
    return solved(static_cast<double>(options.passes.value_or(1000)));
  }
  Cost operator()(const methods::NewtonOptions&) const {
    const double steps = repetitions(plan);
    return stepped(rows, steps, rows.pass + moments(rows), steps);
  }
  Cost operator()(const methods::SufficientStatisticsOptions&) const { return stepped(rows, 1, moments(rows), 1); }
  Cost operator()(const methods::ConstantOptions&) const { return stepped(rows, 1, rows.pass, 1); }
  Cost operator()(const methods::ExponentialLocationOptions&) const { return stepped(rows, 1, kSort, 1); }
  Cost operator()(const methods::ExponentialRulesOptions&) const {
    Cost cost = stepped(rows, 1, kSort * rows.columns, 1);
    cost.bytes = 50 * std::min(static_cast<double>(plan.task.facts.rules), 0x1p17 * rows.columns);
    return cost;
  }
  Cost operator()(const auto&) const { return solved(kSolverPasses); }
};

bool copies_rows(const Plan& plan) {
  return std::holds_alternative<methods::SgdOptions>(plan.options) &&
         methods::model_form(plan.task.problem) != ModelForm::linear;
}

}  // namespace

Cost cost_of(const methods::Plan& plan) {
  if (plan.tuning) {
    Cost all;
    for (const auto& candidate : plan.tuning->candidates) {
      const Cost each = cost_of(candidate.plan);
      all = {all.passes + each.passes, all.seconds + each.seconds, std::max(all.bytes, each.bytes),
             all.rounds + each.rounds};
    }
    return all;
  }
  const Rows rows = rows_of(plan);
  Cost cost = std::visit(CostOf{plan, rows}, plan.options);
  const double row_bytes = 4 + 2 * (rows.columns - 1);  // at most: categories mostly take one byte
  cost.bytes += rows.count * row_bytes * (copies_rows(plan) ? 2 : 1) + kStartBytes + kWeightBytes * rows.weights;
  cost.seconds += kStart;
  return cost;
}

double cores_here() { return std::max(1u, std::thread::hardware_concurrency()); }

double seconds_on(const Cost& cost, double cores, double pass_overhead) {
  return cost.seconds / cores + cost.rounds * pass_overhead;
}

double sampling_error_of_risk(const methods::Task& task) {
  // Deviation of one row's loss: about 0.4 for margin losses on adult, bank, credit and covertype, 0.1 for the squared
  // loss of a target in [-1, 1].
  const double deviation = loss::is_classification(task.problem.loss.kind) ? 0.4 : 0.1;
  return deviation / std::sqrt(static_cast<double>(task.facts.rows));
}

}  // namespace dperm::planner
