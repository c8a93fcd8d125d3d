// SPDX-License-Identifier: Apache-2.0
#include "cli/account_models.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>
#include <set>

#include "cli/text.hpp"
#include "dperm/core/check.hpp"
#include "dperm/core/error.hpp"
#include "dperm/infer/fill.hpp"
#include "dperm/ledger/filter.hpp"
#include "dperm/model/model_json.hpp"

namespace dperm::cli {

namespace {

struct Part {
  std::string name;
  std::vector<privacy::PrivacyEvent> events;
  double epsilon, delta;
};

struct Parts {
  std::vector<Part> all;
  bool is_private = true;
  bool noise = true;       // false: one of them has none at all, and no epsilon
  bool of_persons = true;  // every one protects persons, told apart by one column
};

Parts parts_of(const std::vector<std::string>& paths) {
  Parts parts;
  std::set<std::string> seen, units;
  for (const std::string& path : paths) {
    const model::Model model = model::read_model(path);
    if (!seen.insert(model::to_json(model)).second) continue;
    parts.is_private = parts.is_private && model.is_private;
    parts.noise = parts.noise && !privacy::is_unprotected(model.events);
    parts.of_persons = parts.of_persons && model.schema.unit.has_value();
    if (model.schema.unit) units.insert(model.schema.unit->column);
    for (const schema::Inference& each : model.schema.inferred) {
      if (!seen.insert(each.id).second) continue;
      parts.all.push_back(
          {"bounds and values inferred before " + path, infer::events_of(each), each.epsilon, each.delta});
    }
    parts.all.push_back({path, model.events, model.guarantee.epsilon, model.guarantee.delta});
  }
  parts.of_persons = parts.of_persons && units.size() == 1;
  return parts;
}

ledger::Spent total_of(const Parts& parts, const ModelsQuery& query) {
  const auto currency = from_word<ledger::Currency>(query.currency);
  if (!currency || *currency == ledger::Currency::pure) {
    throw ArgumentError(fmt::format("--currency is basic, gaussian or renyi here; got '{}'", query.currency));
  }
  ledger::Spent sum;
  for (const Part& each : parts.all) {
    sum.epsilon = std::nextafter(sum.epsilon + each.epsilon, HUGE_VAL);
    sum.delta += each.delta == 0 ? 0 : std::nextafter(each.delta, 1.0);
  }
  if (*currency == ledger::Currency::basic) return sum;
  require(query.delta.has_value(), "--currency gaussian and renyi need the --delta that all models have together");
  ledger::Cap cap{.epsilon = std::max(sum.epsilon, 1e-6), .delta = *query.delta, .currency = *currency};
  cap.neighbours = parts.all.front().events.front().neighbours;
  cap = ledger::checked(cap);
  ledger::Sum spent;
  for (const Part& each : parts.all) {
    spent = ledger::plus(cap, std::move(spent), ledger::cost_of(cap, each.events, each.epsilon, each.delta));
  }
  return ledger::spent(cap, spent);
}

// Upward to four digits.
double above(double value) {
  if (!(value > 0)) return value;
  const double unit = std::pow(10, std::floor(std::log10(value)) - 3);
  return std::ceil(value / unit - 1e-6) * unit;
}

}  // namespace

void print_models_total(const ModelsQuery& query) {
  const Parts parts = parts_of(query.paths);
  const ledger::Spent total =
      parts.noise ? total_of(parts, query) : ledger::Spent{.epsilon = std::numeric_limits<double>::infinity()};
  for (const Part& each : parts.all) {
    for (const privacy::PrivacyEvent& event : each.events) {
      require(event.neighbours == parts.all.front().events.front().neighbours,
              "the models are stated for different neighbours, and such guarantees do not add up");
    }
  }
  const char* const unit = parts.of_persons ? "one person" : "one row";
  if (query.json) {
    nlohmann::ordered_json list = nlohmann::ordered_json::array();
    for (const Part& each : parts.all) {
      list.push_back({{"what", each.name}, {"epsilon", each.epsilon}, {"delta", each.delta}});
    }
    const nlohmann::ordered_json result{{"parts", list},
                                        {"currency", query.currency},
                                        {"epsilon", parts.is_private ? nlohmann::ordered_json(total.epsilon) : nullptr},
                                        {"delta", total.delta},
                                        {"unit", unit},
                                        {"private", parts.is_private}};
    fmt::print("{}\n", result.dump(2));
    return;
  }
  for (const Part& each : parts.all) {
    if (privacy::is_unprotected(each.events)) {
      fmt::print("epsilon     NONE  no noise at all  {}\n", each.name);
      continue;
    }
    fmt::print("epsilon {:>8.4g}  delta {:>8.3g}  {}\n", above(each.epsilon), above(each.delta), each.name);
  }
  if (!parts.is_private) {
    fmt::print("Together: NOT private, because {}.\n",
               parts.noise ? "one of them is not" : "one of them has no noise: no epsilon is kept");
    return;
  }
  fmt::print("Together: epsilon {:.4g}, delta {:.4g} for {}, however later ones were chosen ({}).\n",
             above(total.epsilon), above(total.delta), unit, query.currency);
  fmt::print("{}\n",
             wrapped("A sum after the fact is a reading: a guarantee beforehand is the cap of a ledger (dperm "
                     "ledger). Were all of them decided before the first was made? --fixed-beforehand --delta D "
                     "composes them tightly.",
                     100));
}

std::vector<privacy::PrivacyEvent> events_of_models(const std::vector<std::string>& paths) {
  std::vector<privacy::PrivacyEvent> events;
  for (const Part& each : parts_of(paths).all) events.insert(events.end(), each.events.begin(), each.events.end());
  return events;
}

}  // namespace dperm::cli
