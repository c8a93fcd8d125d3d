// SPDX-License-Identifier: Apache-2.0
#include "dperm/ledger/earlier.hpp"

#include <fmt/core.h>

#include <algorithm>

#include "dperm/core/check.hpp"
#include "dperm/core/digest.hpp"
#include "dperm/core/error.hpp"
#include "dperm/ledger/refusal.hpp"
#include "dperm/model/model_json.hpp"
#include "dperm/model/verify.hpp"

namespace dperm::ledger {

namespace {

std::string release_of(const model::Model& model) { return digest(model::to_json(model)); }

void require_verified(const model::Model& model) {
  if (!model::first_failure(model)) return;
  throw DataError(
      "the model does not verify, so what it cost does not follow from it; enter an epsilon and a delta instead");
}

}  // namespace

std::string about(const methods::Plan& plan, const schema::Schema& schema) {
  return digest(model::plan_to_json(plan) + schema::to_toml(schema));
}

bool is_counted(const Ledger& ledger, const model::Model& model) {
  if (!model.ledger || model.ledger->ledger != ledger.id()) return false;
  const model::LedgerMark& mark = *model.ledger;
  const std::vector<Entry> entries = ledger.entries();
  if (mark.entry < 1 || mark.entry > entries.size() || entries[mark.entry - 1].digest != mark.head) return false;
  const DatasetState state = ledger.state(entries[mark.entry - 1].dataset);
  for (const Reserved& each : state.requests) {
    if (each.entry != mark.entry) continue;
    // A ledger that could not be written at the end knows no model, but what it was to be.
    return each.settled > 0 ? each.result == release_of(model) : each.about == about(model.plan, model.schema);
  }
  const auto is_it = [&](const Look& each) { return each.entry == mark.entry && each.makes_model; };
  return !model.is_private && std::any_of(state.looks.begin(), state.looks.end(), is_it);
}

Mark enter_model(Ledger& ledger, const std::string& dataset, const model::Model& model, const std::string& note) {
  const DatasetState state = ledger.state(dataset);
  require(
      !is_counted(ledger, model) || model.ledger->dataset != dataset,
      fmt::format("this model is counted already, by entry {} of the ledger", model.ledger ? model.ledger->entry : 0));
  require_same_unit(state, unit_of(model.schema));
  const bool has_noise = !privacy::is_unprotected(model.events);
  Earlier earlier{.note = note, .release = release_of(model), .unprotected = !model.is_private};
  if (has_noise) {
    require_verified(model);
    // One that is not private costs what it says all the same: a part of its noise may be secret.
    earlier.events = model.events;
    earlier.epsilon = model.guarantee.epsilon;
    earlier.delta = model.guarantee.delta;
    for (const schema::Inference& each : model.schema.inferred) {
      earlier.shared.push_back({each.id, each.epsilon, each.delta});
    }
  }
  return ledger.enter(dataset, earlier);
}

bool is_entered(const Ledger& ledger, const model::Model& model) {
  const std::string release = release_of(model);
  for (const auto& [name, state] : ledger.states()) {
    if (entry_of(state, release) > 0) return true;
  }
  return false;
}

}  // namespace dperm::ledger
