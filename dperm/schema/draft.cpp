// SPDX-License-Identifier: Apache-2.0
#include "dperm/schema/draft.hpp"

#include <fmt/format.h>
#include <toml++/toml.h>

#include <optional>
#include <sstream>
#include <unordered_map>
#include <utility>

#include "dperm/core/error.hpp"
#include "dperm/core/nearest.hpp"
#include "dperm/schema/cell_text.hpp"
#include "dperm/schema/entry_names.hpp"
#include "dperm/schema/parse_column.hpp"
#include "dperm/schema/toml_table.hpp"
#include "dperm/schema/toml_text.hpp"

namespace dperm::schema {

namespace {

// A key that is not there, or still says "FILL IN".
bool is_blank(const toml::table& entry, std::string_view key) {
  const toml::node* node = entry.get(key);
  if (node == nullptr) return true;
  const auto says_so = [](const toml::node& each) {
    const auto* text = each.as_string();
    return text != nullptr && (trimmed(text->get()) == kFillIn || trimmed(text->get()).empty());
  };
  if (const auto* list = node->as_array()) return list->empty() || says_so(*list->get(0));
  return says_so(*node);
}

std::string text_of(const toml::table& entry, std::string_view key) {
  return is_blank(entry, key) ? "" : entry[key].value_or(std::string());
}

// A key that stays as it is written unless it is blank.
template <class Value>
void fill(toml::table& entry, std::string_view key, Value value) {
  if (is_blank(entry, key)) entry.insert_or_assign(key, std::move(value));
}

toml::array as_array(const std::vector<std::string>& texts) {
  toml::array result;
  for (const std::string& text : texts) result.push_back(text);
  return result;
}

std::optional<Blank::Lacks> lacking(const toml::table& entry, bool is_target) {
  const std::string kind = text_of(entry, "kind");
  if (kind.empty()) return Blank::Lacks::kind;
  if (kind == "real" || kind == "integer") {
    if (is_blank(entry, "lower") || is_blank(entry, "upper")) return Blank::Lacks::bounds;
  } else if (kind == "category" || kind == "class") {
    if (is_blank(entry, "values")) return Blank::Lacks::values;
  } else if (is_target && kind == "binary") {
    if (is_blank(entry, "positive") && !entry.contains("threshold")) return Blank::Lacks::kind;
  }
  return std::nullopt;
}

}  // namespace

struct Draft::Parts {
  std::string origin;
  toml::table root;  // without its columns and its target
  std::optional<toml::table> target;
  bool lacks_target = false;                            // one is asked for, and it says "FILL IN"
  std::vector<toml::table> columns;                     // one name each
  std::unordered_map<std::string, std::size_t> places;  // of names; the first of a name that is there twice
  TextFormat format;
  std::optional<Unit> unit;
  std::string dataset;

  static std::string name_of(const toml::table& entry) { return text_of(entry, "name"); }
  std::string target_name() const { return target ? text_of(*target, "column") : ""; }

  // As the entry says, or the whole table.
  NumberStyle style_of(const toml::table& entry) const {
    const toml::table* const whole = root["format"].as_table();
    const NumberStyle usual = whole == nullptr ? NumberStyle{} : read_style(TomlTable(*whole, origin, "[format]"), {});
    return read_style(TomlTable(entry, origin, fmt::format("column '{}'", name_of(entry))), usual);
  }

  // The whole schema, every entry as `as` makes it.
  template <class As>
  toml::table assembled(const As& as) const {
    toml::table whole = root;
    if (target) whole.insert_or_assign("target", as(*target, true));
    toml::array list;
    for (const toml::table& entry : columns) {
      if (!is_target(name_of(entry))) list.push_back(as(entry, false));
    }
    if (!list.empty()) whole.insert_or_assign("column", std::move(list));
    return whole;
  }

  bool is_target(const std::string& name) const { return target && target_name() == name; }
  toml::table& entry(const std::string& name) {
    if (is_target(name)) return *target;
    const auto found = places.find(name);
    if (found == places.end()) {
      std::vector<std::string> known;
      for (const toml::table& column : columns) known.push_back(name_of(column));
      throw ArgumentError(
          fmt::format("{} has no column '{}'{}", origin, name, did_you_mean(name, {known.begin(), known.end()})));
    }
    return columns[found->second];
  }

