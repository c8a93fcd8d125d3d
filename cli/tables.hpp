// SPDX-License-Identifier: Apache-2.0
// What people read: plans, models and guarantees as text.
#pragma once

#include <string>
#include <vector>

#include "dperm/methods/method.hpp"
#include "dperm/plan/compare.hpp"
#include "dperm/report/model.hpp"
#include "dperm/report/verify.hpp"

namespace dperm::cli {

std::string guarantee_text(const privacy::Guarantee& guarantee);
std::string alternatives_table(const std::vector<plan::Alternative>& alternatives);
std::string plan_text(const methods::Plan& plan);
std::string derivation_table(const std::vector<methods::DerivationStep>& steps);
std::string coefficient_table(const report::Model& model);
std::string checks_text(const std::vector<report::Check>& checks);

}  // namespace dperm::cli
