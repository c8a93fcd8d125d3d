// SPDX-License-Identifier: Apache-2.0
// What a column's encoded cells tell together with the target's: exact, for the owner of the data. Internal to the
// room.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <unordered_map>
#include <vector>

namespace dperm::data {

// What the target is, as far as a column can give it away.
struct StoryTarget {
  std::size_t classes = 0;  // 0: a real target, or none
  bool real = false;
};

class ColumnStory {
 public:
  // `ordered`: codes of a number, where one cut may part two classes.
  ColumnStory(const StoryTarget& target, bool ordered);

  // The next rows, in the order of the file. `targets` are class numbers, encoded real targets, or as long as codes.
  void add(std::span<const std::int32_t> codes, std::span<const std::int32_t> targets);

  // Equal for columns whose cells agree in every row up to the names of values.
  std::uint64_t signature() const { return signature_; }
  std::size_t distinct() const { return firsts_.size(); }
  // Whether another column, or the target, could hardly have its values in just the same rows by chance: the rows that
  // do not hold the commonest value could lie in so many ways. In a small table most things agree with something.
  bool is_telling() const;
  // Whether the column alone gives the target: all but one in a thousand of the rows outside the largest class are
  // right by their column's value or by one cut; of a real target: a straight line.
  bool gives_target() const;

 private:
  std::size_t first_of(std::int32_t code);
  bool gives_class() const;
  bool gives_number() const;

  StoryTarget target_;
  bool ordered_;
  std::uint64_t signature_ = 0xcbf29ce484222325;
  std::size_t rows_ = 0;
  std::unordered_map<std::int32_t, std::size_t> firsts_;  // codes in the order in which they appeared
  std::vector<std::size_t> sizes_;                        // rows of each, in that order
  std::vector<std::size_t> counts_;                       // by that order and class, while there are few codes
  std::vector<std::size_t> cuts_;                         // of numbers with a binary target: by q and class
  double sum_x_ = 0, sum_y_ = 0, sum_xx_ = 0, sum_yy_ = 0, sum_xy_ = 0;
};

}  // namespace dperm::data
