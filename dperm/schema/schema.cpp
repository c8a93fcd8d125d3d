// SPDX-License-Identifier: Apache-2.0
#include "dperm/schema/schema.hpp"

#include <fmt/format.h>

#include "dperm/core/error.hpp"
#include "dperm/core/whole_file.hpp"
#include "dperm/schema/cell_text.hpp"
#include "dperm/schema/dates.hpp"
#include "dperm/schema/inferred.hpp"
#include "dperm/schema/rules.hpp"
#include "dperm/schema/toml_text.hpp"

namespace dperm::schema {

namespace {

// -0 equals 0 and must not give another text.
std::string number(double value) { return number_text(value + 0.0); }

std::string values_toml(const std::vector<std::string>& values, Compare compare) {
  return compare == Compare::text ? toml_strings(values) : fmt::format("[{}]", fmt::join(values, ", "));
}

// A bound or a knot of a column: a day of a date is written as one.
std::string bound(const Column& column, double value) {
  return column.kind == ColumnKind::date ? date_text(static_cast<std::int64_t>(value)) : number(value);
}

std::string date_toml(const Column& column) {
  std::string text;
  if (column.kind == ColumnKind::days) {
    text = fmt::format("from = {}\nto = {}\n", toml_string(column.since), toml_string(sources_of(column)[0]));
  } else if (!column.source.empty()) {
    text = fmt::format("source = {}\n", toml_string(column.source));
  }
  if (!column.date_formats.empty()) text += fmt::format("format = {}\n", toml_strings(column.date_formats));
  return text;
}

std::string shape_toml(const Column& column) {
  std::string text;
  if (column.shape != ColumnShape::automatic) text += fmt::format("shape = \"{}\"\n", word(column.shape));
  if (column.pieces != 0) text += fmt::format("pieces = {}\n", column.pieces);
  if (!column.knots.empty()) {
    std::vector<std::string> knots;
    for (const double knot : column.knots) knots.push_back(bound(column, knot));
    text += fmt::format("knots = [{}]\n", fmt::join(knots, ", "));
  }
  if (column.monotone != Monotone::none) text += fmt::format("monotone = \"{}\"\n", word(column.monotone));
  return text;
}

std::string pairs_toml(const std::vector<ColumnPair>& pairs) {
  if (pairs.empty()) return {};
  std::vector<std::string> texts;
  for (const ColumnPair& pair : pairs) {
    const std::string pieces = pair.pieces == 0 ? "" : fmt::format(", {}", pair.pieces);
    texts.push_back(fmt::format("[{}, {}{}]", toml_string(pair.first), toml_string(pair.second), pieces));
  }
  return fmt::format("pairs = [{}]\n", fmt::join(texts, ", "));
}

std::string seal_toml(const std::string& seal) {
  return seal.empty() ? "" : fmt::format("inferred = {}\n", toml_string(seal));
}

std::string inference_toml(const Inference& inference) {
  std::string text = fmt::format("\n[[inferred]]\nid = {}\nnonce = {}\nrows = {}\nepsilon = {}\ndelta = {}\n",
                                 toml_string(inference.id), toml_string(inference.nonce), inference.rows,
                                 number(inference.epsilon), number(inference.delta));
  if (!inference.is_private) text += "private = false\n";
  if (!inference.unit.empty()) {
    text += fmt::format("unit = {}\nunit_rows = {}\n", toml_string(inference.unit), inference.unit_rows);
  }
  text += "releases = [\n";
  for (const Inference::Release& each : inference.releases) {
    text += fmt::format("  {{ what = {}, mechanism = {}, l2_sensitivity = {}, sigma = {}", toml_string(each.what),
                        toml_string(each.mechanism), number(each.l2_sensitivity), number(each.sigma));
    if (each.threshold > 0) text += fmt::format(", threshold = {}, values = {}", each.threshold, each.values);
    text += " },\n";
  }
  return text + "]\n";
}

std::string description_toml(const std::string& description) {
  return description.empty() ? "" : fmt::format("description = {}\n", toml_string(description));
}

std::string column_toml(const Column& column) {
  static constexpr const char* kKinds[] = {"real", "integer", "category", "boolean", "date", "days"};
  const bool part = column.part != DatePart::none;
  std::string text = fmt::format("\n[[column]]\nname = {}\nkind = \"{}\"\n", toml_string(column.name),
                                 part ? "date" : kKinds[static_cast<int>(column.kind)]);
  text += description_toml(column.description);
  if (part) text += fmt::format("part = \"{}\"\n", word(column.part));
  text += date_toml(column);
  if (column.kind != ColumnKind::category && column.kind != ColumnKind::boolean) {
    text += fmt::format("lower = {}\nupper = {}\n", bound(column, column.lower), bound(column, column.upper));
    text += style_toml(column.style);
    if (column.scale == Scale::log) text += "scale = \"log\"\n";
    if (column.zero == Zero::lower) text += "zero = \"lower\"\n";
    return text + shape_toml(column) + "missing = \"midpoint\"\n" + seal_toml(column.inferred);
  }
  if (column.kind == ColumnKind::category && !part) {
    text += fmt::format("values = {}\nother = {}\n", values_toml(column.values, column.compare), column.other);
    if (column.ordered) {
      return text + "ordered = true\n" + shape_toml(column) + "missing = \"midpoint\"\n" + seal_toml(column.inferred);
    }
  }
  return text + fmt::format("missing = \"{}\"\n", column.missing == MissingRule::none ? "none" : "category") +
         seal_toml(column.inferred);
}

std::string target_toml(const Target& target) {
  if (target.kind == TargetKind::none) return {};
  std::string text =
      fmt::format("\n[target]\ncolumn = {}\nkind = \"{}\"\n", toml_string(target.name), word(target.kind)) +
      description_toml(target.description);
  switch (target.kind) {
    case TargetKind::binary:
      text += target.threshold ? fmt::format("threshold = {}\n", number(*target.threshold))
                               : fmt::format("positive = {}\n", values_toml(target.positive, target.compare));
      return text + style_toml(target.style) + seal_toml(target.inferred);
    case TargetKind::real:
      return text + fmt::format("lower = {}\nupper = {}\n", number(target.lower), number(target.upper)) +
             style_toml(target.style) + seal_toml(target.inferred);
    default:
      return text + fmt::format("values = {}\n", values_toml(target.values, target.compare)) +
             seal_toml(target.inferred);
  }
}

std::string unit_toml(const std::optional<Unit>& unit) {
  if (!unit) return {};
  return fmt::format("\n[unit]\ncolumn = {}\nrows = {}\n", toml_string(unit->column), unit->rows);
}

std::string ledger_toml(const std::string& dataset) {
  return dataset.empty() ? "" : fmt::format("\n[ledger]\ndataset = {}\n", toml_string(dataset));
}

std::string named(const char* what, const std::string& name, const std::string& problem) {
  return fmt::format("schema: {} '{}': {}", what, name, problem);
}

}  // namespace

std::vector<std::string> sources_of(const Column& column) {
  std::vector<std::string> sources = {column.source.empty() ? column.name : column.source};
  if (column.kind == ColumnKind::days) sources.push_back(column.since);
  return sources;
}

TargetUnits target_units(const Target& target) {
  if (target.kind != TargetKind::real) return {};
  return {(target.lower + target.upper) / 2, (target.upper - target.lower) / 2};
}

std::string to_toml(const Schema& schema) {
  std::string text = "version = 1\n" + pairs_toml(schema.pairs) + format_toml(schema.format) + unit_toml(schema.unit) +
                     ledger_toml(schema.dataset) + target_toml(schema.target);
  for (const Column& column : schema.columns) text += column_toml(column);
  for (const auto& [names, kind] :
       {std::pair{&schema.ignored, "ignore"}, std::pair{&schema.identifiers, "identifier"}}) {
    if (names->empty()) continue;
    text += fmt::format("\n[[column]]\nnames = {}\nkind = \"{}\"\n", toml_strings(*names), kind);
  }
  for (const Inference& inference : schema.inferred) text += inference_toml(inference);
  return text;
}

void validate(const Schema& schema) {
  if (std::string problem = format_problem(schema.format); !problem.empty()) {
    throw DataError("schema: [format]: " + problem);
  }
  if (std::string problem = target_problem(schema.target, schema.format); !problem.empty()) {
    throw DataError(named("target", schema.target.name, problem));
  }
  for (const Column& column : schema.columns) {
    if (std::string problem = column_problem(column, schema.format); !problem.empty()) {
      throw DataError(named("column", column.name, problem));
    }
  }
  if (schema.unit) {
    if (std::string problem = unit_problem(*schema.unit, schema); !problem.empty()) {
      throw DataError("schema: [unit]: " + problem);
    }
  }
  if (std::string problem = integer_problem(schema); !problem.empty()) throw DataError("schema: " + problem);
  if (std::string problem = inferred_problem(schema); !problem.empty()) throw DataError("schema: " + problem);
}

Schema read_schema(const std::string& path) {
  std::string text;
  try {
    text = whole_file(path);
  } catch (const DataError& error) {
    throw DataError(fmt::format("{}. A schema is written with 'dperm schema init'", error.what()));
  }
  return parse_schema(text, path);
}

}  // namespace dperm::schema
