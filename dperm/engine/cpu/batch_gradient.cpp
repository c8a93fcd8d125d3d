// SPDX-License-Identifier: Apache-2.0
#include "dperm/engine/cpu/batch_gradient.hpp"

#include <algorithm>
#include <cstring>

#include "dperm/core/check.hpp"
#include "dperm/core/interrupt.hpp"
#include "dperm/engine/cpu/pass.hpp"

namespace dperm::engine {

namespace {

struct alignas(64) Line {
  std::byte bytes[64];
};

// Copies `count` rows of one tile behind the rows that `into` has already.
void copy_rows(const data::TileLayout& layout, const data::TileView& from, std::size_t first, std::size_t count,
               std::byte* into, std::size_t row) {
  const auto column = [&](std::size_t offset, std::size_t width) {
    std::memcpy(into + offset + row * width, from.base + offset + first * width, count * width);
  };
  for (std::size_t j = 0; j < layout.real_count(); ++j) column(layout.real_offset(j), sizeof(std::int16_t));
  for (std::size_t c = 0; c < layout.category_count(); ++c) {
    column(layout.category_offset(c), static_cast<std::size_t>(layout.category_width(c)));
  }
  column(layout.target_offset(), sizeof(std::int32_t));
}

}  // namespace

struct BatchGradient::State {
  const data::TileSet* tiles;
  std::size_t most_rows;
  ColumnGroups groups;
  Pass<double> pass;
  Scratch<double> scratch;
  Totals totals;
  std::vector<Line> memory;  // one tile

  State(const data::TileSet& all, SlopeRule<double> rule, std::size_t most)
      : tiles(&all),
        most_rows(most),
        groups(all.layout()),
        pass{&all.layout(), &groups, {}, rule},
        totals(all.layout(), groups),
        memory((all.layout().tile_bytes() + sizeof(Line) - 1) / sizeof(Line)) {
    scratch.index.assign(groups.narrow_count() * kBlockRows, 0);
  }

  std::byte* tile() { return memory.front().bytes; }

  // Adds the first `rows` rows of the tile of our own.
  void add(std::size_t rows) {
    if (rows > 0) add_gradient(pass, scratch, {tile(), rows}, tile(), totals);
  }
};

BatchGradient::BatchGradient(const data::TileSet& tiles, const loss::Loss& loss, double slope_bound,
                             std::size_t most_rows)
    : state_(std::make_unique<State>(tiles, solver_slope_rule(loss, slope_bound, row_steps(Resolution::solver)),
                                     most_rows)) {
  require(most_rows <= kMostBatchRows, "a batch has at most 4194304 rows");
}

BatchGradient::~BatchGradient() = default;

std::vector<std::int64_t> BatchGradient::sum(std::span<const double> weights, std::span<const RowRun> batch) {
  InterruptCheck()();
  State& s = *state_;
  const data::TileLayout& layout = s.tiles->layout();
  s.pass.weights = prepare_weights<double>(layout, s.groups, weights, encoded_root(layout));
  s.totals.clear();
  std::size_t filled = 0, total = 0;
  for (const RowRun& run : batch) {
    const std::size_t end = run.first + std::min(run.count, s.tiles->rows() - std::min(run.first, s.tiles->rows()));
    for (std::size_t row = run.first; row < end;) {
      const std::size_t index = row / layout.height(), inside = row % layout.height();
      const std::size_t count = std::min({end - row, layout.height() - inside, layout.height() - filled});
      copy_rows(layout, s.tiles->tile(index), inside, count, s.tile(), filled);
      row += count;
      filled += count;
      total += count;
      if (filled == layout.height()) {
        s.add(filled);
        filled = 0;
      }
    }
  }
  s.add(filled);
  ensure(total <= s.most_rows, "a batch has more rows than it was announced with");
  std::vector<std::int64_t> out(layout.dimension(), 0);
  s.totals.for_each_weight(layout, s.groups, [&](std::size_t weight, std::int64_t sum) { out[weight] += sum; });
  return out;
}

}  // namespace dperm::engine
