// SPDX-License-Identifier: Apache-2.0
#include "dperm/methods/tuned/tuning_budget.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <utility>

#include "dperm/core/check.hpp"
#include "dperm/core/error.hpp"
#include "dperm/privacy/composition/accountant.hpp"
#include "dperm/privacy/composition/additive_costs.hpp"
#include "dperm/privacy/composition/gaussian_dp.hpp"
#include "dperm/privacy/composition/renyi.hpp"

namespace dperm::methods {

namespace {

using privacy::PrivacyEvent;
using privacy::RepetitionDistribution;
using privacy::SelectionEvent;
using Events = std::vector<PrivacyEvent>;

// Fits are planned for a little less than the base mu, so that rounding cannot carry them above it.
constexpr double kRoom = 1 - 0x1p-20;
// Shares of a price to be paid: aimed at, and good enough.
constexpr double kAim = 0.998, kEnough = 0.99;
constexpr int kMostTrials = 20, kMostRounds = 10;

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
double price(const SelectionEvent& event, double delta) {
  const std::array events = {PrivacyEvent{"selection", event}};
  return privacy::account(events, delta).epsilon;
}

[[noreturn]] void refuse_epsilon(double epsilon) {
  throw ArgumentError(
      fmt::format("epsilon {} is too small for a choice among runs; take a larger one, or do not tune", epsilon));
}

// Prices of selections among runs that all release the same, at one order of Renyi divergences: the one at which all
// runs together are to be cheap. Each list of releases is looked up once.
class PriceList {
 public:
  PriceList(SelectionEvent distribution, double delta, double order)
      : distribution_(std::move(distribution)), delta_(delta), order_(order) {}
  double of(const Events& events) {
    const auto known = std::ranges::find(prices_, events, &std::pair<Events, double>::first);
    if (known != prices_.end()) return known->second;
    distribution_.alternatives = {events};
    const std::array selection = {PrivacyEvent{"selection", distribution_}};
    prices_.emplace_back(events, privacy::renyi_epsilon_at(selection, delta_, order_));
    return prices_.back().second;
  }

 private:
  SelectionEvent distribution_;
  double delta_, order_;
  std::vector<std::pair<Events, double>> prices_;
};

// The price is nearly proportional to the epsilon of a run: a few trials are enough. 0 where none was found.
double largest_epsilon(const ReleasesAt& run, PriceList& prices, double target, double guess) {
  double low = 0, high = std::numeric_limits<double>::infinity(), epsilon = guess;
  for (int trial = 0; trial < kMostTrials; ++trial) {
    const double here = prices.of(run(epsilon));
    (here <= target ? low : high) = epsilon;
    if (low == epsilon && here >= kEnough * target) break;
    const double proportional = epsilon * kAim * target / here;
    const bool inside = proportional > low && proportional < high;
    epsilon = inside ? proportional : std::isfinite(high) ? (low + high) / 2 : 2 * low;
  }
  return low;
}

}  // namespace

SelectionEvent selection_distribution(const TunedOptions& options, bool pure) {
  const double mean = options.repetitions;
  switch (options.distribution.value_or(pure ? Repetitions::logarithmic : Repetitions::poisson)) {
    case Repetitions::poisson:
      require(!pure, "a Poisson number of runs has no pure epsilon; take a logarithmic one, or a `delta` above 0");
      return {RepetitionDistribution::poisson, 0, mean, 0, 0};
    case Repetitions::geometric:
      return {RepetitionDistribution::truncated_negative_binomial, 1, 1 / mean, 0, 0};
    case Repetitions::logarithmic:
      break;
  }
  return {RepetitionDistribution::truncated_negative_binomial, 0, logarithmic_success(mean), 0, 0};
}

SelectionEvent with_plain_base(SelectionEvent event, const Budget& budget) {
  double SelectionEvent::* base = budget.delta > 0 ? &SelectionEvent::base_mu : &SelectionEvent::base_epsilon;
  // One run alone is not cheaper than a selection among several.
  double low = 0, high = budget.delta > 0 ? privacy::mu_for(budget.epsilon, budget.delta) : budget.epsilon;
  for (int i = 0; i < 30; ++i) {
    event.*base = (low + high) / 2;
    (price(event, budget.delta) <= budget.epsilon ? low : high) = event.*base;
  }
  if (!(low > 0)) refuse_epsilon(budget.epsilon);
  event.*base = low;
  return event;
}

Budget fit_budget(const SelectionEvent& event, const Budget& budget) {
  if (budget.delta == 0) return {event.base_epsilon, 0};
  const double epsilon = privacy::epsilon_gaussian(kRoom * event.base_mu, budget.delta);
  require(epsilon > 0, fmt::format("delta {} is too large for tuning; take one far below 1/rows", budget.delta));
  return {epsilon, budget.delta};
}

SelectionEvent with_released_base(SelectionEvent event, const Budget& budget, double guess,
                                  const std::vector<ReleasesAt>& runs) {
  const std::array gaussian = {PrivacyEvent{"selection", event}};
  const double order = privacy::renyi_bound(gaussian, budget.delta).order;
  event.base_mu = event.base_epsilon = 0;
  PriceList prices(event, budget.delta, order);
  std::vector<double> epsilons(runs.size(), guess);
  double target = budget.epsilon;
  for (int round = 0; round < kMostRounds; ++round) {
    event.alternatives.clear();
    for (std::size_t i = 0; i < runs.size(); ++i) {
      // Neighbours in the grid often release the same.
      const double first = round > 0 || i == 0 ? epsilons[i] : epsilons[i - 1];
      epsilons[i] = largest_epsilon(runs[i], prices, target, first);
      if (!(epsilons[i] > 0)) refuse_epsilon(budget.epsilon);
      Events events = runs[i](epsilons[i]);
      if (std::ranges::find(event.alternatives, events) == event.alternatives.end()) {
        event.alternatives.push_back(std::move(events));
      }
    }
    // The largest divergence and the largest delta may be those of different runs; together they cost a little more.
    const double together = price(event, budget.delta);
    if (together <= budget.epsilon) return event;
    target *= kAim * budget.epsilon / together;
  }
  refuse_epsilon(budget.epsilon);
}

void ensure_within_base(const Events& events, const SelectionEvent& event) {
  constexpr const char* kDear = "a run costs more than its share of the selection";
  if (event.base_epsilon > 0) {
    ensure(privacy::pure_epsilon(events) <= event.base_epsilon, kDear);
  } else if (event.base_mu > 0) {
    ensure(privacy::gaussian_mu(events) <= event.base_mu, kDear);
  } else {
    ensure(std::ranges::find(event.alternatives, events) != event.alternatives.end(), kDear);
  }
}
// [/proof]

}  // namespace dperm::methods
