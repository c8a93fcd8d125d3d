// SPDX-License-Identifier: Apache-2.0
#include "dperm/data/source/csv_cells.hpp"

#include <arrow/array.h>
#include <arrow/util/bit_util.h>

#include <algorithm>
#include <bit>
#include <cstring>

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

#include "dperm/core/error.hpp"
#include "dperm/data/arrow_columns.hpp"

namespace dperm::data {

namespace {

#if defined(__SSE2__)
// One bit for each of 64 bytes: is it one of the three?
std::uint64_t marks_of(const char* bytes, char a, char b, char c) {
  const __m128i first = _mm_set1_epi8(a), second = _mm_set1_epi8(b), third = _mm_set1_epi8(c);
  std::uint64_t bits = 0;
  for (int part = 0; part < 4; ++part) {
    const __m128i text = _mm_loadu_si128(reinterpret_cast<const __m128i*>(bytes) + part);
    const __m128i marks = _mm_or_si128(_mm_or_si128(_mm_cmpeq_epi8(text, first), _mm_cmpeq_epi8(text, second)),
                                       _mm_cmpeq_epi8(text, third));
    bits |= std::uint64_t{static_cast<std::uint32_t>(_mm_movemask_epi8(marks))} << (16 * part);
  }
  return bits;
}
#else
std::uint64_t marks_of(const char* bytes, char a, char b, char c) {
  std::uint64_t bits = 0;
  for (int i = 0; i < 64; ++i) {
    const bool mark = bytes[i] == a || bytes[i] == b || bytes[i] == c;
    bits |= std::uint64_t{mark} << i;
  }
  return bits;
}
#endif

// Finds delimiters, line ends and quotes, 64 bytes at a time.
class Marks {
 public:
  Marks(const char* text, char delimiter, char line_end) : text_(text), delimiter_(delimiter), line_end_(line_end) {}

  // Position of the first mark at or behind `from`; there is one, because the text ends with a line end.
  std::size_t next(std::size_t from) {
    std::size_t block = from / 64;
    std::uint64_t bits = (block == block_ ? bits_ : load(block)) & (~std::uint64_t{0} << (from % 64));
    while (bits == 0) bits = load(++block);
    return 64 * block + static_cast<std::size_t>(std::countr_zero(bits));
  }

 private:
  std::uint64_t load(std::size_t block) {
    block_ = block;
    bits_ = marks_of(text_ + 64 * block, delimiter_, line_end_, '"');
    return bits_;
  }

  const char* text_;
  char delimiter_, line_end_;
  std::size_t block_ = static_cast<std::size_t>(-1);
  std::uint64_t bits_ = 0;
};

// Sixteen bytes by which Arrow refers to a text: its length, then up to twelve bytes of it, or four and where it lies.
struct View {
  std::uint32_t size;
  std::uint32_t first;
  std::uint64_t rest;
};
constexpr std::size_t kInline = 12;

View view_of(const char* block, std::size_t begin, std::size_t size) {
  View view{static_cast<std::uint32_t>(size), 0, 0};
  std::memcpy(&view.first, block + begin, sizeof view.first);  // what lies behind the text may be read, not kept
  if (size > kInline) {
    view.rest = std::uint64_t{begin} << 32;  // in the first buffer
    return view;
  }
  std::memcpy(&view.rest, block + begin + 4, sizeof view.rest);
  const std::uint64_t low = size >= 4 ? ~std::uint64_t{0} : (std::uint64_t{1} << (8 * size)) - 1;
  const std::uint64_t high = size <= 4         ? 0
                             : size == kInline ? ~std::uint64_t{0}
                                               : (std::uint64_t{1} << (8 * size - 32)) - 1;
  view.first &= static_cast<std::uint32_t>(low);
  view.rest &= high;
  return view;
}
static_assert(sizeof(View) == sizeof(arrow::BinaryViewType::c_type) && std::endian::native == std::endian::little);

struct Cell {
  std::size_t begin, size;
  std::size_t next;  // where the next cell or record begins
  bool last;         // of its record
  bool open;         // a quote was not closed
};

// Walks over the cells of a block.
class Cursor {
 public:
  Cursor(char* text, std::size_t size, const RecordRules& rules)
      : text_(text), size_(size), rules_(rules), marks_(text, rules.delimiter, rules.line_end) {}

  Cell cell(std::size_t begin) {
    if (text_[begin] == '"') return quoted(begin);
    const std::size_t end = plain_end(begin);
    return ended(begin, end, end, false);
  }
  std::size_t behind_line(std::size_t from) const {
    const void* end = std::memchr(text_ + from, rules_.line_end, size_ - from);
    return static_cast<std::size_t>(static_cast<const char*>(end) - text_) + 1;
  }

 private:
  // The delimiter or line end behind text in which quotes are ordinary characters.
  std::size_t plain_end(std::size_t from) {
    std::size_t end = marks_.next(from);
    while (text_[end] == '"') end = marks_.next(end + 1);
    return end;
  }

  // A cell whose text lies at [begin, end) and which `mark` ends.
  Cell ended(std::size_t begin, std::size_t end, std::size_t mark, bool open) const {
    const bool last = text_[mark] == rules_.line_end;
    if (last && rules_.line_end == '\n' && end > begin && text_[end - 1] == '\r') --end;
    return {begin, end - begin, mark + 1, last, open};
  }

