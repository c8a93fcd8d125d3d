// SPDX-License-Identifier: Apache-2.0
// A solver whose batches are the same places of the table in every fit, as if one record could not move the others: in
// a table that is sorted by its own values it can.
#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <variant>

#include "dperm/audit/controls/controls.hpp"
#include "dperm/audit/subjects.hpp"
#include "dperm/methods/output_perturbation/output_settings.hpp"

namespace dperm::audit {

namespace {

constexpr std::size_t kRows = 400, kBatch = 100;

// A public order of places that spreads every batch over the table.
std::vector<std::uint32_t> order_of_places() {
  constexpr std::size_t kStride = 247;  // near the golden section
  static_assert(std::gcd(kStride, kRows) == 1);
  std::vector<std::uint32_t> order(kRows);
  for (std::size_t i = 0; i < kRows; ++i) order[i] = static_cast<std::uint32_t>(i * kStride % kRows);
  for (std::size_t i = 0; i < kRows; i += kBatch) std::ranges::sort(std::span(order).subspan(i, kBatch));
  return order;
}

// With another key and target the first row is the last, and every other row moves up by one. All rows are alike but
// for their targets, which are such that the batches of the second table have one target each, and those of the first a
// mixture.
Pair sorted_table(const Subject& each) {
  Pair pair{.encoding = each.encoding, .rows = Rows(kRows), .to = kRows - 1};
  std::vector<std::int32_t> targets(kRows);  // of the second table
  const std::vector<std::uint32_t> order = order_of_places();
  for (std::size_t i = 0; i < kRows; ++i) targets[order[i]] = i / kBatch % 2 == 0 ? 1 : -1;
  for (std::size_t i = 0; i < kRows; ++i) {
    pair.rows[i].reals.assign(each.encoding->reals().size(), 32767);
    pair.rows[i].target = i == 0 ? -targets.back() : targets[i - 1];
  }
  pair.other = pair.rows.front();
  pair.other.target = targets.back();
  return pair;
}

// The subject's plan with the same events and noise, in the public order.
methods::Plan in_order_of_places(const methods::Plan& plan, const methods::OutputSettings& settings) {
  methods::Plan result = plan;
  result.run = [settings, what = plan.events.front().what](const data::Dataset& dataset, privacy::Curator& curator,
                                                           const methods::FitOptions& options) {
    const auto point = dataset.sums().map([&](const engine::RowSums& sums) {
      return methods::output_point(settings, sums, order_of_places(), options.threads);
    });
    const auto noisy = curator.release(point, std::get<privacy::GaussianEvent>(settings.mechanism), what);
    return methods::Trained{
        noisy.map([](const std::vector<std::int64_t>& lattice) { return std::vector<double>(lattice.size()); })};
  };
  return result;
}

}  // namespace

Verdict permutation_by_places(bool broken, const ControlOptions& options) {
  Subject each = subject("gradient-descent-logistic", options.epsilon);
  methods::Task task = each.plan.task;
  task.facts.rows = kRows;
  task.problem.feasible_set = {loss::SetKind::ball, 2};
  const methods::OutputSgdOptions sgd{.passes = 1, .step_size = 1.5, .batch = kBatch};
  each.plan = methods::plan_for(task, sgd);
  if (broken) each.plan = in_order_of_places(each.plan, methods::output_settings(task, sgd));
  const Pair pair = sorted_table(each);
  const Verdict replayed = judged(replay(each.plan, pair, options.seed).comparison);
  Verdict played = judged(best_play(each.plan, pair), each.plan.guarantee.epsilon,
                          {.runs = 4000,
                           .error = options.error,
                           .delta = task.budget.delta,
                           .gaussian = true,
                           .threads = options.threads,
                           .seed = options.seed});
  played.flagged = played.flagged || replayed.flagged;
  played.evidence = fmt::format("{}; {}", replayed.evidence, played.evidence);
  return played;
}

}  // namespace dperm::audit
