// SPDX-License-Identifier: Apache-2.0
// Plans and models in a few lines: what is learned, how sure, what it costs, what to do next. --details has the rest.
#pragma once

#include <string>
#include <vector>

#include "cli/tables.hpp"
#include "dperm/model/model.hpp"
#include "dperm/planner/compare.hpp"

namespace dperm::cli {

// "expect    to lose about ...": a word, and text broken into lines beside it.
std::string labelled(std::string_view label, const std::string& text);

// The first of the alternatives, which has a plan, and the others in a line. `again` is the command that fits it.
std::string plan_summary(const std::vector<planner::Alternative>& alternatives, const planner::Question& question,
                         const std::string& again);

// Before a fit: what will be learned and what to expect of it.
std::string fit_heading(const planner::Alternative& chosen);

// A model: what was learned, how good it is where rows were kept out, what it cost.
std::string model_summary(const model::Model& model);

// What is unwise about the task's budget, on standard error; what protects hardly anybody in red.
void note_warnings(const methods::Task& task);
// That rows are protected although the table tells persons apart: the way to promise people too little.
// `undeclared`: columns of the file that may do so by their names.
void note_unit(const schema::Schema& schema, const std::vector<std::string>& undeclared = {});

}  // namespace dperm::cli
