// SPDX-License-Identifier: Apache-2.0
#include "dperm/ledger/refusal.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <chrono>
#include <cmath>

#include "dperm/core/error.hpp"

namespace dperm::ledger {

namespace {

constexpr int kTrials = 50, kTrialsOfPlans = 14;
constexpr std::chrono::seconds kPatience{5};

Sum sum_with(const DatasetState& state, const Cost& cost, const std::vector<SharedRelease>& shared) {
  Sum sum = plus(state.cap, state.sum, cost);
  for (const SharedRelease& each : shared) {
    if (!state.shared.contains(each.id)) sum = plus(state.cap, std::move(sum), {each.epsilon, each.delta});
  }
  return sum;
}

// Downward to three digits, so that what is read still fits.
std::string down(double value) {
  if (!(value > 0)) return "0";
  const double unit = std::pow(10, std::floor(std::log10(value)) - 2);
  return fmt::format("{:.3g}", std::floor(value / unit + 1e-4) * unit);
}

bool fits(const DatasetState& state, const Request& request, double epsilon, double delta) {
  try {
    const auto events = request.at ? request.at(epsilon) : std::vector<privacy::PrivacyEvent>();
    return within(state.cap, sum_with(state, cost_of(state.cap, events, epsilon, delta), request.shared));
  } catch (const ArgumentError&) {
    return false;  // no such plan
  }
}

// The largest epsilon at which the same request would be allowed, to about three digits; 0 where none is found.
double largest_epsilon(const DatasetState& state, const Request& request, double delta) {
  const auto start = std::chrono::steady_clock::now();
  double low = 0, high = std::min(request.epsilon, state.cap.epsilon * (1 + kDecimalSlack));
  if (fits(state, request, high, delta)) return high;
  for (int i = 0; i < (request.at ? kTrialsOfPlans : kTrials); ++i) {
    if (std::chrono::steady_clock::now() - start > kPatience) break;
    const double middle = (low + high) / 2;
    (fits(state, request, middle, delta) ? low : high) = middle;
  }
  return low > 2 * kDecimalSlack * state.cap.epsilon ? low : 0;  // last digits are no room
}

std::string what_fits(const DatasetState& state, const Request& request) {
  const bool adds_up = state.cap.currency == Currency::pure || state.cap.currency == Currency::basic;
  const double delta_left = room(state.cap, state.sum).delta;
  Request plain = request;
  if (adds_up) plain.at = nullptr;
  const double at_this_delta = largest_epsilon(state, plain, request.delta);
  if (at_this_delta > 0) return fmt::format("Epsilon at most {} at this delta would fit.", down(at_this_delta));
  const double smaller = std::min(request.delta, delta_left);
  const double at_smaller = request.delta > delta_left ? largest_epsilon(state, plain, smaller) : 0;
  if (at_smaller > 0) {
    return fmt::format("Epsilon at most {} at a delta of at most {} would fit.", down(at_smaller), down(smaller));
  }
  return "Nothing more fits.";
}

}  // namespace

bool affords(const DatasetState& state, const Reserved& request) {
  return !state.unprotected && within(state.cap, sum_with(state, request.cost, request.shared));
}

bool is_hopeless(const DatasetState& state, double epsilon, double delta) {
  if (state.unprotected || !within(state.cap, state.sum)) return true;
  if (delta < 0) return false;
  const bool adds_up = state.cap.currency == Currency::pure || state.cap.currency == Currency::basic;
  return adds_up && !within(state.cap, plus(state.cap, state.sum, {epsilon, 0}));
}

void require_same_unit(const DatasetState& state, const ProtectedUnit& unit) {
  if (state.cap.unit == unit) return;
  // Replacing one row may move it from one person to another, which changes two persons' rows; and where a text names
  // nobody for one request and somebody for the next, a change of one person is for the next a change of two.
  const char* const next = state.cap.unit.is_row() ? "register a dataset whose cap protects them, with --unit"
                           : unit.column == state.cap.unit.column
                               ? "give both the same texts: missing in [format] of the schema, --missing where a "
                                 "dataset is registered"
                               : "say so in [unit] of the schema";
  throw BudgetError(fmt::format("dataset '{}': its cap protects {}, and this request protects {}; {}", state.name,
                                words(state.cap.unit), words(unit), next));
}

std::string refusal(const DatasetState& state, const std::string& path, const Request& request) {
  const std::string where = fmt::format("dataset '{}' of ledger {}: ", state.name, path);
  if (state.unprotected) {
    return where + "a result without protection was declared published, so no cap holds any more. Nothing was spent";
  }
  const Spent now = spent(state);
  return fmt::format(
      "{}epsilon {:.4g} at delta {:.4g} does not fit: epsilon {:.4g} of {:g} and delta {:.4g} of {:g} are "
      "spent. {} Nothing was spent on this request",
      where, request.epsilon, request.delta, now.epsilon, state.cap.epsilon, now.delta, state.cap.delta,
      what_fits(state, request));
}

}  // namespace dperm::ledger
