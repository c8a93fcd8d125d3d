// SPDX-License-Identifier: Apache-2.0
// The model file: JSON, self-contained, with a digest of its content. docs/model_file.md describes every key.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "dperm/model/model.hpp"

namespace dperm::model {

inline constexpr int kModelFormatVersion = 4;
inline constexpr const char* kVersion = DPERM_VERSION;  // of the project, from CMakeLists.txt

// Indented JSON with a final newline; equal models give equal bytes.
std::string to_json(const Model& model);

// Throws DataError: `origin` and what is wrong (not JSON, not a model, key missing or of another type, digest does not
// match). A model that parses is not yet verified: see verify.hpp.
Model parse_model(std::string_view text, const std::string& origin);
Model read_model(const std::string& path);
// Whether the text calls itself a model, rather than a plain list of events. Throws DataError as above for what is not
// JSON.
bool is_model_text(std::string_view text, const std::string& origin);

// The list "events" of a model file, or of any JSON object with such a list. Throws DataError as above.
std::vector<privacy::PrivacyEvent> read_events(const std::string& path);
std::vector<privacy::PrivacyEvent> parse_events(std::string_view text, const std::string& origin);
// An object with such a list alone.
std::string events_to_json(const std::vector<privacy::PrivacyEvent>& events);

// One plan as JSON text, as `dperm plan --json` prints it.
std::string plan_to_json(const methods::Plan& plan);

}  // namespace dperm::model
