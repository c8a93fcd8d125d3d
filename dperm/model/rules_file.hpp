// SPDX-License-Identifier: Apache-2.0
// A class of rules from a file: one rule per line as rule_text.hpp reads it, or "model FILE" for the rule that a model
// written by dperm fit stands for. The result holds all of it, so that a model file needs no other.
#pragma once

#include <string>

#include "dperm/schema/encoding.hpp"

namespace dperm::model {

// The text of the class as class_spec.hpp reads it: every rule in its canonical form. Empty lines and text after # are
// skipped; FILE is looked for beside the file of rules. Throws DataError naming file and line.
std::string read_rules(const std::string& path, const schema::Encoding& encoding);

}  // namespace dperm::model
