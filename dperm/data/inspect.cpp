// SPDX-License-Identifier: Apache-2.0
#include "dperm/data/inspect.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>

#include "dperm/core/error.hpp"
#include "dperm/data/cell_readers.hpp"
#include "dperm/data/column_story.hpp"
#include "dperm/data/encode.hpp"
#include "dperm/data/identifiers.hpp"
#include "dperm/data/owner_look.hpp"
#include "dperm/data/repeated_block.hpp"
#include "dperm/schema/cell_text.hpp"
#include "dperm/schema/rules.hpp"

namespace dperm::data {

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

namespace {

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
    for (std::size_t b = 0; b < batches.size(); ++b) add_rows(&codes[b * width], rows_of(*batches[b]));
    workers.run(width, [&](std::size_t column) {
      for (std::size_t b = 0; b < batches.size(); ++b) {
        stories_[column].add(codes[b * width + column], codes[b * width + width - 1]);
      }
    });
  }

  const std::vector<ColumnStory>& all() const { return stories_; }
  bool has_target() const { return has_target_; }
  const std::vector<std::size_t>& class_rows() const { return class_rows_; }
  const RepeatedBlock& blocks() const { return blocks_; }

 private:
  void add_rows(const std::vector<std::int32_t>* codes, std::size_t rows) {
    for (std::size_t r = 0; r < rows; ++r) {
      std::uint64_t hash = 0xcbf29ce484222325;
      for (std::size_t c = 0; c < stories_.size(); ++c) {
        hash = (hash ^ static_cast<std::uint32_t>(codes[c][r])) * 0x100000001b3;
        hash ^= hash >> 29;
      }
      blocks_.add(hash);
    }
  }

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
  RepeatedBlock blocks_;
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

// From the counts alone.
std::vector<Alarm> cell_alarms(const CheckReport& report, const schema::Target& target) {
  std::vector<Alarm> alarms;
  const auto many = [&](std::size_t count) { return count * kFewRowsOneIn > report.rows; };
  for (const ColumnCheck& column : report.columns) {
    const bool is_target = column.name == target.name && target.kind != schema::TargetKind::none;
    if (many(column.unreadable)) alarms.push_back({AlarmKind::unreadable, column.name, "", column.unreadable});
    for (const auto& [kind, count] : {std::pair{AlarmKind::unknown_values, column.unknown_values},
                                      std::pair{AlarmKind::out_of_bounds, column.out_of_bounds}}) {
      if (2 * count > report.rows) alarms.push_back({kind, column.name, "", count});
    }
    const std::size_t unknown = 2 * column.unknown_values > report.rows ? 0 : column.unknown_values;
    if (is_target && (column.missing + unknown) * kFewTargetsOneIn > report.rows) {
      alarms.push_back({AlarmKind::no_target, column.name, "", column.missing + unknown});
    }
  }
  return alarms;
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

// Columns that may name persons: declared as identifiers, or in the file under such a name and not in the schema.
void add_identifier_alarms(const std::vector<std::string>& patterns, const std::vector<InputFile>& files,
                           const schema::Encoding& encoding, const ReadOptions& options, std::size_t rows,
                           std::vector<Alarm>& alarms) {
  const schema::Schema& schema = encoding.schema();
  Workers workers(options.threads);
  const auto look = [&](const std::string& identifier) {
    const std::size_t repeated = repeated_rows(files, encoding, identifier, workers);
    if (repeated > 0) alarms.push_back({AlarmKind::repeated_identifier, identifier, "", repeated});
  };
  for (const std::string& identifier : schema.identifiers) {
    if (!schema.unit || schema.unit->column != identifier) look(identifier);  // a unit's rows are accounted for
  }
  if (schema.unit) return;  // somebody has decided who is protected
  for (const std::string& name :
       undeclared_identifiers(column_names(patterns, schema.format, options.format), schema, rows)) {
    try {
      look(name);
    } catch (const DataError&) {
      // Twice in the header, or of a type that no schema can use: the schema does not ask for it.
    }
  }
}

}  // namespace

Inspection inspect_dataset(const std::vector<std::string>& patterns, const schema::Encoding& encoding,
                           const ReadOptions& options) {
  Inspection result;
  result.report = check_dataset(patterns, encoding, options);
  const std::vector<InputFile> files = find_files(patterns, file_kind(options.format, encoding.schema().format));
  const ColumnSet columns(encoding, options.by_unit);
  Workers workers(options.threads);
  Stories stories(encoding, columns);
  for_each_group(files, encoding, columns.wanted(), workers,
                 [&](const Batches& batches) { stories.add(batches, workers); });
  result.classes = class_counts(encoding.schema().target, stories.class_rows());
  result.alarms = cell_alarms(result.report, encoding.schema().target);
  add_story_alarms(columns, stories, result.report.rows, result.alarms);
  add_text_alarms(files, encoding, true, workers, result.alarms);
  add_number_alarms(files, encoding, true, workers, result.alarms);
  add_date_alarms(files, encoding, workers, result.alarms);
  add_identifier_alarms(patterns, files, encoding, options, result.report.rows, result.alarms);
  if (const std::size_t again = stories.blocks().rows(); again > 0) {
    result.alarms.push_back({AlarmKind::repeated_block, "", "", again});
  }
  return result;
}

Inspection inspect_features(const std::vector<std::string>& patterns, const schema::Encoding& encoding,
                            const ReadOptions& options) {
  Inspection result;
  result.report = check_dataset(patterns, encoding, options);
  const std::vector<InputFile> files = find_files(patterns, file_kind(options.format, encoding.schema().format));
  Workers workers(options.threads);
  result.alarms = cell_alarms(result.report, encoding.schema().target);
  std::erase_if(result.alarms, [&](const Alarm& each) { return each.column == encoding.schema().target.name; });
  add_text_alarms(files, encoding, false, workers, result.alarms);
  add_number_alarms(files, encoding, false, workers, result.alarms);
  return result;
}

}  // namespace dperm::data
