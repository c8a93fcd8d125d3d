// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <optional>
#include <set>

#include "dperm/data/cell_readers.hpp"
#include "dperm/data/owner_look.hpp"
#include "dperm/schema/dates.hpp"

namespace dperm::data {

namespace {

// Whether two of the formats read the text as different moments: 03/04/2020 by day and month, and by month and day.
bool is_ambiguous(std::string_view text, const std::vector<std::vector<std::string>>& formats) {
  std::optional<double> first;
  for (const std::vector<std::string>& each : formats) {
    const auto moment = schema::parse_date(text, each);
    if (!moment) continue;
    if (first && *first != moment->days()) return true;
    first = moment->days();
  }
  return false;
}

}  // namespace

void add_date_alarms(const std::vector<InputFile>& files, const schema::Encoding& encoding, Workers& workers,
                     std::vector<Alarm>& alarms) {
  const MissingTexts missing(encoding.schema().format.missing);
  std::set<std::string> seen;
  for (const schema::Column& column : encoding.schema().columns) {
    if (column.date_formats.size() < 2) continue;
    std::vector<std::vector<std::string>> formats;
    for (const std::string& format : column.date_formats) formats.push_back({format});
    for (const std::string& source : schema::sources_of(column)) {
      if (!seen.insert(source).second) continue;
      std::size_t rows = 0;
      for_each_group(files, encoding, {{source, true, false}}, workers, [&](const Batches& batches) {
        for (const auto& batch : batches) {
          std::vector<unsigned char> found(rows_of(*batch));
          const auto look = [&](std::string_view text, bool absent) -> unsigned char {
            return !absent && is_ambiguous(text, formats) ? 1 : 0;
          };
          map_cells(*batch->column(0), text_cell(missing, schema::Compare::text, look), found.data());
          rows += static_cast<std::size_t>(std::count(found.begin(), found.end(), 1));
        }
      });
      if (rows > 0) alarms.push_back({AlarmKind::ambiguous_date, source, "", rows});
    }
  }
}

}  // namespace dperm::data
