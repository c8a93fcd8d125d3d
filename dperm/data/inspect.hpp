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
  one_class,       // the target is the same in every row
  unreadable,      // in more than one of a hundred rows
  unknown_values,  // in more than half of the rows, as the next
  out_of_bounds,
  duplicate,            // the column tells the same as `other` in every row
  copy_of_target,       // the column alone gives the target away
  repeated_identifier,  // a person or thing has several rows
  almost_listed,        // cells that are a listed text but for upper and lower case, or as a number
  no_target,            // cells of the target that are missing or unknown: they count as some class or number
  code,                 // a number that stands for something else, such as -999
  too_wide,             // nearly all rows lie in a small part of the bounds
  not_utf8,             // texts in another encoding: they equal no listed one
  repeated_block,       // a part of the table comes again
  ambiguous_date,       // two of the column's formats read it as different days
};

struct Alarm {
  AlarmKind kind;
  std::string column;
  std::string other = {};  // duplicate: the other column
  std::size_t count = 0;   // rows it concerns; repeated_identifier: rows beyond the first of their identifier
  std::string value = {};  // code: the number
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

// What makes predictions for these rows useless: cells of features that do not fit, whatever their target is.
Inspection inspect_features(const std::vector<std::string>& patterns, const schema::Encoding& encoding,
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
                                       std::pair{Kind::almost_listed, std::string_view("almost_listed")},
                                       std::pair{Kind::no_target, std::string_view("no_target")},
                                       std::pair{Kind::code, std::string_view("code")},
                                       std::pair{Kind::too_wide, std::string_view("too_wide")},
                                       std::pair{Kind::not_utf8, std::string_view("not_utf8")},
                                       std::pair{Kind::repeated_block, std::string_view("repeated_block")},
                                       std::pair{Kind::ambiguous_date, std::string_view("ambiguous_date")}};
};

}  // namespace dperm
