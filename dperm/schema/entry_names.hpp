// SPDX-License-Identifier: Apache-2.0
// The names of a [[column]] entry, and what they multiply. Internal to the parser.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "dperm/schema/schema.hpp"
#include "dperm/schema/toml_table.hpp"

namespace dperm::schema {

// One name, several, or the numbers of a range.
std::vector<std::string> read_names(const TomlTable& table);
// "column 'a'", or "columns 'a' to 'z'".
std::string where_of(const std::vector<std::string>& names);

// Memory that a copy takes, roughly. A name is kept twice, to be found again.
inline constexpr std::size_t kNameBytes = 150;
std::size_t bytes_of(const Column& column);
std::size_t bytes_of(const toml::node& node);

// Every name of an entry gets a copy of it, so that a kilobyte of text could become gigabytes: they are counted first.
class Copies {
 public:
  explicit Copies(std::size_t most_bytes) : most_(most_bytes) {}
  // Throws DataError, at the line of the table, where all copies so far and these together are too many.
  void count(const TomlTable& table, std::size_t copies, std::size_t bytes_each);

 private:
  std::size_t most_, bytes_ = 0;
};

inline constexpr std::size_t kMostSchemaBytes = std::size_t{768} << 20;  // a million with short descriptions
inline constexpr std::size_t kMostDraftBytes = std::size_t{128} << 20;   // every copy is filled in by itself

}  // namespace dperm::schema
