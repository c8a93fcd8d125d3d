// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <optional>

#include "dperm/core/check.hpp"
#include "dperm/core/error.hpp"
#include "dperm/core/rounding.hpp"
#include "dperm/engine/split.hpp"
#include "dperm/methods/algorithms.hpp"
#include "dperm/methods/evaluation/evaluation.hpp"
#include "dperm/methods/option_tables.hpp"
#include "dperm/methods/tuned/candidates.hpp"
#include "dperm/methods/tuned/tuning_budget.hpp"
#include "dperm/privacy/calibration/calibration.hpp"
#include "dperm/privacy/composition/accountant.hpp"
#include "dperm/privacy/composition/gaussian_dp.hpp"
#include "dperm/random/noise/gaussian.hpp"

namespace dperm::methods {

namespace {

using privacy::RepetitionDistribution;

constexpr const char* kWhat = "best model with its score";
constexpr const char* kScoreWhat = "score";
// A score that is off by more than this (in accuracy, or as a share of the largest loss) chooses by chance.
constexpr double kMostScoreNoise = 0.05;

// All numbers a run needs; a function of public facts alone.
struct Tuning {
  struct Candidate {
    TunedCandidate asked;
    Task task;                 // on the training rows, with a share of the budget
    std::optional<Plan> plan;  // of that task
  };
  std::size_t held_out, training;
  std::vector<Candidate> candidates;
  privacy::SelectionEvent event;
  Metric metric;
  privacy::Mechanism score;
  double score_noise;  // standard deviation, in the mean
};

// [proof methods_tuned.score]
bool all_gaussian(const Tuning::Candidate& candidate) {
  return std::ranges::all_of(candidate.plan->events, privacy::is_gaussian);
}

// Gaussian noise on sums over all rows or over Poisson samples: what both theorems of renyi.md are evaluated for.
bool has_curves(const privacy::PrivacyEvent& event) {
  const auto* sampled = std::get_if<privacy::SampledGaussianEvent>(&event.mechanism);
  return sampled ? sampled->sampling == privacy::Sampling::poisson : privacy::is_gaussian(event);
}

// Refuses fits that no theorem covers.
void check_base(const Plan& plan, bool pure) {
  if (pure) {
    require(plan.guarantee.pure,
            fmt::format("{} has no pure epsilon here; take a `delta` above 0", method_name(plan.options)));
  } else {
    require(std::ranges::all_of(plan.events, has_curves),
            fmt::format("with a delta, tuning is proved for methods whose releases all have Gaussian noise, on all "
                        "rows or on Poisson samples, and {} is not one here; use gradient-descent, "
                        "output-perturbation or sgd with Poisson samples, or `delta = 0`",
                        method_name(plan.options)));
  }
  require(plan.guarantee.neighbours == privacy::Neighbours::replace_one, "tuning is proved for replace-one neighbours");
}

privacy::Mechanism laplace_score(std::uint64_t sensitivity, double epsilon) {
  const privacy::LaplaceScale scale = privacy::laplace_scale_for(sensitivity, epsilon);
  return privacy::DiscreteLaplaceEvent{sensitivity, scale.numerator, scale.denominator};
}

privacy::Mechanism gaussian_score(std::uint64_t sensitivity, double mu) {
  const double change = static_cast<double>(sensitivity);
  return privacy::GaussianEvent{change, std::max(random::kMinimumSigma, rounded_up(change / mu))};
}
// [/proof]

double standard_deviation(const privacy::Mechanism& score) {
  if (const auto* gaussian = std::get_if<privacy::GaussianEvent>(&score)) return gaussian->sigma;
  const auto& laplace = std::get<privacy::DiscreteLaplaceEvent>(score);
  return std::sqrt(2.0) * static_cast<double>(laplace.scale_numerator) / static_cast<double>(laplace.scale_denominator);
}

// That the score's noise leaves something to choose by.
void check_score(Tuning& t, const Task& asked) {
  const std::uint64_t sensitivity = metric_sensitivity(t.metric, t.held_out);
  const double steps = standard_deviation(t.score);
  require(steps <= random::kMaximumSigma,
          "the score needs noise beyond the exact samplers' range; take a larger epsilon");
  const double share = steps / (static_cast<double>(sensitivity) * static_cast<double>(t.held_out));
  require(share <= kMostScoreNoise,
          fmt::format("{} held-out rows are too few: the noise of a score would be {:.2g} of its range, and the choice "
                      "left to chance; take more rows, a larger epsilon, or do not tune",
                      t.held_out, share));
  t.score_noise =
      std::abs(metric_mean(t.metric, asked, steps, t.held_out) - metric_mean(t.metric, asked, 0, t.held_out));
}

// [proof methods_tuned.runs]
// Plans the candidate for this budget, unless that is what its plan is.
void plan_candidate(Tuning& t, std::size_t number, const Budget& budget) {
  Tuning::Candidate& each = t.candidates.at(number);
  if (each.plan && each.task.budget == budget) return;
  each.task.budget = budget;
  try {
    each.plan = each.asked.plan(each.task);
    check_base(*each.plan, budget.delta == 0);
  } catch (const ArgumentError& error) {
    throw ArgumentError(fmt::format("candidate {}: {}", each.asked.label, error.what()));
  }
}

// Runs whose releases are not all Gaussian: each candidate and the score are planned for epsilons of their own, and the
// event names what they release.
void plan_by_releases(Tuning& t, const Task& asked, std::uint64_t sensitivity) {
  const double delta = asked.budget.delta;
  std::vector<ReleasesAt> runs;
  for (std::size_t i = 0; i < t.candidates.size(); ++i) {
    runs.push_back([&t, i, delta](double epsilon) {
      plan_candidate(t, i, {epsilon, delta});
      return t.candidates[i].plan->events;
    });
  }
  runs.push_back([&](double epsilon) {
    t.score = gaussian_score(sensitivity, privacy::mu_for(epsilon, delta));
    return std::vector{privacy::PrivacyEvent{kScoreWhat, t.score}};
  });
  t.event = with_released_base(t.event, asked.budget, fit_budget(t.event, asked.budget).epsilon, runs);
}

void plan_runs(Tuning& t, const Task& asked) {
  const std::uint64_t sensitivity = metric_sensitivity(t.metric, t.held_out);
  const Budget one = fit_budget(t.event, asked.budget);
  t.score =
      one.delta == 0 ? laplace_score(sensitivity, t.event.base_epsilon) : gaussian_score(sensitivity, t.event.base_mu);
  check_score(t, asked);
  for (std::size_t i = 0; i < t.candidates.size(); ++i) plan_candidate(t, i, one);
  if (one.delta > 0 && !std::ranges::all_of(t.candidates, all_gaussian)) {
    plan_by_releases(t, asked, sensitivity);
    check_score(t, asked);
  }
  for (const Tuning::Candidate& each : t.candidates) ensure_within_base(each.plan->events, t.event);
  ensure_within_base({privacy::PrivacyEvent{kScoreWhat, t.score}}, t.event);
}
// [/proof]

// Candidates made in code are checked like those of a grid.
void check_candidates(const std::vector<TunedCandidate>& candidates) {
  std::vector<std::string_view> labels;
  for (const TunedCandidate& each : candidates) {
    require(static_cast<bool>(each.plan), fmt::format("candidate '{}' has no plan", each.label));
    labels.push_back(each.label);
  }
  std::ranges::sort(labels);
  require(std::ranges::adjacent_find(labels) == labels.end(), "a candidate is given twice");
}

Tuning tuning_for(const Task& asked, const TunedOptions& options) {
  validate(asked);
  require(options.candidates.size() >= 2 && options.candidates.size() <= kMostCandidates,
          fmt::format("tuning chooses among 2 to {} candidates; got {}", kMostCandidates, options.candidates.size()));
  check_candidates(options.candidates);
  Tuning t{};
  const double rows = static_cast<double>(asked.facts.rows);
  t.held_out = static_cast<std::size_t>(std::floor(options.holdout * rows));
  require(t.held_out >= 1, fmt::format("{} rows leave none to hold out", asked.facts.rows));
  t.training = asked.facts.rows - t.held_out;
  for (const TunedCandidate& each : options.candidates) {
    t.candidates.push_back({each, candidate_task(each, asked), std::nullopt});
    t.candidates.back().task.facts.rows = t.training;
  }
  t.event = with_plain_base(selection_distribution(options, asked.budget.delta == 0), asked.budget);
  t.metric = default_metric(asked);
  plan_runs(t, asked);
  return t;
}

std::vector<DerivationStep> derivation(const Tuning& t) {
  const auto [least, most] = std::ranges::minmax_element(
      t.candidates, {}, [](const Tuning::Candidate& each) { return each.task.budget.epsilon; });
  std::vector<DerivationStep> steps = {
      {"rows that train", static_cast<double>(t.training), "the others, drawn at random in secret, score"},
      {"rows that score", static_cast<double>(t.held_out), "option holdout"},
      {"candidates", static_cast<double>(t.candidates.size()), "the public grid; each run draws one uniformly"},
      {t.event.distribution == RepetitionDistribution::poisson ? "mean of the Poisson number of runs"
                                                               : "success probability of the number of runs",
       t.event.parameter, "options distribution and repetitions; the number drawn stays secret"},
  };
  const double one = least->task.budget.epsilon;
  constexpr const char* kAlone = "epsilon of one run alone, at the same delta";
  if (t.event.base_epsilon > 0) {
    steps.push_back({"base epsilon of one run", t.event.base_epsilon, "a selection costs (2 + shape) times it [PS22]"});
  } else if (t.event.base_mu > 0) {
    steps.push_back(
        {"base mu of one run", t.event.base_mu, "Renyi cost of a selection within the budget [PS22, tuned.md]"});
    steps.push_back({kAlone, one, "Gaussian DP with that mu [BW18]"});
  } else {
    steps.push_back({kAlone, one, "Renyi cost of a selection among such runs within the budget [PS22, tuned.md]"});
    if (least->task.budget.epsilon < most->task.budget.epsilon) {
      steps.push_back({"the same for the candidate that gets most", most->task.budget.epsilon,
                       "small samples cost more at the orders that count: " + least->asked.label + " gets least"});
    }
  }
  steps.push_back(
      {"noise of a score", t.score_noise, "the same base: a record trains or scores, never both [tuned.md]"});
  return steps;
}

// [proof methods_tuned.run]
// Adds the noise of the score, of which less is better, and turns it round.
privacy::Released<std::int64_t> noisy_score(const Sensitive<std::int64_t>& sum, const privacy::Mechanism& score,
                                            privacy::Curator& inside) {
  if (const auto* laplace = std::get_if<privacy::DiscreteLaplaceEvent>(&score)) {
    return inside.release(sum, *laplace, kScoreWhat).map([](std::int64_t noisy) { return -noisy; });
  }
  const auto vector = sum.map([](std::int64_t value) { return std::vector<std::int64_t>{value}; });
  return inside.release(vector, std::get<privacy::GaussianEvent>(score), kScoreWhat).map([](const auto& noisy) {
    return -noisy.at(0);
  });
}

privacy::Curator::ScoredRun scored_run(const Tuning& t, std::uint64_t number, const data::Split& parts,
                                       privacy::Curator& inside, Threads threads) {
  const Plan& plan = *t.candidates.at(number).plan;
  const FitResult fitted = fit(plan, parts.rest, inside, {threads, {}});
  const auto sum = metric_sum(parts.chosen, {t.metric, {plan.task, fitted.weights.get()}, threads});
  auto score = noisy_score(sum, t.score, inside);
  std::vector<privacy::PrivacyEvent> planned = plan.events;
  planned.push_back({kScoreWhat, t.score});
  ensure(inside.events() == planned, "a run released something else than planned");
  return {fitted.weights, std::move(score)};
}
// [/proof]

TuningOutcome outcome_of(const Tuning& t, const Task& asked, const privacy::Curator::Selected& best) {
  if (!best.any) return {"", 0, t.score_noise};
  const double score = metric_mean(t.metric, asked, static_cast<double>(-best.score), t.held_out);
  return {t.candidates.at(best.candidate).asked.label, score, t.score_noise};
}

Trained select(const Tuning& t, const Task& task, const data::Dataset& dataset, privacy::Curator& curator,
               Threads threads) {
  const data::Split parts = data::split(dataset, curator.draw_subset(dataset.rows(), t.held_out), t.held_out);
  // No progress is told: it would tell the number of runs.
  const auto best = curator.select_best(
      [&](std::uint64_t number, privacy::Curator& inside) { return scored_run(t, number, parts, inside, threads); },
      t.candidates.size(), t.event, kWhat);
  auto weights = best.map([&](const privacy::Curator::Selected& selected) {
    return selected.any ? selected.output : std::vector<double>(weight_count(task), 0.0);
  });
  return {std::move(weights), outcome_of(t, task, best.get())};
}

}  // namespace

Plan plan_for(const Task& task, const TunedOptions& options) {
  check_options(options);
  const auto t = std::make_shared<const Tuning>(tuning_for(task, options));
  TuningPlan tuning{t->score_noise, {}};
  for (const Tuning::Candidate& each : t->candidates) tuning.candidates.push_back({each.asked.label, *each.plan});
  Plan plan =
      make_plan(options, task, {{kWhat, t->event}}, derivation(*t),
                {.theorem = "no bound is proved for the best of several fits"},
                [t, task](const data::Dataset& dataset, privacy::Curator& curator, const FitOptions& fit_options) {
                  return select(*t, task, dataset, curator, fit_options.threads);
                });
  plan.tuning = std::make_shared<const TuningPlan>(std::move(tuning));
  return plan;
}

}  // namespace dperm::methods
