// SPDX-License-Identifier: Apache-2.0
#include "dperm/infer/fill.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "dperm/core/error.hpp"
#include "dperm/core/rounding.hpp"
#include "dperm/data/reader.hpp"
#include "dperm/schema/cell_text.hpp"
#include "dperm/schema/inferred.hpp"

namespace dperm::infer {

namespace {

Unknown unknown_of(schema::Blank::Lacks lacks) {
  switch (lacks) {
    case schema::Blank::Lacks::kind:
      return Unknown::kind;
    case schema::Blank::Lacks::bounds:
      return Unknown::bounds;
    case schema::Blank::Lacks::values:
      break;
  }
  return Unknown::values;
}

// Outward to three digits of the width: 8932.6779 says no more than 8940.
double tidy(double bound, double width, bool up) {
  const double step = std::pow(10, std::floor(std::log10(width)) - 2);
  const double places = up ? std::ceil(bound / step - 1e-9) : std::floor(bound / step + 1e-9);
  // Through text, so that 0.1 stays 0.1.
  const double tidied = schema::parse_number(fmt::format("{:.12g}", places * step));
  return std::isfinite(tidied) ? tidied : bound;
}

std::vector<std::string> texts_of(const std::vector<privacy::Curator::ValueCount>& values) {
  std::vector<std::string> texts;
  // A text that a template leaves to be filled in would be taken for a blank.
  for (const auto& each : values) {
    if (each.value != schema::kTemplateBlank) texts.push_back(each.value);
  }
  return texts;
}

void fill_bounds(schema::Draft& draft, const std::string& name, const ColumnFacts& facts) {
  const double width = facts.upper - facts.lower;
  if (facts.whole)
    return draft.set_bounds(name, std::floor(facts.lower), std::ceil(facts.upper), facts.scale, "integer");
  // A log scale begins at the lower end of the grid that the histogram was made on.
  draft.set_bounds(name, tidy(facts.lower, width, false), tidy(facts.upper, width, true), facts.scale, "real");
}

[[noreturn]] void no_target(const std::string& name, const char* what) {
  throw ArgumentError(fmt::format(
      "target '{}': {}; describe it yourself, by `positive` or by its kind with bounds or values", name, what));
}

void fill_target(schema::Draft& draft, const schema::Blank& blank, const ColumnFacts& facts) {
  const std::string& name = blank.name;
  if (facts.kind == ColumnFacts::Kind::nothing) no_target(name, "too few rows stood out from the noise");
  if (facts.kind == ColumnFacts::Kind::number) {
    if (blank.lacks == schema::Blank::Lacks::kind && facts.zero_or_one) return draft.set_threshold(name, 0.5);
    if (blank.lacks == schema::Blank::Lacks::kind && facts.sign) return draft.set_threshold(name, 0);
    return fill_bounds(draft, name, facts);
  }
  if (facts.values.size() < 2) no_target(name, "fewer than two of its values are common");
  if (blank.lacks == schema::Blank::Lacks::kind && facts.values.size() == 2) {
    const auto rarer = std::min_element(facts.values.begin(), facts.values.end(),
                                        [](const auto& a, const auto& b) { return a.count < b.count; });
    return draft.set_positive(name, rarer->value);
  }
  draft.set_values(name, texts_of(facts.values));
}

void fill_column(schema::Draft& draft, const std::string& name, const ColumnFacts& facts) {
  switch (facts.kind) {
    case ColumnFacts::Kind::nothing:
      return draft.ignore(name);
    case ColumnFacts::Kind::number:
      return fill_bounds(draft, name, facts);
    case ColumnFacts::Kind::text:
      return draft.set_values(name, texts_of(facts.values));
  }
}

// By its name and by what was released: whole numbers over a range that has a place for every row. Numbers of persons
// would be learned by heart, or waste a weight.
bool seems_identifier(const schema::Blank& blank, const ColumnFacts& facts, std::size_t rows) {
  return blank.lacks == schema::Blank::Lacks::kind && facts.kind == ColumnFacts::Kind::number && facts.whole &&
         facts.upper - facts.lower >= static_cast<double>(rows) && data::names_identifier(blank.name);
}

schema::Inference::Release release_of(const privacy::PrivacyEvent& event) {
  schema::Inference::Release release;
  release.what = event.what;
  release.mechanism = privacy::word_of(event.mechanism);
  if (const auto* counts = std::get_if<privacy::SelectedCountsEvent>(&event.mechanism)) {
    release.l2_sensitivity = counts->l2_sensitivity;
    release.sigma = counts->sigma;
    release.threshold = counts->threshold;
    release.values = counts->values;
  } else {
    const auto& gaussian = std::get<privacy::GaussianEvent>(event.mechanism);
    release.l2_sensitivity = gaussian.l2_sensitivity;
    release.sigma = gaussian.sigma;
  }
  return release;
}

}  // namespace

namespace {

Filled filled_with(schema::Draft draft, const std::vector<schema::Blank>& blanks, const Facts& facts) {
  Filled filled;
  for (std::size_t i = 0; i < blanks.size(); ++i) {
    const ColumnFacts& found = facts.columns[i];
    if (blanks[i].is_target) {
      fill_target(draft, blanks[i], found);
    } else if (seems_identifier(blanks[i], found, facts.rows)) {
      draft.identify(blanks[i].name);
      filled.identifiers.push_back(blanks[i].name);
      continue;
    } else {
      fill_column(draft, blanks[i].name, found);
    }
    (found.kind == ColumnFacts::Kind::nothing ? filled.left_out : filled.inferred).push_back(blanks[i].name);
  }
  filled.schema = draft.finish();
  return filled;
}

// What was released does not make a schema with what was given: nobody gets one, but it is spent.
template <class Error>
[[noreturn]] void spent_in_vain(const Budget& budget, const Error& error) {
  throw Error(fmt::format("{}. Count epsilon {:g} and delta {:g} as spent on this table: the records were asked",
                          plain(error.what()), budget.epsilon, budget.delta));
}

}  // namespace

Filled fill(schema::Draft draft, const data::RawTable& table, const Budget& budget, random::BitSource& bits) {
  draft.check();
  const std::optional<schema::Unit> unit = draft.unit();
  privacy::Curator curator(bits, privacy::Neighbours::replace_one, unit ? unit->rows : 1);
  const std::vector<schema::Blank> blanks = draft.blanks();
  std::vector<Wish> wishes;
  for (const schema::Blank& blank : blanks) wishes.push_back({blank.name, unknown_of(blank.lacks), blank.style});
  const Facts facts = ask(table, wishes, budget, curator);
  schema::Inference inference{.nonce = fmt::format("{:016x}{:016x}", bits.next(), bits.next()),
                              .rows = facts.rows,
                              .epsilon = budget.epsilon,
                              .delta = budget.delta,
                              .is_private = curator.secure()};
  if (unit) {
    inference.unit = unit->column;
    inference.unit_rows = unit->rows;
  }
  for (const privacy::PrivacyEvent& event : curator.events()) inference.releases.push_back(release_of(event));
  try {
    Filled filled = filled_with(std::move(draft), blanks, facts);
    schema::add_inference(filled.schema, std::move(inference), filled.inferred);
    return filled;
  } catch (const ArgumentError& error) {
    spent_in_vain(budget, error);
  } catch (const DataError& error) {
    spent_in_vain(budget, error);
  }
}

std::vector<privacy::PrivacyEvent> events_of(const schema::Inference& inference) {
  std::vector<privacy::PrivacyEvent> events;
  for (const schema::Inference::Release& each : inference.releases) {
    privacy::PrivacyEvent event{.what = each.what,
                                .mechanism = privacy::GaussianEvent{each.l2_sensitivity, each.sigma}};
    if (each.mechanism == privacy::SelectedCountsEvent::word) {
      event.mechanism = privacy::SelectedCountsEvent{each.l2_sensitivity, each.sigma, each.threshold, each.values};
    } else if (each.mechanism != privacy::GaussianEvent::word) {
      throw DataError(fmt::format("[[inferred]]: mechanism '{}' is unknown", plain(each.mechanism)));
    }
    events.push_back(std::move(event));
  }
  return events;
}

Total total(const schema::Schema& schema, const privacy::Guarantee& guarantee) {
  Total sum{guarantee.epsilon, guarantee.delta};
  for (const schema::Inference& each : schema.inferred) {
    sum.epsilon = std::nextafter(sum.epsilon + each.epsilon, HUGE_VAL);
    sum.delta = std::nextafter(sum.delta + each.delta, HUGE_VAL);
  }
  return sum;
}

}  // namespace dperm::infer
