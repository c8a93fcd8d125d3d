// SPDX-License-Identifier: Apache-2.0
// Cells of delimited text. Total: every record has every column. Cells beyond the last column are ignored, those that a
// line lacks are missing, a quote that is not closed holds the rest of its record.
#pragma once

#include <arrow/record_batch.h>
#include <arrow/type.h>

#include <cstddef>
#include <memory>
#include <vector>

#include "dperm/data/source/text_blocks.hpp"

namespace dperm::data {

class CsvCells {
 public:
  // `wanted`: positions among the file's `columns`, in the order of the batches' columns. `count_irregular`: look at
  // every cell of every record, to count those whose number of cells is another or that leave a quote open.
  CsvCells(const RecordRules& rules, std::size_t columns, const std::vector<std::size_t>& wanted, bool count_irregular);

  struct Parsed {
    std::vector<std::shared_ptr<arrow::RecordBatch>> batches{};
    std::size_t irregular = 0;  // says something about records: for their owner only
  };
  // The records of a block. Cells are views into it, so it lives as long as they do; where a quoted cell holds doubled
  // quotes its bytes are changed.
  Parsed parse(const TextBlock& block) const;

 private:
  RecordRules rules_;
  std::size_t columns_;
  bool count_irregular_;
  std::vector<std::size_t> positions_;  // ascending, each once
  std::vector<std::size_t> order_;      // of each wanted column, its place in positions_
  std::shared_ptr<arrow::Schema> schema_;
};

}  // namespace dperm::data
