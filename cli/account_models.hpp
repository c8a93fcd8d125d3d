// SPDX-License-Identifier: Apache-2.0
// What several models of one table cost together.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "dperm/privacy/events/event.hpp"

namespace dperm::cli {

struct ModelsQuery {
  std::vector<std::string> paths;
  std::string currency = "basic";
  std::optional<double> delta;  // gaussian and renyi
  bool json = false;
};

// Prints the total, however later models were chosen in view of earlier ones. A release that several models rest on,
// and a model that is named twice, count once.
void print_models_total(const ModelsQuery& query);

// All releases of these models, for accounting as if every one had been fixed before the first.
std::vector<privacy::PrivacyEvent> events_of_models(const std::vector<std::string>& paths);

}  // namespace dperm::cli
