// SPDX-License-Identifier: Apache-2.0
#include "dperm/data/source/csv_text.hpp"

#include <arrow/buffer.h>
#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "dperm/core/error.hpp"

namespace dperm::data {

namespace {

constexpr std::size_t kChunk = std::size_t{1} << 16;  // most headers are far shorter
// A first line longer than this is no header; the million columns dperm can use need far less.
constexpr std::size_t kMaximumHeader = std::size_t{64} << 20;

// Gives back bytes that were read ahead, then the rest of the stream.
class PrefixedStream final : public arrow::io::InputStream {
 public:
  PrefixedStream(std::string prefix, std::shared_ptr<arrow::io::InputStream> rest)
      : prefix_(std::move(prefix)), rest_(std::move(rest)) {}

  arrow::Status Close() override { return rest_->Close(); }
  bool closed() const override { return rest_->closed(); }
  arrow::Result<std::int64_t> Tell() const override { return position_; }

  arrow::Result<std::int64_t> Read(std::int64_t bytes, void* out) override {
    const std::size_t own = std::min(static_cast<std::size_t>(bytes), prefix_.size() - used_);
    std::memcpy(out, prefix_.data() + used_, own);
    used_ += own;
    std::int64_t got = static_cast<std::int64_t>(own);
    if (got < bytes) {
      ARROW_ASSIGN_OR_RAISE(const std::int64_t more, rest_->Read(bytes - got, static_cast<char*>(out) + own));
      got += more;
    }
    position_ += got;
    return got;
  }

  arrow::Result<std::shared_ptr<arrow::Buffer>> Read(std::int64_t bytes) override {
    ARROW_ASSIGN_OR_RAISE(std::shared_ptr<arrow::ResizableBuffer> buffer, arrow::AllocateResizableBuffer(bytes));
    ARROW_ASSIGN_OR_RAISE(const std::int64_t got, Read(bytes, buffer->mutable_data()));
    ARROW_RETURN_NOT_OK(buffer->Resize(got));
    return buffer;
  }

 private:
  std::string prefix_;
  std::shared_ptr<arrow::io::InputStream> rest_;
  std::size_t used_ = 0;
  std::int64_t position_ = 0;
};

// A window onto the stream that grows only as far as one record needs.
class Window {
 public:
  explicit Window(const InputFile& file) : file_(file), stream_(open_stream(file)) {}

  std::string_view text() const { return std::string_view(bytes_).substr(start_); }
  bool at_end() const { return at_end_; }
  void drop(std::size_t bytes) { start_ += bytes; }
  std::shared_ptr<arrow::io::InputStream> stream() const { return stream_; }

  // Doubles what is held, so that a record found by repeated scans costs linear time.
  void more() {
    bytes_.erase(0, start_);
    start_ = 0;
    const std::size_t want = std::max(kChunk, bytes_.size());
    const std::size_t old = bytes_.size();
    bytes_.resize(old + want);
    const auto got = stream_->Read(static_cast<std::int64_t>(want), bytes_.data() + old);
    if (!got.ok()) stream_failed(file_, got.status());
    bytes_.resize(old + static_cast<std::size_t>(*got));
    at_end_ = *got == 0;
  }