  // Quotes are special at the start of a cell only; after the closing one the cell goes on as plain text.
  Cell quoted(std::size_t quote) {
    const std::size_t begin = quote + 1;
    std::size_t out = begin;   // the text so far lies at [begin, out)
    std::size_t from = begin;  // what was not looked at yet
    const auto keep = [&](std::size_t end) {
      if (out != from) std::memmove(text_ + out, text_ + from, end - from);
      out += end - from;
    };
    for (std::size_t mark = begin;; ++mark) {
      mark = marks_.next(mark);
      if (text_[mark] == '"') {
        if (text_[mark + 1] == '"') {
          keep(mark + 1);
          from = mark + 2;
          ++mark;
          continue;
        }
        keep(mark);
        from = mark + 1;
        const std::size_t end = plain_end(from);
        keep(end);
        return ended(begin, out, end, false);
      }
      const bool line = text_[mark] == rules_.line_end;
      if (line && (!rules_.multi_line || mark + 1 == size_)) {
        keep(mark);
        return ended(begin, out, mark, true);
      }
    }
  }

  char* text_;
  std::size_t size_;
  const RecordRules& rules_;
  Marks marks_;
};

std::shared_ptr<arrow::Buffer> buffer_of(std::size_t bytes) {
  auto made = arrow::AllocateBuffer(static_cast<std::int64_t>(bytes));
  if (!made.ok()) throw DataError("not enough memory to read the file");
  return std::shared_ptr<arrow::Buffer>(std::move(*made));
}

// The cells of one batch, column after column.
class BatchCells {
 public:
  BatchCells(std::size_t columns, std::size_t capacity)
      : capacity_(capacity),
        views_(buffer_of(columns * capacity * sizeof(View))),
        first_(reinterpret_cast<View*>(views_->mutable_data())),
        absent_(columns) {}

  bool full() const { return rows_ == capacity_; }
  std::size_t rows() const { return rows_; }
  void put(std::size_t column, const View& view) { first_[column * capacity_ + rows_] = view; }
  void put_missing(std::size_t column) {
    put(column, View{});
    absent_[column].push_back(rows_);
  }
  void end_row() { ++rows_; }

  std::shared_ptr<arrow::Array> column(std::size_t column, const std::shared_ptr<arrow::Buffer>& block) const {
    const std::vector<std::size_t>& absent = absent_[column];
    std::shared_ptr<arrow::Buffer> present;
    if (!absent.empty()) {
      present = buffer_of((rows_ + 7) / 8);
      std::memset(present->mutable_data(), 0xff, (rows_ + 7) / 8);
      for (const std::size_t row : absent) {
        arrow::bit_util::ClearBit(present->mutable_data(), static_cast<std::int64_t>(row));
      }
    }
    auto views = arrow::SliceBuffer(views_, static_cast<std::int64_t>(column * capacity_ * sizeof(View)),
                                    static_cast<std::int64_t>(rows_ * sizeof(View)));
    return std::make_shared<arrow::BinaryViewArray>(arrow::binary_view(), static_cast<std::int64_t>(rows_),
                                                    std::move(views), arrow::BufferVector{block}, std::move(present),
                                                    static_cast<std::int64_t>(absent.size()));
  }

 private:
  std::size_t capacity_;
  std::shared_ptr<arrow::Buffer> views_;
  View* first_;
  std::vector<std::vector<std::size_t>> absent_;
  std::size_t rows_ = 0;
};

}  // namespace

CsvCells::CsvCells(const RecordRules& rules, std::size_t columns, const std::vector<std::size_t>& wanted,
                   bool count_irregular)
    : rules_(rules), columns_(columns), count_irregular_(count_irregular), positions_(wanted) {
  std::sort(positions_.begin(), positions_.end());
  positions_.erase(std::unique(positions_.begin(), positions_.end()), positions_.end());
  std::vector<std::shared_ptr<arrow::Field>> fields;
  for (const std::size_t position : wanted) {
    const auto place = std::lower_bound(positions_.begin(), positions_.end(), position);
    order_.push_back(static_cast<std::size_t>(place - positions_.begin()));
    fields.push_back(arrow::field("", arrow::binary_view()));
  }
  schema_ = arrow::schema(std::move(fields));
}

CsvCells::Parsed CsvCells::parse(const TextBlock& block) const {
  Parsed parsed;
  Cursor cursor(block.data(), block.size, rules_);
  const bool to_the_end = count_irregular_ || rules_.multi_line;
  for (std::size_t at = 0; at < block.size;) {
    const char* text = block.data();
    const auto lines = static_cast<std::size_t>(std::count(text + at, text + block.size, rules_.line_end));
    BatchCells cells(positions_.size(), std::min(lines, static_cast<std::size_t>(rows_per_batch(positions_.size()))));
    while (at < block.size && !cells.full()) {
      std::size_t wanted = 0;
      bool open = false;
      for (std::size_t number = 0;; ++number) {
        const Cell cell = cursor.cell(at);
        at = cell.next;
        open = open || cell.open;
        if (wanted < positions_.size() && positions_[wanted] == number) {
          cells.put(wanted++, view_of(text, cell.begin, cell.size));
        }
        if (cell.last) {
          if (number + 1 != columns_ || open) ++parsed.irregular;
          break;
        }
        if (wanted == positions_.size() && !to_the_end) {
          at = cursor.behind_line(at);
          break;
        }
      }
      for (; wanted < positions_.size(); ++wanted) cells.put_missing(wanted);
      cells.end_row();
    }
    std::vector<std::shared_ptr<arrow::Array>> unique;
    for (std::size_t c = 0; c < positions_.size(); ++c) unique.push_back(cells.column(c, block.bytes));
    std::vector<std::shared_ptr<arrow::Array>> arrays;
    for (const std::size_t place : order_) arrays.push_back(unique[place]);
    parsed.batches.push_back(
        arrow::RecordBatch::Make(schema_, static_cast<std::int64_t>(cells.rows()), std::move(arrays)));
  }
  return parsed;
}

}  // namespace dperm::data
