// SPDX-License-Identifier: Apache-2.0
// What is learned, in words that need no formula.
#pragma once

#include <string>

#include "dperm/methods/task.hpp"
#include "dperm/schema/schema.hpp"

namespace dperm::report {

// "a logistic regression of sick on 4 columns, 2 of them as curves", "the median of cost"
std::string task_words(const schema::Schema& schema, const methods::Problem& problem);

}  // namespace dperm::report
