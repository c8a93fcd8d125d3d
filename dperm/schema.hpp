// SPDX-License-Identifier: Apache-2.0
// Public API: the public description of a table. docs/schema.md describes every key of schema.toml.
#pragma once

#include "dperm/schema/schema.hpp"

namespace dperm {

using schema::Column;
using schema::ColumnKind;
using schema::ColumnPair;
using schema::ColumnShape;
using schema::Compare;
using schema::DatePart;
using schema::MissingRule;
using schema::Monotone;
using schema::NumberStyle;
using schema::Schema;
using schema::Target;
using schema::TargetKind;
using schema::TextFormat;

// From a file, or from text with a name for messages. Throw DataError naming line or column and what was expected. A
// schema may also be put together in code; whatever takes one checks it.
using schema::parse_schema;
using schema::read_schema;
// The same schema as text: equal schemas give equal text.
using schema::to_toml;

}  // namespace dperm
