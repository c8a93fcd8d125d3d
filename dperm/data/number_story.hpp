// SPDX-License-Identifier: Apache-2.0
// What the numbers of a column tell about codes among them and about its bounds: exact, for the owner of the data.
// Internal to the room.
#pragma once

#include <array>
#include <cstddef>
#include <limits>
#include <optional>
#include <unordered_map>
#include <utility>
#include <vector>

#include "dperm/schema/schema.hpp"

namespace dperm::data {

class NumberStory {
 public:
  NumberStory(double lower, double upper, schema::Scale scale);

  void add(double value);  // NaN: none was readable

  // A number that stands for something else, and in how many rows: one well beyond a bound that makes up most of what
  // lies beyond it, or one of nines far from all others.
  struct Code {
    double value;
    std::size_t rows;
  };
  std::optional<Code> code() const;
  // Whether nearly all rows lie in a fiftieth of the bounds, by the column's scale, and still differ.
  bool is_narrow() const;
  std::size_t outside() const { return below_ + above_; }

 private:
  static constexpr std::size_t kBins = 1000;
  std::optional<Code> code_outside() const;
  std::optional<Code> code_of_nines() const;
  std::size_t bin_of(double value) const;

  double lower_, upper_;
  schema::Scale scale_;
  std::size_t rows_ = 0, readable_ = 0, below_ = 0, above_ = 0;
  std::unordered_map<double, std::size_t> counts_, outside_;  // of the first many values
  std::array<std::size_t, kBins> bins_{};                     // values beyond a bound are moved there
  std::vector<std::pair<double, std::size_t>> nines_;
  // Of all other numbers.
  double least_ = std::numeric_limits<double>::infinity(), most_ = -std::numeric_limits<double>::infinity();
};

}  // namespace dperm::data
