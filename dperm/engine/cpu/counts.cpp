// SPDX-License-Identifier: Apache-2.0
#include "dperm/engine/cpu/counts.hpp"

#include <oneapi/tbb/parallel_sort.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>

#include "dperm/core/check.hpp"
#include "dperm/data/tiles/tile_loop.hpp"

namespace dperm::engine {
namespace {

constexpr std::size_t kMostParts = 1024;
constexpr std::size_t kRealCells = 65535;
constexpr std::size_t kMostProjectedParts = std::size_t{1} << 20;
constexpr std::int32_t kLargestCoefficient = 1 << 15;

std::size_t real_cell(std::int16_t q) {
  return static_cast<std::size_t>(std::max<int>(q, -schema::kRealOne) + schema::kRealOne);
}

// cell_of(tile, row) says where a row counts.
template <class CellOf>
LabelCounts count_cells(const data::TileSet& tiles, std::size_t cells, Threads threads, CellOf&& cell_of) {
  const LabelCounts none{std::vector<std::int64_t>(cells, 0), std::vector<std::int64_t>(cells, 0)};
  LabelCounts total = none;
  for_each_tile(
      tiles, threads, [&] { return none; },
      [&](LabelCounts& counts, std::size_t, const data::TileView& tile, const std::byte*) {
        const std::int32_t* targets = tile.target(tiles.layout());
        for (std::size_t r = 0; r < tile.rows; ++r) {
          ++(targets[r] > 0 ? counts.positive : counts.negative)[cell_of(tile, r)];
        }
      },
      [&](const LabelCounts& counts) {
        for (std::size_t i = 0; i < cells; ++i) {
          total.negative[i] += counts.negative[i];
          total.positive[i] += counts.positive[i];
        }
      });
  return total;
}

struct Count {
  const data::TileSet& tiles;
  Threads threads;

  LabelCounts operator()(const RealCells& cells) const {
    require(cells.real < tiles.layout().real_count(), "no such real column");
    return count_cells(tiles, kRealCells, threads, [&](const data::TileView& tile, std::size_t r) {
      return real_cell(tile.real(tiles.layout(), cells.real)[r]);
    });
  }

  LabelCounts operator()(const CategoryCells& cells) const {
    require(cells.category < tiles.layout().category_count(), "no such category column");
    const std::uint32_t levels = tiles.layout().category_levels(cells.category);
    return count_cells(tiles, std::size_t{levels} + 1, threads, [&](const data::TileView& tile, std::size_t r) {
      return std::min(tile.code(tiles.layout(), cells.category, r), levels);
    });
  }

  LabelCounts operator()(const PairCells& cells) const {
    const std::size_t reals = tiles.layout().real_count(), parts = cells.parts;
    require(cells.first < reals && cells.second < reals, "no such real column");
    require(parts >= 1 && parts <= kMostParts, "a pair of columns takes between 1 and 1024 parts each");
    const auto part = [&](const data::TileView& tile, std::size_t real, std::size_t r) {
      return real_cell(tile.real(tiles.layout(), real)[r]) * parts / kRealCells;
    };
    return count_cells(tiles, parts * parts, threads, [&](const data::TileView& tile, std::size_t r) {
      return part(tile, cells.first, r) * parts + part(tile, cells.second, r);
    });
  }

  LabelCounts operator()(const ProjectionCells& cells) const {
    const std::span<const std::int32_t> coefficients = cells.coefficients;
    require(coefficients.size() == tiles.layout().real_count(), "one coefficient per real column");
    require(cells.parts >= 1 && cells.parts <= kMostProjectedParts, "a projection takes between 1 and 2^20 parts");
    std::int64_t range = 0;
    for (const std::int32_t each : coefficients) {
      require(std::abs(each) <= kLargestCoefficient, "a coefficient of a projection exceeds 2^15");
      range += std::int64_t{schema::kRealOne} * std::abs(each);
    }
    return count_cells(tiles, cells.parts, threads, [&](const data::TileView& tile, std::size_t r) {
      std::int64_t z = 0;
      for (std::size_t j = 0; j < coefficients.size(); ++j) {
        if (coefficients[j] != 0) {
          z += std::int64_t{coefficients[j]} * std::max<int>(tile.real(tiles.layout(), j)[r], -schema::kRealOne);
        }
      }
      return static_cast<std::size_t>(z + range) * cells.parts / static_cast<std::size_t>(2 * range + 1);
    });
  }
};

// Tiles have a height that is a multiple of 64, so no two tiles share a word.
template <class IsIn>
RowMask row_mask(const data::TileSet& tiles, Threads threads, IsIn&& is_in) {
  RowMask mask((tiles.rows() + 63) / 64, 0);
  const std::size_t height = tiles.layout().height();
  ensure(height % 64 == 0, "tiles must hold whole words of rows");
  for_each_tile(
      tiles, threads, [] { return 0; },
      [&](int&, std::size_t index, const data::TileView& tile, const std::byte*) {
        for (std::size_t r = 0; r < tile.rows; ++r) {
          const std::size_t row = index * height + r;
          if (is_in(tile, r)) mask[row / 64] |= std::uint64_t{1} << (row % 64);
        }
      },
      [](int) {});
  return mask;
}

}  // namespace

std::vector<std::int32_t> sorted_targets(const data::TileSet& tiles, Threads threads) {
  std::vector<std::int32_t> targets(tiles.rows());
  const std::size_t height = tiles.layout().height();
  for_each_tile(
      tiles, threads, [] { return 0; },
      [&](int&, std::size_t index, const data::TileView& tile, const std::byte*) {
        std::memcpy(targets.data() + index * height, tile.target(tiles.layout()), tile.rows * sizeof(std::int32_t));
      },
      [](int) {});
  data::arena_for(threads).execute([&] { tbb::parallel_sort(targets.begin(), targets.end()); });
  return targets;
}

std::int64_t target_sum(const data::TileSet& tiles, std::int32_t limit, Threads threads) {
  require(limit >= 0, "the limit of a target must not be negative");
  std::int64_t total = 0;
  for_each_tile(
      tiles, threads, [] { return std::int64_t{0}; },
      [&](std::int64_t& sum, std::size_t, const data::TileView& tile, const std::byte*) {
        const std::int32_t* targets = tile.target(tiles.layout());
        for (std::size_t r = 0; r < tile.rows; ++r) sum += std::clamp(targets[r], -limit, limit);
      },
      [&](std::int64_t sum) { total += sum; });
  return total;
}

LabelCounts label_counts(const data::TileSet& tiles, const Cells& cells, Threads threads) {
  return std::visit(Count{tiles, threads}, cells);
}

RowMask rows_with_positive_label(const data::TileSet& tiles, Threads threads) {
  return row_mask(tiles, threads,
                  [&](const data::TileView& tile, std::size_t r) { return tile.target(tiles.layout())[r] > 0; });
}

RowMask rows_with_code(const data::TileSet& tiles, std::size_t category, std::uint32_t code, Threads threads) {
  require(category < tiles.layout().category_count(), "no such category column");
  return row_mask(tiles, threads, [&](const data::TileView& tile, std::size_t r) {
    return tile.code(tiles.layout(), category, r) == code;
  });
}

}  // namespace dperm::engine
