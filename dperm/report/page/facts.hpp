// SPDX-License-Identifier: Apache-2.0
// All that the page tells about one model, computed once: from released and public numbers alone.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "dperm/methods/evaluation/measures.hpp"
#include "dperm/model/model.hpp"
#include "dperm/model/verify.hpp"
#include "dperm/report/attacker.hpp"
#include "dperm/report/page/html.hpp"

namespace dperm::report {

struct Facts {
  model::Model model;  // its plan as this program makes it, where it can be made
  std::string name;    // of the file
  std::string digest;
  methods::ModelForm form = methods::ModelForm::linear;
  bool one_number = false;  // a mean, median or quantile: no column is looked at
  std::vector<model::Check> checks = {};
  bool verified = false;                  // but for being private, which it may deny itself
  privacy::Guarantee total = {};          // with what was inferred for the schema
  std::optional<Attacker> attacker = {};  // of a verified file
  std::optional<methods::Evaluated> judged = {};
  std::optional<std::size_t> one_answer = {};  // of a classifier that says the same to everyone

  bool keeps_its_promise() const { return verified && model.is_private; }
  bool is_unprotected() const { return privacy::is_unprotected(model.events); }  // made without noise
};

Facts facts_of(const model::Model& model, const std::string& name, const std::string& digest);

// Where a section stands on the page.
struct Place {
  int level = 2;            // of its heading
  std::string prefix = {};  // of ids
  std::string notes = {};   // before paths of proof notes in links; empty: paths alone
};
Html heading(int level, const std::string& text, const std::string& id = {});

struct Section {
  std::string id, title;
  Html content;
};

// The sections, each in a file of its own name. Content without the section's heading.
Html banner(const Facts& facts);    // empty where nothing is wrong
Html headline(const Facts& facts);  // the task in a sentence and the three numbers that matter
Html promise_section(const Facts& facts, const Place& place);
Html learned_section(const Facts& facts, const Place& place);
Html judged_section(const Facts& facts, const Place& place);
Html outlook_section(const Facts& facts, const Place& place);
Html cost_section(const Facts& facts, const Place& place);
Html proof_section(const Facts& facts, const Place& place);
Html limits_section(const Facts& facts, const Place& place);
Html card_section(const Facts& facts, const Place& place);

// Of several models: side by side, and what they cost together.
Html comparison_section(const std::vector<Facts>& models);

// --- words that several sections use ---

std::string capitalised(std::string text);
// "A logistic regression of sick on 4 columns"
std::string task_title(const Facts& facts);
// What an effect in a model is on: "the log-odds that sick is positive".
std::string effect_target(const Facts& facts);
// "epsilon 1, delta 1e-6": digits rounded up.
std::string budget_words(double epsilon, double delta);
std::string epsilon_words(double epsilon);  // "1.001", rounded up
std::string delta_words(double delta);      // "1e-6", "0"
// The one measure that is told first, "71.1% right answers" and its error bar; empty without an evaluation.
struct Headline {
  std::string value, bar, meaning;
};
std::optional<Headline> headline_measure(const Facts& facts);
// How many rows judged it: "2,000"; of persons "about 1,890", because the number of rows that count is a released one.
std::string judged_rows(const Facts& facts);
// Of one measure: "71.1%" with "+- 1.9 points" (both errors counted), or why there is none.
Headline measure_words(const methods::Measure& measure);
// Its name for people: "area under the ROC curve".
std::string measure_name(const std::string& name);
// "row", or "person" where the schema has a unit.
const char* unit_word(const Facts& facts);

}  // namespace dperm::report
