// SPDX-License-Identifier: Apache-2.0
#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <variant>

#include "dperm/core/check.hpp"
#include "dperm/core/error.hpp"
#include "dperm/core/rounding.hpp"
#include "dperm/engine/row_sums.hpp"
#include "dperm/methods/algorithms.hpp"
#include "dperm/methods/exponential_location/location_costs.hpp"
#include "dperm/methods/option_tables.hpp"
#include "dperm/privacy/calibration/calibration.hpp"
#include "dperm/random/noise/gaussian.hpp"
#include "dperm/schema/encoding.hpp"

namespace dperm::methods {

namespace {

constexpr const char* kWhat = "location";
constexpr std::size_t kFinestGrid = 31;
constexpr std::int64_t kThousandths = 1000;  // levels of a quantile that the loss score can weigh with integers
// Sums of targets and doubled ranks stay below 2^61.
constexpr std::size_t kMostRowsOfAMean = std::size_t{1} << 31;
constexpr std::size_t kMostRows = std::size_t{1} << 42;

// All numbers a run needs; a function of public facts alone.
struct Settings {
  Task task;
  LocationGrid grid{};
  bool by_rank = true;
  std::int64_t doubled_rank = 0;
  LossWeights weights{1, 1};
  privacy::Mechanism mechanism;
  double excess_risk = 0;
  std::vector<DerivationStep> derivation;
};

double lipschitz(const loss::Loss& loss) {
  return loss.kind == loss::LossKind::pinball ? std::max(loss.quantile, 1 - loss.quantile) : 1;
}

double level(const loss::Loss& loss) { return loss.kind == loss::LossKind::pinball ? loss.quantile : 0.5; }

void check_task(const Task& task) {
  validate_linear(task, "exponential");
  const loss::LossKind kind = task.problem.loss.kind;
  const PublicFacts& facts = task.facts;
  if (kind != loss::LossKind::squared && kind != loss::LossKind::absolute && kind != loss::LossKind::pinball) {
    throw ArgumentError(
        fmt::format("exponential takes the losses squared (mean), absolute (median) and pinball (quantile); got {}",
                    loss::name(kind)));
  }
  if (facts.dimension != 1 || facts.columns != 1) {
    throw ArgumentError(
        fmt::format("exponential finds one number, so the schema must have no feature columns (declare them "
                    "kind = \"ignore\"); this one has {} weights besides the intercept",
                    facts.dimension - 1));
  }
  require(facts.rows <= kMostRows, fmt::format("exponential takes at most 2^42 rows; got {}", facts.rows));
  require(facts.rows <= kMostRowsOfAMean || kind != loss::LossKind::squared,
          fmt::format("exponential takes a mean of at most 2^31 rows; got {}", facts.rows));
  if (task.problem.l2_penalty > 0 && kind != loss::LossKind::squared) {
    throw ArgumentError("exponential takes no l2_penalty with the losses absolute and pinball; leave it out");
  }
}

// [proof methods_exponential_location.mean]
// The sum of targets in [-2^30, 2^30], as the engine clamps them.
constexpr std::uint64_t kSumSensitivity = std::uint64_t{2} * schema::kTargetOne;

void set_mean(Settings& s, const ExponentialLocationOptions& options) {
  require(!options.score && !options.choice && !options.grid_bits,
          "`score`, `choice` and `grid_bits` belong to the losses absolute and pinball; leave them out");
  const auto& [epsilon, delta] = s.task.budget;
  const bool may_be_gaussian = delta > 0 && options.mean_noise != MeanNoise::laplace;
  require(delta > 0 || options.mean_noise != MeanNoise::gaussian,
          "gaussian noise needs `delta` above 0; for pure epsilon leave `mean_noise` out");
  const auto sensitivity = static_cast<double>(kSumSensitivity);
  double noise_square = std::numeric_limits<double>::infinity();
  if (options.mean_noise != MeanNoise::gaussian) {
    const privacy::LaplaceScale scale = privacy::laplace_scale_for(kSumSensitivity, epsilon);
    s.mechanism = privacy::DiscreteLaplaceEvent{kSumSensitivity, scale.numerator, scale.denominator};
    const double b = static_cast<double>(scale.numerator) / static_cast<double>(scale.denominator);
    noise_square = 2 * b * b;
  }
  if (may_be_gaussian) {
    const double sigma = privacy::sigma_for(sensitivity, epsilon, delta);
    require_in_closed_range("sigma of the sum, in lattice units,", sigma, random::kMinimumSigma, random::kMaximumSigma);
    if (sigma * sigma + 1 < noise_square) {
      s.mechanism = privacy::GaussianEvent{sensitivity, sigma};
      noise_square = sigma * sigma + 1;
    }
  }
  const double unit = static_cast<double>(s.task.facts.rows) * schema::kTargetOne;
  s.excess_risk = rounded_up(noise_square / (unit * unit) / (1 + s.task.problem.l2_penalty / 2));
  s.derivation = {
      {"sensitivity of the summed targets (lattice units)", sensitivity,
       "replace-one: a target is an integer between -2^30 and 2^30"},
      {"standard deviation of the mean's noise (encoded units)", std::sqrt(noise_square) / unit,
       std::holds_alternative<privacy::GaussianEvent>(s.mechanism) ? "exact Gaussian calibration [BW18]"
                                                                   : "discrete Laplace of scale sensitivity / epsilon"},
  };
}
// [/proof]

// [proof methods_exponential_location.choice]
void set_choice(Settings& s, std::uint64_t range, bool flip) {
  const privacy::LaplaceScale scale = privacy::laplace_scale_for(range, s.task.budget.epsilon);
  if (flip) {
    s.mechanism = privacy::PermuteAndFlipEvent{range, scale.numerator, scale.denominator};
  } else {
    s.mechanism = privacy::ExponentialEvent{range, scale.numerator, scale.denominator};
  }
}

void set_quantile(Settings& s, const ExponentialLocationOptions& options) {
  require(!options.mean_noise, "`mean_noise` belongs to the loss squared; leave it out");
  const loss::Loss& loss = s.task.problem.loss;
  const double radius = std::min(1.0, s.task.problem.feasible_set.radius);
  const auto limit = static_cast<std::int64_t>(radius * schema::kTargetOne);
  const auto rows = static_cast<double>(s.task.facts.rows);
  s.by_rank = options.score != LocationScore::loss;
  const bool flip = s.by_rank && options.choice != ChoiceRule::exponential;
  require(s.by_rank || options.choice != ChoiceRule::permute_and_flip, "permute-and-flip needs `score = rank`");
  int bits = static_cast<int>(options.grid_bits.value_or(kFinestGrid));
  if (s.by_rank) {
    s.grid = LocationGrid::with(bits, limit);
    s.doubled_rank = std::llround(2 * level(loss) * rows);
    set_choice(s, kRankRange, flip);
  } else {
    const std::int64_t above = std::llround((1 - level(loss)) * kThousandths);
    if (loss.kind == loss::LossKind::pinball) {
      s.weights = {kThousandths - above, above};
      require(std::abs(static_cast<double>(above) / kThousandths - (1 - loss.quantile)) < 1e-9 && above > 0 &&
                  above < kThousandths,
              "score loss takes a quantile in whole thousandths; use score rank");
    }
    const double largest = 0x1p60;
    const auto total = static_cast<double>(s.weights.below + s.weights.above);
    while (!options.grid_bits && rows * total * std::ldexp(1.0, bits) > largest) --bits;
    require(rows * total * std::ldexp(1.0, bits) <= largest, "the total loss would exceed 61 bits; lower grid_bits");
    s.grid = LocationGrid::with(bits, limit);
    require(s.grid.half > 0, "the feasible set holds a single point of the grid; raise grid_bits");
    set_choice(s, loss_range(s.weights, s.grid), false);
  }
}
// [/proof]

// Expected excess risk; the two theorems are in the note.
void set_quantile_utility(Settings& s) {
  const loss::Loss& loss = s.task.problem.loss;
  const auto rows = static_cast<double>(s.task.facts.rows);
  const double step = static_cast<double>(s.grid.step) / schema::kTargetOne;
  const double width = 2 * static_cast<double>(s.grid.half) * step;
  const double per_rank = loss.kind == loss::LossKind::absolute ? 2 : 1;
  const auto scale = std::visit(
      [](const auto& event) {
        if constexpr (requires { event.range; }) {
          return static_cast<double>(event.scale_numerator) / static_cast<double>(event.scale_denominator);
        } else {
          return 0.0;
        }
      },
      s.mechanism);
  const auto candidates = static_cast<double>(s.grid.candidates());
  double excess = 0;
  if (s.by_rank) {
    const double ranks = std::log(candidates) * scale / 2;
    excess = per_rank * ((width + step) / 2 * ranks + width / 4) / rows;
    s.derivation.push_back({"wanted rank", static_cast<double>(s.doubled_rank) / 2, "quantile times rows"});
    s.derivation.push_back({"range of the doubled rank error", static_cast<double>(kRankRange),
                            "replace-one moves each count by at most 1 [exponential_location.md]"});
    s.derivation.push_back({"expected rank error, at most", ranks, "ln(candidates) times scale [MT07, MS20]"});
  } else {
    const double unit = step / (loss.kind == loss::LossKind::absolute ? 1.0 : kThousandths);
    excess = (1 + std::numbers::ln2) * scale * unit / rows;
    s.derivation.push_back({"range of the total loss (grid steps)", static_cast<double>(loss_range(s.weights, s.grid)),
                            "twice the width of the grid for |w - x| [exponential_location.md]"});
  }
  const bool whole = s.grid.step == 1 && s.task.problem.feasible_set.radius >= 1;
  if (!whole) excess += 2 * lipschitz(loss) * step;
  s.excess_risk = rounded_up(std::min(excess, lipschitz(loss) * 2));
  s.derivation.push_back({"candidates", candidates, "public grid on the lattice of the target"});
  s.derivation.push_back({"scale of the choice", scale, "range / epsilon, rounded up"});
}

Settings settings_for(const Task& asked, const ExponentialLocationOptions& options) {
  check_task(asked);
  Settings s;
  s.task = asked;
  if (asked.problem.feasible_set.kind == loss::SetKind::unconstrained) {
    s.task.problem.feasible_set = {loss::SetKind::ball, 1};
  }
  if (asked.problem.loss.kind == loss::LossKind::squared) {
    set_mean(s, options);
  } else {
    set_quantile(s, options);
    set_quantile_utility(s);
  }
  return s;
}

std::vector<random::CostRun> costs(const Settings& s, const engine::RowSums& sums, Threads threads) {
  const std::vector<std::int32_t> sorted = sums.sorted_targets(threads);
  return s.by_rank ? rank_costs(sorted, s.doubled_rank, s.grid) : loss_costs(sorted, s.weights, s.grid);
}

struct Release {
  const Settings& s;
  const data::Dataset& dataset;
  privacy::Curator& curator;
  Threads threads;

