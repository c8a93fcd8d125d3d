// SPDX-License-Identifier: Apache-2.0
// Public API: a table whose rows lie in parts on several machines. Each part answers questions about sums over its
// rows, the answers are added on their way, and a dataset on one machine, where noise is added, stands for all rows.
// The model is the same, bit for bit, as that of one machine with all rows.
//
// Answers, and digests of parts, are computed from records and NOT private: they are for the machines that hold the
// records, and reach nobody else. A question may say which rows a secret sample has.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "dperm/dataset.hpp"

namespace dperm {

namespace engine::remote {
class Part;
}

struct PartFacts {
  std::size_t rows = 0;
  std::string digest = {};  // 64 hexadecimal digits: of the encoded rows in their order
};

// Encodes all records of the stream, possibly none, into a file that only its owner can read, and that holds `name`. No
// file for no records. The schema must not have a unit (ArgumentError). Otherwise as read_stream.
PartFacts write_part(ArrowArrayStream* stream, const Schema& schema, const std::string& name, const std::string& path,
                     int threads = 0);

// The columns that such a stream must have, each once.
std::vector<std::string> part_columns(const Schema& schema);

class PartRows {
 public:
  // The rows that write_part wrote: rows first, first + 1, ... of the table. DataError where the file is not there or
  // is not that one.
  PartRows(const Schema& schema, const std::string& name, const std::string& path, const PartFacts& facts,
           std::size_t first);
  // Throws InternalError for bytes that are no question.
  std::string answer(std::string_view question, int threads = 0) const;

 private:
  std::shared_ptr<const engine::remote::Part> part_;
};

// The answer of the rows of both, in any order. InternalError for bytes that are no answers, for answers to different
// questions and for a row that both count.
std::string add_answers(std::string_view a, std::string_view b);

// The table of all parts: `rows` rows, each in one part. `ask` takes a question to every part and returns the sum of
// their answers; what it throws ends a fit, whose budget then is spent. Rows are never shown one by one: predictions,
// rows kept out and evaluation in the open need one machine (ArgumentError).
Dataset remote_dataset(const Schema& schema, std::size_t rows, std::function<std::string(const std::string&)> ask);

}  // namespace dperm
