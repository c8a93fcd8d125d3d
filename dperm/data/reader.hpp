// SPDX-License-Identifier: Apache-2.0
// Files to tiles. Formats: CSV (also .gz), Parquet, Arrow IPC, LIBSVM text; several files by glob. Reading is total in
// the records: any line of a text file and any cell of another encodes to something by the schema's rules.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "dperm/core/sensitive.hpp"
#include "dperm/data/filled_rows.hpp"
#include "dperm/data/tiles/tiles.hpp"
#include "dperm/schema/encoding.hpp"

namespace dperm::data {

struct ReadOptions {
  std::string tiles_path = {};  // when not empty: keep tiles in this mapped file (mode 0600), reuse it when it matches
  std::size_t tile_height = 0;  // 0: by cache size
  int threads = 0;              // 0: all cores
  // Refuse records that do not fit the schema instead of applying its rules. The refusal itself reveals something.
  bool strict = false;
  // What files are, whatever their names say: "csv", "tsv", "libsvm", "parquet" or "arrow"; empty: by name and schema.
  std::string format = {};
  // A dataset without its target column can still be predicted on: all targets then encode as missing.
  bool target_required = true;
  // A schema with a unit: surplus rows of a person are blank. False: every row counts, for rows that are predicted on
  // or declared public; nothing is learned from them.
  bool by_unit = true;
  // The schema is a model's: advice about names of columns is for the file then.
  bool of_model = false;
  // Called now and then while records are read, with their number so far, which is public, and the share of the files'
  // bytes that were read whole.
  std::function<void(std::size_t rows, double share)> progress = {};
};

// All records, encoded. Their number is public.
struct EncodedRows {
  std::size_t rows;          // public; blank ones too
  Sensitive<TileSet> tiles;  // of the rows that count
  // Which those are; null where all do, because the schema has no unit.
  Sensitive<std::shared_ptr<const FilledRows>> filled;
};

// `patterns` are paths or globs, in the order given, or "-": standard input; the matches of each are read in sorted
// order. Throws DataError (what is wrong with which file, and what to do) or ArgumentError (no file matches, a file
// given twice, unknown extension).
EncodedRows read_tiles(const std::vector<std::string>& patterns, std::shared_ptr<const schema::Encoding> encoding,
                       const ReadOptions& options);

// What `dperm schema init` needs: names and types of the first file, never values. For the data owner: in text files
// types are judged by the first block of records.
struct RawColumn {
  std::string name;
  std::string type;         // "number", "text", "boolean", "date", "unsupported"
  bool identifier = false;  // it names persons or records: nearly every cell differs, and the name or the texts say so
  schema::NumberStyle style = {};              // of numbers
  std::vector<std::string> date_formats = {};  // those of a few usual ones that fit; none: ISO
};
// Whether a name has a word such as id, uuid or nbr, or ends in one such as person: patient_nbr, encounterID, id.
bool names_identifier(std::string_view name);
// `kind` as ReadOptions::format.
std::vector<RawColumn> read_columns(const std::vector<std::string>& patterns, const schema::TextFormat& format,
                                    const std::string& kind = {});

// What `dperm schema check` shows the data owner: counts per column. NOT private.
struct ColumnCheck {
  std::string name;
  std::size_t missing = 0;
  std::size_t unreadable = 0;  // text in a number column, NaN, infinity
  std::size_t out_of_bounds = 0;
  std::size_t unknown_values = 0;  // category values outside the list
};
// Of a schema with a unit.
struct UnitCheck {
  std::size_t persons = 0;
  std::size_t without_identifier = 0;  // blank rows
  std::size_t surplus = 0;             // blank rows
  std::size_t most_rows = 0;           // of one person
};
struct CheckReport {
  std::size_t rows = 0;
  std::size_t irregular_lines = 0;   // of text: too few or too many cells, an open quote, no label, a pair that is none
  std::vector<ColumnCheck> columns;  // schema columns, the one that tells persons apart, then the target
  std::optional<UnitCheck> unit = {};
};
CheckReport check_dataset(const std::vector<std::string>& patterns, const schema::Encoding& encoding,
                          const ReadOptions& options);

}  // namespace dperm::data
