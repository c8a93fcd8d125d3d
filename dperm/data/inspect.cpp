// SPDX-License-Identifier: Apache-2.0
#include "dperm/data/inspect.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <set>

#include "dperm/data/cell_readers.hpp"
#include "dperm/data/column_story.hpp"
#include "dperm/data/encode.hpp"
#include "dperm/data/groups.hpp"
#include "dperm/data/source/files.hpp"
#include "dperm/data/source/source.hpp"
#include "dperm/schema/cell_text.hpp"
#include "dperm/schema/rules.hpp"

namespace dperm::data {

namespace {

// All rows of all files, in their order.
void for_each_group(const std::vector<InputFile>& files, const schema::Encoding& encoding,
                    const std::vector<WantedColumn>& wanted, Workers& workers,
                    const std::function<void(const Batches&)>& look) {
  for (const InputFile& file : files) {
    const auto source = open_source({file, encoding.schema().format, wanted, true, workers.threads()});
    Groups groups(*source, workers);
    for (Batches batches = groups.next(); !batches.empty(); batches = groups.next()) look(batches);
    require_unchanged(file);
  }
}

// Stories of all columns, the target's last, and how often each target appeared.
class Stories {
 public:
  Stories(const schema::Encoding& encoding, const ColumnSet& columns) : columns_(columns) {
    const schema::Target& target = encoding.schema().target;
    binary_ = target.kind == schema::TargetKind::binary;
    has_target_ = target.kind != schema::TargetKind::none;
    story_.classes = binary_ ? 2 : target.values.size();
    story_.real = target.kind == schema::TargetKind::real;
    for (const schema::Column& column : encoding.schema().columns) {
      stories_.emplace_back(story_, schema::enters_as_number(column));
    }
    if (has_target_) stories_.emplace_back(StoryTarget{}, false);
    class_rows_.resize(story_.classes);
  }

  void add(const Batches& batches, Workers& workers) {
    const std::size_t width = stories_.size();
    std::vector<std::vector<std::int32_t>> codes(width * batches.size());
    workers.run(codes.size(),
                [&](std::size_t task) { codes[task] = columns_.codes(task % width, *batches[task / width]); });
    for (std::size_t b = 0; b < batches.size(); ++b) {
      if (has_target_) count_classes(codes[b * width + width - 1]);
    }
    workers.run(width, [&](std::size_t column) {
      for (std::size_t b = 0; b < batches.size(); ++b) {
        stories_[column].add(codes[b * width + column], codes[b * width + width - 1]);
      }
    });
  }

  const std::vector<ColumnStory>& all() const { return stories_; }
  bool has_target() const { return has_target_; }
  const std::vector<std::size_t>& class_rows() const { return class_rows_; }

 private:
  // Class numbers from here on: a binary target's are 0 and 1.
  void count_classes(std::vector<std::int32_t>& targets) {
    if (story_.classes == 0) return;
    for (std::int32_t& target : targets) {
      if (binary_) target = target > 0 ? 1 : 0;
      ++class_rows_[static_cast<std::size_t>(target)];
    }
  }

