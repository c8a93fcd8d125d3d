// SPDX-License-Identifier: Apache-2.0
#include "dperm/ledger/earlier.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <optional>

#include "dperm/core/check.hpp"
#include "dperm/core/digest.hpp"
#include "dperm/core/error.hpp"
#include "dperm/ledger/refusal.hpp"
#include "dperm/model/model_json.hpp"
#include "dperm/model/verify.hpp"

namespace dperm::ledger {

namespace {

// Of an entry that a restored ledger has lost nothing is counted, and the model may be entered.
void require_not_counted(const Ledger& ledger, const std::string& dataset, const model::LedgerMark& mark) {
  if (mark.ledger != ledger.id()) return;
  const std::vector<Entry> entries = ledger.entries();
  if (mark.entry < 1 || mark.entry > entries.size() || entries[mark.entry - 1].digest != mark.head) return;
  require(entries[mark.entry - 1].dataset != dataset,
          fmt::format("this model is counted already, by entry {} of the ledger", mark.entry));
}

std::string release_of(const model::Model& model) { return digest(model::to_json(model)); }

// That a file calls itself not private is no claim that could fail.
void require_verified(model::Model model) {
  model.is_private = true;
  if (model::all_passed(model::verify(model))) return;
  throw DataError(
      "the model does not verify, so what it cost does not follow from it; enter an epsilon and a delta instead");
}

}  // namespace

Mark enter_model(Ledger& ledger, const std::string& dataset, const model::Model& model, const std::string& note) {
  const DatasetState state = ledger.state(dataset);
  if (model.ledger) require_not_counted(ledger, dataset, *model.ledger);
  require_same_unit(state, model.schema.unit ? model.schema.unit->column : "");
  const bool has_noise = !privacy::is_unprotected(model.events);
  if (has_noise) require_verified(model);
  std::optional<Mark> look;
  if (!model.is_private) look = ledger.look(dataset, "a model without protection, entered: " + note, true);
  if (!has_noise) return *look;
  // One that is not private costs what it says all the same: a part of its noise may be secret.
  Earlier earlier{.note = note,
                  .release = release_of(model),
                  .events = model.events,
                  .epsilon = model.guarantee.epsilon,
                  .delta = model.guarantee.delta};
  for (const schema::Inference& each : model.schema.inferred) {
    earlier.shared.push_back({each.id, each.epsilon, each.delta});
  }
  const Mark entered = ledger.enter(dataset, earlier);
  return look.value_or(entered);
}

bool is_entered(const Ledger& ledger, const model::Model& model) {
  const std::string release = release_of(model);
  for (const auto& [name, state] : ledger.states()) {
    const auto is_it = [&](const Reserved& each) { return each.release == release; };
    if (std::any_of(state.requests.begin(), state.requests.end(), is_it)) return true;
  }
  return false;
}

}  // namespace dperm::ledger
