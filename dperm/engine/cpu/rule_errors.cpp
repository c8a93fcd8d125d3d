// SPDX-License-Identifier: Apache-2.0
// Note: dperm/methods/exponential_rules/finite_choice.md.
#include "dperm/engine/cpu/rule_errors.hpp"

#include <algorithm>
#include <bit>

#include "dperm/data/tiles/tile_loop.hpp"
#include "dperm/engine/cpu/counts.hpp"

namespace dperm::engine {

namespace {

// Calls visit(state, row number, row, target) for every row and merge(state) for every thread's state.
template <class State, class Visit, class Merge>
void for_each_row(const data::TileSet& tiles, Threads threads, const State& start, Visit&& visit, Merge&& merge) {
  const data::TileLayout& layout = tiles.layout();
  struct Local {
    State state;
    std::vector<std::int16_t> reals;
    std::vector<std::uint32_t> codes;
  };
  for_each_tile(
      tiles, threads,
      [&] {
        return Local{start, std::vector<std::int16_t>(layout.real_count()),
                     std::vector<std::uint32_t>(layout.category_count())};
      },
      [&](Local& local, std::size_t index, const data::TileView& tile, const std::byte*) {
        for (std::size_t r = 0; r < tile.rows; ++r) {
          for (std::size_t j = 0; j < local.reals.size(); ++j) local.reals[j] = tile.real(layout, j)[r];
          for (std::size_t c = 0; c < local.codes.size(); ++c) local.codes[c] = tile.code(layout, c, r);
          visit(local.state, index * layout.height() + r, rules::EncodedRow{local.reals, local.codes},
                tile.target(layout)[r]);
        }
      },
      [&](const Local& local) { merge(local.state); });
}

// Conjunctions of `missing` more literals, the first of them at least number `first`.
struct Conjunctions {
  std::span<const RowMask> literals;
  const RowMask& positive;
  std::int64_t positives;
  std::vector<std::int64_t>& errors;

  void add(const RowMask& rows_left, std::size_t first, std::size_t missing) const {
    if (missing == 0) {
      std::int64_t right = 0, wrong = 0;
      for (std::size_t i = 0; i < positive.size(); ++i) {
        right += std::popcount(rows_left[i] & positive[i]);
        wrong += std::popcount(rows_left[i] & ~positive[i]);
      }
      errors.push_back(wrong + positives - right);
      return;
    }
    RowMask both(positive.size());
    for (std::size_t index = first; index + missing <= literals.size(); ++index) {
      for (std::size_t i = 0; i < both.size(); ++i) both[i] = rows_left[i] & literals[index][i];
      add(both, index + 1, missing - 1);
    }
  }
};

}  // namespace

// [proof methods_finite_choice.rows]
std::vector<std::int64_t> rule_errors(const data::TileSet& tiles, std::span<const rules::Hypothesis> rules,
                                      Threads threads) {
  std::vector<std::int64_t> errors(rules.size(), 0);
  for_each_row(
      tiles, threads, errors,
      [&](std::vector<std::int64_t>& wrong, std::size_t, const rules::EncodedRow& row, std::int32_t target) {
        for (std::size_t i = 0; i < rules.size(); ++i) wrong[i] += predict(rules[i], row) != (target > 0);
      },
      [&](const std::vector<std::int64_t>& wrong) {
        for (std::size_t i = 0; i < errors.size(); ++i) errors[i] += wrong[i];
      });
  return errors;
}

std::vector<std::int64_t> conjunction_errors(const data::TileSet& tiles, const ConjunctionQuery& query,
                                             Threads threads) {
  std::vector<RowMask> masks;
  for (const rules::LevelRule& literal : query.literals) {
    masks.push_back(rows_with_code(tiles, literal.category, literal.code, threads));
    if (!literal.negated) continue;
    for (std::uint64_t& word : masks.back()) word = ~word;  // every conjunction starts from the rows there are
  }
  const RowMask positive = rows_with_positive_label(tiles, threads);
  RowMask all(positive.size(), ~std::uint64_t{0});
  if (tiles.rows() % 64 != 0) all.back() = (std::uint64_t{1} << (tiles.rows() % 64)) - 1;
  std::int64_t positives = 0;
  for (const std::uint64_t word : positive) positives += std::popcount(word);
  std::vector<std::int64_t> errors;
  const Conjunctions conjunctions{masks, positive, positives, errors};
  for (std::size_t size = 0; size <= std::min(query.most, masks.size()); ++size) conjunctions.add(all, 0, size);
  return errors;
}
// [/proof]

std::vector<double> rule_outputs(const data::TileSet& tiles, const rules::Hypothesis& rule, Threads threads) {
  std::vector<double> out(tiles.rows());
  for_each_row(
      tiles, threads, 0,
      [&](int&, std::size_t number, const rules::EncodedRow& row, std::int32_t) {
        out[number] = predict(rule, row) ? 1 : -1;
      },
      [](int) {});
  return out;
}

}  // namespace dperm::engine
