// SPDX-License-Identifier: Apache-2.0
// Category columns of a block of rows: codes joined into group indices, table sums for scores, and slopes added to the
// cells of the groups. Included per target.
#if defined(DPERM_ENGINE_CATEGORY_INL_HPP_) == defined(HWY_TARGET_TOGGLE)
#ifdef DPERM_ENGINE_CATEGORY_INL_HPP_
#undef DPERM_ENGINE_CATEGORY_INL_HPP_
#else
#define DPERM_ENGINE_CATEGORY_INL_HPP_
#endif

#include <hwy/highway.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "dperm/engine/cpu/pass.hpp"

HWY_BEFORE_NAMESPACE();
namespace dperm::engine::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

// Zen 4 and Ice Lake look up 16 table entries with one permutation; 16 gathered loads take 9 ns, more than the rest of
// the row, and narrower vectors would need too many permutations.
#if HWY_TARGET == HWY_AVX3 || HWY_TARGET == HWY_AVX3_DL
inline constexpr bool kPermutes = true;
#else
inline constexpr bool kPermutes = false;
#endif
template <class T>
inline constexpr bool kByLanes = kPermutes && std::is_same_v<T, float>;

// The sum of a block's lanes: it fits a lane, because kBlockRows rows of the largest slope do.
template <class D>
HWY_INLINE std::int64_t sum_lanes(D d, hn::Vec<D> v) {
  return static_cast<std::int64_t>(hn::GetLane(hn::SumOfLanes(d, v)));
}

// The rows that follow a block: later in the tile or at the start of the next one.
struct Ahead {
  const std::byte* tile;
  std::size_t row;
};

inline Ahead rows_ahead(const data::TileView& tile, const std::byte* next, std::size_t first) {
  return first + kBlockRows < tile.rows ? Ahead{tile.base, first + kBlockRows} : Ahead{next, 0};
}

HWY_INLINE void prefetch(const std::byte* p, std::size_t bytes) {
  for (std::size_t i = 0; i < bytes; i += 64) __builtin_prefetch(p + i, 0, 2);
}

// 64 rows of every column; measured on 15 streams: 10 to 30 % more rows per second than the hardware's own guesses.
HWY_INLINE void prefetch_rows(const data::TileLayout& layout, const std::byte* tile, std::size_t row) {
  if (row >= layout.height()) return;
  for (std::size_t j = 0; j < layout.real_count(); ++j) prefetch(tile + layout.real_offset(j) + 2 * row, 128);
  for (std::size_t c = 0; c < layout.category_count(); ++c) {
    const auto width = static_cast<std::size_t>(layout.category_width(c));
    prefetch(tile + layout.category_offset(c) + width * row, 64 * width);
  }
  prefetch(tile + layout.target_offset() + 4 * row, 256);
}

// Group indices of the narrow groups. A code beyond the levels, which a valid tile does not hold, must still stay
// inside the table.
template <class T>
void join_codes(const Pass<T>& pass, Scratch<T>& scratch, const data::TileView& tile, std::size_t first,
                std::size_t rows) {
  for (std::size_t g = 0; g < pass.groups->narrow_count(); ++g) {
    std::uint16_t* HWY_RESTRICT index = scratch.index.data() + g * kBlockRows;
    bool empty = true;
    for (const GroupMember& member : pass.groups->groups()[g].members) {
      const auto* HWY_RESTRICT codes =
          reinterpret_cast<const std::uint8_t*>(tile.category(*pass.layout, member.category)) + first;
      const auto levels = static_cast<std::uint8_t>(member.levels);
      const auto stride = static_cast<std::uint16_t>(member.stride);
      if (empty) {
        for (std::size_t r = 0; r < rows; ++r) index[r] = std::min(codes[r], levels);
      } else {
        for (std::size_t r = 0; r < rows; ++r) {
          index[r] = static_cast<std::uint16_t>(index[r] + std::min(codes[r], levels) * stride);
        }
      }
      empty = false;
    }
  }
}

// Calls visit(row, cell) for the rows of a group of wide codes.
template <class Visit>
HWY_INLINE void for_wide_codes(const data::TileLayout& layout, const ColumnGroup& group, const data::TileView& tile,
                               std::size_t first, std::size_t rows, Visit&& visit) {
  const GroupMember& member = group.members[0];
  const std::byte* column = tile.category(layout, member.category);
  if (group.width == 1) return;
  if (group.width == 2) {
    const auto* codes = reinterpret_cast<const std::uint16_t*>(column) + first;
    for (std::size_t r = 0; r < rows; ++r) visit(r, std::min<std::uint32_t>(codes[r], member.levels));
  } else {
    const auto* codes = reinterpret_cast<const std::uint32_t*>(column) + first;
    for (std::size_t r = 0; r < rows; ++r) visit(r, std::min(codes[r], member.levels));
  }
}

// scratch.category = sum of the table entries of the groups that are not looked up by lanes.
template <class T>
void sum_categories(const Pass<T>& pass, Scratch<T>& scratch, const data::TileView& tile, std::size_t first,
                    std::size_t rows) {
  auto* HWY_RESTRICT sums = scratch.category;
  std::fill_n(sums, rows, typename PreparedWeights<T>::Cell{0});
  const auto groups = pass.groups->groups();
  for (std::size_t g = 0; g < groups.size(); ++g) {
    if (kByLanes<T> && groups[g].by_lanes) continue;
    const auto* HWY_RESTRICT table = pass.weights.cells.data() + groups[g].first_cell;
    if (g < pass.groups->narrow_count()) {
      const std::uint16_t* HWY_RESTRICT index = scratch.index.data() + g * kBlockRows;
      for (std::size_t r = 0; r < rows; ++r) sums[r] += table[index[r]];
    } else {
      for_wide_codes(*pass.layout, groups[g], tile, first, rows,
                     [&](std::size_t r, std::size_t cell) { sums[r] += table[cell]; });
    }
  }
}

