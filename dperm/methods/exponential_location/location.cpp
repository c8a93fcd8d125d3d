// SPDX-License-Identifier: Apache-2.0
#include "dperm/methods/exponential_location/location.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <variant>

#include "dperm/core/check.hpp"
#include "dperm/core/error.hpp"
#include "dperm/core/rounding.hpp"
#include "dperm/engine/row_sums.hpp"
#include "dperm/methods/shared/sum_noise.hpp"
#include "dperm/privacy/calibration/calibration.hpp"
#include "dperm/schema/encoding.hpp"

namespace dperm::methods {

namespace {

constexpr std::size_t kFinestGrid = 31;
constexpr std::int64_t kThousandths = 1000;  // levels of a quantile that the loss score can weigh with integers
// Sums of targets and doubled ranks stay below 2^61.
constexpr std::size_t kMostRowsOfAMean = std::size_t{1} << 31;
constexpr std::size_t kMostRows = std::size_t{1} << 42;

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

void set_mean(LocationSettings& s, const ExponentialLocationOptions& options) {
  require(!options.score && !options.choice && !options.grid_bits,
          "`score`, `choice` and `grid_bits` belong to the losses absolute and pinball; leave them out");
  const auto sensitivity = static_cast<double>(kSumSensitivity);
  const SumNoise noise = sum_noise({kSumSensitivity, sensitivity}, s.task.budget, options.mean_noise, "mean_noise");
  s.mechanism = noise.mechanism;
  s.interval = options.interval.value_or(kUsualConfidence);
  const double unit = static_cast<double>(s.task.facts.rows) * schema::kTargetOne;
  s.excess_risk = rounded_up(noise.square / (unit * unit) / (1 + s.task.problem.l2_penalty / 2));
  s.derivation = {
      {"sensitivity of the summed targets (lattice units)", sensitivity,
       "replace-one: a target is an integer between -2^30 and 2^30"},
      {"standard deviation of the mean's noise (encoded units)", std::sqrt(noise.square) / unit,
       std::string(noise.reason)},
  };
}
// [/proof]

// Whether no table of so many rows has more runs of candidates of equal cost than permute-and-flip takes: by public
// facts, because a refusal by the number of distinct targets would tell about records.
bool has_few_runs(std::size_t rows, std::size_t grid_bits) {
  return 2 * rows + 1 < random::kMostRuns || (std::size_t{2} << grid_bits) < random::kMostRuns;
}

// [proof methods_exponential_location.choice]
privacy::Mechanism choice_of(std::uint64_t range, double epsilon, bool flip) {
  const privacy::LaplaceScale scale = privacy::laplace_scale_for(range, epsilon);
  if (flip) return privacy::PermuteAndFlipEvent{range, scale.numerator, scale.denominator};
  return privacy::ExponentialEvent{range, scale.numerator, scale.denominator};
}

double scale_of(const privacy::Mechanism& choice) {
  return std::visit(
      [](const auto& event) {
        if constexpr (requires { event.range; }) {
          return static_cast<double>(event.scale_numerator) / static_cast<double>(event.scale_denominator);
        } else {
          return 0.0;
        }
      },
      choice);
}

// Half of epsilon for the number, a quarter for each end.
void set_ends(LocationSettings& s, bool flip) {
  const double epsilon = s.task.budget.epsilon;
  s.mechanism = choice_of(kRankRange, epsilon / 2, flip);
  s.end_mechanism = choice_of(kRankRange, epsilon / 4, flip);
  s.ends = end_ranks(level(s.task.problem.loss), s.task.facts.rows, *s.interval, scale_of(s.end_mechanism),
                     static_cast<double>(s.grid.candidates()));
}

void set_quantile(LocationSettings& s, const ExponentialLocationOptions& options) {
  require(!options.mean_noise, "`mean_noise` belongs to the loss squared; leave it out");
  const loss::Loss& loss = s.task.problem.loss;
  const double radius = std::min(1.0, s.task.problem.feasible_set.radius);
  const auto limit = static_cast<std::int64_t>(radius * schema::kTargetOne);
  const auto rows = static_cast<double>(s.task.facts.rows);
  s.by_rank = options.score != LocationScore::loss;
  s.interval = options.interval;
  require(s.by_rank || !s.interval, "an `interval` around a quantile needs `score = rank`");
  const bool flip = s.by_rank && options.choice != ChoiceRule::exponential &&
                    (options.choice || has_few_runs(s.task.facts.rows, options.grid_bits.value_or(kFinestGrid)));
  require(!flip || has_few_runs(s.task.facts.rows, options.grid_bits.value_or(kFinestGrid)),
          "permute-and-flip takes fewer than 2^27 rows on a grid this fine; take `choice = exponential` or lower "
          "`grid_bits`");
  require(s.by_rank || options.choice != ChoiceRule::permute_and_flip, "permute-and-flip needs `score = rank`");
  int bits = static_cast<int>(options.grid_bits.value_or(kFinestGrid));
  if (s.by_rank) {
    s.grid = LocationGrid::with(bits, limit);
    s.doubled_rank = std::llround(2 * level(loss) * rows);
    s.mechanism = choice_of(kRankRange, s.task.budget.epsilon, flip);
    if (s.interval) set_ends(s, flip);
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
    s.mechanism = choice_of(loss_range(s.weights, s.grid), s.task.budget.epsilon, false);
  }
}
// [/proof]

// Expected excess risk; the two theorems are in the note.
void set_quantile_utility(LocationSettings& s) {
  const loss::Loss& loss = s.task.problem.loss;
  const auto rows = static_cast<double>(s.task.facts.rows);
  const double step = static_cast<double>(s.grid.step) / schema::kTargetOne;
  const double width = 2 * static_cast<double>(s.grid.half) * step;
  const double per_rank = loss.kind == loss::LossKind::absolute ? 2 : 1;
  const double scale = scale_of(s.mechanism);
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

}  // namespace

LocationSettings location_settings(const Task& asked, const ExponentialLocationOptions& options) {
  check_task(asked);
  LocationSettings s;
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

namespace {

std::vector<random::CostRun> costs(const LocationSettings& s, std::int64_t doubled_rank, const engine::RowSums& sums,
                                   Threads threads) {
  const std::vector<std::int32_t> sorted = sums.sorted_targets(threads);
  return s.by_rank ? rank_costs(sorted, doubled_rank, s.grid) : loss_costs(sorted, s.weights, s.grid);
}

struct Release {
  const LocationSettings& s;
  std::int64_t doubled_rank;
  const char* what;
  const data::Dataset& dataset;
  privacy::Curator& curator;
  Threads threads;

  using Result = privacy::Released<std::vector<double>>;

  Result operator()(const privacy::DiscreteLaplaceEvent& event) const {
    const auto sum =
        dataset.sums().map([&](const engine::RowSums& sums) { return sums.target_sum(schema::kTargetOne, threads); });
    return curator.release(sum, event, what).map([&](std::int64_t noisy) { return mean(noisy); });
  }
  Result operator()(const privacy::GaussianEvent& event) const {
    const auto sum = dataset.sums().map([&](const engine::RowSums& sums) {
      return std::vector<std::int64_t>{sums.target_sum(schema::kTargetOne, threads)};
    });
    return curator.release(sum, event, what).map([&](const auto& noisy) { return mean(noisy.front()); });
  }
  template <class Choice>
    requires requires(Choice event) { event.range; }
  Result operator()(const Choice& event) const {
    const auto runs =
        dataset.sums().map([&](const engine::RowSums& sums) { return costs(s, doubled_rank, sums, threads); });
    return curator.choose(runs, event, s.grid.candidates(), what).map([&](std::uint64_t chosen) {
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

std::vector<privacy::PrivacyEvent> location_events(const LocationSettings& s) {
  std::vector<privacy::PrivacyEvent> events = {{kLocation, s.mechanism, privacy::Neighbours::replace_one, 1}};
  if (s.ends) events.push_back({kIntervalEnd, s.end_mechanism, privacy::Neighbours::replace_one, 2});
  return events;
}

Trained release_location(const LocationSettings& s, const data::Dataset& dataset, privacy::Curator& curator,
                         Threads threads) {
  const auto released = [&](const privacy::Mechanism& mechanism, std::int64_t rank, const char* what) {
    return std::visit(Release{s, rank, what, dataset, curator, threads}, mechanism);
  };
  Trained trained{released(s.mechanism, s.doubled_rank, kLocation)};
  if (s.ends) {
    const auto lower = released(s.end_mechanism, s.ends->doubled_lower, kIntervalEnd);
    const auto upper = released(s.end_mechanism, s.ends->doubled_upper, kIntervalEnd);
    trained.interval = lower.map([&](const std::vector<double>& low) {
      const double first = s.ends->has_lower ? low[0] : -1, last = s.ends->has_upper ? upper.get()[0] : 1;
      return ReleasedInterval{std::min(first, last), std::max(first, last), *s.interval};
    });
  } else if (s.interval && s.task.problem.l2_penalty == 0 && s.task.problem.feasible_set.radius >= 1) {
    trained.interval = trained.weights.map([&](const std::vector<double>& mean) {
      return mean_interval(mean[0], s.mechanism, s.task.facts.rows, *s.interval);
    });
  }
  return trained;
}

}  // namespace dperm::methods
