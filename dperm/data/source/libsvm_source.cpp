// SPDX-License-Identifier: Apache-2.0
// LIBSVM text: "label index:value ...", one record a line, absent values are 0. Columns are called by their index, the
// label is the column "label". Every line is a record: what is no pair in it is ignored, and a line without a label (an
// empty one, a comment) is a record whose label is missing.

#include <arrow/array.h>
#include <arrow/buffer.h>
#include <arrow/builder.h>
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>
#include <optional>
#include <unordered_map>

#include "dperm/core/error.hpp"
#include "dperm/data/arrow_columns.hpp"
#include "dperm/data/reader.hpp"
#include "dperm/data/source/source.hpp"
#include "dperm/data/source/text_blocks.hpp"
#include "dperm/schema/cell_text.hpp"

namespace dperm::data {

namespace {

// The next token of the line, empty at its end or before a comment.
std::string_view next_token(std::string_view& line) {
  line = schema::trimmed(line);
  if (line.starts_with('#')) line = {};
  const std::size_t end = std::min(line.find_first_of(" \t\r"), line.size());
  const std::string_view token = line.substr(0, end);
  line.remove_prefix(end);
  return token;
}

struct Pair {
  std::uint64_t index;
  std::string_view value;
};

std::optional<Pair> split_pair(std::string_view token) {
  Pair pair{};
  const auto [end, error] = std::from_chars(token.data(), token.data() + token.size(), pair.index);
  const auto used = static_cast<std::size_t>(end - token.data());
  if (error != std::errc() || used >= token.size() || token[used] != ':') return std::nullopt;
  pair.value = token.substr(used + 1);
  return pair;
}

// Labels such as 1, +1, 1.0 and 1e0 are one label; a text stays as it is.
std::string normal_label(std::string_view token) {
  const double value = schema::parse_number(token);
  return std::isnan(value) ? std::string(token) : schema::number_text(value);
}

// Lines of a file.
class LineReader {
 public:
  LineReader(const InputFile& file, const schema::TextFormat& format)
      : line_end_(format.line_end),
        blocks_(file, open_stream(file), {format.line_end, ' ', false, format.skip_last_rows}) {}

  bool next(std::string_view& line) {
    if (at_ == block_.size) {
      block_ = blocks_.next();
      at_ = 0;
      if (block_.size == 0) return false;
    }
    const std::string_view text(block_.data(), block_.size);
    const std::size_t end = text.find(line_end_, at_);
    line = text.substr(at_, end - at_);
    at_ = end + 1;
    return true;
  }

 private:
  char line_end_;
  TextBlocks blocks_;
  TextBlock block_;
  std::size_t at_ = 0;
};

// The cells of one wanted column of one batch, absent ones 0.
struct ColumnCells {
  bool as_text;
  std::vector<double> numbers;
  std::vector<std::string> texts;
  std::vector<std::size_t> absent;  // rows of texts without one

  void start_row() {
    if (as_text) {
      texts.emplace_back("0");
    } else {
      numbers.push_back(0);
    }
  }
  void set(std::string_view value) {
    if (as_text) {
      texts.back() = value;
    } else {
      numbers.back() = schema::parse_number(value);
    }
  }
  void set_missing() {
    if (as_text) {
      absent.push_back(texts.size() - 1);
    } else {
      numbers.back() = std::numeric_limits<double>::quiet_NaN();
    }
  }
  std::shared_ptr<arrow::Array> finish() {
    if (!as_text) {
      const auto length = static_cast<std::int64_t>(numbers.size());
      return std::make_shared<arrow::DoubleArray>(length, arrow::Buffer::FromVector(std::exchange(numbers, {})));
    }
    arrow::BinaryBuilder builder;
    std::shared_ptr<arrow::Array> array;
    std::vector<std::uint8_t> present(texts.size(), 1);
    for (const std::size_t row : std::exchange(absent, {})) present[row] = 0;
    arrow::Status status = builder.AppendValues(texts, present.data());
    if (status.ok()) status = builder.Finish(&array);
    if (!status.ok()) throw DataError("not enough memory to read the file");
    texts.clear();
    return array;
  }
};

class LibsvmSource final : public BatchSource {
 public:
  explicit LibsvmSource(const SourceRequest& request)
      : file_(request.file), lines_(request.file, request.format), rows_(rows_per_batch(request.wanted.size())) {
    for (std::size_t i = 0; i < request.wanted.size(); ++i) {
      const WantedColumn& column = request.wanted[i];
      columns_.push_back({column.as_text, {}, {}, {}});
      if (column.name == "label") {
        label_ = i;
        continue;
      }
      std::uint64_t index = 0;
      const char* end = column.name.data() + column.name.size();
      const auto [stop, error] = std::from_chars(column.name.data(), end, index);
      if (error != std::errc() || stop != end) {
        throw DataError(
            fmt::format("{}: a LIBSVM file has columns called by their index, and 'label'; the schema's "
                        "column '{}' is neither. Use name = \"7\" or range = [1, 123]",
                        file_.path, column.name));
      }
      positions_.emplace(index, i);
    }
  }

