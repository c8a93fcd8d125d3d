// SPDX-License-Identifier: Apache-2.0
#include "dperm/random/noise/gaussian_pairs.hpp"

#include <mpfr.h>

#include <algorithm>
#include <optional>

#include "dperm/random/bounds.hpp"
#include "dperm/random/noise/lazy_uniform.hpp"

namespace dperm::random::detail {
namespace {

// [proof random_gaussian_pairs.exact]
// In place: a uniform in (0, 1) becomes the scale times sqrt(-2 ln uniform).
void bound_radius(Bounds& value, double scale) {
  mpfr_swap(value.lower.get(), value.upper.get());  // the logarithm of a uniform falls in size
  const auto transform = [scale](mpfr_ptr end, mpfr_rnd_t outwards, mpfr_rnd_t inwards) {
    mpfr_log(end, end, inwards);  // negative: the other direction
    mpfr_mul_si(end, end, -2, outwards);
    mpfr_sqrt(end, end, outwards);
    mpfr_mul_d(end, end, scale, outwards);
  };
  transform(value.lower.get(), MPFR_RNDD, MPFR_RNDU);
  transform(value.upper.get(), MPFR_RNDU, MPFR_RNDD);
}

// In place: a uniform f in (0, 1) becomes pi f / 4.
void bound_angle(Bounds& value, mpfr_prec_t precision) {
  Real pi(precision);
  const auto transform = [&pi](mpfr_ptr end, mpfr_rnd_t direction) {
    mpfr_const_pi(pi.get(), direction);
    mpfr_mul(end, end, pi.get(), direction);
    mpfr_div_2ui(end, end, 2, direction);
  };
  transform(value.lower.get(), MPFR_RNDD);
  transform(value.upper.get(), MPFR_RNDU);
}

std::optional<std::int64_t> round_product(Bounds& factor, Bounds& other) {
  mpfr_mul(factor.lower.get(), factor.lower.get(), other.lower.get(), MPFR_RNDD);
  mpfr_mul(factor.upper.get(), factor.upper.get(), other.upper.get(), MPFR_RNDU);
  return round_if_decided(factor);
}

// round(scale * radius * cos) and round(scale * radius * sin) of the angle inside the first octant.
std::optional<RoundedPair> round_octant(const LazyUniform& uniform, const LazyUniform& position, double scale,
                                        mpfr_prec_t precision) {
  Bounds radius(precision), angle(precision), cosine(precision), sine(precision);
  set(radius, uniform);
  bound_radius(radius, scale);
  set(angle, position);
  bound_angle(angle, precision);
  // On [0, pi / 4] and a little beyond the cosine falls and the sine rises.
  mpfr_cos(cosine.lower.get(), angle.upper.get(), MPFR_RNDD);
  mpfr_cos(cosine.upper.get(), angle.lower.get(), MPFR_RNDU);
  mpfr_sin(sine.lower.get(), angle.lower.get(), MPFR_RNDD);
  mpfr_sin(sine.upper.get(), angle.upper.get(), MPFR_RNDU);
  const std::optional<std::int64_t> along = round_product(cosine, radius);
  const std::optional<std::int64_t> across = round_product(sine, radius);
  if (!along || !across) return std::nullopt;
  return RoundedPair{*along, *across};
}
// [/proof]

}  // namespace

// [proof random_gaussian_pairs.exact_pair]
RoundedPair round_pair_exactly(BitSource& bits, std::uint64_t radius_bits, std::uint64_t angle_bits, double sigma) {
  LazyUniform uniform(radius_bits, 64);
  LazyUniform position(angle_bits >> 3, 61);
  for (mpfr_prec_t precision = 128;; precision += 64) {
    if (const std::optional<RoundedPair> octant = round_octant(uniform, position, sigma, precision)) {
      RoundedPair pair = *octant;
      if ((angle_bits & 1) != 0) std::swap(pair.x, pair.y);
      if ((angle_bits & 2) != 0) pair.x = -pair.x;
      if ((angle_bits & 4) != 0) pair.y = -pair.y;
      return pair;
    }
    uniform.extend(bits);
    position.extend(bits);
  }
}
// [/proof]

// [proof random_gaussian_pairs.draw]
void draw_pairs(BitSource& bits, double sigma, std::span<std::int64_t> out, double margin) {
  PairBatch batch;
  while (!out.empty()) {
    const std::size_t pairs = std::min((out.size() + 1) / 2, kBatchPairs);
    bits.fill(std::span(batch.radius_bits).first(pairs));
    bits.fill(std::span(batch.angle_bits).first(pairs));
    // The lanes of the last vector that nobody looks at.
    std::fill(batch.radius_bits.begin() + pairs, batch.radius_bits.end(), std::uint64_t{1} << 63);
    std::fill(batch.angle_bits.begin() + pairs, batch.angle_bits.end(), 0);
    compute_directions(batch, pairs);
    if (!round_pairs(batch, pairs, sigma, margin)) {
      for (std::size_t i = 0; i < pairs; ++i) {
        if (batch.rounded_x[i] != kUndecided && batch.rounded_y[i] != kUndecided) continue;
        const RoundedPair pair = round_pair_exactly(bits, batch.radius_bits[i], batch.angle_bits[i], sigma);
        batch.rounded_x[i] = pair.x;
        batch.rounded_y[i] = pair.y;
      }
    }
    const std::size_t second = std::min(out.size() - pairs, pairs);  // one less where the number asked for is odd
    std::copy_n(batch.rounded_x.begin(), pairs, out.begin());
    std::copy_n(batch.rounded_y.begin(), second, out.begin() + static_cast<std::ptrdiff_t>(pairs));
    out = out.subspan(pairs + second);
  }
}
// [/proof]

}  // namespace dperm::random::detail
