// SPDX-License-Identifier: Apache-2.0
// The public description of a table: columns with bounds or value lists, and the target. Everything here is chosen
// without looking at the records; docs/schema.md says how a user writes it.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "dperm/core/words.hpp"

namespace dperm::schema {

enum class ColumnKind {
  real,
  integer,
  category,
  boolean,
  date,  // a number: days since 1970, between two days
  days,  // a number: days from one date column of the file to another
};
enum class Scale { linear, log };
// Which value of a number column a row adds nothing with: the middle of the (scaled) bounds, or the lower one.
enum class Zero { middle, lower };

// What a missing (or unreadable) cell becomes: always a rule per row, never a statistic of the data.
enum class MissingRule {
  midpoint,  // real, integer: the middle of the encoded bounds
  none,      // category, boolean: no category at all, the row has zeros there
  category,  // category, boolean: a category of its own
};

// How a number column enters the score.
enum class ColumnShape {
  automatic,  // chosen when a fit is planned, from public facts
  linear,     // one weight times the value
  curve,      // a linear term and a piecewise linear curve
  steps,      // a constant per interval
};
enum class Monotone { none, up, down };

// How cells compare with the values of a list.
enum class Compare {
  text,    // byte by byte without blanks around: 01 and 1 differ
  number,  // as numbers: 1, 1.0 and +1 are the same value
  truth,   // by meaning: yes, TRUE and 1 are true
};

// What of a date a category column holds; none: the column is no part of a date.
enum class DatePart { none, month, weekday, hour };

// How text cells write numbers beside plain digits with a point.
struct NumberStyle {
  char decimal = '.';
  std::string thousands = {};           // between groups of three digits; empty: none
  std::vector<std::string> strip = {};  // signs beside the number, such as "%" and "$"
  bool operator==(const NumberStyle&) const = default;
};

}  // namespace dperm::schema

namespace dperm {

template <>
struct Words<schema::ColumnShape> {
  static constexpr std::array table = {std::pair{schema::ColumnShape::automatic, std::string_view("auto")},
                                       std::pair{schema::ColumnShape::linear, std::string_view("linear")},
                                       std::pair{schema::ColumnShape::curve, std::string_view("curve")},
                                       std::pair{schema::ColumnShape::steps, std::string_view("steps")}};
};
template <>
struct Words<schema::Monotone> {
  static constexpr std::array table = {std::pair{schema::Monotone::none, std::string_view("none")},
                                       std::pair{schema::Monotone::up, std::string_view("up")},
                                       std::pair{schema::Monotone::down, std::string_view("down")}};
};
template <>
struct Words<schema::DatePart> {
  static constexpr std::array table = {std::pair{schema::DatePart::none, std::string_view("none")},
                                       std::pair{schema::DatePart::month, std::string_view("month")},
                                       std::pair{schema::DatePart::weekday, std::string_view("weekday")},
                                       std::pair{schema::DatePart::hour, std::string_view("hour")}};
};

}  // namespace dperm

namespace dperm::schema {

inline constexpr std::size_t kLongestDescription = 300;

struct Column {
  std::string name = {};
  ColumnKind kind = ColumnKind::real;
  double lower = 0;  // real, integer; date: days since 1970; days: a number of days
  double upper = 0;
  Scale scale = Scale::linear;  // log: the column enters as log(1 + value - lower)
  Zero zero = Zero::middle;
  std::vector<std::string> values = {};  // category
  bool other = false;                    // category: values outside the list form a category of their own, else none
  MissingRule missing = MissingRule::midpoint;
  bool ordered = false;  // category: the values stand in their order, and the column enters like a number
  ColumnShape shape = ColumnShape::automatic;  // numbers and ordered categories
  std::uint32_t pieces = 0;                    // of a curve or of steps; 0: chosen when a fit is planned
  std::vector<double> knots = {};              // where pieces meet, inside the bounds; none: evenly, by the scale
  Monotone monotone = Monotone::none;
  std::string inferred = {};                   // the seal of bounds or values that came from a release; inferred.hpp
  Compare compare = Compare::text;             // category: what its values are
  NumberStyle style = {};                      // real, integer
  DatePart part = DatePart::none;              // category: one part of a date, with date_part_values()
  std::string source = {};                     // date, part, days: the column of the file; empty: the name
  std::string since = {};                      // days: the column of the file that holds the earlier date
  std::vector<std::string> date_formats = {};  // beside ISO 8601
  std::string description = {};                // for people who read about the model
  bool operator==(const Column&) const = default;
};

// Two number columns whose effect is a surface over both.
struct ColumnPair {
  std::string first, second;
  std::uint32_t pieces = 0;  // in each direction; 0: chosen when a fit is planned
  bool operator==(const ColumnPair&) const = default;
};

enum class TargetKind { none, binary, real, classes };

}  // namespace dperm::schema

