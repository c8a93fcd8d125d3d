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
// and a model that is named twice, count once. With a file that does not verify the total is no promise. ArgumentError
// where models protect different units, or are stated for different neighbours: such guarantees do not add up.
void print_models_total(const ModelsQuery& query);

// What files list, for accounting as if every release had been fixed before the first.
struct FileEvents {
  std::vector<privacy::PrivacyEvent> events;
  bool of_models = false;                // some file is a model, which tells whether it is private
  std::vector<std::string> not_private;  // of each model that is not: its file, and why
};

// Of model files, and of `list`, which is a model file, a plain list of events, or empty. Models are refused as above,
// and by DataError where one does not verify: what it cost does not follow from it.
FileEvents events_of_files(const std::vector<std::string>& models, const std::string& list);

}  // namespace dperm::cli
