// SPDX-License-Identifier: Apache-2.0
// Pieces of HTML. Text becomes one only by being escaped, so that no name in a table or file can become markup.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace dperm::report {

class Html {
 public:
  Html() = default;
  Html(std::string_view text);                                     // escaped
  Html(const char* text) : Html(std::string_view(text)) {}         // escaped
  Html(const std::string& text) : Html(std::string_view(text)) {}  // escaped
  static Html markup(std::string text);                            // this library's own words, as they are
  Html& operator+=(const Html& other);
  friend Html operator+(Html left, const Html& right) { return left += right; }
  bool empty() const { return text_.empty(); }
  const std::string& text() const { return text_; }

 private:
  std::string text_;
};

// Values are escaped; names are this library's own.
using Attributes = std::vector<std::pair<std::string_view, std::string>>;
Html element(std::string_view name, const Attributes& attributes, const Html& content);
inline Html element(std::string_view name, const Html& content) { return element(name, {}, content); }
// One without content, such as <hr>.
Html mark(std::string_view name, const Attributes& attributes);

Html paragraph(const Html& content);
Html strong(const Html& content);
Html code(const Html& content);
Html small(const Html& content);
Html list(const std::vector<Html>& items);
// Lines to type.
Html commands(const std::vector<std::string>& lines);
// The library names settings in backticks, `l2_penalty`: here they are code.
Html with_code(std::string_view text);
// What is shown on demand, without script.
Html details(const Html& summary, const Html& content);

// A column of a table: its heading, and whether it holds numbers.
struct TableColumn {
  Html heading;
  bool numbers = false;
};
// The first cell of a row is its heading. Tables scroll sideways in a box of their own where a window is too narrow;
// `label` names that box and the table.
Html table(const std::string& label, const std::vector<TableColumn>& columns,
           const std::vector<std::vector<Html>>& rows);

// Terms with what they are.
Html terms(const std::vector<std::pair<Html, Html>>& entries);

}  // namespace dperm::report
