// SPDX-License-Identifier: Apache-2.0
#include "dperm/schema/inferred.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <utility>

#include "dperm/core/digest.hpp"
#include "dperm/schema/cell_text.hpp"
#include "dperm/schema/toml_text.hpp"

namespace dperm::schema {

namespace {

// Against mistakes, not against an adversary: 64 bits are enough, and are easier to read past.
std::string shortened(const std::string& digest) { return digest.substr(digest.find(':') + 1, 16); }

std::string sealed(std::string_view name, std::string_view kind, const std::vector<double>& numbers,
                   const std::vector<std::string>& values, const std::string& id) {
  std::vector<std::string> texts;
  for (const double number : numbers) texts.push_back(number_text(number + 0.0));
  return shortened(digest(
      fmt::format("{}\n{}\n{}\n{}\n{}", toml_string(name), kind, fmt::join(texts, " "), toml_strings(values), id)));
}

template <class Entry>
bool is_sealed(const Entry& entry, const std::vector<Inference>& inferences) {
  return std::any_of(inferences.begin(), inferences.end(),
                     [&](const Inference& each) { return entry.inferred == seal_of(entry, each.id); });
}

template <class Entry>
std::string seal_problem(const char* what, const Entry& entry, const std::vector<Inference>& inferences) {
  if (entry.inferred.empty() || is_sealed(entry, inferences)) return {};
  return fmt::format(
      "{} '{}' was inferred from records, but {}. Put back what 'dperm schema infer' wrote (a column is renamed in the "
      "file, before it is inferred); or, if its bounds or values now come from documentation, delete the key "
      "`inferred` of this entry",
      what, entry.name,
      inferences.empty() ? "the [[inferred]] table that says what this cost is missing"
                         : "its name, bounds or values are no longer those of any release in [[inferred]]");
}

}  // namespace

std::string inference_id(const Inference& inference, std::vector<std::string> missing) {
  std::string text =
      fmt::format("{} {} {} {} {} {} {}\n", inference.nonce, inference.rows, number_text(inference.epsilon),
                  number_text(inference.delta), inference.is_private, toml_string(inference.unit), inference.unit_rows);
  for (const Inference::Release& each : inference.releases) {
    text += fmt::format("{} {} {} {} {} {}\n", toml_string(each.what), each.mechanism, number_text(each.l2_sensitivity),
                        number_text(each.sigma), each.threshold, each.values);
  }
  if (!inference.unit.empty()) {
    std::sort(missing.begin(), missing.end());
    text += toml_strings(missing);
  }
  return shortened(digest(text));
}

std::string seal_of(const Column& column, const std::string& id) {
  const bool number = column.kind == ColumnKind::real || column.kind == ColumnKind::integer;
  if (!number) return sealed(column.name, "values", {}, column.values, id);
  return sealed(column.name, column.scale == Scale::log ? "log" : "linear", {column.lower, column.upper}, {}, id);
}

std::string seal_of(const Target& target, const std::string& id) {
  if (target.kind == TargetKind::real) return sealed(target.name, "real", {target.lower, target.upper}, {}, id);
  if (target.threshold) return sealed(target.name, "threshold", {*target.threshold}, {}, id);
  return sealed(target.name, word(target.kind), {}, target.kind == TargetKind::binary ? target.positive : target.values,
                id);
}

void add_inference(Schema& schema, Inference inference, const std::vector<std::string>& names) {
  inference.id = inference_id(inference, schema.format.missing);
  const auto is_named = [&](const std::string& name) {
    return std::find(names.begin(), names.end(), name) != names.end();
  };
  for (Column& column : schema.columns) {
    if (is_named(column.name)) column.inferred = seal_of(column, inference.id);
  }
  if (is_named(schema.target.name)) schema.target.inferred = seal_of(schema.target, inference.id);
  schema.inferred.push_back(std::move(inference));
}

std::string inferred_problem(const Schema& schema) {
  for (std::size_t i = 0; i < schema.inferred.size(); ++i) {
    const Inference& each = schema.inferred[i];
    if (each.id != inference_id(each, schema.format.missing)) {
      return fmt::format("[[inferred]] number {}{} was changed since 'dperm schema infer' wrote it; put it back", i + 1,
                         each.unit.empty() ? "" : ", or missing in [format], by which it told persons apart,");
    }
    const Unit unit = schema.unit.value_or(Unit{});
    if (each.unit != unit.column || each.unit_rows != unit.rows) {
      return fmt::format(
          "[[inferred]] number {} protects {}, but the schema now says otherwise in [unit]; infer again with this "
          "unit, "
          "or put the old one back",
          i + 1, each.unit.empty() ? "one row" : fmt::format("a person by {} with {} rows", each.unit, each.unit_rows));
    }
    const auto same = [&](const Inference& other) { return other.id == each.id; };
    if (std::count_if(schema.inferred.begin(), schema.inferred.end(), same) > 1) {
      return fmt::format("[[inferred]] number {} is there twice; keep one", i + 1);
    }
  }
  for (const Column& column : schema.columns) {
    if (std::string problem = seal_problem("column", column, schema.inferred); !problem.empty()) return problem;
  }
  return seal_problem("target", schema.target, schema.inferred);
}

}  // namespace dperm::schema
