// SPDX-License-Identifier: Apache-2.0
#include "dperm/data/source/judged_column.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <unordered_set>

#include "dperm/data/identifiers.hpp"
#include "dperm/schema/cell_text.hpp"
#include "dperm/schema/dates.hpp"

namespace dperm::data {

namespace {

constexpr std::size_t kFewestNamed = 20;  // cells; fewer differ by chance
constexpr std::size_t kFewestUnnamed = 100;

bool is_upper(char c) { return c >= 'A' && c <= 'Z'; }
bool is_letter(char c) { return is_upper(c) || (c >= 'a' && c <= 'z'); }
char lower(char c) { return is_upper(c) ? static_cast<char>(c - 'A' + 'a') : c; }

using Cells = std::vector<std::string_view>;

template <class Fits>
bool all(const Cells& cells, Fits fits) {
  return std::all_of(cells.begin(), cells.end(), fits);
}

bool all_numbers(const Cells& cells, const schema::NumberStyle& style) {
  return all(cells, [&](std::string_view text) { return !std::isnan(schema::parse_number(text, style)); });
}

// Both must be there: a column that says "no" only may say something else further down.
bool all_truths(const Cells& cells) {
  return all(cells, [](std::string_view text) { return schema::is_true_text(text) || schema::is_false_text(text); }) &&
         !all(cells, schema::is_true_text) && !all(cells, schema::is_false_text);
}

// Signs that stand in some cell, among the usual ones.
std::vector<std::string> signs_of(const Cells& cells) {
  std::vector<std::string> signs;
  for (const char* sign : {"$", "\u20ac", "\u00a3", "%"}) {
    if (std::any_of(cells.begin(), cells.end(),
                    [&](std::string_view text) { return text.find(sign) != std::string_view::npos; })) {
      signs.emplace_back(sign);
    }
  }
  return signs;
}

// The plainest style in which every cell is a number.
bool find_style(const Cells& cells, schema::NumberStyle& style) {
  const std::vector<std::string> signs = signs_of(cells);
  for (const schema::NumberStyle& each :
       {schema::NumberStyle{'.', "", signs}, schema::NumberStyle{'.', ",", signs}, schema::NumberStyle{',', "", signs},
        schema::NumberStyle{',', ".", signs}, schema::NumberStyle{'.', "'", signs},
        schema::NumberStyle{'.', " ", signs}, schema::NumberStyle{',', " ", signs}}) {
    if (!all_numbers(cells, each)) continue;
    style = each;
    return true;
  }
  return false;
}

// ISO, or the usual formats that fit every cell: more than one where days and months cannot be told apart.
bool find_dates(const Cells& cells, std::vector<std::string>& formats) {
  if (all(cells, [](std::string_view text) { return schema::parse_iso_date(text).has_value(); })) return true;
  for (const char* format : {"%d/%m/%Y", "%m/%d/%Y", "%Y/%m/%d", "%d.%m.%Y", "%d-%m-%Y", "%d %b %Y", "%d-%b-%Y",
                             "%b %d %Y", "%m/%d/%Y %H:%M", "%d/%m/%Y %H:%M", "%d.%m.%Y %H:%M", "%Y-%m-%dT%H:%M:%S%z"}) {
    const std::vector<std::string> only = {format};
    if (all(cells, [&](std::string_view text) { return schema::parse_date(text, only).has_value(); })) {
      formats.emplace_back(format);
    }
  }
  return !formats.empty();
}

// Whole numbers that count on by one.
bool counts_on(const Cells& cells) {
  for (std::size_t i = 1; i < cells.size(); ++i) {
    if (schema::parse_number(cells[i]) - schema::parse_number(cells[i - 1]) != 1) return false;
  }
  return true;
}

// In small letters: patient_nbr, patientNbr and PATIENT-NBR are patient and nbr.
std::vector<std::string> words_of(std::string_view name) {
  std::vector<std::string> words = {""};
  for (std::size_t i = 0; i < name.size(); ++i) {
    const bool starts = is_upper(name[i]) && i > 0 && !is_upper(name[i - 1]);
    if (!is_letter(name[i]) || starts) words.emplace_back();
    if (is_letter(name[i])) words.back() += lower(name[i]);
  }
  return words;
}

// Whoever a row is about, at the end of a name: "person", "the_patient"; not "person_years".
bool names_somebody(std::string_view word) {
  constexpr std::array<std::string_view, 7> kWho = {"person", "patient", "customer", "client",
                                                    "member", "subject", "user"};
  return std::find(kWho.begin(), kWho.end(), word) != kWho.end();
}

bool is_number_word(std::string_view word) {
  constexpr std::array<std::string_view, 11> kWords = {"id",  "ids", "uuid", "guid",  "identifier", "nbr",
                                                       "ssn", "mrn", "key",  "email", "phone"};
  return std::find(kWords.begin(), kWords.end(), word) != kWords.end();
}

}  // namespace

bool is_identifier(const RawColumn& column, const std::vector<std::string_view>& cells) {
  if (column.type == "date" || column.type == "boolean" || cells.size() < kFewestNamed) return false;
  const std::unordered_set<std::string_view> distinct(cells.begin(), cells.end());
  if (names_identifier(column.name)) return 2 * distinct.size() > cells.size();
  if (distinct.size() < cells.size() || cells.size() < kFewestUnnamed) return false;
  return column.type == "text" || counts_on(cells);
}

bool is_code(std::string_view text) {
  return text.size() > 1 && text[0] == '0' &&
         std::all_of(text.begin(), text.end(), [](char c) { return c >= '0' && c <= '9'; });
}

bool names_identifier(std::string_view name) {
  const std::vector<std::string> words = words_of(name);
  return names_somebody(words.back()) || std::any_of(words.begin(), words.end(), is_number_word);
}

bool may_name_persons(std::string_view name) {
  const std::vector<std::string> words = words_of(name);
  const bool code = std::any_of(words.begin(), words.end(), [](const std::string& word) {
    constexpr std::array<std::string_view, 12> kCodes = {"type",     "kind",  "source",  "status",
                                                         "category", "class", "group",   "level",
                                                         "region",   "state", "country", "disposition"};
    return std::find(kCodes.begin(), kCodes.end(), word) != kCodes.end();
  });
  return !code && names_identifier(name);
}

RawColumn judged_column(std::string name, const arrow::BinaryViewArray& array, const schema::TextFormat& format) {
  Cells cells;
  for (std::int64_t i = 0; i < array.length(); ++i) {
    const std::string_view text = schema::trimmed(array.GetView(i));
    if (std::find(format.missing.begin(), format.missing.end(), text) == format.missing.end()) cells.push_back(text);
  }
  RawColumn column{std::move(name), "text"};
  if (cells.empty()) return column;
  const bool codes = std::any_of(cells.begin(), cells.end(), is_code);
  if (!codes && all_numbers(cells, {})) {
    column.type = "number";
  } else if (all_truths(cells)) {
    column.type = "boolean";
  } else if (find_dates(cells, column.date_formats)) {
    column.type = "date";
  } else if (!codes && find_style(cells, column.style)) {
    column.type = "number";
  }
  column.identifier = is_identifier(column, cells);
  return column;
}

}  // namespace dperm::data
