// SPDX-License-Identifier: Apache-2.0
// What only the owner asks a ledger: whether it is whole.
#include <fmt/core.h>

#include <algorithm>

#include "dperm/core/error.hpp"
#include "dperm/core/nearly_equal.hpp"
#include "dperm/ledger/database.hpp"
#include "dperm/ledger/ledger.hpp"
#include "dperm/privacy/composition/accountant.hpp"

namespace dperm::ledger {

namespace {

constexpr double kSame = 1e-9;

bool nearly(double a, double b) { return a == b || nearly_equal(a, b, kSame); }

bool same(const Cost& a, const Cost& b) {
  const auto squares = [](const Cost& cost) { return cost.mu_squared.value_or(-1); };
  return nearly(a.epsilon, b.epsilon) && a.delta == b.delta && nearly(squares(a), squares(b)) &&
         std::equal(a.divergences.begin(), a.divergences.end(), b.divergences.begin(), b.divergences.end(), nearly);
}

// Empty where the cost follows from the events.
std::string cost_problem(const Cap& cap, const Reserved& request) {
  if (request.events.empty()) return "";
  const privacy::Guarantee spent = privacy::account(request.events, request.delta);
  // The guarantee of a plan is the accountant's, and may be told with a delta that the events alone do not need.
  if (request.cost.epsilon < spent.epsilon * (1 - kSame) && request.cost.delta <= spent.delta) {
    return fmt::format("its releases cost epsilon {:.6g}, and {:.6g} is counted", spent.epsilon, request.cost.epsilon);
  }
  const Cost again = cost_of(cap, request.events, request.cost.epsilon, request.cost.delta);
  return same(again, request.cost) ? "" : "what is counted in the dataset's currency does not follow from its releases";
}

}  // namespace

std::vector<std::string> Ledger::problems() const {
  std::vector<std::string> found;
  Statement pages(*database_, "PRAGMA integrity_check");
  while (pages.step()) {
    if (pages.text(0) != "ok") found.push_back("the file is damaged: " + pages.text(0));
  }
  try {
    for (const auto& [name, state] : states()) {
      for (const Reserved& request : state.requests) {
        const std::string problem = cost_problem(state.cap, request);
        if (!problem.empty()) found.push_back(fmt::format("dataset '{}', entry {}: {}", name, request.entry, problem));
        if (!request.result.empty() && !kept_result(request)) {
          found.push_back(
              fmt::format("dataset '{}', entry {}: what is kept for it is not what was made", name, request.entry));
        }
      }
    }
  } catch (const DataError& error) {
    found.push_back(error.what());
  }
  return found;
}

}  // namespace dperm::ledger
