// SPDX-License-Identifier: Apache-2.0
// Predictions for many rows, as columns.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "dperm/schema/schema.hpp"

namespace dperm::methods {

// Columns of equal length, row by row; a column that the model does not have is empty.
struct RowPredictions {
  schema::TargetKind target = schema::TargetKind::none;
  std::size_t rows = 0;
  // Of a binary target or one of several classes: the labels there are ("0", "1"; else the schema's values) and the
  // predicted one of each row by its place among them.
  std::vector<std::string> labels = {};
  std::vector<std::size_t> label = {};
  std::vector<double> probabilities = {};  // labels.size() per row, where scores mean probabilities
  std::vector<double> margins = {};        // where only the sign of a score has a meaning; above 0 is label "1"
  std::vector<double> numbers = {};        // of a real target, in its own unit and within its bounds

  std::span<const double> probabilities_of(std::size_t row) const {
    return std::span(probabilities).subspan(row * labels.size(), labels.size());
  }
};

}  // namespace dperm::methods
