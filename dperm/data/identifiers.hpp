// SPDX-License-Identifier: Apache-2.0
// Columns that may tell persons apart, found by names alone: where a person has several rows, protecting a row promises
// the person too little.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "dperm/schema/schema.hpp"

namespace dperm::data {

// As names_identifier, but not for codes such as admission_type_id: nothing but the name tells here.
bool may_name_persons(std::string_view name);

// Names of the first file's columns, from its header or its own description; no record is looked at. `kind` as
// ReadOptions::format.
std::vector<std::string> column_names(const std::vector<std::string>& patterns, const schema::TextFormat& format,
                                      const std::string& kind);

// Whether the first file is one whose columns are told by its records alone, LIBSVM. By its kind: no record is looked
// at.
bool records_name_columns(const std::vector<std::string>& patterns, const schema::TextFormat& format,
                          const std::string& kind);

// Those among `names` that may name persons, and that the schema neither declares as identifiers or unit nor learns
// from: as a target, a category or a number with fewer values than there are rows. By public facts alone.
std::vector<std::string> undeclared_identifiers(const std::vector<std::string>& names, const schema::Schema& schema,
                                                std::size_t rows);

}  // namespace dperm::data
