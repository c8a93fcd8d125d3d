// SPDX-License-Identifier: Apache-2.0
#include "dperm/data/cell_readers.hpp"
#include "dperm/data/number_story.hpp"
#include "dperm/data/owner_look.hpp"
#include "dperm/schema/cell_text.hpp"

namespace dperm::data {

namespace {

struct Numbers {
  std::string name;
  schema::NumberStyle style;
  NumberStory story;
};

std::vector<Numbers> numbers_of(const schema::Schema& schema, bool with_target) {
  std::vector<Numbers> numbers;
  for (const schema::Column& column : schema.columns) {
    if (column.kind != schema::ColumnKind::real && column.kind != schema::ColumnKind::integer) continue;
    numbers.push_back({column.name, column.style, NumberStory(column.lower, column.upper, column.scale)});
  }
  const schema::Target& target = schema.target;
  if (with_target && target.kind == schema::TargetKind::real) {
    numbers.push_back({target.name, target.style, NumberStory(target.lower, target.upper, schema::Scale::linear)});
  }
  return numbers;
}

void add(const arrow::Array& cells, const MissingTexts& missing, Numbers& numbers) {
  std::vector<double> values(static_cast<std::size_t>(cells.length()));
  map_cells(cells, NumberCell{missing, numbers.style}, values.data());
  for (const double value : values) numbers.story.add(value);
}

}  // namespace

void add_number_alarms(const std::vector<InputFile>& files, const schema::Encoding& encoding, bool with_target,
                       Workers& workers, std::vector<Alarm>& alarms) {
  std::vector<Numbers> numbers = numbers_of(encoding.schema(), with_target);
  std::vector<WantedColumn> wanted;
  for (const Numbers& each : numbers) {
    wanted.push_back({each.name, false, each.name == encoding.schema().target.name});
  }
  if (wanted.empty()) return;
  const MissingTexts missing(encoding.schema().format.missing);
  for_each_group(files, encoding, wanted, workers, [&](const Batches& batches) {
    workers.run(numbers.size(), [&](std::size_t column) {
      for (const auto& batch : batches) add(*batch->column(static_cast<int>(column)), missing, numbers[column]);
    });
  });
  for (const Numbers& each : numbers) {
    const auto clamped = [&](const Alarm& alarm) {
      return alarm.kind == AlarmKind::out_of_bounds && alarm.column == each.name;
    };
    if (const auto code = each.story.code()) {
      if (2 * code->rows > each.story.outside()) std::erase_if(alarms, clamped);
      alarms.push_back({AlarmKind::code, each.name, "", code->rows, schema::number_text(code->value)});
    }
    if (std::ranges::none_of(alarms, clamped) && each.story.is_narrow()) {
      alarms.push_back({AlarmKind::too_wide, each.name, "", 0});
    }
  }
}

}  // namespace dperm::data