  void add(toml::table column) {
    places.emplace(name_of(column), columns.size());
    columns.push_back(std::move(column));
  }
};

Draft::Draft(std::unique_ptr<Parts> parts) : parts_(std::move(parts)) {}
Draft::Draft(Draft&&) noexcept = default;
Draft& Draft::operator=(Draft&&) noexcept = default;
Draft::~Draft() = default;

Draft Draft::parse(std::string_view toml_text, std::string_view origin) {
  auto parts = std::make_unique<Parts>();
  parts->origin = origin;
  parts->root = parse_toml(toml_text, origin);
  if (const toml::table* target = parts->root["target"].as_table()) {
    parts->lacks_target = is_blank(*target, "column");
    if (!parts->lacks_target) parts->target = *target;
  }
  if (const toml::array* list = parts->root["column"].as_array()) {
    Copies copies(kMostDraftBytes);
    for (const toml::node& node : *list) {
      if (node.as_table() == nullptr) continue;
      const TomlTable entry(*node.as_table(), origin, fmt::format("[[column]] number {}", parts->columns.size() + 1));
      const std::vector<std::string> names = read_names(entry);
      toml::table one = *node.as_table();
      one.erase("names");
      one.erase("range");
      copies.count(entry, names.size(), kNameBytes + bytes_of(one));
      for (const std::string& name : names) {
        one.insert_or_assign("name", name);
        parts->add(one);
      }
    }
  }
  parts->root.erase("target");
  parts->root.erase("column");
  // The format is needed before all blanks are filled; a schema of nothing but a number has no blanks.
  toml::table only_format = parts->root;
  only_format.erase("pairs");
  only_format.erase("inferred");
  only_format.insert("target", toml::table{{"column", "x"}, {"kind", "real"}, {"lower", 0}, {"upper", 1}});
  const Schema known = schema_of(only_format, origin);
  parts->format = known.format;
  parts->unit = known.unit;
  parts->dataset = known.dataset;
  return Draft(std::move(parts));
}

Draft Draft::of_columns(const std::vector<std::string>& names, const TextFormat& format) {
  Draft draft = parse("version = 1\n" + format_toml(format), "the table");
  constexpr std::size_t kEntryBytes = 500;  // of a column of which the name alone is known
  constexpr std::size_t kMost = kMostDraftBytes / kEntryBytes;
  if (names.size() > kMost) {
    throw DataError(fmt::format(
        "the table has {} columns; at most {} can be filled in. Write a schema with their bounds and values "
        "instead: one entry, with names or range, for columns that are alike",
        names.size(), kMost));
  }
  for (const std::string& name : names) draft.parts_->add(toml::table{{"name", name}});
  return draft;
}

const TextFormat& Draft::format() const { return parts_->format; }
const std::optional<Unit>& Draft::unit() const { return parts_->unit; }
const std::string& Draft::dataset() const { return parts_->dataset; }

std::vector<std::string> Draft::names() const {
  std::vector<std::string> result;
  for (const toml::table& entry : parts_->columns) result.push_back(Parts::name_of(entry));
  if (parts_->target) result.push_back(parts_->target_name());
  return result;
}

std::vector<Blank> Draft::blanks() const {
  std::vector<Blank> result;
  for (const toml::table& entry : parts_->columns) {
    if (parts_->is_target(Parts::name_of(entry))) continue;
    if (const auto lacks = lacking(entry, false)) {
      result.push_back({Parts::name_of(entry), *lacks, false, parts_->style_of(entry)});
    }
  }
  if (parts_->target) {
    if (const auto lacks = lacking(*parts_->target, true)) {
      result.push_back({parts_->target_name(), *lacks, true, parts_->style_of(*parts_->target)});
    }
  }
  return result;
}

bool Draft::lacks_target() const { return parts_->lacks_target && !parts_->target; }

void Draft::set_target(const std::string& name, const std::string& kind) {
  if (!parts_->is_target(name)) {
    parts_->entry(name);  // must be there
    parts_->target = toml::table{{"column", name}};
  }
  if (!kind.empty()) parts_->target->insert_or_assign("kind", kind);
}

void Draft::ignore(const std::string& name) { parts_->entry(name).insert_or_assign("kind", "ignore"); }

void Draft::identify(const std::string& name) { parts_->entry(name).insert_or_assign("kind", "identifier"); }

void Draft::set_unit(const Unit& unit) {
  identify(unit.column);
  parts_->unit = unit;
  parts_->root.insert_or_assign("unit", toml::table{{"column", unit.column}, {"rows", unit.rows}});
}

void Draft::set_description(const std::string& name, const std::string& description) {
  fill(parts_->entry(name), "description", description);
}

void Draft::set_bounds(const std::string& name, double lower, double upper, Scale scale, const std::string& kind) {
  toml::table& entry = parts_->entry(name);
  // A log scale belongs to both inferred bounds; where one was given, the column stays as it was described.
  const bool both = is_blank(entry, "lower") && is_blank(entry, "upper");
  if (both && scale == Scale::log && !parts_->is_target(name)) fill(entry, "scale", std::string("log"));
  fill(entry, "kind", parts_->is_target(name) ? std::string("real") : kind);
  fill(entry, "lower", lower);
  fill(entry, "upper", upper);
}

void Draft::set_values(const std::string& name, const std::vector<std::string>& values) {
  toml::table& entry = parts_->entry(name);
  const bool target = parts_->is_target(name);
  fill(entry, "kind", std::string(target ? "class" : "category"));
  fill(entry, "values", as_array(values));
  if (!target && !entry.contains("other")) entry.insert("other", true);
}

void Draft::set_positive(const std::string& name, const std::string& value) {
  toml::table& entry = parts_->entry(name);
  fill(entry, "kind", std::string("binary"));
  fill(entry, "positive", value);
}

void Draft::set_threshold(const std::string& name, double threshold) {
  toml::table& entry = parts_->entry(name);
  fill(entry, "kind", std::string("binary"));
  if (is_blank(entry, "positive")) {
    entry.erase("positive");
    fill(entry, "threshold", threshold);
  }
}

Schema Draft::finish() const {
  return schema_of(parts_->assembled([](const toml::table& entry, bool) { return entry; }), parts_->origin);
}

std::string Draft::text() const {
  std::ostringstream text;
  text << parts_->assembled([](const toml::table& entry, bool) { return entry; });
  return std::move(text).str();
}

void Draft::check() const {
  // Something that fits in every blank.
  schema_of(parts_->assembled([](const toml::table& entry, bool is_target) {
    if (!lacking(entry, is_target)) return entry;
    if (!is_target) return toml::table{{"name", Parts::name_of(entry)}, {"kind", "boolean"}};
    return toml::table{{"column", text_of(entry, "column")}, {"kind", "real"}, {"lower", 0}, {"upper", 1}};
  }),
            parts_->origin);
}

}  // namespace dperm::schema