  const ColumnSet& columns_;
  bool binary_ = false, has_target_ = false;
  StoryTarget story_;
  std::vector<ColumnStory> stories_;
  std::vector<std::size_t> class_rows_;
};

std::vector<ClassCount> class_counts(const schema::Target& target, const std::vector<std::size_t>& rows) {
  std::vector<ClassCount> counts;
  if (target.kind == schema::TargetKind::classes) {
    for (std::size_t k = 0; k < rows.size(); ++k) counts.push_back({target.values[k], rows[k]});
  } else if (target.kind == schema::TargetKind::binary) {
    const std::string positive = target.threshold ? fmt::format("above {}", *target.threshold)
                                                  : fmt::format("{}", fmt::join(target.positive, " or "));
    counts = {{"any other", rows[0]}, {positive, rows[1]}};
  }
  return counts;
}

void add_cell_alarms(const CheckReport& report, std::vector<Alarm>& alarms) {
  for (const ColumnCheck& column : report.columns) {
    for (const auto& [kind, count] : {std::pair{AlarmKind::unreadable, column.unreadable},
                                      std::pair{AlarmKind::unknown_values, column.unknown_values},
                                      std::pair{AlarmKind::out_of_bounds, column.out_of_bounds}}) {
      if (2 * count > report.rows) alarms.push_back({kind, column.name, "", count});
    }
  }
}

void add_story_alarms(const ColumnSet& columns, const Stories& stories, std::size_t rows, std::vector<Alarm>& alarms) {
  const std::vector<ColumnStory>& all = stories.all();
  const std::size_t features = all.size() - (stories.has_target() ? 1 : 0);
  if (stories.has_target() && all.back().distinct() == 1) {
    alarms.insert(alarms.begin(), {AlarmKind::one_class, columns.name(features), "", rows});
  }
  std::map<std::pair<std::uint64_t, std::size_t>, std::size_t> seen;
  for (std::size_t c = 0; c < features; ++c) {
    if (all[c].distinct() < 2) continue;
    if (all[c].gives_target()) alarms.push_back({AlarmKind::copy_of_target, columns.name(c), "", rows});
    const auto [earlier, is_new] = seen.try_emplace({all[c].signature(), all[c].distinct()}, c);
    if (!is_new && all[c].is_telling())
      alarms.push_back({AlarmKind::duplicate, columns.name(c), columns.name(earlier->second), rows});
  }
}

// A text by which those that people take for the same are the same: Yes and yes, 1 and 1.0.
std::string as_people_read(std::string_view text) {
  if (const double number = schema::parse_number(text); std::isfinite(number)) return fmt::format("{}", number + 0.0);
  std::string result(text);
  for (char& c : result) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  return result;
}

// Rows whose target is none of the listed texts, but would be if people read it. They count as something else.
std::size_t almost_listed_rows(const std::vector<InputFile>& files, const schema::Encoding& encoding,
                               Workers& workers) {
  const schema::Target& target = encoding.schema().target;
  const std::vector<std::string>& listed = target.kind == schema::TargetKind::binary ? target.positive : target.values;
  if (listed.empty() || target.compare != schema::Compare::text) return 0;
  std::set<std::string> texts(listed.begin(), listed.end()), read;
  for (const std::string& each : listed) read.insert(as_people_read(each));
  const MissingTexts missing(encoding.schema().format.missing);
  std::size_t rows = 0;
  for_each_group(files, encoding, {{target.name, true, false}}, workers, [&](const Batches& batches) {
    for (const auto& batch : batches) {
      std::vector<unsigned char> found(rows_of(*batch));
      const auto look = [&](std::string_view text, bool absent) -> unsigned char {
        return !absent && !texts.contains(std::string(text)) && read.contains(as_people_read(text)) ? 1 : 0;
      };
      map_cells(*batch->column(0), text_cell(missing, schema::Compare::text, look), found.data());
      rows += static_cast<std::size_t>(std::count(found.begin(), found.end(), 1));
    }
  });
  return rows;
}

// Rows beyond the first of their identifier; rows without one do not count.
std::size_t repeated_rows(const std::vector<InputFile>& files, const schema::Encoding& encoding,
                          const std::string& identifier, Workers& workers) {
  const MissingTexts missing(encoding.schema().format.missing);
  std::vector<std::size_t> hashes;
  for_each_group(files, encoding, {{identifier, true, false}}, workers, [&](const Batches& batches) {
    for (const auto& batch : batches) {
      std::vector<std::size_t> found(rows_of(*batch));
      map_cells(*batch->column(0),
                text_cell(missing, schema::Compare::text,
                          [](std::string_view text, bool absent) {
                            return absent ? std::size_t{0} : std::hash<std::string_view>()(text) | 1;
                          }),
                found.data());
      std::copy_if(found.begin(), found.end(), std::back_inserter(hashes), [](std::size_t hash) { return hash != 0; });
    }
  });
  std::sort(hashes.begin(), hashes.end());
  const auto distinct = static_cast<std::size_t>(std::unique(hashes.begin(), hashes.end()) - hashes.begin());
  return hashes.size() - distinct;
}

}  // namespace

Inspection inspect_dataset(const std::vector<std::string>& patterns, const schema::Encoding& encoding,
                           const ReadOptions& options) {
  Inspection result;
  result.report = check_dataset(patterns, encoding, options);
  const std::vector<InputFile> files = find_files(patterns, file_kind(options.format, encoding.schema().format));
  const ColumnSet columns(encoding);
  Workers workers(options.threads);
  Stories stories(encoding, columns);
  for_each_group(files, encoding, columns.wanted(), workers,
                 [&](const Batches& batches) { stories.add(batches, workers); });
  result.classes = class_counts(encoding.schema().target, stories.class_rows());
  add_cell_alarms(result.report, result.alarms);
  add_story_alarms(columns, stories, result.report.rows, result.alarms);
  if (const std::size_t almost = almost_listed_rows(files, encoding, workers); almost > 0) {
    result.alarms.push_back({AlarmKind::almost_listed, encoding.schema().target.name, "", almost});
  }
  for (const std::string& identifier : encoding.schema().identifiers) {
    if (encoding.schema().unit && encoding.schema().unit->column == identifier) continue;  // its rows are accounted for
    const std::size_t repeated = repeated_rows(files, encoding, identifier, workers);
    if (repeated > 0) result.alarms.push_back({AlarmKind::repeated_identifier, identifier, "", repeated});
  }
  return result;
}

}  // namespace dperm::data
