// SPDX-License-Identifier: Apache-2.0
#include "dperm/engine/cpu/batch_gradient.hpp"

#include "dperm/core/check.hpp"
#include "dperm/core/interrupt.hpp"
#include "dperm/engine/cpu/gathered_rows.hpp"
#include "dperm/engine/cpu/pass.hpp"

namespace dperm::engine {

struct BatchGradient::State {
  const data::TileSet* tiles;
  std::size_t most_rows;
  ColumnGroups groups;
  Pass<double> pass;
  Scratch<double> scratch;
  Totals totals;
  GatheredRows gathered;
  std::vector<std::uint32_t> inside;  // one tile: numbers of the batch's rows

  State(const data::TileSet& all, SlopeRule<double> rule, std::size_t most)
      : tiles(&all),
        most_rows(most),
        groups(all.layout()),
        pass{&all.layout(), &groups, {}, rule},
        totals(all.layout(), groups),
        gathered(all.layout()) {
    scratch.index.assign(groups.narrow_count() * kBlockRows, 0);
  }

  void add_gathered() {
    if (gathered.rows() > 0) add_gradient(pass, scratch, gathered.tile(), gathered.tile().base, totals);
    gathered.clear();
  }
};

BatchGradient::BatchGradient(const data::TileSet& tiles, const loss::Loss& loss, double slope_bound,
                             std::size_t most_rows)
    : state_(std::make_unique<State>(tiles, solver_slope_rule(loss, slope_bound, row_steps(Resolution::solver)),
                                     most_rows)) {
  require(most_rows <= kMostBatchRows, "a batch has at most 4194304 rows");
}

BatchGradient::~BatchGradient() = default;

std::vector<std::int64_t> BatchGradient::sum(std::span<const double> weights, std::span<const std::uint32_t> batch) {
  InterruptCheck()();
  State& s = *state_;
  ensure(batch.size() <= s.most_rows, "a batch has more rows than it was announced with");
  ensure(batch.empty() || batch.back() < s.tiles->rows(), "a batch has rows that are not there");
  const data::TileLayout& layout = s.tiles->layout();
  s.pass.weights = prepare_weights<double>(layout, s.groups, weights, encoded_root(layout));
  s.totals.clear();
  for (auto row = batch.begin(); row != batch.end();) {
    const std::size_t index = *row / layout.height(), first = index * layout.height();
    s.inside.clear();
    for (; row != batch.end() && *row < first + layout.height(); ++row) {
      ensure(row == batch.begin() || row[-1] < *row, "the rows of a batch do not increase");
      s.inside.push_back(static_cast<std::uint32_t>(*row - first));
    }
    if (!s.gathered.has_room_for(s.inside.size())) s.add_gathered();
    s.gathered.add(s.tiles->tile(index), s.inside);
  }
  s.add_gathered();
  std::vector<std::int64_t> out(layout.dimension(), 0);
  s.totals.for_each_weight(layout, s.groups, [&](std::size_t weight, std::int64_t sum) { out[weight] += sum; });
  return out;
}

}  // namespace dperm::engine