 private:
  const InputFile& file_;
  std::shared_ptr<arrow::io::InputStream> stream_;
  std::string bytes_;
  std::size_t start_ = 0;
  bool at_end_ = false;
};

[[noreturn]] void header_too_long(const InputFile& file, std::size_t line) {
  throw DataError(fmt::format("{}:{}: the header line is longer than {} MiB; is this a text file?", file.path, line,
                              kMaximumHeader >> 20));
}

// Bytes of the line at the beginning with its end. Lines are physical here: quotes mean nothing.
std::size_t line_bytes(Window& window, const InputFile& file, std::size_t line) {
  while (true) {
    const std::string_view text = window.text();
    const std::size_t end = text.find_first_of("\r\n");
    const bool decided = end != std::string_view::npos && (text[end] == '\n' || end + 1 < text.size());
    if (decided || window.at_end()) {
      if (end == std::string_view::npos) return text.size();
      const bool pair = text[end] == '\r' && end + 1 < text.size() && text[end + 1] == '\n';
      return end + (pair ? 2 : 1);
    }
    if (text.size() > kMaximumHeader) header_too_long(file, line);
    window.more();
  }
}

// The part of `bytes` that is the line: how it ends is told by the schema alone. A byte after the header's carriage
// return is a record's, which must not decide.
std::size_t up_to_line_end(std::size_t bytes, const Window& window, const InputFile& file, std::size_t line,
                           char line_end) {
  const std::string_view text = window.text().substr(0, bytes);
  if (line_end == '\r' && text.ends_with("\r\n")) return bytes - 1;
  if (line_end == '\r' && text.ends_with('\n')) {
    throw DataError(
        fmt::format("{}:{}: the line ends in a line feed, but line_end = \"\\r\" in [format] of the schema says that "
                    "lines end in a carriage return alone; leave line_end out",
                    file.path, line));
  }
  if (line_end == '\n' && text.ends_with('\r')) {
    throw DataError(
        fmt::format("{}:{}: a carriage return without a line feed after it; where all lines end so, say line_end = "
                    "\"\\r\" in [format] of the schema, or save the file with line feeds",
                    file.path, line));
  }
  return bytes;
}

// Bytes of the record at the beginning, in which quoted cells may hold line ends.
std::size_t record_bytes(Window& window, char delimiter, const InputFile& file, std::size_t line) {
  while (true) {
    const RecordShape shape = scan_record(window.text(), delimiter, window.at_end(), nullptr);
    if (shape.complete || window.at_end()) return shape.bytes;
    if (window.text().size() > kMaximumHeader) header_too_long(file, line);
    window.more();
  }
}

// Without a header the first bytes are a record's, and no record may cause a refusal.
void skip_byte_order_mark(Window& window, const InputFile& file, const schema::TextFormat& format) {
  window.more();
  if (!format.header && format.skip_rows == 0) return;
  if (window.text().starts_with("\xff\xfe") || window.text().starts_with("\xfe\xff")) {
    throw DataError(fmt::format("{}: the text is UTF-16; save it as UTF-8", file.path));
  }
  if (window.text().starts_with("\x1f\x8b") || window.text().starts_with("BZh")) {
    throw DataError(fmt::format("{}: the file is compressed; let its name end in .gz or .bz2", file.path));
  }
  if (window.text().starts_with("PK\x03\x04") || window.text().starts_with("\xd0\xcf\x11\xe0")) {
    throw DataError(fmt::format("{}: {}", file.path, kSpreadsheet));
  }
  if (window.text().starts_with("\xef\xbb\xbf")) window.drop(3);
}

struct Head {
  std::vector<std::string> names;
  std::size_t line = 1;
};

Head read_head(Window& window, const InputFile& file, const schema::TextFormat& format) {
  Head head;
  skip_byte_order_mark(window, file, format);
  for (int skipped = 0; skipped < format.skip_rows; ++skipped, ++head.line) {
    const std::size_t bytes = line_bytes(window, file, head.line);
    window.drop(up_to_line_end(bytes, window, file, head.line, format.line_end));
  }
  if (!format.header) {
    head.names = format.column_names;
    return head;
  }
  const char delimiter = delimiter_of(file, format);
  while (true) {
    const std::size_t found =
        format.multi_line ? record_bytes(window, delimiter, file, head.line) : line_bytes(window, file, head.line);
    const std::size_t bytes = up_to_line_end(found, window, file, head.line, format.line_end);
    const std::string_view line = window.text().substr(0, bytes);
    const RecordShape shape = scan_record(line, delimiter, true, &head.names);
    if (bytes == 0 || shape.unclosed) {
      throw DataError(
          fmt::format("{}:{}: no header line was found; if the file has none, set header = false and "
                      "column_names in [format] of the schema",
                      file.path, head.line));
    }
    window.drop(bytes);
    head.line += shape.lines;
    if (shape.cells > 0) return head;
  }
}

}  // namespace

RecordShape scan_record(std::string_view text, char delimiter, bool at_end, std::vector<std::string>* cells) {
  RecordShape shape;
  if (cells != nullptr) cells->clear();
  std::string cell;
  std::size_t i = 0;
  const auto keep = [&](char c) {
    if (cells != nullptr) cell += c;
  };
  const auto end_cell = [&] {
    ++shape.cells;
    if (cells != nullptr) cells->push_back(std::exchange(cell, {}));
  };
  bool cell_start = true;
  for (; i < text.size(); ++i) {
    const char c = text[i];
    if (cell_start && c == '"') {
      // Quotes are special at the start of a cell only; after the closing one the cell goes on as plain text.
      for (++i;; ++i) {
        if (i + 1 >= text.size() && !(at_end && i < text.size() && text[i] == '"')) {
          shape.unclosed = at_end;
          shape.complete = at_end;
          shape.bytes = at_end ? text.size() : 0;
          return shape;
        }
        if (text[i] != '"') {
          if (text[i] == '\n' || (text[i] == '\r' && text[i + 1] != '\n')) ++shape.lines;
          keep(text[i]);
        } else if (i + 1 < text.size() && text[i + 1] == '"') {
          keep(text[i++]);
        } else {
          break;
        }
      }
      cell_start = false;
    } else if (c == delimiter) {
      end_cell();
      cell_start = true;
    } else if (c == '\n' || c == '\r') {
      if (c == '\r' && i + 1 == text.size() && !at_end) return shape;
      if (i > 0) end_cell();
      shape.bytes = i + (c == '\r' && i + 1 < text.size() && text[i + 1] == '\n' ? 2 : 1);
      ++shape.lines;
      shape.complete = true;
      return shape;
    } else {
      keep(c);
      cell_start = false;
    }
  }
  if (!at_end) return shape;
  if (!text.empty()) end_cell();
  shape.bytes = text.size();
  shape.complete = true;
  return shape;
}

char delimiter_of(const InputFile& file, const schema::TextFormat& format) {
  return file.tabs && format.delimiter == ',' ? '\t' : format.delimiter;
}

CsvHead read_csv_head(const InputFile& file, const schema::TextFormat& format) {
  Window window(file);
  Head head = read_head(window, file, format);
  return {std::move(head.names), head.line,
          std::make_shared<PrefixedStream>(std::string(window.text()), window.stream())};
}

}  // namespace dperm::data
