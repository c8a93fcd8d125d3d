// SPDX-License-Identifier: Apache-2.0
// The encoding of a row into a vector x with ||x||_2 <= 1 exactly: real columns as integers q in [-32767, 32767],
// categories as codes, the intercept as one more column, all scaled by 1/sqrt(columns). Proof note: encoding.md.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "dperm/schema/schema.hpp"

namespace dperm::schema {

inline constexpr std::int32_t kRealOne = 32767;      // q / kRealOne is the feature value in [-1, 1]
inline constexpr std::int32_t kTargetOne = 1 << 30;  // real target: integer / kTargetOne in [-1, 1]; binary: +-1

// A category column (also a boolean: one level, "true"). Code `levels` means "no category": weight 0.
struct CategoryCode {
  std::size_t column;        // index into schema().columns
  std::uint32_t levels;      // number of weights
  std::size_t first_weight;  // index of its first weight
};

struct RealCode {
  std::size_t column;
  std::size_t weight;  // index of its weight
};

// Looked up by string_view, so that a cell is never copied.
struct TextHash {
  using is_transparent = void;
  std::size_t operator()(std::string_view text) const { return std::hash<std::string_view>()(text); }
};
template <class T>
using TextMap = std::unordered_map<std::string, T, TextHash, std::equal_to<>>;

class Encoding {
 public:
  explicit Encoding(Schema schema);

  const Schema& schema() const { return schema_; }
  const std::vector<RealCode>& reals() const { return reals_; }  // in schema order
  const std::vector<CategoryCode>& categories() const { return categories_; }
  // Weight 0 is the intercept.
  std::size_t dimension() const { return dimension_; }
  // Number of columns with the intercept: m in the scaling 1/sqrt(m).
  std::size_t columns() const { return 1 + reals_.size() + categories_.size(); }
  // One name per weight: "intercept", "age", "workclass=Private", "workclass=(other)", "workclass=(missing)".
  std::vector<std::string> weight_names() const;

  // --- one cell; total functions of any input ---
  // NaN means missing. Infinite and out-of-bounds values are clamped.
  std::int16_t encode_real(std::size_t real_index, double value) const;
  std::uint32_t encode_category(std::size_t category_index, std::string_view text, bool missing) const;
  // Binary and classes by text, binary by threshold and real by number. Missing or unreadable: binary -1 (not
  // positive), classes 0, real the midpoint.
  std::int32_t encode_target_text(std::string_view text, bool missing) const;
  std::int32_t encode_target_number(double value) const;
  bool target_is_number() const;
  // Classes: whether the label is one of the list (unknown ones share the first class's code).
  bool is_known_class(std::string_view text) const;

  // Slope and offset that turn an encoded real feature u in [-1,1] (in [0,1] with zero = "lower") back: on a linear
  // scale value = center + half * u, on a log scale log(1 + value - lower) = center + half * u.
  double real_center(std::size_t real_index) const;
  double real_half_width(std::size_t real_index) const;

 private:
  Schema schema_;
  std::vector<RealCode> reals_;
  std::vector<CategoryCode> categories_;
  std::size_t dimension_ = 1;
  std::vector<double> real_centers_, real_half_widths_;
  TextMap<std::int32_t> target_codes_;
  std::vector<TextMap<std::uint32_t>> codes_;
};

}  // namespace dperm::schema
