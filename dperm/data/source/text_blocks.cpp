// SPDX-License-Identifier: Apache-2.0
#include "dperm/data/source/text_blocks.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <deque>
#include <utility>

#include "dperm/core/error.hpp"

namespace dperm::data {

namespace {

// Measured on 28 number columns: 1 to 4 MiB are equally fast, larger blocks only cost memory.
constexpr std::size_t kBlockBytes = std::size_t{2} << 20;

std::shared_ptr<arrow::ResizableBuffer> make_buffer(std::size_t bytes) {
  auto made = arrow::AllocateResizableBuffer(static_cast<std::int64_t>(bytes + TextBlock::kPadding));
  if (!made.ok()) throw DataError("not enough memory to read the file");
  return std::shared_ptr<arrow::ResizableBuffer>(std::move(*made));
}

std::size_t whole_lines(std::string_view text, const RecordRules& rules) {
  std::size_t end = text.size();
  for (int kept = -1; kept < rules.skip_last; ++kept) {
    const std::size_t found = end == 0 ? std::string_view::npos : text.rfind(rules.line_end, end - 1);
    if (found == std::string_view::npos) return 0;
    end = found;
  }
  return end + 1;
}

// Bytes of the first record, in which quotes may hold line ends; 0 where its end is not there.
std::size_t quoted_record(std::string_view text, const RecordRules& rules) {
  bool quoted = false;
  bool cell_start = true;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (quoted) {
      if (c != '"') continue;
      const bool doubled = i + 1 < text.size() && text[i + 1] == '"';
      quoted = doubled;
      i += doubled ? 1 : 0;
    } else if (cell_start && c == '"') {
      quoted = true;
      cell_start = false;
    } else if (c == rules.line_end) {
      return i + 1;
    } else {
      cell_start = c == rules.delimiter;
    }
  }
  return 0;
}

std::size_t whole_quoted_records(std::string_view text, const RecordRules& rules) {
  std::deque<std::size_t> ends = {0};
  while (const std::size_t bytes = quoted_record(text.substr(ends.back()), rules)) {
    ends.push_back(ends.back() + bytes);
    if (ends.size() > static_cast<std::size_t>(rules.skip_last) + 1) ends.pop_front();
  }
  return ends.size() > static_cast<std::size_t>(rules.skip_last) ? ends.front() : 0;
}

}  // namespace

std::size_t whole_records(std::string_view text, const RecordRules& rules) {
  return rules.multi_line ? whole_quoted_records(text, rules) : whole_lines(text, rules);
}

TextBlocks::TextBlocks(const InputFile& file, std::shared_ptr<arrow::io::InputStream> stream, const RecordRules& rules,
                       std::size_t first_line)
    : file_(file), stream_(std::move(stream)), rules_(rules), line_(first_line), held_(make_buffer(kBlockBytes)) {}

std::string_view TextBlocks::text() const { return {reinterpret_cast<const char*>(held_->data()), size_}; }

TextBlock TextBlocks::next() {
  while (!at_end_) {
    fill();
    if (skipping_) continue;
    const std::size_t whole = whole_records(text(), rules_);
    if (at_end_ && rules_.multi_line && size_ > 0) {
      RecordRules all = rules_;
      all.skip_last = 0;
      if (whole_records(text(), all) != size_) never_closed();
    }
    if (whole > 0) return take(whole);
    if (rules_.multi_line && size_ > kLongestLine) never_closed();
  }
  return {};
}

// One more piece of the stream; at its end every line has an end.
void TextBlocks::fill() {
  const std::size_t room = static_cast<std::size_t>(held_->size()) - TextBlock::kPadding;
  if (room - size_ < kBlockBytes) {
    const std::size_t larger = std::max(2 * room, size_ + kBlockBytes);
    const auto grown = held_->Resize(static_cast<std::int64_t>(larger + TextBlock::kPadding));
    if (!grown.ok()) throw DataError("not enough memory to read the file");
  }
  char* piece = reinterpret_cast<char*>(held_->mutable_data()) + size_;
  const auto read = stream_->Read(static_cast<std::int64_t>(kBlockBytes), piece);
  if (!read.ok()) stream_failed(file_, read.status());
  auto got = static_cast<std::size_t>(*read);
  at_end_ = got == 0;
  if (skipping_ && !at_end_) {
    const auto* end = static_cast<const char*>(std::memchr(piece, rules_.line_end, got));
    if (end == nullptr) return;
    got -= static_cast<std::size_t>(end - piece);
    std::memmove(piece, end, got);
  }
  skipping_ = false;
  size_ += got;
  if (at_end_ && size_ > 0 && text().back() != rules_.line_end) {
    *piece = rules_.line_end;  // kBlockBytes are free there
    ++size_;
  }
  if (!rules_.multi_line && !at_end_) limit_last_line();
}

void TextBlocks::limit_last_line() {
  if (size_ <= kLongestLine) return;
  const std::size_t end = text().rfind(rules_.line_end);
  const std::size_t start = end == std::string_view::npos ? 0 : end + 1;
  if (size_ - start <= kLongestLine) return;
  size_ = start + kLongestLine;
  skipping_ = true;
}

TextBlock TextBlocks::take(std::size_t bytes) {
  const std::size_t rest = size_ - bytes;
  auto next = make_buffer(std::max(kBlockBytes, rest) + kBlockBytes);
  std::memcpy(next->mutable_data(), held_->data() + bytes, rest);
  if (rules_.multi_line) {
    line_ += static_cast<std::size_t>(
        std::count(text().begin(), text().begin() + static_cast<std::ptrdiff_t>(bytes), rules_.line_end));
  }
  TextBlock block{std::exchange(held_, std::move(next)), bytes};
  size_ = rest;
  std::memset(block.data() + bytes, 0, TextBlock::kPadding);
  return block;
}

void TextBlocks::never_closed() const {
  throw DataError(fmt::format(
      "{}: a quoted cell in a record that begins on line {} or later is not closed within {} MiB; close the "
      "quote or remove it, or leave multi_line out of the schema: then a line is a record",
      file_.path, line_, kLongestLine >> 20));
}

}  // namespace dperm::data
