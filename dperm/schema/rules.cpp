// SPDX-License-Identifier: Apache-2.0
#include "dperm/schema/rules.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <unordered_set>

#include "dperm/schema/cell_text.hpp"
#include "dperm/schema/dates.hpp"

namespace dperm::schema {

const char* const kWhyPublic =
    "Take it from documentation (a code book, a form, the law, physics), never from the records: the privacy "
    "guarantee "
    "covers what is computed from the records, and a bound read off them is published with the model unprotected";

namespace {

std::string name_problem(const std::string& name) {
  if (name.empty()) return "a name must not be empty; write the column's name as the file's header has it";
  if (trimmed(name).size() != name.size()) {
    return "a name must not begin or end with a blank; blanks around header names are ignored, so leave them out";
  }
  return {};
}

std::string description_problem(const std::string& description) {
  const auto is_control = [](char c) { return static_cast<unsigned char>(c) < ' ' || c == '\x7f'; };
  if (description.size() > kLongestDescription || std::ranges::any_of(description, is_control)) {
    return fmt::format("a description is one line of at most {} bytes", kLongestDescription);
  }
  return {};
}

// Whether a value is written as its kind of comparison writes it.
bool is_canonical(const std::string& value, Compare compare) {
  if (compare == Compare::truth) return value == "true" || value == "false";
  if (compare == Compare::text) return true;
  const double number = parse_number(value);
  return std::isfinite(number) && number_text(number + 0.0) == value;
}

// Target labels are compared up to a plus sign, categories as they are.
std::string values_problem(const std::vector<std::string>& values, const char* key, const TextFormat& format,
                           Compare compare, bool labels) {
  if (values.empty()) return fmt::format("{} must list at least one value. {}", key, kWhyPublic);
  std::unordered_set<std::string_view> seen;
  for (const std::string& value : values) {
    if (trimmed(value).size() != value.size()) {
      return fmt::format("{}: '{}' begins or ends with a blank; blanks around cells are ignored, leave them out", key,
                         value);
    }
    if (!is_canonical(value, compare)) {
      return fmt::format("{}: '{}' is not a {}", key, value,
                         compare == Compare::number ? "number in its shortest form" : "boolean");
    }
    if (!seen.insert(labels ? label_text(value) : std::string_view(value)).second) {
      return fmt::format("{}: '{}' is listed twice; keep one", key, value);
    }
    const double number = compare == Compare::number ? parse_number(value) : std::nan("");
    if (std::any_of(format.missing.begin(), format.missing.end(),
                    [&](const std::string& missing) { return missing == value || parse_number(missing) == number; })) {
      return fmt::format(
          "{}: '{}' is also one of the texts for a missing cell; remove it here, or set missing in "
          "[format] to a list without it",
          key, value);
    }
    if (value == "(other)" || value == "(missing)") {
      return fmt::format("{}: '{}' is a name dperm uses itself; use other = true or missing = \"category\"", key,
                         value);
    }
  }
  return {};
}

bool is_number_kind(ColumnKind kind) { return kind != ColumnKind::category && kind != ColumnKind::boolean; }

std::string date_problem(const Column& column) {
  const bool is_date = column.kind == ColumnKind::date || column.kind == ColumnKind::days;
  if (column.part != DatePart::none) {
    if (column.kind != ColumnKind::category || column.values != date_part_values(column.part) || column.ordered ||
        column.other || column.compare != Compare::text) {
      return "a part of a date is a category with the values of that part";
    }
  } else if (!is_date && (!column.source.empty() || !column.date_formats.empty())) {
    return "source and format are for kind = \"date\"";
  }
  if (column.since.empty() != (column.kind != ColumnKind::days)) {
    return "from and to are for kind = \"days\", which needs both";
  }
  if (!is_date && column.part == DatePart::none) return {};
  if (column.source == column.name) return "a column is read from the one of its name; leave source out";
  for (const std::string& source : sources_of(column)) {
    if (std::string problem = name_problem(source); !problem.empty()) return problem;
  }
  if (column.kind == ColumnKind::days && sources_of(column)[0] == column.since) {
    return fmt::format("from and to are both '{}'; name two columns of dates", column.since);
  }
  for (const std::string& format : column.date_formats) {
    if (std::string problem = date_format_problem(format); !problem.empty()) return problem;
  }
  if (column.kind != ColumnKind::date) return {};
  const auto is_day = [](double day) {
    return day >= static_cast<double>(kFirstDay) && day <= static_cast<double>(kLastDay) && day == std::floor(day);
  };
  if (!is_day(column.lower) || !is_day(column.upper) ||
      !std::all_of(column.knots.begin(), column.knots.end(), is_day)) {
    return "lower, upper and knots of a date are whole days of the years 1 to 9999";
  }
  return {};
}

}  // namespace

bool enters_as_number(const Column& column) { return is_number_kind(column.kind) || column.ordered; }

std::uint32_t piece_count(const Column& column) {
  if (column.shape != ColumnShape::curve && column.shape != ColumnShape::steps) return 0;
  return column.knots.empty() ? column.pieces : static_cast<std::uint32_t>(column.knots.size() + 1);
}

std::size_t weight_count(const ColumnPair& pair) {
  return pair.pieces == 0 ? 0 : std::size_t{pair.pieces + 1} * (pair.pieces + 1);
}

std::size_t block_count(const Column& column) {
  return column.shape == ColumnShape::curve && piece_count(column) > 0 ? 2 : 1;
}

std::size_t weight_count(const Column& column) {
  if (enters_as_number(column)) {
    const std::uint32_t pieces = piece_count(column);
    if (pieces == 0) return 1;
    return column.shape == ColumnShape::steps ? pieces : 2 + std::size_t{pieces};
  }
  const std::size_t own = column.missing == MissingRule::category ? 1 : 0;
  if (column.kind == ColumnKind::boolean) return 1 + own;
  return column.values.size() + (column.other ? 1 : 0) + own;
}

std::optional<char> delimiter_from(std::string_view text) {
  if (text == "\\t" || text == "tab") return '\t';
  return text.size() == 1 ? std::optional(text.front()) : std::nullopt;
}

std::string style_problem(const NumberStyle& style) {
  if (style.decimal != '.' && style.decimal != ',') return "decimal must be \".\" or \",\"";
  const auto has_digit = [](const std::string& text) {
    return text.find_first_of("0123456789+-") != std::string::npos;
  };
  if (style.thousands == std::string(1, style.decimal)) {
    return fmt::format("thousands and decimal are both '{}'; they must differ", style.thousands);
  }
  constexpr std::size_t kLongest = 4;  // one character of any script
  if (style.thousands.size() > kLongest || has_digit(style.thousands)) {
    return "thousands must be one character, such as \",\" \".\" \" \" or \"'\"";
  }
  for (const std::string& sign : style.strip) {
    if (sign.empty() || has_digit(sign) || trimmed(sign).size() != sign.size()) {
      return "strip lists signs beside a number, such as [\"$\", \"%\"]: no digits, plus or minus, nothing empty";
    }
  }
  return {};
}

std::string bounds_problem(double lower, double upper, Scale scale) {
  if (!std::isfinite(lower) || !std::isfinite(upper)) {
    return fmt::format("lower and upper must be finite numbers; got {} and {}. {}", lower, upper, kWhyPublic);
  }
  if (!(lower < upper)) {
    return fmt::format(
        "lower must be less than upper; got {} and {}. {}", lower, upper,
        lower == upper ? "A column with one possible value carries nothing: set kind = \"ignore\"" : "Swap them");
  }
  if (!(upper / 2 - lower / 2 >= std::numeric_limits<double>::min())) {
    return fmt::format("lower and upper are too close; got {} and {}. Use another unit", lower, upper);
  }
  if (scale == Scale::log && !std::isfinite(upper - lower)) {
    return fmt::format("scale = \"log\" needs upper - lower to be finite; got {} and {}", lower, upper);
  }
  return {};
}

namespace {

std::string shape_problem(const Column& column) {
  if (!enters_as_number(column)) {
    return column.shape == ColumnShape::automatic && column.pieces == 0 && column.knots.empty() &&
                   column.monotone == Monotone::none
               ? ""
               : "shape, pieces, knots and monotone are for numbers and for categories with ordered = true";
  }
  const bool has_pieces = column.shape == ColumnShape::curve || column.shape == ColumnShape::steps;
  if (!has_pieces && (column.pieces != 0 || !column.knots.empty())) {
    return "pieces and knots are for shape = \"curve\" and shape = \"steps\"";
  }
  if (column.pieces > kMostPieces || column.knots.size() >= kMostPieces) {
    return fmt::format("a curve has at most {} pieces", kMostPieces);
  }
  if (column.knots.empty()) return {};
  if (column.ordered) return "knots are for numbers; the pieces of an ordered category follow its values";
  if (column.pieces != 0) return "give pieces (evenly) or knots (where pieces meet), not both";
  if (std::isinf(column.upper - column.lower)) {
    return fmt::format("knots need upper - lower to be finite; got {} and {}", column.lower, column.upper);
  }
  double before = column.lower;
  for (const double knot : column.knots) {
    if (!(knot > before && knot < column.upper)) {
      return fmt::format("knots must increase strictly between lower and upper; got {}. {}", knot, kWhyPublic);
    }
    before = knot;
  }
  return {};
}

}  // namespace

ColumnsByName by_name(const std::vector<Column>& columns) {
  ColumnsByName result;
  for (const Column& column : columns) result.emplace(column.name, &column);
  return result;
}

std::string pair_problem(const ColumnPair& pair, const ColumnsByName& columns) {
  if (pair.first == pair.second) return fmt::format("pairs: '{}' is paired with itself; name two columns", pair.first);
  for (const std::string& name : {pair.first, pair.second}) {
    const auto found = columns.find(name);
    if (found == columns.end()) {
      return fmt::format("pairs: there is no column '{}'; name two [[column]] entries that are numbers", name);
    }
    if (!enters_as_number(*found->second)) {
      return fmt::format("pairs: '{}' is no number; pairs are of kinds real, integer or ordered categories", name);
    }
  }
  if (pair.pieces > kMostPairPieces) {
    return fmt::format("pairs: at most {} pieces in each direction; got {}", kMostPairPieces, pair.pieces);
  }
  return {};
}

std::string column_problem(const Column& column, const TextFormat& format) {
  if (std::string problem = name_problem(column.name); !problem.empty()) return problem;
  if (std::string problem = description_problem(column.description); !problem.empty()) return problem;
  if (std::string problem = shape_problem(column); !problem.empty()) return problem;
  if (column.ordered && column.kind != ColumnKind::category) return "ordered is for kind = \"category\"";
  if (std::string problem = date_problem(column); !problem.empty()) return problem;
  if (column.compare != Compare::text && column.kind != ColumnKind::category) {
    return "only the values of categories are compared as numbers or booleans";
  }
  const bool plain_number = column.kind == ColumnKind::real || column.kind == ColumnKind::integer;
  if (!plain_number && column.style != NumberStyle{}) {
    return "decimal, thousands and strip are for kind = \"real\" and \"integer\"";
  }
  if (std::string problem = style_problem(column.style); !problem.empty()) return problem;
  if (is_number_kind(column.kind)) {
    if (column.missing != MissingRule::midpoint) return "missing must be \"midpoint\" for numbers";
    if (!column.values.empty() || column.other) return "values and other are for kind = \"category\" only";
    if (column.zero == Zero::lower && std::isinf(column.upper - column.lower)) {
      return fmt::format("zero = \"lower\" needs upper - lower to be finite; got {} and {}", column.lower,
                         column.upper);
    }
    return bounds_problem(column.lower, column.upper, column.scale);
  }
  if (column.ordered) {
    if (column.missing != MissingRule::midpoint || column.other) {
      return "with ordered = true a missing or unknown value stands in the middle: missing must be \"midpoint\", and "
             "there is no other";
    }
  } else if (column.missing == MissingRule::midpoint) {
    return "missing must be \"none\" or \"category\" here";
  }
  if (column.scale != Scale::linear || column.zero != Zero::middle || column.lower != 0 || column.upper != 0) {
    return "lower, upper, scale and zero are for kind = \"real\" and \"integer\" only";
  }
  if (column.kind == ColumnKind::boolean) {
    return column.values.empty() && !column.other ? "" : "values and other are for kind = \"category\" only";
  }
  return values_problem(column.values, "values", format, column.compare, false);
}

std::string target_problem(const Target& target, const TextFormat& format) {
  if (target.kind == TargetKind::none) {
    return target == Target{} ? "" : "a target without a kind must be empty";
  }
  if (std::string problem = name_problem(target.name); !problem.empty()) return "target: " + problem;
  if (std::string problem = description_problem(target.description); !problem.empty()) return problem;
  const bool is_number = target.kind == TargetKind::real || target.threshold.has_value();
  if (is_number ? target.compare != Compare::text : target.style != NumberStyle{}) {
    return "decimal, thousands and strip are for targets that are numbers, values in quotes or not for others";
  }
  if (std::string problem = style_problem(target.style); !problem.empty()) return problem;
  switch (target.kind) {
    case TargetKind::binary:
      if (target.positive.empty() != target.threshold.has_value()) {
        return "a binary target needs either positive (the values that count as +1) or threshold (numbers above it "
               "count as +1), and not both";
      }
      if (target.threshold) return std::isfinite(*target.threshold) ? "" : "threshold must be a finite number";
      return values_problem(target.positive, "positive", format, target.compare, true);
    case TargetKind::real:
      return bounds_problem(target.lower, target.upper, Scale::linear);
    default:
      if (target.values.size() == 1) return "values must list at least two classes";
      return values_problem(target.values, "values", format, target.compare, true);
  }
}

std::string unit_problem(const Unit& unit, const Schema& schema) {
  if (std::string problem = name_problem(unit.column); !problem.empty()) return "column: " + problem;
  if (unit.rows < 1 || unit.rows > kMostUnitRows) {
    return fmt::format("rows must be between 1 and {}: the most rows of one person that count; got {}", kMostUnitRows,
                       unit.rows);
  }
  const bool feature = std::any_of(schema.columns.begin(), schema.columns.end(),
                                   [&](const Column& column) { return column.name == unit.column; });
  if (feature) {
    return fmt::format("column '{}' tells persons apart, so it is no feature; delete that [[column]] entry",
                       unit.column);
  }
  if (schema.target.kind != TargetKind::none && schema.target.name == unit.column) {
    return fmt::format("column '{}' is the target; name the column that tells persons apart", unit.column);
  }
  return {};
}

std::string format_problem(const TextFormat& format) {
  if (!format.file.empty() && format.file != "csv" && format.file != "libsvm") {
    return "file must be \"csv\" or \"libsvm\"; leave it out to go by the file's extension";
  }
  const char d = format.delimiter;
  if (d == '"' || d == '\n' || d == '\r' || d == '\0') return "delimiter must not be a quote, a line end or zero";
  if (format.line_end != '\n' && format.line_end != '\r') return "line_end must be \"\\n\" (the default) or \"\\r\"";
  if (format.skip_rows < 0) return fmt::format("skip_rows must not be negative; got {}", format.skip_rows);
  constexpr int kMostLast = 1000;  // lines that are held until the file's end is seen
  if (format.skip_last_rows < 0 || format.skip_last_rows > kMostLast) {
    return fmt::format("skip_last_rows must lie between 0 and {}; got {}", kMostLast, format.skip_last_rows);
  }
  if (!format.header && format.column_names.empty()) {
    return "header = false needs column_names: list the name of every column of the file, in order";
  }
  if (format.header && !format.column_names.empty()) {
    return "column_names is for files without a header; set header = false (and skip_rows = 1 to replace a header)";
  }
  std::unordered_set<std::string_view> seen;
  for (const std::string& name : format.column_names) {
    if (std::string problem = name_problem(name); !problem.empty()) return "column_names: " + problem;
    if (!seen.insert(name).second) return fmt::format("column_names lists '{}' twice; names must differ", name);
  }
  return {};
}

std::string integer_problem(const Schema& schema) {
  std::unordered_set<std::string_view> seen;
  std::size_t weights = 1;
  const ColumnsByName columns = schema.pairs.empty() ? ColumnsByName() : by_name(schema.columns);
  for (const Column& column : schema.columns) {
    if (!seen.insert(column.name).second) return fmt::format("column '{}' is declared twice; keep one", column.name);
    weights += weight_count(column);
  }
  std::unordered_set<std::string> pairs;
  for (const ColumnPair& pair : schema.pairs) {
    if (std::string problem = pair_problem(pair, columns); !problem.empty()) return problem;
    if (!pairs.insert(std::min(pair.first, pair.second) + '\n' + std::max(pair.first, pair.second)).second) {
      return fmt::format("pairs: '{}' and '{}' are paired twice; keep one", pair.first, pair.second);
    }
    weights += weight_count(pair);
  }
  for (const auto* names : {&schema.ignored, &schema.identifiers}) {
    for (const std::string& name : *names) {
      if (!seen.insert(name).second) return fmt::format("column '{}' is declared twice; keep one", name);
    }
  }
  if (schema.target.kind != TargetKind::none && seen.contains(schema.target.name)) {
    return fmt::format(
        "column '{}' is the target and also a [[column]]; delete that entry, the target is not a feature",
        schema.target.name);
  }
  for (const Column& column : schema.columns) {
    const std::vector<std::string> sources = sources_of(column);
    if (schema.target.kind != TargetKind::none &&
        std::find(sources.begin(), sources.end(), schema.target.name) != sources.end()) {
      return fmt::format("column '{}' is read from '{}', which is the target; the target is not a feature", column.name,
                         schema.target.name);
    }
  }
  if (weights > kMaximumWeights) {
    return fmt::format(
        "the columns need {} weights, the limit is {}; group rare categories under other = true, or "
        "leave columns out with kind = \"ignore\"",
        weights, kMaximumWeights);
  }
  return {};
}

}  // namespace dperm::schema
