// SPDX-License-Identifier: Apache-2.0
// Which rows of a table hold something; the others are blank and are not stored. Computed from records: it stays inside
// Sensitive, and so do the numbers it gives.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace dperm::data {

class FilledRows {
 public:
  void append(bool filled);

  std::size_t rows() const { return rows_; }      // blank ones too
  std::size_t filled() const { return filled_; }  // the stored ones
  bool is_filled(std::size_t row) const { return (words_[row / kBits] >> (row % kBits) & 1) != 0; }
  // How many rows before this one are filled: where it is stored, if it is. `row` may be rows().
  std::size_t filled_before(std::size_t row) const;
  // The number of the row that is stored at a place below filled().
  std::size_t row_of(std::size_t place) const;

  // The stored places of those of these rows (row numbers) that are filled.
  std::vector<std::size_t> stored(std::span<const std::size_t> rows) const;
  // These rows alone (row numbers), in their order.
  FilledRows selected(std::span<const std::size_t> rows) const;

 private:
  static constexpr std::size_t kBits = 64;
  std::size_t rows_ = 0, filled_ = 0;
  std::vector<std::uint64_t> words_;  // one bit a row
  std::vector<std::size_t> before_;   // filled rows before each word
};

}  // namespace dperm::data
