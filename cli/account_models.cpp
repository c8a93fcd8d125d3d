// SPDX-License-Identifier: Apache-2.0
#include "cli/account_models.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>
#include <set>
#include <utility>

#include "cli/json_text.hpp"
#include "cli/progress.hpp"
#include "cli/text.hpp"
#include "dperm/core/check.hpp"
#include "dperm/core/error.hpp"
#include "dperm/core/whole_file.hpp"
#include "dperm/infer/fill.hpp"
#include "dperm/ledger/filter.hpp"
#include "dperm/model/model_json.hpp"
#include "dperm/model/verify.hpp"

namespace dperm::cli {

namespace {

using Json = nlohmann::ordered_json;

struct NamedModel {
  std::string path;
  model::Model model;
};

struct Part {
  std::string name;
  std::vector<privacy::PrivacyEvent> events;
  double epsilon, delta;
  std::string doubt;  // why the file that says so does not verify; empty: it does
};

struct Parts {
  std::vector<Part> all;
  std::vector<std::string> not_private;  // the file, and why
  std::vector<std::string> unverified;   // files
  bool noise = true;                     // false: one of them has none at all, and no epsilon
  ledger::ProtectedUnit unit = {};       // whom all of them protect

  bool is_private() const { return not_private.empty() && unverified.empty() && noise; }
};

std::vector<NamedModel> read(const std::vector<std::string>& paths) {
  std::vector<NamedModel> models;
  for (const std::string& path : paths) models.push_back({path, model::read_model(path)});
  return models;
}

// Replacing one row may move it from one person to another, which changes two persons' rows: neither of two different
// promises follows from the other, and their sum is none.
void require_one_unit(const std::vector<NamedModel>& models) {
  for (const auto& [path, model] : models) {
    const ledger::ProtectedUnit first = ledger::unit_of(models.front().model.schema);
    const ledger::ProtectedUnit unit = ledger::unit_of(model.schema);
    if (unit == first) continue;
    throw ArgumentError(
        fmt::format("{} protects {} and {} protects {}, and such guarantees do not add up; account for each unit by "
                    "itself, and give the next schema the same [unit] and missing",
                    models.front().path, ledger::words(first), path, ledger::words(unit)));
  }
}

void require_same_neighbours(const std::vector<Part>& parts) {
  std::optional<privacy::Neighbours> first;
  for (const Part& part : parts) {
    for (const privacy::PrivacyEvent& event : part.events) {
      require(event.neighbours == first.value_or(event.neighbours),
              "the models are stated for different neighbours, and such guarantees do not add up");
      first = event.neighbours;
    }
  }
}

Parts parts_of(const std::vector<NamedModel>& models) {
  require_one_unit(models);
  Parts parts;
  std::set<std::string> seen;
  if (!models.empty()) parts.unit = ledger::unit_of(models.front().model.schema);
  const SlowNote slow("still verifying; a model of very many releases can take a minute");
  for (const auto& [path, model] : models) {
    if (!seen.insert(model::to_json(model)).second) continue;
    const auto failed = model::first_failure(model);
    const std::string doubt = failed ? fmt::format("failed: {} ({})", failed->what, failed->detail) : "";
    if (failed) parts.unverified.push_back(path);
    if (!model.is_private) parts.not_private.push_back(fmt::format("{}: {}", path, fmt::join(model.remarks, "; ")));
    parts.noise = parts.noise && !privacy::is_unprotected(model.events);
    for (const schema::Inference& each : model.schema.inferred) {
      if (!seen.insert(each.id).second) continue;
      parts.all.push_back(
          {"bounds and values inferred before " + path, infer::events_of(each), each.epsilon, each.delta, doubt});
    }
    parts.all.push_back({path, model.events, model.guarantee.epsilon, model.guarantee.delta, doubt});
  }
  require_same_neighbours(parts.all);
  return parts;
}

// Of parts that verify, so that each has its releases and a finite epsilon.
ledger::Spent total_of(const Parts& parts, const ModelsQuery& query, ledger::Currency currency) {
  ledger::Spent sum;
  for (const Part& each : parts.all) {
    sum.epsilon = std::nextafter(sum.epsilon + each.epsilon, HUGE_VAL);
    sum.delta += each.delta == 0 ? 0 : std::nextafter(each.delta, 1.0);
  }
  if (currency == ledger::Currency::basic) return sum;
  require(query.delta.has_value(), "--currency gaussian and renyi need the --delta that all models have together");
  ledger::Cap cap{.epsilon = std::max(sum.epsilon, 1e-6), .delta = *query.delta, .currency = currency};
  cap.neighbours = parts.all.front().events.at(0).neighbours;
  cap = ledger::checked(cap);
  ledger::Sum spent;
  for (const Part& each : parts.all) {
    spent = ledger::plus(cap, std::move(spent), ledger::cost_of(cap, each.events, each.epsilon, each.delta));
  }
  return ledger::spent(cap, spent);
}

ledger::Currency currency_of(const ModelsQuery& query) {
  const auto currency = from_word<ledger::Currency>(query.currency);
  if (currency && *currency != ledger::Currency::pure) return *currency;
  throw ArgumentError(fmt::format("--currency is basic, gaussian or renyi here; got '{}'", query.currency));
}

// Upward to four digits.
double above(double value) {
  if (!(value > 0)) return value;
  const double unit = std::pow(10, std::floor(std::log10(value)) - 3);
  return std::ceil(value / unit - 1e-6) * unit;
}

const char* unit_word(const Parts& parts) { return parts.unit.is_row() ? "one row" : "one person"; }

void print_json(const Parts& parts, const ledger::Spent& total, const ModelsQuery& query) {
  Json list = Json::array();
  for (const Part& each : parts.all) {
    const bool verified = each.doubt.empty();  // else its numbers are only claimed
    list.push_back({{"what", each.name},
                    {"epsilon", verified ? Json(each.epsilon) : Json(nullptr)},
                    {"delta", verified ? Json(each.delta) : Json(nullptr)},
                    {"verified", verified}});
    if (!verified) list.back()["why"] = each.doubt;
  }
  const Json result{{"parts", list},
                    {"currency", query.currency},
                    {"epsilon", parts.is_private() ? Json(total.epsilon) : Json(nullptr)},
                    {"delta", parts.unverified.empty() ? Json(total.delta) : Json(nullptr)},
                    {"unit", unit_word(parts)},
                    {"private", parts.is_private()}};
  fmt::print("{}\n", json_text(result));
}

void print_part(const Part& part) {
  if (!part.doubt.empty()) {
    fmt::print("epsilon     NONE  does not verify  {}\n  {}\n", part.name, wrapped(part.doubt, 98, 2));
  } else if (privacy::is_unprotected(part.events)) {
    fmt::print("epsilon     NONE  no noise at all  {}\n", part.name);
  } else {
    fmt::print("epsilon {:>8.4g}  delta {:>8.3g}  {}\n", above(part.epsilon), above(part.delta), part.name);
  }
}

void print_text(const Parts& parts, const ledger::Spent& total, const ModelsQuery& query) {
  for (const Part& each : parts.all) print_part(each);
  if (!parts.unverified.empty()) {
    fmt::print("Together they promise nothing, because this does not verify: {}. See dperm verify.\n",
               fmt::join(parts.unverified, ", "));
    return;
  }
  if (!parts.is_private()) {
    fmt::print("Together: NOT private, because {}.\n",
               parts.noise ? "one of them is not" : "one of them has no noise: no epsilon is kept");
    return;
  }
  fmt::print("Together: epsilon {:.4g}, delta {:.4g} for {}, however later ones were chosen ({}).\n",
             above(total.epsilon), above(total.delta), unit_word(parts), query.currency);
  fmt::print("{}\n",
             wrapped("A sum after the fact is a reading: a guarantee beforehand is the cap of a ledger (dperm "
                     "ledger). Were all of them decided before the first was made? --fixed-beforehand --delta D "
                     "composes them tightly.",
                     100));
}

}  // namespace

void print_models_total(const ModelsQuery& query) {
  const ledger::Currency currency = currency_of(query);
  const Parts parts = parts_of(read(query.paths));
  const bool adds_up = parts.noise && parts.unverified.empty();
  const ledger::Spent total =
      adds_up ? total_of(parts, query, currency) : ledger::Spent{.epsilon = std::numeric_limits<double>::infinity()};
  (query.json ? print_json : print_text)(parts, total, query);
}

FileEvents events_of_files(const std::vector<std::string>& paths, const std::string& list) {
  std::vector<NamedModel> models = read(paths);
  FileEvents result;
  if (!list.empty()) {
    const std::string content = whole_file(list);
    if (model::is_model_text(content, list)) {
      models.push_back({list, model::parse_model(content, list)});
    } else {
      result.events = model::parse_events(content, list);
    }
  }
  const Parts parts = parts_of(models);
  for (const Part& each : parts.all) {
    if (!each.doubt.empty()) {
      throw DataError(fmt::format("{} does not verify, so what it cost does not follow from it: {}. See dperm verify",
                                  each.name, each.doubt));
    }
    result.events.insert(result.events.end(), each.events.begin(), each.events.end());
  }
  result.of_models = !models.empty();
  result.not_private = parts.not_private;
  return result;
}

}  // namespace dperm::cli
