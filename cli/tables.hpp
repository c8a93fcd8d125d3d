// SPDX-License-Identifier: Apache-2.0
// What people read: plans, models and guarantees as text. Written for a statistician, not for a cryptographer.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "dperm/methods/method.hpp"
#include "dperm/model/model.hpp"
#include "dperm/model/verify.hpp"
#include "dperm/planner/compare.hpp"
#include "dperm/schema/schema.hpp"

namespace dperm::cli {

// Who is protected, as the schema says; none: a row.
using Unit = std::optional<schema::Unit>;

// One line: budget, unit and accounting.
std::string guarantee_text(const privacy::Guarantee& guarantee, const Unit& unit);
// One line: the guarantee as the largest power of a test.
std::string meaning_text(const privacy::Guarantee& guarantee, const Unit& unit);
// The guarantee with its meaning, or that there is none.
std::string privacy_text(const model::Model& model);
// What the schema's bounds and values cost before, and the sum with this guarantee; empty where none were inferred.
std::string inference_text(const schema::Schema& schema, const privacy::Guarantee& guarantee);

// What was chosen from a grid, in a line or two; empty where nothing was.
std::string tuning_text(const model::Model& model);

// How good the model is on rows kept out; empty where none were.
std::string evaluation_text(const model::Model& model);

std::string alternatives_table(const std::vector<planner::Alternative>& alternatives);
std::string plan_text(const methods::Plan& plan, const Unit& unit);
std::string derivation_table(const std::vector<methods::DerivationStep>& steps);
// What an effect in a model is on: "the log-odds that income is positive".
std::string effect_on(const model::Model& model);
std::string parameter_table(const model::Model& model);
std::string checks_text(const std::vector<model::Check>& checks);

}  // namespace dperm::cli
