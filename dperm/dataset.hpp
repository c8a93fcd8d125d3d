// SPDX-License-Identifier: Apache-2.0
// Public API: records, behind a door. A dataset tells its schema and its number of rows; everything else leaves through
// a fit or a private evaluation.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "dperm/schema.hpp"

struct ArrowArrayStream;  // the Arrow C stream interface

namespace dperm {

namespace data {
class Dataset;
}

struct ReadOptions {
  // Not empty: keep the encoded rows in this file, readable by its owner only, and map it: for data larger than memory,
  // and a second reading skips the parsing.
  std::string tiles_path = {};
  int threads = 0;  // 0: all cores. No result depends on it
  // Refuse records that do not fit the schema instead of applying its rules. The refusal itself reveals something.
  bool strict = false;
  // What files are, whatever their names say: "csv", "tsv", "libsvm", "parquet" or "arrow"; empty: by their names.
  std::string format = {};
  // False: rows without their target column can be read, to be predicted for.
  bool target_required = true;
  // A schema with a unit: surplus rows of a person are blank. False (and without a target always): every row counts,
  // for rows that are predicted for or declared public; nothing is learned from them.
  bool by_unit = true;
};

class Dataset {
 public:
  std::size_t rows() const;  // public: neighbouring datasets replace a record, they do not add one
  const Schema& schema() const;

  // For the library's own use.
  explicit Dataset(std::shared_ptr<const data::Dataset> records) : records_(std::move(records)) {}
  const data::Dataset& records() const { return *records_; }

 private:
  std::shared_ptr<const data::Dataset> records_;
};

// CSV, Parquet, Arrow IPC and LIBSVM files by path or glob, in the order given. Any cell of any well-formed file
// becomes something by the schema's rules. Throws DataError (which file, what is wrong, what to do) or ArgumentError.
Dataset read_dataset(const std::vector<std::string>& files, const Schema& schema, const ReadOptions& options = {});

// Tables in memory, by the same rules: any Arrow C stream. An invalid schema is refused before the stream is touched;
// otherwise the stream is taken over and released, also when this throws.
Dataset read_stream(ArrowArrayStream* stream, const Schema& schema, const ReadOptions& options = {});

// The columns that reading looks at, each once: the schema's, the target's and, with a unit, the one that tells people
// apart. What others hold does not matter.
std::vector<std::string> read_columns(const Schema& schema);

}  // namespace dperm
