// SPDX-License-Identifier: Apache-2.0
// Which rows of a table hold something, and whose they are; the others are blank and are not stored. Computed from
// records: it stays inside Sensitive, and so do the numbers it gives.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace dperm::data {

class FilledRows {
 public:
  // `person` is the number of the person whose row it is; not asked for where the row is blank.
  void append(bool filled, std::size_t person = 0);

  std::size_t rows() const { return rows_; }      // blank ones too
  std::size_t filled() const { return filled_; }  // the stored ones
  bool is_filled(std::size_t row) const { return (words_[row / kBits] >> (row % kBits) & 1) != 0; }
  // How many rows before this one are filled: where it is stored, if it is. `row` may be rows().
  std::size_t filled_before(std::size_t row) const;
  // The number of the row that is stored at a place below filled().
  std::size_t row_of(std::size_t place) const;

  // Numbers of persons are below this one. Not every number below it need have a row.
  std::size_t persons() const { return persons_; }
  // The stored places of the rows of those persons for whom `of` has `wanted`; `of` has persons() entries.
  std::vector<std::size_t> stored_of(const std::vector<bool>& of, bool wanted) const;
  // The same table with these persons' rows alone: those of all others are blank, and the number of rows stays.
  FilledRows only(const std::vector<bool>& of, bool wanted) const;

  // The stored places of those of these rows (row numbers) that are filled.
  std::vector<std::size_t> stored(std::span<const std::size_t> rows) const;
  // These rows alone (row numbers), in their order.
  FilledRows selected(std::span<const std::size_t> rows) const;

 private:
  static constexpr std::size_t kBits = 64;
  std::size_t rows_ = 0, filled_ = 0, persons_ = 0;
  std::vector<std::uint64_t> words_;  // one bit a row
  std::vector<std::size_t> before_;   // filled rows before each word
  std::vector<std::size_t> whose_;    // of each stored row
};

}  // namespace dperm::data
