// SPDX-License-Identifier: Apache-2.0
// Category columns joined into groups: the codes of several small columns make one index into a table of cells, so a
// row costs one table access per group instead of one per column. Internal to the engine; depends on the layout alone.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "dperm/data/tiles/tiles.hpp"

namespace dperm::engine {

// A group of 8-bit columns grows up to this many cells: the census of 8 columns with 102 levels then makes 3 groups of
// 13 KiB together, which stay in the first-level cache beside the row buffers.
inline constexpr std::size_t kGroupCells = 1024;

// Columns with at most this many codes are looked up by permutation where vectors are wide enough.
inline constexpr std::size_t kLaneTable = 64;

struct GroupMember {
  std::size_t category;
  std::uint32_t levels;  // code `levels` means no category
  std::uint32_t stride;  // index = sum of code * stride
};

struct ColumnGroup {
  std::vector<GroupMember> members;
  std::size_t cells = 1;       // product of (levels + 1)
  std::size_t first_cell = 0;  // cells of all groups lie in one array
  int width = 1;               // bytes of a code; groups of wider codes have one member and stride 1
  bool by_lanes = false;       // every member has at most kLaneTable codes
};

class ColumnGroups {
 public:
  explicit ColumnGroups(const data::TileLayout& layout);

  std::span<const ColumnGroup> groups() const { return groups_; }
  std::size_t narrow_count() const { return narrow_count_; }  // groups of width 1 come first
  std::size_t cells() const { return cells_; }
  std::span<const GroupMember> lane_columns() const { return lane_columns_; }  // members of groups that are by_lanes

  // Calls visit(weight index, cell) for every cell and each of its categories.
  template <class Visit>
  void for_each_weight(const data::TileLayout& layout, Visit&& visit) const {
    for (const ColumnGroup& group : groups_) {
      for (const GroupMember& member : group.members) {
        for (std::size_t cell = 0; cell < group.cells; ++cell) {
          const std::size_t level = cell / member.stride % (std::size_t{member.levels} + 1);
          if (level < member.levels) {
            visit(layout.category_first_weight(member.category) + level, group.first_cell + cell);
          }
        }
      }
    }
  }

 private:
  std::vector<ColumnGroup> groups_;
  std::vector<GroupMember> lane_columns_;
  std::size_t narrow_count_ = 0;
  std::size_t cells_ = 0;
};

}  // namespace dperm::engine
