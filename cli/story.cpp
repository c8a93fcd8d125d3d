// SPDX-License-Identifier: Apache-2.0
#include "cli/story.hpp"

#include <fmt/format.h>

#include <cmath>

#include "cli/text.hpp"
#include "dperm/infer/fill.hpp"
#include "dperm/methods/algorithms.hpp"
#include "dperm/privacy/composition/attacker.hpp"
#include "dperm/report/attacker.hpp"
#include "dperm/report/event_words.hpp"
#include "dperm/report/task_words.hpp"
#include "dperm/schema/encoding.hpp"

namespace dperm::cli {

namespace {

constexpr std::size_t kWidth = 108, kIndent = 3;

// Numbers its chapters.
class Story {
 public:
  void chapter(const std::string& text) {
    text_ += fmt::format("{}. {}\n", ++chapters_, wrapped(text, kWidth, kIndent));
  }
  void line(const std::string& text) {
    text_ += fmt::format("{:{}}- {}\n", "", kIndent, wrapped(text, kWidth - 2, kIndent + 2));
  }
  const std::string& text() const { return text_; }

 private:
  std::string text_;
  int chapters_ = 0;
};

std::string bounds_text(const model::Model& model) {
  const schema::Schema& schema = model.schema;
  const schema::Encoding encoding(schema);
  const std::size_t columns = encoding.reals().size() + encoding.categories().size();
  const std::string where = schema.inferred.empty() ? "were declared, so they tell nothing about the records"
                                                    : "were declared or asked for privately (below)";
  if (columns == 0) {
    return fmt::format("The target is cut to bounds that {}. However far out a record is, it counts as the bound.",
                       where);
  }
  if (methods::model_form(model.plan.task.problem) == methods::ModelForm::rule) {
    return fmt::format(
        "Cells are read by bounds and values that {}. About each rule of a public list a row is either right or wrong, "
        "so "
        "it moves a count of errors by at most 1.",
        where);
  }
  return fmt::format(
      "Every cell is cut to bounds and values that {}. A row becomes {} whose length is at most 1, whatever it holds: "
      "no record can pull harder than that.",
      where, counted(encoding.dimension(), "number"));
}

std::string who(const schema::Schema& schema) { return schema.unit ? "one person with all rows" : "one row"; }

std::string sum_text(const model::Model& model) {
  const privacy::Guarantee& guarantee = model.guarantee;
  return fmt::format("Together these cost epsilon {:.4g}{}{}, proved for all tables and all rows ({} accounting).",
                     guarantee.epsilon, guarantee.delta > 0 ? fmt::format(" at delta {:.3g}", guarantee.delta) : "",
                     guarantee.pure ? ", without a delta" : "", guarantee.accountant);
}

void tell_inferred(const schema::Schema& schema, Story& story) {
  if (schema.inferred.empty()) return;
  story.chapter(
      "Before the model, bounds and values were asked of the records. Another model with this schema adds its "
      "own epsilon, but not this again.");
  for (const schema::Inference& each : schema.inferred) {
    for (const privacy::PrivacyEvent& event : infer::events_of(each))
      story.line(report::event_words(event, who(schema)));
    story.line(fmt::format("release {}: epsilon {:g}, delta {:g}, from {}", each.id, each.epsilon, each.delta,
                           counted(each.rows, "row")));
  }
}

void tell_releases(const std::vector<privacy::PrivacyEvent>& events, const std::string& who, Story& story) {
  for (const privacy::PrivacyEvent& event : privacy::compressed(events)) {
    const auto* const parts = std::get_if<privacy::DisjointPartsEvent>(&event.mechanism);
    if (parts == nullptr) {
      story.line(report::event_words(event, who));
      continue;
    }
    story.line(event.what + ": rows were parted in secret, so that " + who + " takes part in one of these only");
    for (const auto& part : parts->parts) tell_releases(part, who, story);
  }
}

std::string meaning(const model::Model& model) {
  const privacy::Guarantee total = model::total_guarantee(model);
  const std::string sum = model.schema.inferred.empty()
                              ? ""
                              : fmt::format("in total epsilon {:.4g}, delta {:.3g}: ", total.epsilon, total.delta);
  return fmt::format(
      "So {}{}. Whatever someone believed about {} beforehand, this model changes the odds by a factor of at most "
      "exp(epsilon) = {:.4g}{}.",
      sum, report::guess_text(privacy::right_guesses(report::total_advantage(model)), model.schema.unit),
      model.schema.unit ? "one person" : "one row", std::exp(total.epsilon),
      total.delta > 0 ? fmt::format(", up to a chance of the order of delta = {:.3g}", total.delta) : "");
}

std::string limits_text(const model::Model& model) {
  const auto& unit = model.schema.unit;
  const std::string who =
      unit ? fmt::format("A person is the unit: all rows with the same {}, of which the first {} count.", unit->column,
                         unit->rows)
           : fmt::format("A row is the unit: someone with k rows is protected at k times this epsilon{}.",
                         model.guarantee.delta > 0 ? " and a larger delta" : "");
  return who + " Every further release from the same rows adds to what is spent.";
}

}  // namespace

std::string story_text(const model::Model& model) {
  Story story;
  story.chapter(bounds_text(model));
  tell_inferred(model.schema, story);
  story.chapter(fmt::format("From {}, to learn {}, the method {} released:", counted(model.plan.task.facts.rows, "row"),
                            report::task_words(model.schema, model.plan.task.problem),
                            methods::method_name(model.plan.options)));
  tell_releases(model.events, who(model.schema), story);
  story.chapter(sum_text(model));
  story.chapter(
      "All else, the weights, curves, predictions and pictures, is computed from what was released, which costs "
      "nothing more.");
  story.chapter(meaning(model));
  story.chapter(limits_text(model));
  return story.text();
}

}  // namespace dperm::cli
