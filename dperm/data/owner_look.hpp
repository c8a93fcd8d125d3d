// SPDX-License-Identifier: Apache-2.0
// Parts of inspect_dataset, each a look at some columns of all rows. Exact, for the owner of the data. Internal to the
// room.
#pragma once

#include <functional>
#include <vector>

#include "dperm/data/groups.hpp"
#include "dperm/data/inspect.hpp"
#include "dperm/data/source/files.hpp"
#include "dperm/data/source/source.hpp"

namespace dperm::data {

// Of the rows: what fewer hold is no alarm. A row without a target counts as some class.
constexpr std::size_t kFewRowsOneIn = 100, kFewTargetsOneIn = 1000;

// All rows of all files, in their order.
void for_each_group(const std::vector<InputFile>& files, const schema::Encoding& encoding,
                    const std::vector<WantedColumn>& wanted, Workers& workers,
                    const std::function<void(const Batches&)>& look);

// Texts of categories, and of the target where it is wanted, that are listed but for upper and lower case, or are no
// UTF-8.
void add_text_alarms(const std::vector<InputFile>& files, const schema::Encoding& encoding, bool with_target,
                     Workers& workers, std::vector<Alarm>& alarms);

// Numbers that look like codes, and bounds that hardly any part of is used. Takes the alarm out_of_bounds back where
// one code says it better.
void add_number_alarms(const std::vector<InputFile>& files, const schema::Encoding& encoding, bool with_target,
                       Workers& workers, std::vector<Alarm>& alarms);

// Dates that two of a column's formats read as different days.
void add_date_alarms(const std::vector<InputFile>& files, const schema::Encoding& encoding, Workers& workers,
                     std::vector<Alarm>& alarms);

}  // namespace dperm::data