namespace dperm {

template <>
struct Words<schema::TargetKind> {
  static constexpr std::array table = {std::pair{schema::TargetKind::none, std::string_view("none")},
                                       std::pair{schema::TargetKind::binary, std::string_view("binary")},
                                       std::pair{schema::TargetKind::real, std::string_view("real")},
                                       std::pair{schema::TargetKind::classes, std::string_view("class")}};
};

}  // namespace dperm

namespace dperm::schema {

struct Target {
  TargetKind kind = TargetKind::none;
  std::string name = {};
  std::vector<std::string> positive = {};  // binary by value: the values that count as +1
  std::optional<double> threshold = {};    // binary by number: value > threshold is +1
  double lower = 0;                        // real
  double upper = 0;
  std::vector<std::string> values = {};  // classes; unknown and missing go to the first
  std::string inferred = {};             // as for a column
  Compare compare = Compare::text;       // what the values of positive or values are
  NumberStyle style = {};                // of a target that is read as a number
  std::string description = {};          // as for a column
  bool operator==(const Target&) const = default;
};

// The columns of the file that a column is read from: one, or the two of days.
std::vector<std::string> sources_of(const Column& column);

// A real target lies at middle + half_width * (encoded target in [-1, 1]). (0, 1) for targets of other kinds.
struct TargetUnits {
  double middle = 0;
  double half_width = 1;
};
TargetUnits target_units(const Target& target);

// How text files of this table look.
struct TextFormat {
  std::string file = {};  // "csv" or "libsvm" for files whose name does not say it; empty: by the name
  char delimiter = ',';
  bool header = true;
  int skip_rows = 0;
  int skip_last_rows = 0;   // lines at the end of a file that are no records
  bool multi_line = false;  // quoted cells may hold line ends: then one record can change the number of rows
  char line_end = '\n';     // a carriage return before it belongs to it; or '\r', as old files have it
  std::vector<std::string> column_names = {};  // required when header is false
  std::vector<std::string> missing = {"", "NA", "NaN", "nan", "null", "?"};
  bool operator==(const TextFormat&) const = default;
};

// One private question to the records from which parts of a schema came: what was released, under which cap.
struct Inference {
  struct Release {
    std::string what, mechanism;  // in the words of privacy events
    double l2_sensitivity = 0;
    double sigma = 0;
    std::uint64_t threshold = 0, values = 0;  // selected counts only
    bool operator==(const Release&) const = default;
  };
  std::string id = {};     // a digest of what follows
  std::string nonce = {};  // tells two questions apart that happen to be alike
  std::uint64_t rows = 0;
  double epsilon = 0;  // the cap, fixed beforehand
  double delta = 0;
  bool is_private = true;  // false: reproducible noise
  std::string unit = {};   // the column that told persons apart; empty: every row was one
  std::uint32_t unit_rows = 0;
  std::vector<Release> releases = {};
  bool operator==(const Inference&) const = default;
};
// Who is protected: a person, whose rows have the same text in `column`, and of which the first `rows` count. Surplus
// rows and rows without an identifier are blank: they add nothing to any sum, and stay in the number of rows.
struct Unit {
  std::string column = {};
  std::uint32_t rows = 0;
  bool operator==(const Unit&) const = default;
};
inline constexpr std::uint32_t kMostUnitRows = 1000;

struct Schema {
  std::vector<Column> columns;  // in the order of the coefficients; ignored columns are not listed
  std::vector<ColumnPair> pairs = {};
  std::vector<std::string> ignored;
  std::vector<std::string> identifiers = {};  // columns that name persons or records: never features
  Target target;
  TextFormat format;
  std::vector<Inference> inferred = {};
  std::optional<Unit> unit = {};  // none: every row is a person's only one
  std::string dataset = {};       // under which name a ledger counts what is spent on this table; empty: none is named
  bool operator==(const Schema&) const = default;
};

// Parses and validates schema.toml text; `origin` is the file name for messages. Throws DataError naming origin, line
// or column, what was expected and what to do.
Schema parse_schema(std::string_view toml_text, std::string_view origin);
Schema read_schema(const std::string& path);

// Throws DataError unless the schema keeps every rule that parse_schema checks; for schemas built in code.
void validate(const Schema& schema);

// The same schema as canonical text: equal schemas give equal text. parse(to_toml(s)) == s.
std::string to_toml(const Schema& schema);

}  // namespace dperm::schema
