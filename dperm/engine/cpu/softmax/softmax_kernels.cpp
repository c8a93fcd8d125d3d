// SPDX-License-Identifier: Apache-2.0
// The vector code of softmax regression, one row a lane, compiled once per instruction set and chosen at run time.
#include <algorithm>

#include "dperm/data/tiles/knots.hpp"
#include "dperm/engine/cpu/softmax/softmax_pass.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "dperm/engine/cpu/softmax/softmax_kernels.cpp"
#include <hwy/foreach_target.h>
// foreach_target first: it includes this file again for every target.
#include <hwy/highway.h>

#include "dperm/loss/losses/lane_math-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace dperm::engine::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;
using loss::HWY_NAMESPACE::exp2;
using loss::HWY_NAMESPACE::kLog2E;
using loss::HWY_NAMESPACE::log1p_unit;
using Rows = hn::CappedTag<double, 8>;

// The integers q of a real column as doubles.
HWY_INLINE void load_column(const std::int16_t* q, double* out) {
  const Rows d;
  const hn::Rebind<std::int32_t, Rows> di;
  const hn::Rebind<std::int16_t, Rows> dq;
  for (std::size_t r = 0; r < kSoftmaxRows; r += hn::Lanes(d)) {
    hn::StoreU(hn::PromoteTo(d, hn::PromoteTo(di, hn::LoadU(dq, q + r))), d, out + r);
  }
}

// Calls visit(row, first weight of the row's category) where a row has one; larger codes count as none.
template <class Visit>
HWY_INLINE void for_categories(const SoftmaxPass& pass, const data::TileView& tile, std::size_t first, std::size_t rows,
                               Visit&& visit) {
  const data::TileLayout& layout = *pass.layout;
  for (std::size_t c = 0; c < layout.category_count(); ++c) {
    for (std::size_t r = 0; r < rows; ++r) {
      const std::uint32_t code = tile.code(layout, c, first + r);
      if (code < layout.category_levels(c)) visit(r, (layout.category_first_weight(c) + code) * pass.classes);
    }
  }
}

// Calls visit(row, knots next to one of the row's values).
template <class Visit>
HWY_INLINE void for_curves(const SoftmaxPass& pass, const data::TileView& tile, std::size_t first, std::size_t rows,
                           Visit&& visit) {
  const data::TileLayout& layout = *pass.layout;
  if (data::knots_per_row(layout) == 0) return;
  for (std::size_t r = 0; r < rows; ++r) {
    data::for_each_curve(
        layout, [&](std::size_t j) { return tile.real(layout, j)[first + r]; },
        [&](const data::Knots& knots) { visit(r, knots); });
  }
}

// A curve's part of a score is added up first: a score passes one rounding per column, not per knot.
HWY_INLINE void score_curves(const SoftmaxPass& pass, const data::TileView& tile, std::size_t first, std::size_t rows,
                             double* scores) {
  for_curves(pass, tile, first, rows, [&](std::size_t r, const data::Knots& knots) {
    for (std::size_t k = 0; k < pass.classes; ++k) {
      double part = 0;
      for (std::size_t i = 0; i < knots.count; ++i) {
        part += pass.weights[knots.weights[i] * pass.classes + k] * static_cast<double>(knots.values[i]);
      }
      scores[k * kSoftmaxRows + r] += part;
    }
  });
}

