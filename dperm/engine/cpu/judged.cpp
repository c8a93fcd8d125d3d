// SPDX-License-Identifier: Apache-2.0
// Note: dperm/methods/evaluation/judgement.md.
#include "dperm/engine/cpu/judged.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <span>

#include "dperm/core/check.hpp"
#include "dperm/engine/cpu/model_sums.hpp"
#include "dperm/schema/encoding.hpp"

namespace dperm::engine {

namespace {

// [proof methods_judgement.rows]
// What one row adds to the cells of its group.
struct AddRow {
  std::span<std::int64_t> sums;  // of the row's group
  std::span<const double> output;
  std::int32_t target;

  void operator()(const ScoreCells& cells) const {
    const auto bin = std::lower_bound(cells.edges.begin(), cells.edges.end(), output[0]) - cells.edges.begin();
    ++sums[(target > 0 ? cells.edges.size() + 1 : 0) + static_cast<std::size_t>(bin)];
  }

  void operator()(const AnswerCells& cells) const {
    const bool one = output.size() == 1;
    const std::size_t answer =
        one ? output[0] > 0 : static_cast<std::size_t>(std::max_element(output.begin(), output.end()) - output.begin());
    const std::size_t truth =
        one ? target > 0 : std::min(static_cast<std::size_t>(std::max(target, 0)), cells.classes - 1);
    ++sums[cells.whole ? truth * cells.classes + answer : truth * 2 + (truth == answer)];
  }

  void operator()(const ResidualCells& cells) const {
    constexpr double kSteps = static_cast<double>(kResidualSteps);
    const double y = std::clamp(target / double{schema::kTargetOne}, -1.0, 1.0);
    const double p = std::isnan(output[0]) ? 0 : std::clamp(output[0], -1.0, 1.0);
    const double r = y - p;
    const auto bin = std::min(static_cast<std::size_t>((p + 1) / 2 * static_cast<double>(cells.bins)), cells.bins - 1);
    sums[0] += static_cast<std::int64_t>(kSteps * (y / 2));
    sums[1] += static_cast<std::int64_t>(kSteps * (y * y));
    sums[2] += static_cast<std::int64_t>(kSteps * (r * r));
    sums[3] += static_cast<std::int64_t>(kSteps * std::abs(r));
    sums[4] += std::abs(r) > 1 ? kResidualSteps : 0;
    sums[kResidualMoments + bin] += kResidualSteps;
    sums[kResidualMoments + cells.bins + bin] += static_cast<std::int64_t>(kSteps * std::clamp(r, -1.0, 1.0));
  }
};
// [/proof]

// Cells that another kind of model has.
struct CheckCells {
  std::size_t outputs;
  void operator()(const ScoreCells& cells) const {
    require(outputs == 1, "bins of scores are for models with one score");
    require(std::ranges::adjacent_find(cells.edges, std::not_fn(std::less<>())) == cells.edges.end() &&
                std::ranges::none_of(cells.edges, [](double each) { return std::isnan(each); }),
            "the edges of bins must increase");
  }
  void operator()(const AnswerCells& cells) const {
    require(cells.classes == (outputs == 1 ? 2 : outputs), "the model has another number of classes than the cells");
  }
  void operator()(const ResidualCells& cells) const {
    require(outputs == 1, "residuals are those of models with one score");
    require(cells.bins >= 1, "residuals need at least one bin");
  }
};

std::uint32_t code_of(const data::TileSet& tiles, const data::TileView& tile, std::size_t group, std::size_t row) {
  return std::min(tile.code(tiles.layout(), group, row), tiles.layout().category_levels(group));
}

void check_group(const data::TileSet& tiles, std::optional<std::size_t> group) {
  require(!group || *group < tiles.layout().category_count(), "no such category column");
}

}  // namespace

std::vector<std::int64_t> judged_rows(const data::TileSet& tiles, const JudgeQuery& query, Threads threads) {
  const std::size_t width = outputs_per_row(query.model), cells = cell_count(query.cells);
  std::visit(CheckCells{width}, query.cells);
  check_group(tiles, query.group);
  const std::size_t groups = query.group ? std::size_t{tiles.layout().category_levels(*query.group)} + 1 : 1;
  require(cells <= kMostJudgedCells && groups <= kMostJudgedCells / cells,
          "groups times classes or bins are too many to judge a model by");
  const std::vector<double> all = model_outputs(tiles, query.model, threads);
  std::vector<std::int64_t> sums(cells * groups, 0);
  std::size_t number = 0;
  for (std::size_t i = 0; i < tiles.tile_count(); ++i) {
    const data::TileView tile = tiles.tile(i);
    const std::int32_t* targets = tile.target(tiles.layout());
    for (std::size_t r = 0; r < tile.rows; ++r, ++number) {
      const std::size_t group = query.group ? code_of(tiles, tile, *query.group, r) : 0;
      std::visit(AddRow{std::span(sums).subspan(group * cells, cells), std::span(all).subspan(number * width, width),
                        targets[r]},
                 query.cells);
    }
  }
  return sums;
}

RowAnswers row_answers(const data::TileSet& tiles, const RowModel& model, std::optional<std::size_t> group,
                       Threads threads) {
  check_group(tiles, group);
  RowAnswers result{.outputs = model_outputs(tiles, model, threads), .targets = {}, .groups = {}};
  for (std::size_t i = 0; i < tiles.tile_count(); ++i) {
    const data::TileView tile = tiles.tile(i);
    const std::int32_t* targets = tile.target(tiles.layout());
    result.targets.insert(result.targets.end(), targets, targets + tile.rows);
    for (std::size_t r = 0; group && r < tile.rows; ++r) result.groups.push_back(code_of(tiles, tile, *group, r));
  }
  return result;
}

}  // namespace dperm::engine
