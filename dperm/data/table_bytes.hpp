// SPDX-License-Identifier: Apache-2.0
// A table of results as the bytes of a file: CSV or Parquet.
#pragma once

#include <cstdint>
#include <string>
#include <variant>
#include <vector>

namespace dperm::data {

using ResultCells = std::variant<std::vector<std::int64_t>, std::vector<double>, std::vector<std::string>>;
struct ResultColumn {
  std::string name;
  ResultCells cells;  // of equal length in all columns
  int digits = 6;     // of real numbers in CSV; Parquet has them whole
};

// A header and a line per row; cells with commas, quotes or line ends in quotes.
std::string csv_bytes(const std::vector<ResultColumn>& columns);
// Compressed with Snappy where the library has it. A column of texts of which some are no UTF-8 is one of bytes.
std::string parquet_bytes(const std::vector<ResultColumn>& columns);

}  // namespace dperm::data
