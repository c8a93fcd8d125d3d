// SPDX-License-Identifier: Apache-2.0
// Public API: the public description of a table. docs/schema.md describes every key of schema.toml.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "dperm/schema/schema.hpp"

namespace dperm {

using schema::Column;
using schema::ColumnKind;
using schema::ColumnPair;
using schema::ColumnShape;
using schema::Compare;
using schema::DatePart;
using schema::MissingRule;
using schema::Monotone;
using schema::NumberStyle;
using schema::Schema;
using schema::Target;
using schema::TargetKind;
using schema::TextFormat;
using schema::Unit;

// From a file, or from text with a name for messages. Throw DataError naming line or column and what was expected. A
// schema may also be put together in code; whatever takes one checks it.
using schema::parse_schema;
using schema::read_schema;
// Where documentation lacks bounds or values: asks the records for them privately, under a cap that adds to that of
// every model made with the schema, and writes the releases into it (docs/infer.md). `draft` is schema text that may
// lack kinds, bounds and values, or say "FILL IN"; what it has is kept. Throws ArgumentError where rows are too few for
// the number of columns, before anything is spent, and where the target could not be found out, after.
struct InferOptions {
  double epsilon = 0;
  double delta = 1e-7;
  std::string target = {};                // the column to predict; empty: as the draft says
  std::string target_kind = {};           // binary, real or class; empty: found out
  std::string positive = {};              // value of a binary target that counts as +1
  std::vector<std::string> ignored = {};  // columns to leave out
  std::optional<Unit> unit = {};          // who is protected, where a person has several rows
  std::string codebook = {};              // CSV: column, lower, upper, values; costs nothing
  int threads = 0;
  std::optional<std::uint64_t> seed = {};  // for tests: reproducible noise, so that nothing made with it is private
};
struct InferredSchema {
  Schema schema;
  std::vector<std::string> inferred;          // columns that were asked about
  std::vector<std::string> left_out;          // columns of which nothing was common enough to be told
  std::vector<std::string> identifiers = {};  // columns that seem to tell persons or records apart: left out
};
InferredSchema infer_schema(const std::vector<std::string>& files, std::string_view draft, const InferOptions& options);

// Names of the columns of the first of these files, from its header or its own description: no record is looked at.
// `format` as ReadOptions::format.
std::vector<std::string> column_names(const std::vector<std::string>& files, const Schema& schema,
                                      const std::string& format = {});
// Columns that seem to tell persons apart, where the schema has no unit: its identifiers, and those among `names`, the
// table's columns, that it does not learn from. By names and public facts alone. A person with several rows is then
// promised too little.
std::vector<std::string> persons_without_unit(const Schema& schema, const std::vector<std::string>& names,
                                              std::size_t rows);

// The same schema as text: equal schemas give equal text.
using schema::to_toml;

// Columns whose shape the schema leaves open enter so: "linear", "curve", "steps", or "curve:8" with the pieces. "auto"
// leaves them open. Throws ArgumentError for another text.
Schema with_shape(const Schema& schema, std::string_view shape);

}  // namespace dperm
