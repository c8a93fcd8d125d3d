// SPDX-License-Identifier: Apache-2.0
// What in a table ruins a model, in words. About records: for the owner of the rows, never for a fit.
#pragma once

#include <string>
#include <vector>

#include "dperm/data/inspect.hpp"

namespace dperm::cli {

std::string alarm_text(const data::Alarm& alarm, const data::Inspection& found, const schema::Schema& schema);

// On standard error, where rows are predicted on or declared public.
void note_alarms(const std::vector<data::Alarm>& alarms, const data::Inspection& found, const schema::Schema& schema);

}  // namespace dperm::cli
