// SPDX-License-Identifier: Apache-2.0
// What in a table will ruin a model, for the owner of the data: exact, NOT private, and never used by a fit.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "dperm/core/words.hpp"
#include "dperm/data/reader.hpp"

namespace dperm::data {

enum class AlarmKind {
  one_class,   // the target is the same in every row
  unreadable,  // in more than half of the rows, as the next two
  unknown_values,
  out_of_bounds,
  duplicate,            // the column tells the same as `other` in every row
  copy_of_target,       // the column alone gives the target away
  repeated_identifier,  // a person or thing has several rows
  almost_listed,        // cells of the target that are a listed text but for upper and lower case, or as a number
};

struct Alarm {
  AlarmKind kind;
  std::string column;
  std::string other = {};  // duplicate: the other column
  std::size_t count = 0;   // rows it concerns; repeated_identifier: rows beyond the first of their identifier
};

// How many rows have each class; of a binary target the negative ones first.
struct ClassCount {
  std::string label;
  std::size_t rows = 0;
};

struct Inspection {
  CheckReport report;
  std::vector<ClassCount> classes;  // empty for other targets
  std::vector<Alarm> alarms;
};

// Throws as check_dataset.
Inspection inspect_dataset(const std::vector<std::string>& patterns, const schema::Encoding& encoding,
                           const ReadOptions& options);

}  // namespace dperm::data

namespace dperm {

template <>
struct Words<data::AlarmKind> {
  using Kind = data::AlarmKind;
  static constexpr std::array table = {std::pair{Kind::one_class, std::string_view("one_class")},
                                       std::pair{Kind::unreadable, std::string_view("unreadable")},
                                       std::pair{Kind::unknown_values, std::string_view("unknown_values")},
                                       std::pair{Kind::out_of_bounds, std::string_view("out_of_bounds")},
                                       std::pair{Kind::duplicate, std::string_view("duplicate")},
                                       std::pair{Kind::copy_of_target, std::string_view("copy_of_target")},
                                       std::pair{Kind::repeated_identifier, std::string_view("repeated_identifier")},
                                       std::pair{Kind::almost_listed, std::string_view("almost_listed")}};
};

}  // namespace dperm
