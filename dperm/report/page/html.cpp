// SPDX-License-Identifier: Apache-2.0
#include "dperm/report/page/html.hpp"

#include <fmt/format.h>

#include <cmath>

#include "dperm/report/svg.hpp"

namespace dperm::report {

namespace {

std::string opening(std::string_view name, const Attributes& attributes) {
  std::string text = fmt::format("<{}", name);
  for (const auto& [key, value] : attributes) text += fmt::format(" {}=\"{}\"", key, escaped(value));
  return text + ">";
}

}  // namespace

Html::Html(std::string_view text) : text_(escaped(text)) {}

Html Html::markup(std::string text) {
  Html result;
  result.text_ = std::move(text);
  return result;
}

Html& Html::operator+=(const Html& other) {
  text_ += other.text_;
  return *this;
}

Html element(std::string_view name, const Attributes& attributes, const Html& content) {
  return Html::markup(fmt::format("{}{}</{}>\n", opening(name, attributes), content.text(), name));
}

Html mark(std::string_view name, const Attributes& attributes) {
  return Html::markup(opening(name, attributes) + "\n");
}

namespace {

// Within a line no blank may come after it.
Html within_line(std::string_view name, const Html& content) {
  return Html::markup(fmt::format("<{0}>{1}</{0}>", name, content.text()));
}

}  // namespace

Html paragraph(const Html& content) { return content.empty() ? Html() : element("p", content); }
Html strong(const Html& content) { return within_line("strong", content); }
Html code(const Html& content) { return within_line("code", content); }
Html small(const Html& content) { return element("p", {{"class", "small"}}, content); }

Html list(const std::vector<Html>& items) {
  Html content;
  for (const Html& each : items) content += element("li", each);
  return items.empty() ? Html() : element("ul", content);
}

Html commands(const std::vector<std::string>& lines) {
  Html content;
  for (const std::string& line : lines) content += (content.empty() ? Html() : Html::markup("\n")) + Html(line);
  return element("pre", code(content));
}

Html with_code(std::string_view text) {
  Html result;
  bool inside = false;
  while (true) {
    const std::size_t tick = text.find('`');
    const Html part(text.substr(0, tick));
    const bool closed = inside && tick != std::string_view::npos;
    result += closed ? code(part) : inside ? Html("`") + part : part;
    if (tick == std::string_view::npos) return result;
    inside = !inside;
    text.remove_prefix(tick + 1);
  }
}

Html details(const Html& summary, const Html& content) {
  return element("details", element("summary", summary) + content);
}

Html table(const std::string& label, const std::vector<TableColumn>& columns,
           const std::vector<std::vector<Html>>& rows) {
  const auto cell = [&](std::size_t j, const Html& content, bool heading) {
    const std::string_view kind = columns[j].numbers ? "n" : "t";
    if (heading) return element("th", {{"scope", "col"}, {"class", std::string(kind)}}, content);
    return j == 0 ? element("th", {{"scope", "row"}}, content) : element("td", {{"class", std::string(kind)}}, content);
  };
  Html head, body;
  for (std::size_t j = 0; j < columns.size(); ++j) head += cell(j, columns[j].heading, true);
  for (const std::vector<Html>& row : rows) {
    Html cells;
    for (std::size_t j = 0; j < row.size(); ++j) cells += cell(j, row[j], false);
    body += element("tr", cells);
  }
  const Html content =
      element("table", {{"aria-label", label}}, element("thead", element("tr", head)) + element("tbody", body));
  return element("div", {{"class", "scroll"}, {"role", "region"}, {"tabindex", "0"}, {"aria-label", label}}, content);
}

Html terms(const std::vector<std::pair<Html, Html>>& entries) {
  Html content;
  for (const auto& [term, meaning] : entries) {
    content += element("div", element("dt", term) + element("dd", meaning));
  }
  return element("dl", content);
}

}  // namespace dperm::report