void score_softmax(const SoftmaxPass& pass, const data::TileView& tile, std::size_t first, std::size_t rows,
                   SoftmaxState& state) {
  const Rows d;
  const data::TileLayout& layout = *pass.layout;
  double* scores = state.scores.data();
  for (std::size_t k = 0; k < pass.classes; ++k) {
    std::fill_n(scores + k * kSoftmaxRows, kSoftmaxRows, pass.weights[k]);
  }
  alignas(64) double column[kSoftmaxRows];
  for (std::size_t j = 0; j < layout.real_count(); ++j) {
    if (layout.real_weight(j) == schema::kNoWeight) continue;
    load_column(tile.real(layout, j) + first, column);
    const double* weights = pass.weights.data() + layout.real_weight(j) * pass.classes;
    for (std::size_t k = 0; k < pass.classes; ++k) {
      const auto w = hn::Set(d, weights[k]);
      double* score = scores + k * kSoftmaxRows;
      for (std::size_t r = 0; r < kSoftmaxRows; r += hn::Lanes(d)) {
        const auto product = hn::Mul(w, hn::Load(d, column + r));
        hn::StoreU(hn::Add(hn::LoadU(d, score + r), product), d, score + r);
      }
    }
  }
  for_categories(pass, tile, first, rows, [&](std::size_t r, std::size_t weight) {
    for (std::size_t k = 0; k < pass.classes; ++k) scores[k * kSoftmaxRows + r] += pass.weights[weight + k];
  });
  score_curves(pass, tile, first, rows, scores);
}

// ln T for T >= 1: the exponent and the mantissa's artanh series.
HWY_INLINE hn::Vec<Rows> log_of(hn::Vec<Rows> total) {
  const Rows d;
  const hn::RebindToSigned<Rows> di;
  const auto bits = hn::BitCast(di, total);
  const auto exponent = hn::Sub(hn::ShiftRight<52>(bits), hn::Set(di, 1023));
  const auto one = hn::BitCast(di, hn::Set(d, 1.0));
  const auto mantissa = hn::BitCast(d, hn::Or(hn::And(bits, hn::Set(di, (std::int64_t{1} << 52) - 1)), one));
  const auto whole = hn::Mul(hn::ConvertTo(d, exponent), hn::Set(d, 0.6931471805599453));
  return hn::Add(whole, log1p_unit(d, hn::Sub(mantissa, hn::Set(d, 1.0))));
}

// Turns scores into integer slopes; rows past the end get 0. Adds their losses.
// [proof engine_softmax.slopes]
void slopes_of_block(const SoftmaxPass& pass, const std::int32_t* targets, std::size_t rows, SoftmaxState& state) {
  const Rows d;
  const hn::RebindToSigned<Rows> di;
  const auto shrunk_real = hn::Set(d, 0x1p-15 * (1 + 0x1p-15 + 0x1p-30 + 0x1p-45 - 0x1p-50));
  const auto scale = hn::Set(d, pass.share_scale);
  auto losses = hn::Zero(d);
  for (std::size_t r = 0; r < kSoftmaxRows; r += hn::Lanes(d)) {
    const auto used = hn::FirstN(d, rows - std::min(rows, r));
    const auto target = hn::PromoteTo(d, hn::LoadU(hn::Rebind<std::int32_t, Rows>(), targets + r));
    double* scores = state.scores.data() + r;
    auto largest = hn::LoadU(d, scores);
    auto own = largest;
    for (std::size_t k = 1; k < pass.classes; ++k) {
      const auto score = hn::LoadU(d, scores + k * kSoftmaxRows);
      largest = hn::Max(largest, score);
      own = hn::IfThenElse(hn::Eq(target, hn::Set(d, static_cast<double>(k))), score, own);
    }
    auto total = hn::Zero(d);
    for (std::size_t k = 0; k < pass.classes; ++k) {
      const auto below = hn::Sub(hn::LoadU(d, scores + k * kSoftmaxRows), largest);
      const auto e = exp2(d, hn::Mul(below, hn::Set(d, kLog2E)));
      hn::StoreU(e, d, scores + k * kSoftmaxRows);
      total = hn::Add(total, e);
    }
    const auto factor = hn::Div(scale, total);
    for (std::size_t k = 0; k < pass.classes; ++k) {
      const auto share = hn::Mul(hn::LoadU(d, scores + k * kSoftmaxRows), factor);
      const auto is_own = hn::Eq(target, hn::Set(d, static_cast<double>(k)));
      const auto slope = hn::Sub(share, hn::IfThenElseZero(is_own, scale));
      const auto integer = hn::IfThenElseZero(used, hn::Trunc(slope));
      hn::StoreU(hn::ConvertTo(di, integer), di, state.slopes.data() + k * kSoftmaxRows + r);
      hn::StoreU(hn::Mul(integer, shrunk_real), d, state.shrunk.data() + k * kSoftmaxRows + r);
    }
    const auto loss = hn::Mul(hn::Add(hn::Sub(largest, own), log_of(total)), hn::Set(d, pass.loss_scale));
    const auto kept = hn::Min(hn::Max(loss, hn::Zero(d)), hn::Set(d, pass.steps));
    losses = hn::Add(losses, hn::IfThenElseZero(used, hn::Trunc(kept)));
  }
  state.loss += static_cast<std::int64_t>(hn::GetLane(hn::SumOfLanes(d, losses)));
}

