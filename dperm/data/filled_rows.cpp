// SPDX-License-Identifier: Apache-2.0
#include "dperm/data/filled_rows.hpp"

#include <algorithm>
#include <bit>

namespace dperm::data {

void FilledRows::append(bool filled, std::size_t person) {
  if (rows_ % kBits == 0) {
    words_.push_back(0);
    before_.push_back(filled_);
  }
  if (filled) {
    words_.back() |= std::uint64_t{1} << (rows_ % kBits);
    ++filled_;
    whose_.push_back(person);
    persons_ = std::max(persons_, person + 1);
  }
  ++rows_;
}

std::size_t FilledRows::filled_before(std::size_t row) const {
  if (row >= rows_) return filled_;
  const std::uint64_t earlier = words_[row / kBits] & ((std::uint64_t{1} << (row % kBits)) - 1);
  return before_[row / kBits] + static_cast<std::size_t>(std::popcount(earlier));
}

std::size_t FilledRows::row_of(std::size_t place) const {
  const auto after = std::upper_bound(before_.begin(), before_.end(), place);
  const auto word = static_cast<std::size_t>(after - before_.begin()) - 1;
  std::uint64_t left = words_[word];
  for (std::size_t skip = place - before_[word]; skip > 0; --skip) left &= left - 1;
  return word * kBits + static_cast<std::size_t>(std::countr_zero(left));
}

std::vector<std::size_t> FilledRows::stored(std::span<const std::size_t> rows) const {
  std::vector<std::size_t> places;
  places.reserve(rows.size());
  for (const std::size_t row : rows) {
    if (is_filled(row)) places.push_back(filled_before(row));
  }
  return places;
}

FilledRows FilledRows::selected(std::span<const std::size_t> rows) const {
  FilledRows result;
  for (const std::size_t row : rows) result.append(is_filled(row), is_filled(row) ? whose_[filled_before(row)] : 0);
  return result;
}

// [proof data_filled_rows.only]
std::vector<std::size_t> FilledRows::stored_of(const std::vector<bool>& of, bool wanted) const {
  std::vector<std::size_t> places;
  for (std::size_t place = 0; place < whose_.size(); ++place) {
    if (of.at(whose_[place]) == wanted) places.push_back(place);
  }
  return places;
}

FilledRows FilledRows::only(const std::vector<bool>& of, bool wanted) const {
  FilledRows result;
  std::size_t place = 0;
  for (std::size_t row = 0; row < rows_; ++row) {
    const bool filled = is_filled(row);
    const std::size_t person = filled ? whose_[place++] : 0;
    result.append(filled && of.at(person) == wanted, person);
  }
  return result;
}
// [/proof]

}  // namespace dperm::data
