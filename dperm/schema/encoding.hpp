// SPDX-License-Identifier: Apache-2.0
// The encoding of a row into a vector x with ||x||_2 <= 1 exactly: numbers as integers q in [-32767, 32767] and, where
// the schema asks for a curve, as shares of the two knots next to q; categories as codes; the intercept as one more
// block; all scaled by 1/sqrt(blocks). Proof note: encoding.md.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "dperm/schema/schema.hpp"
#include "dperm/schema/value_codes.hpp"

namespace dperm::schema {

inline constexpr std::int32_t kRealOne = 32767;      // q / kRealOne is the feature value in [-1, 1]
inline constexpr std::int32_t kTargetOne = 1 << 30;  // real target: integer / kTargetOne in [-1, 1]; binary: +-1

// A category column (also a boolean: one level, "true"). Code `levels` means "no category": weight 0.
struct CategoryCode {
  std::size_t column;        // index into schema().columns
  std::uint32_t levels;      // number of weights
  std::size_t first_weight;  // index of its first weight
};

inline constexpr std::size_t kNoWeight = static_cast<std::size_t>(-1);

// A number column (also a category in order).
struct RealCode {
  std::size_t column;
  std::size_t weight;          // of its linear term; kNoWeight: steps have none
  std::uint32_t pieces = 0;    // of its curve or steps; 0: linear alone
  bool steps = false;          // constant within a piece
  bool from_zero = false;      // q begins at 0, not at -32767
  std::size_t first_knot = 0;  // weights: pieces + 1 knots, or one per step
  std::size_t knot_count() const { return pieces == 0 ? 0 : steps ? pieces : pieces + 1; }
};

// Where q lies on its column's curve: its piece, and how far into it in units of 1/32767 (0 for steps). The knots
// piece and piece + 1 have the integer values 32767 - fraction and fraction, a step has 32767. Any q is well.
struct CurvePoint {
  std::uint32_t piece;
  std::int32_t fraction;
};
// [proof schema_encoding.curve]
constexpr CurvePoint curve_point(std::int32_t q, std::uint32_t pieces, bool steps, bool from_zero) {
  const std::int32_t place = from_zero ? 2 * q : q + kRealOne;
  const std::int32_t within = place < 0 ? 0 : place > 2 * kRealOne ? 2 * kRealOne : place;
  const std::uint32_t along = (static_cast<std::uint32_t>(within) * pieces) >> 1;  // below pieces * 2^15
  return {along >> 15, steps ? 0 : static_cast<std::int32_t>(along & 0x7fff)};
}
// [/proof]

// A surface over two number columns, with pieces + 1 knots in each direction: weight first_knot + a * (pieces + 1) + b.
struct PairCode {
  std::size_t pair;           // index into schema().pairs
  std::size_t first, second;  // index into reals()
  std::uint32_t pieces;
  std::size_t first_knot;
};
// The integer values of the knots (a, b), (a, b + 1), (a + 1, b), (a + 1, b + 1) around a point: none is negative and
// they add up to 32767.
// [proof schema_encoding.pair]
constexpr std::array<std::int32_t, 4> pair_values(std::int32_t first, std::int32_t second) {
  const std::int32_t both = (first * (second + 1)) >> 15;
  return {kRealOne - first - second + both, second - both, first - both, both};
}
// [/proof]

class Encoding {
 public:
  explicit Encoding(Schema schema);

  const Schema& schema() const { return schema_; }
  const std::vector<RealCode>& reals() const { return reals_; }  // in schema order
  const std::vector<CategoryCode>& categories() const { return categories_; }
  const std::vector<PairCode>& pairs() const { return pairs_; }
  // Weight 0 is the intercept.
  std::size_t dimension() const { return dimension_; }
  // Number of blocks with the intercept, m in the scaling 1/sqrt(m): one per column and pair, two for a curve with its
  // linear term.
  std::size_t columns() const { return columns_; }
  // The squared norm of a row's unscaled features, as it typically is: values evenly over their ranges. At most
  // columns(); a public number for choosing settings, no bound.
  double typical_square() const;
  // Whether some column has a curve or steps, or there is a pair.
  bool has_knots() const;
  // One name per weight: "intercept", "age", "age@35" (a knot), "age[35,45)" (a step), "workclass=Private",
  // "workclass=(other)", "workclass=(missing)", "longitude@-120*latitude@35".
  std::vector<std::string> weight_names() const;

  // --- one cell; total functions of any input ---
  // NaN means missing. Infinite and out-of-bounds values are clamped.
  std::int16_t encode_real(std::size_t real_index, double value) const;
  // Of a category in order: its place in the list; the middle for missing and unknown ones.
  std::int16_t encode_ordered(std::size_t real_index, std::string_view text, bool missing) const;
  std::uint32_t encode_category(std::size_t category_index, std::string_view text, bool missing) const;
  // Binary and classes by text, binary by threshold and real by number. Missing or unreadable: binary -1 (not
  // positive), classes 0, real the midpoint.
  std::int32_t encode_target_text(std::string_view text, bool missing) const;
  std::int32_t encode_target_number(double value) const;
  bool target_is_number() const;
  // Whether the label is one of the list: unknown ones share a code with the negatives or the first class.
  bool is_known_class(std::string_view text) const;
  // Of a category in order: whether the value is one of the list (unknown ones share the middle).
  bool is_known_place(std::size_t real_index, std::string_view text) const;

  // Slope and offset that turn an encoded real feature u in [-1,1] (in [0,1] with zero = "lower") back: on a linear
  // scale value = center + half * u, on a log scale log(1 + value - lower) = center + half * u.
  double real_center(std::size_t real_index) const;
  double real_half_width(std::size_t real_index) const;
  // Where the pieces of a column's curve or steps begin and end, pieces + 1 values in the column's own unit; for a
  // category in order, places in its list.
  std::vector<double> piece_ends(std::size_t real_index, std::uint32_t pieces) const;

 private:
  void add_pairs();
  void add_pair_names(std::vector<std::string>& names) const;

  Schema schema_;
  std::size_t columns_ = 1;
  std::vector<PairCode> pairs_;
  std::vector<std::vector<double>> scaled_knots_;  // by real column: lower, knots, upper on its scale; empty: even
  std::vector<RealCode> reals_;
  std::vector<CategoryCode> categories_;
  std::size_t dimension_ = 1;
  std::vector<double> real_centers_, real_half_widths_;
  ValueCodes target_codes_;
  std::vector<ValueCodes> codes_;          // by category
  std::vector<ValueCodes> ordered_codes_;  // by real column, empty for numbers
};

}  // namespace dperm::schema
