// SPDX-License-Identifier: Apache-2.0
#include "cli/story.hpp"

#include <fmt/format.h>

#include <cmath>

#include "cli/summary.hpp"
#include "cli/text.hpp"
#include "dperm/infer/fill.hpp"
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

std::string bounds_text(const schema::Schema& schema) {
  const schema::Encoding encoding(schema);
  const std::size_t columns = encoding.reals().size() + encoding.categories().size();
  const std::string where = schema.inferred.empty() ? "were declared, so they tell nothing about the records"
                                                    : "were declared or asked for privately (below)";
  if (columns == 0) {
    return fmt::format("The target is cut to bounds that {}. However far out a record is, it counts as the bound.",
                       where);
  }
  return fmt::format(
      "Every cell is cut to bounds and values that {}. A row becomes {} whose length is at most 1, whatever it holds: "
      "no record can pull harder than that.",
      where, counted(encoding.dimension(), "number"));
}

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
    for (const privacy::PrivacyEvent& event : infer::events_of(each)) story.line(report::event_words(event));
    story.line(fmt::format("release {}: epsilon {:g}, delta {:g}, from {}", each.id, each.epsilon, each.delta,
                           counted(each.rows, "row")));
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
      sum, guess_text(total_advantage(model), model.schema.unit), model.schema.unit ? "one person" : "one row",
      std::exp(total.epsilon),
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
  story.chapter(bounds_text(model.schema));
  tell_inferred(model.schema, story);
  story.chapter(
      fmt::format("To learn {} from {}, {} released:", report::task_words(model.schema, model.plan.task.problem),
                  counted(model.plan.task.facts.rows, "row"), methods::method_name(model.plan.options)));
  for (const privacy::PrivacyEvent& event : privacy::compressed(model.events)) story.line(report::event_words(event));
  story.chapter(sum_text(model));
  story.chapter(
      "All else, the weights, curves, predictions and pictures, is computed from what was released, which costs "
      "nothing more.");
  story.chapter(meaning(model));
  story.chapter(limits_text(model));
  return story.text();
}

}  // namespace dperm::cli