void gradient_of_block(const SoftmaxPass& pass, const data::TileView& tile, std::size_t first, std::size_t rows,
                       SoftmaxState& state) {
  const Rows d;
  const data::TileLayout& layout = *pass.layout;
  std::int64_t* gradient = state.gradient.data();
  for (std::size_t k = 0; k < pass.classes; ++k) {
    for (std::size_t r = 0; r < rows; ++r) gradient[k] += state.slopes[k * kSoftmaxRows + r];
  }
  alignas(64) double column[kSoftmaxRows];
  for (std::size_t j = 0; j < layout.real_count(); ++j) {
    if (layout.real_weight(j) == schema::kNoWeight) continue;
    load_column(tile.real(layout, j) + first, column);
    std::int64_t* totals = gradient + layout.real_weight(j) * pass.classes;
    for (std::size_t k = 0; k < pass.classes; ++k) {
      const double* shrunk = state.shrunk.data() + k * kSoftmaxRows;
      auto sum = hn::Zero(d);
      for (std::size_t r = 0; r < kSoftmaxRows; r += hn::Lanes(d)) {
        sum = hn::Add(sum, hn::Trunc(hn::Mul(hn::LoadU(d, shrunk + r), hn::Load(d, column + r))));
      }
      totals[k] += static_cast<std::int64_t>(hn::GetLane(hn::SumOfLanes(d, sum)));
    }
  }
  for_categories(pass, tile, first, rows, [&](std::size_t r, std::size_t weight) {
    for (std::size_t k = 0; k < pass.classes; ++k) gradient[weight + k] += state.slopes[k * kSoftmaxRows + r];
  });
  for_curves(pass, tile, first, rows, [&](std::size_t r, const data::Knots& knots) {
    for (std::size_t i = 0; i < knots.count; ++i) {
      std::int64_t* totals = gradient + knots.weights[i] * pass.classes;
      const auto value = static_cast<double>(knots.values[i]);
      for (std::size_t k = 0; k < pass.classes; ++k) {
        totals[k] += static_cast<std::int64_t>(state.shrunk[k * kSoftmaxRows + r] * value);
      }
    }
  });
}
// [/proof]

void softmax_tile(const SoftmaxPass& pass, const data::TileView& tile, SoftmaxState& state) {
  for (std::size_t first = 0; first < tile.rows; first += kSoftmaxRows) {
    const std::size_t rows = std::min(kSoftmaxRows, tile.rows - first);
    score_softmax(pass, tile, first, rows, state);
    slopes_of_block(pass, tile.target(*pass.layout) + first, rows, state);
    gradient_of_block(pass, tile, first, rows, state);
  }
}

}  // namespace dperm::engine::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace dperm::engine {

HWY_EXPORT(softmax_tile);

void add_softmax(const SoftmaxPass& pass, const data::TileView& tile, SoftmaxState& state) {
  HWY_DYNAMIC_DISPATCH(softmax_tile)(pass, tile, state);
}

}  // namespace dperm::engine
#endif
