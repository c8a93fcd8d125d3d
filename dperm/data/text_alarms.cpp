// SPDX-License-Identifier: Apache-2.0
#include <arrow/util/utf8.h>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "dperm/data/cell_readers.hpp"
#include "dperm/data/owner_look.hpp"
#include "dperm/schema/cell_text.hpp"

namespace dperm::data {

namespace {

// A text by which those that people take for the same are the same: Yes and yes, 1 and 1.0.
std::string as_people_read(std::string_view text) {
  if (const double number = schema::parse_number(text); std::isfinite(number)) return fmt::format("{}", number + 0.0);
  std::string result(text);
  for (char& c : result) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  return result;
}

enum class TextFit : unsigned char { listed, other, almost, no_utf8 };

// Texts of one column beside its list.
struct ListedTexts {
  ListedTexts(const std::string& column, const std::vector<std::string>& listed, bool target, bool texts)
      : name(column), is_target(target), as_they_stand(texts), values(listed.begin(), listed.end()) {
    for (const std::string& each : listed) read.insert(as_people_read(each));
  }

  TextFit fit(std::string_view text) const {
    if (!arrow::util::ValidateUTF8(text)) return TextFit::no_utf8;
    if (!as_they_stand || values.contains(std::string(text))) return TextFit::listed;
    return read.contains(as_people_read(text)) ? TextFit::almost : TextFit::other;
  }

  std::string name;
  bool is_target;
  bool as_they_stand;  // compared as texts: upper and lower case are not the same
  std::set<std::string> values, read;
  std::size_t almost = 0, no_utf8 = 0;
};

std::vector<ListedTexts> texts_of(const schema::Schema& schema, bool with_target) {
  std::vector<ListedTexts> texts;
  for (const schema::Column& column : schema.columns) {
    if (column.kind != schema::ColumnKind::category || column.part != schema::DatePart::none) continue;
    texts.emplace_back(column.name, column.values, false, column.compare == schema::Compare::text);
  }
  const schema::Target& target = schema.target;
  const auto& listed = target.kind == schema::TargetKind::binary ? target.positive : target.values;
  if (with_target && !listed.empty())
    texts.emplace_back(target.name, listed, true, target.compare == schema::Compare::text);
  return texts;
}

void count(const arrow::Array& cells, const MissingTexts& missing, ListedTexts& texts) {
  std::vector<TextFit> found(static_cast<std::size_t>(cells.length()));
  map_cells(cells,
            text_cell(missing, schema::Compare::text,
                      [&](std::string_view text, bool absent) { return absent ? TextFit::listed : texts.fit(text); }),
            found.data());
  texts.almost += static_cast<std::size_t>(std::ranges::count(found, TextFit::almost));
  texts.no_utf8 += static_cast<std::size_t>(std::ranges::count(found, TextFit::no_utf8));
}

}  // namespace

void add_text_alarms(const std::vector<InputFile>& files, const schema::Encoding& encoding, bool with_target,
                     Workers& workers, std::vector<Alarm>& alarms) {
  arrow::util::InitializeUTF8();
  std::vector<ListedTexts> texts = texts_of(encoding.schema(), with_target);
  std::vector<WantedColumn> wanted;
  for (const ListedTexts& each : texts) wanted.push_back({each.name, true, each.is_target});
  if (wanted.empty()) return;
  const MissingTexts missing(encoding.schema().format.missing);
  std::size_t rows = 0;
  for_each_group(files, encoding, wanted, workers, [&](const Batches& batches) {
    for (const auto& batch : batches) rows += rows_of(*batch);
    workers.run(texts.size(), [&](std::size_t column) {
      for (const auto& batch : batches) count(*batch->column(static_cast<int>(column)), missing, texts[column]);
    });
  });
  for (const ListedTexts& each : texts) {
    if (each.no_utf8 > 0) alarms.push_back({AlarmKind::not_utf8, each.name, "", each.no_utf8});
    const std::size_t enough = each.is_target ? 1 : rows / kFewRowsOneIn + 1;
    if (each.almost >= enough) alarms.push_back({AlarmKind::almost_listed, each.name, "", each.almost});
  }
}

}  // namespace dperm::data