// The category part of a score from its sum.
template <class V>
HWY_INLINE hn::Vec<hn::CappedTag<float, 16>> category_part(hn::CappedTag<float, 16> d, V sum,
                                                           hn::Vec<decltype(d)> unit) {
  return hn::Mul(hn::ConvertTo(d, sum), unit);
}
template <class V>
HWY_INLINE V category_part(hn::CappedTag<double, 8>, V sum, V) {
  return sum;
}

#if HWY_TARGET == HWY_AVX3 || HWY_TARGET == HWY_AVX3_DL
using Lane = hn::Vec<hn::CappedTag<std::int32_t, 16>>;

// Adds the entries of one column with at most 16, 32 or 64 codes. Highway 1.0.3 has no look-up in two tables.
template <int kTables>
HWY_INLINE void add_lanes(const std::int32_t* table, const std::uint8_t* codes, Lane& sum) {
  const hn::CappedTag<std::int32_t, 16> d;
  const Lane index = hn::PromoteTo(d, hn::LoadU(hn::Rebind<std::uint8_t, decltype(d)>(), codes));
  const Lane t0 = hn::LoadU(d, table);
  if constexpr (kTables == 1) {
    sum = hn::Add(sum, Lane{_mm512_permutexvar_epi32(index.raw, t0.raw)});
  } else {
    const Lane low{_mm512_permutex2var_epi32(t0.raw, index.raw, hn::LoadU(d, table + 16).raw)};
    if constexpr (kTables == 2) {
      sum = hn::Add(sum, low);
    } else {
      const Lane t2 = hn::LoadU(d, table + 32);
      const Lane high{_mm512_permutex2var_epi32(t2.raw, index.raw, hn::LoadU(d, table + 48).raw)};
      const __mmask16 upper = _mm512_test_epi32_mask(index.raw, _mm512_set1_epi32(32));
      sum = hn::Add(sum, Lane{_mm512_mask_blend_epi32(upper, low.raw, high.raw)});
    }
  }
}

template <int kTables>
HWY_INLINE void add_lanes_4(const std::int32_t* table, const std::uint8_t* codes, Lane& c0, Lane& c1, Lane& c2,
                            Lane& c3) {
  add_lanes<kTables>(table, codes, c0);
  add_lanes<kTables>(table, codes + 16, c1);
  add_lanes<kTables>(table, codes + 32, c2);
  add_lanes<kTables>(table, codes + 48, c3);
}

HWY_INLINE void add_lane_tables(const Pass<float>& pass, const data::TileView& tile, std::size_t row, Lane& c0,
                                Lane& c1, Lane& c2, Lane& c3) {
  for (const GroupMember& column : pass.groups->lane_columns()) {
    const auto* codes = reinterpret_cast<const std::uint8_t*>(tile.category(*pass.layout, column.category)) + row;
    const std::int32_t* table = pass.weights.lane_tables.data() + column.category * kLaneTable;
    if (column.levels < 16) {
      add_lanes_4<1>(table, codes, c0, c1, c2, c3);
    } else if (column.levels < 32) {
      add_lanes_4<2>(table, codes, c0, c1, c2, c3);
    } else {
      add_lanes_4<4>(table, codes, c0, c1, c2, c3);
    }
  }
}
#else
template <class T, class V>
HWY_INLINE void add_lane_tables(const Pass<T>&, const data::TileView&, std::size_t, V&, V&, V&, V&) {}
#endif

// Adds each row's slope to its cell in every group.
template <class T>
void add_to_cells(const Pass<T>& pass, const Scratch<T>& scratch, const data::TileView& tile, std::size_t first,
                  std::size_t rows, Totals& totals) {
  const auto groups = pass.groups->groups();
  const auto* HWY_RESTRICT slope = scratch.slope;
  std::size_t g = 0;
  for (; g + 3 <= pass.groups->narrow_count(); g += 3) {
    std::int64_t* a = totals.cells.data() + groups[g].first_cell;
    std::int64_t* b = totals.cells.data() + groups[g + 1].first_cell;
    std::int64_t* c = totals.cells.data() + groups[g + 2].first_cell;
    const std::uint16_t* HWY_RESTRICT index = scratch.index.data() + g * kBlockRows;
    for (std::size_t r = 0; r < rows; ++r) {
      const std::int64_t k = slope[r];
      a[index[r]] += k;
      b[index[r + kBlockRows]] += k;
      c[index[r + 2 * kBlockRows]] += k;
    }
  }
  for (; g < groups.size(); ++g) {
    std::int64_t* cells = totals.cells.data() + groups[g].first_cell;
    if (g < pass.groups->narrow_count()) {
      const std::uint16_t* HWY_RESTRICT index = scratch.index.data() + g * kBlockRows;
      for (std::size_t r = 0; r < rows; ++r) cells[index[r]] += slope[r];
    } else {
      for_wide_codes(*pass.layout, groups[g], tile, first, rows,
                     [&](std::size_t r, std::size_t cell) { cells[cell] += slope[r]; });
    }
  }
}

}  // namespace dperm::engine::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // per-target include guard
