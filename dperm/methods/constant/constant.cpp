// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

#include "dperm/core/check.hpp"
#include "dperm/core/error.hpp"
#include "dperm/core/rounding.hpp"
#include "dperm/engine/row_sums.hpp"
#include "dperm/methods/algorithms.hpp"
#include "dperm/methods/constant/constant_counts.hpp"
#include "dperm/methods/constant/constant_scores.hpp"
#include "dperm/methods/exponential_location/location.hpp"
#include "dperm/methods/option_tables.hpp"

namespace dperm::methods {

namespace {

constexpr const char* kPositives = "positive rows";
constexpr const char* kBoth = "positive and negative rows";
constexpr const char* kClassCounts = "rows of every class";
constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr std::size_t kMostRows = std::size_t{1} << 31;  // whose targets the engine adds up
constexpr double kLargestPenalty = 0x1p500;              // the score is 0 to all digits, and products are finite
constexpr double kWidestResidual = 2;                    // of targets and answers in [-1, 1]

// All numbers a run needs; a function of public facts alone.
struct Settings {
  Task task;
  std::string what;
  privacy::Mechanism mechanism;
  std::optional<LocationSettings> location = {};  // a real target; else its rows are counted
  double noise = 0;                               // standard deviation of a count
  double smallest = 0;                            // no class is believed to have fewer rows
  double over_constant = kInfinity;               // excess risk over the best constant, on average
  std::vector<DerivationStep> derivation = {};
};

void check_task(const Task& task) {
  validate_linear_or_softmax(task, "constant");
  const loss::Loss& loss = task.problem.loss;
  require(!loss.positive, "constant counts the rows of a binary target, not of one class against the rest");
  require(task.facts.rows <= kMostRows, fmt::format("constant takes at most 2^31 rows; got {}", task.facts.rows));
  if (loss.kind == loss::LossKind::huber && loss.threshold < kWidestResidual) {
    throw ArgumentError(fmt::format(
        "the best constant under the huber loss of threshold {} is neither a mean nor a quantile; use `loss "
        "= absolute` (median) or squared (mean), or a `threshold` of at least 2",
        loss.threshold));
  }
}

double intercept_scale(const Task& task) { return std::sqrt(static_cast<double>(task.facts.columns)); }

// In units of the score s = w / sqrt(m) of an intercept w: (l2_penalty / 2) w^2 is (l2_penalty m / 2) s^2.
double score_penalty(const Task& task) {
  return std::min(task.problem.l2_penalty * static_cast<double>(task.facts.columns), kLargestPenalty);
}

loss::FeasibleSet score_set(const Task& task) {
  loss::FeasibleSet set = task.problem.feasible_set;
  set.radius /= intercept_scale(task);
  return set;
}

// [proof methods_constant.location]
// The same task without its feature columns, the score being the only weight.
Task without_features(const Task& task) {
  Task alone = task;
  alone.facts.dimension = alone.facts.columns = 1;
  alone.problem.l2_penalty = score_penalty(task);
  alone.problem.feasible_set = score_set(task);
  // Within [-1, 1] the huber loss of a threshold this large is half the squared one.
  if (task.problem.loss.kind == loss::LossKind::huber) {
    alone.problem.loss.kind = loss::LossKind::squared;
    alone.problem.l2_penalty *= 2;
  }
  return alone;
}
// [/proof]

void set_location(Settings& s, const ConstantOptions& options) {
  const loss::LossKind kind = s.task.problem.loss.kind;
  const bool quantile = kind == loss::LossKind::absolute || kind == loss::LossKind::pinball;
  require(!quantile || s.task.problem.l2_penalty == 0,
          "constant takes no l2_penalty with the losses absolute and pinball; leave it out");
  require(!quantile || options.noise != TermNoise::gaussian,
          "a median or quantile is chosen, without gaussian noise: leave `noise` out");
  ExponentialLocationOptions asked;
  if (!quantile && options.noise) {
    asked.mean_noise = *options.noise == TermNoise::gaussian ? MeanNoise::gaussian : MeanNoise::laplace;
  }
  s.location = location_settings(without_features(s.task), asked);
  s.what = kLocation;
  s.mechanism = s.location->mechanism;
  s.derivation = s.location->derivation;
  s.over_constant = (kind == loss::LossKind::huber ? 0.5 : 1) * s.location->excess_risk;
}

// What the note proves about the risk over the best constant; infinity where it proves no number.
double count_excess_risk(const Settings& s) {
  const auto rows = static_cast<double>(s.task.facts.rows);
  const double square = s.noise * s.noise + s.smallest * s.smallest;
  switch (s.task.problem.loss.kind) {
    case loss::LossKind::logistic:
      return rounded_up(std::min(2 * square / (rows * s.smallest), std::log(rows / s.smallest)));
    case loss::LossKind::hinge:
      return rounded_up(4 * (s.noise + s.smallest) / rows);
    case loss::LossKind::softmax:
      if (s.task.problem.l2_penalty > 0 || s.task.problem.feasible_set.kind != loss::SetKind::unconstrained) break;
      return rounded_up(static_cast<double>(s.task.facts.classes) * square / (rows * s.smallest));
    default:
      break;
  }
  return kInfinity;
}

// Where rows may be blank, the negative rows are not the others.
bool counts_both(const Task& task) { return model_form(task.problem) == ModelForm::linear && task.facts.unit_rows > 0; }

void set_counts(Settings& s, const ConstantOptions& options) {
  const bool binary = model_form(s.task.problem) == ModelForm::linear;
  const std::size_t classes = binary ? 2 : s.task.facts.classes;
  const SumSensitivity sensitivity = count_sensitivity(binary && !counts_both(s.task));
  std::optional<MeanNoise> asked;
  if (options.noise) asked = *options.noise == TermNoise::gaussian ? MeanNoise::gaussian : MeanNoise::laplace;
  const SumNoise noise = sum_noise(sensitivity, s.task.budget, asked, "noise");
  s.what = counts_both(s.task) ? kBoth : binary ? kPositives : kClassCounts;
  s.mechanism = noise.mechanism;
  s.noise = std::sqrt(noise.square);
  s.smallest = smallest_count(s.noise, static_cast<double>(s.task.facts.rows), classes);
  if (s.task.facts.unit_rows == 0) s.over_constant = count_excess_risk(s);  // its proof knows no blank rows
  s.derivation = {
      {"L1 sensitivity of the counted rows", static_cast<double>(sensitivity.l1),
       "replace-one: a record leaves one class and enters another"},
      {"L2 sensitivity", sensitivity.l2, "likewise"},
      {"standard deviation of a count's noise", s.noise, std::string(noise.reason)},
      {"smallest count believed", s.smallest, "the noise, half a row or an even share [constant.md]"},
  };
}

Settings settings_for(const Task& task, const ConstantOptions& options) {
  check_task(task);
  Settings s{.task = task, .what = {}, .mechanism = {}};
  if (model_form(task.problem) == ModelForm::multiclass || loss::is_classification(task.problem.loss.kind)) {
    set_counts(s, options);
  } else {
    set_location(s, options);
  }
  return s;
}

// Weights whose intercepts alone are not 0, in the feasible set.
std::vector<double> weights_of(const Task& task, std::span<const double> scores) {
  std::vector<double> weights(weight_count(task), 0.0);
  for (std::size_t k = 0; k < scores.size(); ++k) {
    weights[k * task.facts.dimension] = scores[k] * intercept_scale(task);
  }
  loss::project(task.problem.feasible_set, weights);
  return weights;
}

// Post-processing of noisy counts.
std::vector<double> counted(const Settings& s, const std::vector<std::int64_t>& noisy) {
  const auto rows = static_cast<double>(s.task.facts.rows);
  const loss::FeasibleSet set = score_set(s.task);
  if (model_form(s.task.problem) == ModelForm::multiclass) {
    const std::vector<double> shares = believed_shares(noisy, rows, s.smallest);
    return weights_of(s.task, constant_class_scores(shares, score_penalty(s.task), set));
  }
  const double limit = set.kind == loss::SetKind::unconstrained ? kInfinity : set.radius;
  const double share = counts_both(s.task) ? believed_shares(noisy, rows, s.smallest).front()
                                           : believed_share(noisy.front(), rows, s.smallest);
  return weights_of(s.task, std::vector{constant_score(s.task.problem.loss, share, score_penalty(s.task), limit)});
}

privacy::Released<std::vector<double>> release(const Settings& s, const data::Dataset& dataset,
                                               privacy::Curator& curator, Threads threads) {
  if (s.location) {
    return release_location(*s.location, dataset, curator, threads).weights.map([&](const std::vector<double>& score) {
      return weights_of(s.task, score);
    });
  }
  const bool several = model_form(s.task.problem) == ModelForm::multiclass;
  const auto counts = dataset.sums().map([&](const engine::RowSums& sums) {
    if (several) return class_rows(sums, s.task.facts.classes, threads);
    return counts_both(s.task) ? both_rows(sums, threads) : positive_rows(sums, threads);
  });
  const auto* gaussian = std::get_if<privacy::GaussianEvent>(&s.mechanism);
  const auto noisy = gaussian != nullptr
                         ? curator.release(counts, *gaussian, s.what)
                         : curator.release(counts, std::get<privacy::DiscreteLaplaceEvent>(s.mechanism), s.what);
  return noisy.map([&](const std::vector<std::int64_t>& each) { return counted(s, each); });
}

// Where there are no features the best constant is the best model.
UtilityBound utility_of(const Settings& s) {
  const bool proven = std::isfinite(s.over_constant);
  if (s.task.facts.dimension == 1) {
    if (proven) return {s.over_constant, "excess risk over all constants [constant.md]"};
    return {kInfinity, "no number is proved for the best constant of this loss, penalty and set [constant.md]"};
  }
  const std::string over =
      proven ? fmt::format("its risk exceeds the best constant's by at most {:.3g} on average over the noise; ",
                           s.over_constant)
             : "";
  return {kInfinity, over + "what the features that it leaves out are worth is not public [constant.md]"};
}

}  // namespace

Plan plan_for(const Task& task, const ConstantOptions& options) {
  check_options(options);
  const Settings s = settings_for(task, options);
  return make_plan(
      options, s.task, {{s.what, s.mechanism, privacy::Neighbours::replace_one, 1}}, s.derivation, utility_of(s),
      [s](const data::Dataset& dataset, privacy::Curator& curator, const FitOptions& fit_options) -> Trained {
        return {release(s, dataset, curator, fit_options.threads)};
      });
}

}  // namespace dperm::methods
