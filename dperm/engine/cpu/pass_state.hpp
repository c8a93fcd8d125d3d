// SPDX-License-Identifier: Apache-2.0
// What a pass over tiles is made of besides its vector code: the rule of a loss, and one thread's totals. Internal to
// the engine.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "dperm/engine/cpu/pass.hpp"
#include "dperm/engine/queries.hpp"

namespace dperm::engine {

// The rule of a loss whose slopes (or values) are divided by `bound`.
template <class T>
SlopeRule<T> make_rule(const loss::Loss& loss, double bound, double step_count) {
  SlopeRule<T> rule;
  rule.loss = loss;
  rule.steps = static_cast<T>(step_count);
  rule.scale = static_cast<T>(step_count / bound);
  if (loss.positive) rule.first_positive = rule.last_positive = static_cast<T>(*loss.positive);
  return rule;
}

// [proof engine_sums.room]
// One unit of a row being 2^-bits: the 64-bit totals hold so many rows.
constexpr std::size_t rows_that_fit(int bits) { return std::size_t{1} << (kTotalBits - bits); }

template <class T>
struct ThreadState {
  explicit ThreadState(const Pass<T>& pass) : totals(*pass.layout, *pass.groups), sums(pass.layout->dimension(), 0) {
    scratch.index.assign(pass.groups->narrow_count() * kBlockRows, 0);
  }

  void empty_totals(const Pass<T>& pass) {
    totals.for_each_weight(*pass.layout, *pass.groups,
                           [&](std::size_t weight, std::int64_t total) { sums[weight] += total; });
    totals.clear();
    rows = 0;
  }
  // Before so many rows are added.
  void make_room(const Pass<T>& pass, std::size_t more, int bits) {
    if (rows + more > rows_that_fit(bits)) empty_totals(pass);
    rows += more;
  }
  // [/proof]

  Scratch<T> scratch;
  Totals totals;
  std::size_t rows = 0;       // in totals
  std::vector<WideSum> sums;  // of emptied totals, one per weight
};

}  // namespace dperm::engine
