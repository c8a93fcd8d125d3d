// SPDX-License-Identifier: Apache-2.0
// Why the promise holds: what left, how epsilon follows, where it is proved, and how anyone can check the file.
#include <fmt/format.h>

#include <algorithm>
#include <variant>

#include "dperm/infer/fill.hpp"
#include "dperm/model/model_json.hpp"
#include "dperm/model/trust.hpp"
#include "dperm/report/event_words.hpp"
#include "dperm/report/page/facts.hpp"
#include "dperm/report/page/notes.hpp"
#include "dperm/report/page/plot.hpp"

namespace dperm::report {

namespace {

// A division into parts as a list of its own.
Html release(const privacy::PrivacyEvent& event) {
  const auto* division = std::get_if<privacy::DisjointPartsEvent>(&event.mechanism);
  if (division == nullptr) return event_words(event);
  std::vector<Html> parts;
  for (const std::vector<privacy::PrivacyEvent>& part : division->parts) {
    std::vector<Html> releases;
    for (const privacy::PrivacyEvent& each : part) releases.emplace_back(event_words(each));
    parts.push_back(releases.size() == 1 ? releases[0] : list(releases));
  }
  return Html(event.what) + ": a row takes part in one of these only" + list(parts);
}

Html releases(const Facts& facts) {
  std::vector<Html> items;
  for (const schema::Inference& each : facts.model.schema.inferred) {
    for (const privacy::PrivacyEvent& event : infer::events_of(each))
      items.push_back(Html("before: ") + release(event));
  }
  for (const privacy::PrivacyEvent& event : privacy::compressed(facts.model.events)) items.push_back(release(event));
  return list(items);
}

Html derivation(const Facts& facts) {
  std::vector<std::vector<Html>> rows;
  for (const methods::DerivationStep& each : facts.model.plan.derivation) {
    rows.push_back({with_code(each.quantity), digits(each.value, 5), with_code(each.reason)});
  }
  return table("How epsilon follows", {{"Quantity"}, {"Value", true}, {"Why"}}, rows);
}

Html note_list(const Facts& facts, const Place& place) {
  std::vector<Html> items;
  for (const ProofNote& note : proof_notes(facts.model)) {
    const Html path = code(note.path);
    const Html link = place.notes.empty() ? path : element("a", {{"href", place.notes + note.path}}, path);
    items.push_back(Html(note.what) + ": " + link);
  }
  return list(items);
}

Html check_list(const Facts& facts) {
  std::vector<Html> items;
  for (const model::Check& each : facts.checks) {
    items.push_back(each.passed ? Html("Passed: ") + each.what : strong("Failed: ") + each.what + ": " + each.detail);
  }
  if (!facts.verified) return list(items);
  return details(fmt::format("{} checks, all passed when this page was made", items.size()), list(items));
}

constexpr const char* kHowItIsDone =
    "Every cell is first cut to public bounds, so no row can pull harder than a known amount. Sums over the rows are "
    "exact integers; each is released by one part of the program alone, which adds noise drawn exactly and writes down "
    "what it did. What was written down is all that epsilon is computed from.";

}  // namespace

Html proof_section(const Facts& facts, const Place& place) {
  Html content =
      paragraph(facts.is_unprotected() ? "Nothing is proved about this model: the weights left as they were computed, "
                                         "and the program wrote down that they did."
                                       : kHowItIsDone);
  content += heading(place.level + 1, "What left the data") + releases(facts);
  if (facts.verified) {
    content += heading(place.level + 1, "How epsilon follows") +
               details("Every quantity with its value and reason", derivation(facts));
    content +=
        heading(place.level + 1, "Where it is proved") +
        paragraph(
            "Paths in the source tree; each note states its claim, what it needs and which code it speaks about.") +
        note_list(facts, place);
  }
  content += heading(place.level + 1, "Check it yourself") +
             paragraph("From the model file alone, without the data, anyone can recompute the guarantee:") +
             commands({"dperm verify " + facts.name, "dperm explain " + facts.name + " --details"}) +
             terms({{"File", facts.name}, {"Digest", code(facts.digest)}}) + check_list(facts);
  if (facts.is_unprotected()) return content;
  std::vector<Html> on_trust;
  for (const std::string& each : model::taken_on_trust(facts.model)) on_trust.emplace_back(each);
  return content +
         paragraph(
             "Verification shows that the guarantee follows from schema, task and recorded noise. Taken on trust:") +
         list(on_trust);
}

}  // namespace dperm::report
