// SPDX-License-Identifier: Apache-2.0
#include "dperm/model/rules_file.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <filesystem>

#include "dperm/core/check.hpp"
#include "dperm/core/error.hpp"
#include "dperm/model/atomic_file.hpp"
#include "dperm/model/model_json.hpp"
#include "dperm/rules/class_spec.hpp"
#include "dperm/rules/rule_text.hpp"
#include "dperm/schema/cell_text.hpp"
#include "dperm/schema/shapes.hpp"

namespace dperm::model {

namespace {

constexpr std::string_view kModel = "model ";

bool is_linear(const schema::Encoding& encoding) {
  return encoding.pairs().empty() && std::none_of(encoding.reals().begin(), encoding.reals().end(),
                                                  [](const schema::RealCode& real) { return real.pieces > 0; });
}

rules::Hypothesis rule_of_model(const std::string& path, const schema::Encoding& encoding) {
  const Model model = read_model(path);
  // How a model's columns entered its score was decided when it was fitted; a schema may leave it open.
  const schema::Schema fitted = schema::without_shapes(model.schema), asked = schema::without_shapes(encoding.schema());
  require(fitted.columns == asked.columns && fitted.target == asked.target,
          fmt::format("{} was fitted with another schema; columns and target must be the same", path));
  switch (methods::model_form(model.plan.task.problem)) {
    case methods::ModelForm::rule:
      return rule_of(model);
    case methods::ModelForm::linear:
      require(model.schema.target.kind == schema::TargetKind::binary,
              fmt::format("{} predicts a number, not yes or no", path));
      require(is_linear(schema::Encoding(model.schema)) && is_linear(encoding),
              fmt::format("{} has curves, and rules add up linear columns; fit one whose shape is linear", path));
      return {{rules::linear_rule(encoding, model.weights)}, false};
    case methods::ModelForm::multiclass:
    case methods::ModelForm::network:
      break;
  }
  throw ArgumentError(fmt::format("{} is neither a linear model nor a rule", path));
}

rules::Hypothesis rule_of_line(std::string_view line, const std::string& path, const schema::Encoding& encoding) {
  if (!line.starts_with(kModel)) return rules::parse_rule(line, encoding);
  const std::filesystem::path named(schema::trimmed(line.substr(kModel.size())));
  return rule_of_model((std::filesystem::path(path).parent_path() / named).string(), encoding);
}

}  // namespace

std::string read_rules(const std::string& path, const schema::Encoding& encoding) {
  const std::string content = read_file(path);
  std::string text = "rules\n";
  std::size_t number = 0, rules = 0;
  for (std::size_t begin = 0; begin < content.size(); ++number) {
    const std::size_t end = std::min(content.find('\n', begin), content.size());
    const std::string_view line = schema::trimmed(std::string_view(content).substr(begin, end - begin));
    begin = end + 1;
    if (line.empty() || line.front() == '#') continue;
    try {
      text += rules::describe(rule_of_line(line, path, encoding), encoding) + "\n";
    } catch (const ArgumentError& error) {
      throw DataError(fmt::format("{}:{}: {}", path, number + 1, error.what()));
    } catch (const DataError& error) {
      throw DataError(fmt::format("{}:{}: {}", path, number + 1, error.what()));
    }
    if (++rules > rules::kMostListedRules) {
      throw DataError(fmt::format("{}: more than {} rules; list fewer", path, rules::kMostListedRules));
    }
  }
  if (rules == 0) {
    throw DataError(fmt::format("{}: no rules; write one per line, for example age >= 37 and city = north", path));
  }
  return text;
}

}  // namespace dperm::model