  std::shared_ptr<arrow::RecordBatch> next() override {
    std::int64_t rows = 0;
    std::string_view line;
    for (; rows < rows_ && lines_.next(line); ++rows) add(line);
    if (rows == 0) {
      if (!any_) throw DataError(fmt::format("{}: the file has no records", file_.path));
      return nullptr;
    }
    any_ = true;
    std::vector<std::shared_ptr<arrow::Array>> arrays;
    std::vector<std::shared_ptr<arrow::Field>> fields;
    for (ColumnCells& column : columns_) {
      arrays.push_back(column.finish());
      fields.push_back(arrow::field("", arrays.back()->type()));
    }
    return arrow::RecordBatch::Make(arrow::schema(std::move(fields)), rows, std::move(arrays));
  }

 private:
  void add(std::string_view line) {
    bool regular = true;
    for (ColumnCells& column : columns_) column.start_row();
    std::string_view token = next_token(line);
    if (token.empty() || split_pair(token)) {
      if (label_ < columns_.size()) columns_[label_].set_missing();
      regular = false;
    } else {
      if (label_ < columns_.size()) columns_[label_].set(normal_label(token));
      token = next_token(line);
    }
    for (; !token.empty(); token = next_token(line)) {
      const auto pair = split_pair(token);
      if (!pair) {
        regular = regular && token.starts_with("qid:");
        continue;
      }
      const auto position = positions_.find(pair->index);
      if (position != positions_.end()) columns_[position->second].set(pair->value);
    }
    irregular_ += regular ? 0 : 1;
  }

  InputFile file_;
  LineReader lines_;
  std::int64_t rows_;
  bool any_ = false;
  std::vector<ColumnCells> columns_;
  std::unordered_map<std::uint64_t, std::size_t> positions_;
  std::size_t label_ = static_cast<std::size_t>(-1);
};

}  // namespace

std::unique_ptr<BatchSource> open_libsvm(const SourceRequest& request) {
  return std::make_unique<LibsvmSource>(request);
}

std::vector<RawColumn> libsvm_columns(const InputFile& file, const schema::TextFormat& format) {
  constexpr int kLines = 10'000;
  constexpr std::uint64_t kMaximumIndex = 1'000'000;
  LineReader lines(file, format);
  std::uint64_t first = 1;
  std::uint64_t last = 0;
  std::string_view line;
  for (int seen = 0; seen < kLines && lines.next(line); ++seen) {
    next_token(line);
    for (std::string_view token = next_token(line); !token.empty(); token = next_token(line)) {
      const auto pair = split_pair(token);
      if (!pair) continue;
      first = std::min(first, pair->index);
      last = std::max(last, std::min(pair->index, kMaximumIndex));
    }
  }
  std::vector<RawColumn> columns = {{"label", "number"}};
  for (std::uint64_t index = first; index <= last; ++index) columns.push_back({std::to_string(index), "number"});
  return columns;
}

}  // namespace dperm::data