  using Result = privacy::Released<std::vector<double>>;

  Result operator()(const privacy::DiscreteLaplaceEvent& event) const {
    const auto sum =
        dataset.sums().map([&](const engine::RowSums& sums) { return sums.target_sum(schema::kTargetOne, threads); });
    return curator.release(sum, event, kWhat).map([&](std::int64_t noisy) { return mean(noisy); });
  }
  Result operator()(const privacy::GaussianEvent& event) const {
    const auto sum = dataset.sums().map([&](const engine::RowSums& sums) {
      return std::vector<std::int64_t>{sums.target_sum(schema::kTargetOne, threads)};
    });
    return curator.release(sum, event, kWhat).map([&](const auto& noisy) { return mean(noisy.front()); });
  }
  template <class Choice>
    requires requires(Choice event) { event.range; }
  Result operator()(const Choice& event) const {
    const auto runs = dataset.sums().map([&](const engine::RowSums& sums) { return costs(s, sums, threads); });
    return curator.choose(runs, event, s.grid.candidates(), kWhat).map([&](std::uint64_t chosen) {
      return std::vector<double>{s.grid.value(chosen)};
    });
  }
  template <class Other>
  Result operator()(const Other&) const {
    throw InternalError("the location method planned an event it cannot release");
  }

 private:
  // Post-processing: the minimiser of (w - mean)^2 + (penalty / 2) w^2 in the feasible set and between the bounds.
  std::vector<double> mean(std::int64_t noisy) const {
    const double value = static_cast<double>(noisy) / schema::kTargetOne / static_cast<double>(s.task.facts.rows);
    std::vector<double> weights{std::clamp(value / (1 + s.task.problem.l2_penalty / 2), -1.0, 1.0)};
    loss::project(s.task.problem.feasible_set, weights);
    return weights;
  }
};

}  // namespace

Plan plan_for(const Task& task, const ExponentialLocationOptions& options) {
  check_options(options);
  const Settings s = settings_for(task, options);
  return make_plan(
      options, s.task, {{kWhat, s.mechanism, privacy::Neighbours::replace_one, 1}}, s.derivation,
      {s.excess_risk, "excess risk over all locations between the bounds [exponential_location.md]"},
      [s](const data::Dataset& dataset, privacy::Curator& curator, const FitOptions& fit_options) -> Trained {
        return {std::visit(Release{s, dataset, curator, fit_options.threads}, s.mechanism)};
      });
}

}  // namespace dperm::methods
