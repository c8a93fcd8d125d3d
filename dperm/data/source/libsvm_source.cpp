// SPDX-License-Identifier: Apache-2.0
// LIBSVM text: "label index:value ...", one record a line, absent values are 0. Columns are called by their index, the
// label is the column "label".

#include <arrow/array.h>
#include <arrow/buffer.h>
#include <arrow/builder.h>
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <optional>
#include <unordered_map>

#include "dperm/core/error.hpp"
#include "dperm/data/arrow_columns.hpp"
#include "dperm/data/reader.hpp"
#include "dperm/data/source/source.hpp"
#include "dperm/schema/cell_text.hpp"

namespace dperm::data {

namespace {

constexpr std::size_t kChunk = std::size_t{1} << 20;

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

// Lines of a stream, read a block at a time.
class LineReader {
 public:
  explicit LineReader(const InputFile& file) : file_(file), stream_(open_stream(file)) {}

  bool next(std::string_view& line) {
    while (true) {
      const std::size_t end = bytes_.find('\n', searched_);
      if (end != std::string::npos || (at_end_ && start_ < bytes_.size())) {
        const std::size_t stop = end == std::string::npos ? bytes_.size() : end;
        line = std::string_view(bytes_).substr(start_, stop - start_);
        start_ = searched_ = std::min(stop + 1, bytes_.size());
        ++number_;
        return true;
      }
      if (at_end_) return false;
      more();
    }
  }
  std::size_t number() const { return number_; }

 private:
  void more() {
    bytes_.erase(0, start_);
    start_ = 0;
    searched_ = bytes_.size();
    const std::size_t old = bytes_.size();
    bytes_.resize(old + std::max(kChunk, old));
    const auto got = stream_->Read(static_cast<std::int64_t>(bytes_.size() - old), bytes_.data() + old);
    if (!got.ok()) stream_failed(file_, got.status());
    bytes_.resize(old + static_cast<std::size_t>(*got));
    at_end_ = *got == 0;
  }

  InputFile file_;
  std::shared_ptr<arrow::io::InputStream> stream_;
  std::string bytes_;
  std::size_t start_ = 0, searched_ = 0, number_ = 0;
  bool at_end_ = false;
};

// The cells of one wanted column of one batch, absent ones 0.
struct ColumnCells {
  bool as_text;
  std::vector<double> numbers;
  std::vector<std::string> texts;

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
  std::shared_ptr<arrow::Array> finish() {
    if (!as_text) {
      const auto length = static_cast<std::int64_t>(numbers.size());
      return std::make_shared<arrow::DoubleArray>(length, arrow::Buffer::FromVector(std::exchange(numbers, {})));
    }
    arrow::BinaryBuilder builder;
    std::shared_ptr<arrow::Array> array;
    arrow::Status status = builder.AppendValues(texts);
    if (status.ok()) status = builder.Finish(&array);
    if (!status.ok()) throw DataError("not enough memory to read the file");
    texts.clear();
    return array;
  }
};

class LibsvmSource final : public BatchSource {
 public:
  explicit LibsvmSource(const SourceRequest& request)
      : file_(request.file), lines_(request.file), rows_(rows_per_batch(request.wanted.size())) {
    for (std::size_t i = 0; i < request.wanted.size(); ++i) {
      const WantedColumn& column = request.wanted[i];
      columns_.push_back({column.as_text, {}, {}});
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
    while (rows < rows_ && lines_.next(line)) rows += add(line) ? 1 : 0;
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
  bool add(std::string_view line) {
    const std::string_view label = next_token(line);
    if (label.empty()) return false;
    if (split_pair(label)) malformed();
    for (ColumnCells& column : columns_) column.start_row();
    if (label_ < columns_.size()) columns_[label_].set(normal_label(label));
    for (std::string_view token = next_token(line); !token.empty(); token = next_token(line)) {
      if (token.starts_with("qid:")) continue;
      const auto pair = split_pair(token);
      if (!pair) malformed();
      const auto position = positions_.find(pair->index);
      if (position != positions_.end()) columns_[position->second].set(pair->value);
    }
    return true;
  }

  [[noreturn]] void malformed() const {
    throw DataError(
        fmt::format("{}:{}: a LIBSVM line must be 'label index:value index:value ...'; correct the line, or "
                    "name the file .csv if it is delimited text",
                    file_.path, lines_.number()));
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

std::vector<RawColumn> libsvm_columns(const InputFile& file) {
  constexpr std::size_t kLines = 10'000;
  constexpr std::uint64_t kMaximumIndex = 1'000'000;
  LineReader lines(file);
  std::uint64_t first = 1;
  std::uint64_t last = 0;
  std::string_view line;
  while (lines.number() < kLines && lines.next(line)) {
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
