// SPDX-License-Identifier: Apache-2.0
// A schema.toml to fill in, from names and types alone: no bound and no value is ever taken from records.
#pragma once

#include <string>
#include <vector>

#include "dperm/schema/schema.hpp"

namespace dperm::schema {

struct TemplateColumn {
  std::string name;
  std::string type;  // "number", "text", "boolean", "date"; anything else is written as ignored
  bool identifier = false;
  NumberStyle style = {};
  std::vector<std::string> date_formats = {};  // more than one: its owner has to choose
};

// `target` may be empty: then it is left to fill in. `remark` is said above [format].
std::string schema_template(const std::vector<TemplateColumn>& columns, const TextFormat& format,
                            const std::string& target = {}, const std::string& remark = {});

}  // namespace dperm::schema
