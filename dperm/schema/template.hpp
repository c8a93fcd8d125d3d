// SPDX-License-Identifier: Apache-2.0
// A schema.toml to fill in, from names and types alone: no bound and no value is ever taken from records.
#pragma once

#include <string>
#include <vector>

#include "dperm/schema/schema.hpp"

namespace dperm::schema {

struct TemplateColumn {
  std::string name;
  std::string type;  // "number", "text", "boolean"; anything else is written as ignored
};

std::string schema_template(const std::vector<TemplateColumn>& columns, const TextFormat& format);

}  // namespace dperm::schema
