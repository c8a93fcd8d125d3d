// SPDX-License-Identifier: Apache-2.0
// What must not be concluded.
#include <fmt/format.h>

#include "dperm/report/page/facts.hpp"

namespace dperm::report {

namespace {

// What the promise does not promise.
std::vector<Html> limits_of_the_promise(const Facts& facts) {
  const schema::Schema& schema = facts.model.schema;
  std::vector<Html> items;
  items.push_back(
      strong("Noise is part of every number.") +
      " Fitted again, the model would come out a little different. Small effects, and the order of similar ones, "
      "mean nothing.");
  items.push_back(
      strong("What is true of everyone is not hidden.") +
      fmt::format(" If smokers are sick more often, the model may say so about any smoker, in the table or not; that "
                  "is not a leak of one {}.",
                  unit_word(facts)));
  if (schema.unit) {
    items.push_back(
        strong("One person is all rows with the same identifier.") +
        fmt::format(" Someone under two identifiers in {}, or a household, has less protection.", schema.unit->column));
  } else {
    items.push_back(
        strong("One row is one person, or the promise is smaller.") +
        " Nobody told the program which rows belong to one person ([unit] in the schema): someone with k rows is "
        "protected at about k times this epsilon.");
  }
  items.push_back(
      strong("Several models add up.") +
      " This page speaks about this release alone. Add the epsilons and deltas of all that was ever released about "
      "the same people.");
  return items;
}

}  // namespace

Html limits_section(const Facts& facts, const Place&) {
  const bool effects = !facts.one_number && facts.form != methods::ModelForm::network;
  std::vector<Html> items;
  if (effects) {
    items.push_back(
        strong("Effects are not causes.") +
        " They say what goes with the target in these rows, with the other columns held fixed; changing a column "
        "need not change the target.");
  }
  if (facts.is_unprotected()) {
    items.push_back(
        strong("Nobody is protected.") +
        " No number on this page hides anything: each may tell what single rows hold, as the weights do. Other rows of "
        "the same kind would have given other numbers: small effects mean nothing here either.");
  } else {
    for (Html& each : limits_of_the_promise(facts)) items.push_back(std::move(each));
  }
  items.push_back(strong("The number of rows is public.") +
                  " So is everything in the schema: columns, bounds and lists of values.");
  if (!facts.judged && !facts.one_number) {
    items.push_back(strong("How good the model is was not measured here.") + " A forecast is not a measurement.");
  }
  if (facts.one_number) {
    items.push_back(strong("Values beyond the bounds count as the bound.") +
                    " If many lie beyond, the answer is about cut values.");
  } else {
    items.push_back(strong("It is about rows like these.") +
                    " Values beyond the public bounds were cut to them, and missing ones filled by a fixed rule; other "
                    "populations and later years may differ.");
  }
  if (facts.total.delta > 0) {
    items.push_back(strong("Delta is a chance of failure.") +
                    fmt::format(" With a probability of the order of {} the bound on the odds may fail for a row.",
                                delta_words(facts.total.delta)));
  }
  return list(items);
}

}  // namespace dperm::report
