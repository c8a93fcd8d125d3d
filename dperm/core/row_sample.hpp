// SPDX-License-Identifier: Apache-2.0
// Which rows of a table take part in a sum. A sample answers for any run of row numbers, so that nobody needs the list
// of its rows: tiles, threads and machines ask for the rows they hold, and all get the same answer. Who is in a sample
// is a secret where the sample makes a release more private: it stays inside Sensitive.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

namespace dperm {

class RowSample {
 public:
  virtual ~RowSample() = default;
  RowSample(const RowSample&) = delete;
  RowSample& operator=(const RowSample&) = delete;

  std::size_t rows() const { return rows_; }  // that there are to choose from
  // True: every row is in it. False tells nothing.
  virtual bool has_all() const { return false; }
  // Sets bit j % 64 of words[j / 64] to whether row first + j is in the sample, for j < count; what is left of the last
  // word is 0. There are word_count(count) words, and first + count is at most rows() (InternalError).
  void mark(std::size_t first, std::size_t count, std::span<std::uint64_t> words) const;

  static constexpr std::size_t kWordRows = 64;
  static constexpr std::size_t word_count(std::size_t rows) { return (rows + kWordRows - 1) / kWordRows; }

 protected:
  explicit RowSample(std::size_t rows) : rows_(rows) {}

 private:
  // The words are 0 when it is called.
  virtual void set_bits(std::size_t first, std::size_t count, std::span<std::uint64_t> words) const = 0;

  std::size_t rows_;
};

// These rows: a list, for samples of a few rows and of fixed size.
class ListedRows final : public RowSample {
 public:
  // Throws ArgumentError unless the numbers are strictly increasing and below `rows`.
  ListedRows(std::vector<std::size_t> numbers, std::size_t rows);
  bool has_all() const override { return numbers_.size() == rows(); }

 private:
  void set_bits(std::size_t first, std::size_t count, std::span<std::uint64_t> words) const override;

  std::vector<std::size_t> numbers_;
};

// The rows [first, first + rows) of a table by numbers of their own, from 0: what a part of the table is asked with.
// `whole` must outlive it.
class PartOfSample final : public RowSample {
 public:
  PartOfSample(const RowSample& whole, std::size_t first, std::size_t rows);  // InternalError beyond whole.rows()
  bool has_all() const override { return whole_.has_all(); }

 private:
  void set_bits(std::size_t first, std::size_t count, std::span<std::uint64_t> words) const override;

  const RowSample& whole_;
  std::size_t first_;
};

// A copyable handle that is a RowSample wherever one is asked for, so that Sensitive can hold it.
class SharedSample {
 public:
  SharedSample(std::shared_ptr<const RowSample> sample);  // not null (InternalError)
  operator const RowSample&() const { return *sample_; }

 private:
  std::shared_ptr<const RowSample> sample_;
};

// Calls visit(row) for the rows of the sample among [first, first + count), in order.
template <class Visit>
void for_each_row(const RowSample& sample, std::size_t first, std::size_t count, Visit&& visit) {
  constexpr std::size_t kAtOnce = 4096;
  std::uint64_t words[RowSample::word_count(kAtOnce)];
  for (std::size_t done = 0; done < count; done += kAtOnce) {
    const std::size_t here = count - done < kAtOnce ? count - done : kAtOnce;
    sample.mark(first + done, here, std::span(words, RowSample::word_count(here)));
    for (std::size_t w = 0; w < RowSample::word_count(here); ++w) {
      for (std::uint64_t left = words[w]; left != 0; left &= left - 1) {
        visit(first + done + w * RowSample::kWordRows + static_cast<std::size_t>(std::countr_zero(left)));
      }
    }
  }
}

// Their numbers.
std::vector<std::size_t> rows_in(const RowSample& sample, std::size_t first, std::size_t count);

}  // namespace dperm
