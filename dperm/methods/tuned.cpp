// SPDX-License-Identifier: Apache-2.0
#include "dperm/methods/tuned.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "dperm/core/check.hpp"
#include "dperm/core/error.hpp"
#include "dperm/core/rounding.hpp"
#include "dperm/data/split.hpp"
#include "dperm/methods/candidates.hpp"
#include "dperm/methods/evaluation.hpp"
#include "dperm/methods/recorded_events.hpp"
#include "dperm/privacy/accountant.hpp"
#include "dperm/privacy/calibration.hpp"
#include "dperm/privacy/gaussian_dp.hpp"
#include "dperm/random/gaussian.hpp"

namespace dperm::methods {

namespace {

using privacy::RepetitionLaw;

constexpr const char* kWhat = "best model with its score";
constexpr const char* kScoreWhat = "score";
// A score that is off by more than this (in accuracy, or as a share of the largest loss) chooses by chance.
constexpr double kMostScoreNoise = 0.05;
// Fits are planned for a little less than the base mu, so that rounding cannot carry them above it.
constexpr double kRoom = 1 - 0x1p-20;

const std::array kOptions = {
    OptionSpec{"repetitions", "10", "expected number of runs, each on a candidate drawn at random", 2, 1000},
    OptionSpec{"law",
               "auto",
               "law of the number of runs; auto: poisson, pure: logarithmic",
               0,
               0,
               {"auto", "poisson", "geometric", "logarithmic"}},
    OptionSpec{"holdout", "0.2", "share of the rows that scores the runs and trains none", 0.01, 0.5},
};

// All numbers a run needs; a function of public facts alone.
struct Tuning {
  const Method* method;
  std::map<std::string, std::string> options;  // as the plan shows them
  std::size_t held_out, training;
  std::vector<Candidate> candidates;
  std::vector<Plan> plans;  // of each candidate, on the training rows
  privacy::SelectionEvent event;
  Metric metric;
  privacy::Mechanism score;
  double score_noise;  // standard deviation, in the mean
};

const Method& base_method(const std::map<std::string, std::string>& given) {
  const auto name = given.find("method");
  require(name != given.end(),
          "tuning needs the name of the method whose settings are tuned, and a grid: see dperm fit --tune");
  std::vector<std::string_view> names;
  for (const Method* method : all_methods()) {
    if (method->name() == name->second) return *method;
    names.push_back(method->name());
  }
  throw ArgumentError(
      fmt::format("tuning needs --method with a name, not '{}'; choose {}", name->second, fmt::join(names, ", ")));
}

// The success probability at which a logarithmic number of runs has this mean, (1/g - 1)/ln(1/g).
double logarithmic_success(double mean) {
  double low = -40, high = 0;  // of ln g
  for (int i = 0; i < 100; ++i) {
    const double middle = (low + high) / 2;
    (std::expm1(-middle) / -middle > mean ? low : high) = middle;
  }
  return std::exp(high);
}

// [proof methods_tuned.budget]
privacy::SelectionEvent law_of(const OptionValues& options, bool pure) {
  const double mean = options.number("repetitions");
  const std::string& asked = options.text("law");
  const std::string law = asked != "auto" ? asked : pure ? "logarithmic" : "poisson";
  if (law == "poisson") {
    require(!pure, "a Poisson number of runs has no pure epsilon; take law logarithmic, or a delta above 0");
    return {RepetitionLaw::poisson, 0, mean, 0, 0};
  }
  if (law == "geometric") return {RepetitionLaw::truncated_negative_binomial, 1, 1 / mean, 0, 0};
  return {RepetitionLaw::truncated_negative_binomial, 0, logarithmic_success(mean), 0, 0};
}

bool within(const privacy::SelectionEvent& event, const Budget& budget) {
  const std::array events = {privacy::PrivacyEvent{kWhat, event}};
  return privacy::account(events, budget.delta).epsilon <= budget.epsilon;
}

// The largest base, to one part in 2^30, whose selection the accountant finds within the budget.
privacy::SelectionEvent calibrated(privacy::SelectionEvent event, const Budget& budget) {
  double privacy::SelectionEvent::* base =
      budget.delta > 0 ? &privacy::SelectionEvent::base_mu : &privacy::SelectionEvent::base_epsilon;
  // One run alone is not cheaper than a selection among several.
  double low = 0, high = budget.delta > 0 ? privacy::mu_for(budget.epsilon, budget.delta) : budget.epsilon;
  for (int i = 0; i < 30; ++i) {
    event.*base = (low + high) / 2;
    (within(event, budget) ? low : high) = event.*base;
  }
  require(low > 0, fmt::format("epsilon {} is too small for a choice among runs; take a larger one, or do not tune",
                               budget.epsilon));
  event.*base = low;
  return event;
}

// What one fit may spend.
Budget fit_budget(const privacy::SelectionEvent& event, const Budget& budget) {
  if (budget.delta == 0) return {event.base_epsilon, 0};
  const double epsilon = privacy::epsilon_gaussian(kRoom * event.base_mu, budget.delta);
  require(epsilon > 0, fmt::format("delta {} is too large for tuning; take one far below 1/rows", budget.delta));
  return {epsilon, budget.delta};
}

// A bug in a calibration must not pass for a cheap run.
void ensure_within_base(std::span<const privacy::PrivacyEvent> events, const privacy::SelectionEvent& event) {
  const bool pure = event.base_epsilon > 0;
  const double spent = pure ? privacy::pure_epsilon(events) : privacy::gaussian_mu(events);
  ensure(spent <= (pure ? event.base_epsilon : event.base_mu), "a run costs more than its share of the selection");
}

// Refuses fits whose releases are not all Gaussian, or without a delta not all pure.
void check_base(const Plan& plan, const privacy::SelectionEvent& event) {
  if (event.base_epsilon > 0) {
    require(plan.guarantee.pure, fmt::format("{} has no pure epsilon here; take a delta above 0", plan.method));
  } else {
    const bool gaussian = std::ranges::all_of(plan.events, [](const privacy::PrivacyEvent& each) {
      return std::holds_alternative<privacy::GaussianEvent>(each.mechanism);
    });
    require(gaussian,
            fmt::format("with a delta, tuning is proved for methods all of whose releases are Gaussian, and {} "
                        "is not one here; use gradient-descent or output-perturbation, or --delta 0",
                        plan.method));
  }
  require(plan.guarantee.neighbours == privacy::Neighbours::replace_one, "tuning is proved for replace-one neighbours");
  ensure_within_base(plan.events, event);
}

privacy::Mechanism score_mechanism(const privacy::SelectionEvent& event, std::uint64_t sensitivity) {
  if (event.base_epsilon > 0) {
    const privacy::LaplaceScale scale = privacy::laplace_scale_for(sensitivity, event.base_epsilon);
    return privacy::LaplaceEvent{sensitivity, scale.numerator, scale.denominator};
  }
  const double change = static_cast<double>(sensitivity);
  const double sigma = std::max(random::kMinimumSigma, rounded_up(change / event.base_mu));
  return privacy::GaussianEvent{change, sigma};
}
// [/proof]

double standard_deviation(const privacy::Mechanism& score) {
  if (const auto* gaussian = std::get_if<privacy::GaussianEvent>(&score)) return gaussian->sigma;
  const auto& laplace = std::get<privacy::LaplaceEvent>(score);
  return std::sqrt(2.0) * static_cast<double>(laplace.scale_numerator) / static_cast<double>(laplace.scale_denominator);
}

// The score's noise, and that it leaves something to choose by.
void plan_score(Tuning& t, const Question& asked) {
  const std::uint64_t sensitivity = metric_sensitivity(t.metric, t.held_out);
  t.score = score_mechanism(t.event, sensitivity);
  ensure_within_base(std::array{privacy::PrivacyEvent{kScoreWhat, t.score}}, t.event);
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

Tuning tuning_for(const Question& asked, std::map<std::string, std::string> given) {
  validate(asked);
  Tuning t{};
  t.method = &base_method(given);
  const std::string grid = given["grid"];
  require(!grid.empty(), "tuning needs a grid of values to choose from");
  given.erase("grid");
  given.erase("method");
  const OptionValues options("tuned", kOptions, given);
  t.options = options.texts();
  t.options["method"] = t.method->name();
  t.options["grid"] = grid;

  const double rows = static_cast<double>(asked.facts.rows);
  t.held_out = static_cast<std::size_t>(std::floor(options.number("holdout") * rows));
  require(t.held_out >= 1, fmt::format("{} rows leave none to hold out", asked.facts.rows));
  t.training = asked.facts.rows - t.held_out;
  t.candidates = candidates_of(grid, *t.method, asked);
  t.event = calibrated(law_of(options, asked.budget.delta == 0), asked.budget);
  t.metric = loss::is_classification(asked.problem.loss.kind) ? Metric::accuracy : Metric::loss;
  plan_score(t, asked);
  for (Candidate& each : t.candidates) {
    each.question.facts.rows = t.training;
    each.question.budget = fit_budget(t.event, asked.budget);
    try {
      t.plans.push_back(t.method->plan(each.question, each.options));
      check_base(t.plans.back(), t.event);
    } catch (const ArgumentError& error) {
      throw ArgumentError(fmt::format("candidate {}: {}", each.text, error.what()));
    }
  }
  return t;
}

std::vector<DerivationStep> derivation(const Tuning& t, const Budget& budget) {
  const bool pure = t.event.base_epsilon > 0;
  const Budget one = fit_budget(t.event, budget);
  std::vector<DerivationStep> steps = {
      {"rows that train", static_cast<double>(t.training), "the others, drawn at random in secret, score"},
      {"rows that score", static_cast<double>(t.held_out), "option holdout"},
      {"candidates", static_cast<double>(t.candidates.size()), "the public grid; each run draws one uniformly"},
      {t.event.law == RepetitionLaw::poisson ? "mean of the Poisson number of runs"
                                             : "success probability of the number of runs",
       t.event.parameter, "options law and repetitions; the number drawn stays secret"},
  };
  if (pure) {
    steps.push_back({"base epsilon of one run", t.event.base_epsilon, "a selection costs (2 + shape) times it [PS22]"});
  } else {
    steps.push_back(
        {"base mu of one run", t.event.base_mu, "Renyi cost of a selection within the budget [PS22, tuned.md]"});
    steps.push_back({"epsilon of one run alone, at the same delta", one.epsilon, "Gaussian DP with that mu [BW18]"});
  }
  steps.push_back(
      {std::string(kScoreNoise), t.score_noise, "the same base: a record trains or scores, never both [tuned.md]"});
  return steps;
}

// [proof methods_tuned.run]
// Adds the noise of the score, of which less is better, and turns it round.
privacy::Released<std::int64_t> noisy_score(const Sensitive<std::int64_t>& sum, const privacy::Mechanism& score,
                                            privacy::Curator& inside) {
  if (const auto* laplace = std::get_if<privacy::LaplaceEvent>(&score)) {
    return inside.release(sum, *laplace, kScoreWhat).map([](std::int64_t noisy) { return -noisy; });
  }
  const auto vector = sum.map([](std::int64_t value) { return std::vector<std::int64_t>{value}; });
  return inside.release(vector, std::get<privacy::GaussianEvent>(score), kScoreWhat).map([](const auto& noisy) {
    return -noisy.at(0);
  });
}

privacy::Curator::ScoredRun scored_run(const Tuning& t, std::uint64_t number, const data::Split& parts,
                                       privacy::Curator& inside, engine::Threads threads) {
  const Plan& plan = t.plans.at(number);
  const FitResult fitted = t.method->fit(plan, parts.rest, inside, {threads, {}});
  const auto sum = metric_sum(parts.chosen, {t.metric, {plan.question, fitted.weights.get()}, threads});
  auto score = noisy_score(sum, t.score, inside);
  std::vector<privacy::PrivacyEvent> planned = plan.events;
  planned.push_back({kScoreWhat, t.score});
  ensure(inside.events() == planned, "a run released something else than planned");
  return {fitted.weights, std::move(score)};
}
// [/proof]

TuningOutcome outcome_of(const Tuning& t, const Question& asked, const privacy::Curator::Selected& best) {
  if (!best.any) return {"", 0, t.score_noise};
  const double score = metric_mean(t.metric, asked, static_cast<double>(-best.score), t.held_out);
  return {t.candidates.at(best.candidate).text, score, t.score_noise};
}

}  // namespace

std::span<const OptionSpec> Tuned::options() const { return kOptions; }

Plan Tuned::plan(const Question& question, const std::map<std::string, std::string>& given) const {
  const Tuning t = tuning_for(question, given);
  Plan plan;
  plan.method = name();
  plan.question = question;
  plan.options = t.options;
  plan.events = {{kWhat, t.event}};
  plan.guarantee = privacy::account(plan.events, question.budget.delta);
  plan.derivation = derivation(t, question.budget);
  plan.utility = {std::numeric_limits<double>::infinity(), "no bound is proved for the best of several fits"};
  return plan;
}

FitResult Tuned::fit(const Plan& plan, const data::Dataset& dataset, privacy::Curator& curator,
                     const FitOptions& options) const {
  const Tuning t = tuning_for(plan.question, plan.options);
  check_facts(plan, dataset);
  const data::Split parts = data::split(dataset, curator.draw_subset(dataset.rows(), t.held_out), t.held_out);
  // No progress is told: it would tell the number of runs.
  const auto best = curator.select_best(
      [&](std::uint64_t number, privacy::Curator& inside) {
        return scored_run(t, number, parts, inside, options.threads);
      },
      t.candidates.size(), t.event, kWhat);
  check_events(plan, curator);
  auto weights = best.map([&](const privacy::Curator::Selected& selected) {
    return selected.any ? selected.output : std::vector<double>(weight_count(plan.question), 0.0);
  });
  return {std::move(weights), curator.events(), curator.secure(), outcome_of(t, plan.question, best.get())};
}

}  // namespace dperm::methods
