// SPDX-License-Identifier: Apache-2.0
#include "dperm/engine/cpu/column_groups.hpp"

#include <algorithm>
#include <utility>

namespace dperm::engine {

ColumnGroups::ColumnGroups(const data::TileLayout& layout) {
  std::vector<std::size_t> narrow;
  std::vector<std::size_t> wide;
  for (std::size_t c = 0; c < layout.category_count(); ++c)
    (layout.category_width(c) == 1 ? narrow : wide).push_back(c);
  // Largest first into the first group with room: few groups, and the same ones on every machine.
  std::stable_sort(narrow.begin(), narrow.end(),
                   [&](std::size_t a, std::size_t b) { return layout.category_levels(a) > layout.category_levels(b); });
  for (const std::size_t c : narrow) {
    const std::uint32_t levels = layout.category_levels(c);
    const auto room = std::find_if(groups_.begin(), groups_.end(),
                                   [&](const ColumnGroup& g) { return g.cells * (levels + 1) <= kGroupCells; });
    ColumnGroup& group = room == groups_.end() ? groups_.emplace_back() : *room;
    group.members.push_back({c, levels, static_cast<std::uint32_t>(group.cells)});
    group.cells *= levels + 1;
  }
  narrow_count_ = groups_.size();
  for (ColumnGroup& group : groups_) {
    group.by_lanes = std::all_of(group.members.begin(), group.members.end(),
                                 [](const GroupMember& member) { return member.levels < kLaneTable; });
    if (group.by_lanes) lane_columns_.insert(lane_columns_.end(), group.members.begin(), group.members.end());
  }
  for (const std::size_t c : wide) {
    const std::uint32_t levels = layout.category_levels(c);
    groups_.push_back(
        {.members = {{c, levels, 1}}, .cells = std::size_t{levels} + 1, .width = layout.category_width(c)});
  }
  for (ColumnGroup& group : groups_) {
    group.first_cell = cells_;
    cells_ += group.cells;
  }
}

}  // namespace dperm::engine
