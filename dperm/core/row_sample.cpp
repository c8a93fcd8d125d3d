// SPDX-License-Identifier: Apache-2.0
#include "dperm/core/row_sample.hpp"

#include <algorithm>
#include <functional>
#include <utility>

#include "dperm/core/check.hpp"

namespace dperm {

void RowSample::mark(std::size_t first, std::size_t count, std::span<std::uint64_t> words) const {
  ensure(first <= rows_ && count <= rows_ - first, "a sample was asked about rows that it is not drawn from");
  ensure(words.size() == word_count(count), "a sample was given room for another number of rows");
  std::fill(words.begin(), words.end(), 0);
  set_bits(first, count, words);
}

ListedRows::ListedRows(std::vector<std::size_t> numbers, std::size_t rows)
    : RowSample(rows), numbers_(std::move(numbers)) {
  require(std::adjacent_find(numbers_.begin(), numbers_.end(), std::greater_equal<>()) == numbers_.end() &&
              (numbers_.empty() || numbers_.back() < rows),
          "the rows of a batch must be strictly increasing row numbers of the table");
}

void ListedRows::set_bits(std::size_t first, std::size_t count, std::span<std::uint64_t> words) const {
  for (auto row = std::lower_bound(numbers_.begin(), numbers_.end(), first);
       row != numbers_.end() && *row - first < count; ++row) {
    words[(*row - first) / kWordRows] |= std::uint64_t{1} << ((*row - first) % kWordRows);
  }
}

PartOfSample::PartOfSample(const RowSample& whole, std::size_t first, std::size_t rows)
    : RowSample(rows), whole_(whole), first_(first) {
  ensure(first <= whole.rows() && rows <= whole.rows() - first, "a part of a sample has rows that the whole has not");
}

void PartOfSample::set_bits(std::size_t first, std::size_t count, std::span<std::uint64_t> words) const {
  whole_.mark(first_ + first, count, words);
}

SharedSample::SharedSample(std::shared_ptr<const RowSample> sample) : sample_(std::move(sample)) {
  ensure(sample_ != nullptr, "a shared sample without a sample");
}

std::vector<std::size_t> rows_in(const RowSample& sample, std::size_t first, std::size_t count) {
  std::vector<std::size_t> rows;
  for_each_row(sample, first, count, [&](std::size_t row) { rows.push_back(row); });
  return rows;
}

}  // namespace dperm
