// SPDX-License-Identifier: Apache-2.0
#include "dperm/random/noise/k_norm.hpp"

#include <mpfr.h>

#include <optional>

#include "dperm/core/check.hpp"
#include "dperm/random/bounds.hpp"
#include "dperm/random/noise/lazy_normal.hpp"

namespace dperm::random {
namespace {

using detail::Bounds;
using detail::LazyNormal;
using detail::LazyUniform;

// [proof random_k_norm.interval]
// The number that every coordinate of the normal vector is multiplied by: scale * radius / ||normal||, the radius
// being the sum of the exponentials -ln(uniform), taken as one logarithm of the product.
void bound_factor(Bounds& factor, const std::vector<LazyNormal>& normals, const std::vector<LazyUniform>& uniforms,
                  double scale, mpfr_prec_t precision) {
  Bounds product(precision), squares(precision), term(precision);
  mpfr_set_ui(product.lower.get(), 1, MPFR_RNDD);
  mpfr_set_ui(product.upper.get(), 1, MPFR_RNDU);
  for (const LazyUniform& uniform : uniforms) {
    set(term, uniform);
    mpfr_mul(product.lower.get(), product.lower.get(), term.lower.get(), MPFR_RNDD);
    mpfr_mul(product.upper.get(), product.upper.get(), term.upper.get(), MPFR_RNDU);
  }
  mpfr_set_ui(squares.lower.get(), 0, MPFR_RNDD);
  mpfr_set_ui(squares.upper.get(), 0, MPFR_RNDU);
  for (const LazyNormal& normal : normals) {
    set(term, normal);
    mpfr_sqr(term.lower.get(), term.lower.get(), MPFR_RNDD);
    mpfr_sqr(term.upper.get(), term.upper.get(), MPFR_RNDU);
    mpfr_add(squares.lower.get(), squares.lower.get(), term.lower.get(), MPFR_RNDD);
    mpfr_add(squares.upper.get(), squares.upper.get(), term.upper.get(), MPFR_RNDU);
  }
  mpfr_sqrt(squares.lower.get(), squares.lower.get(), MPFR_RNDD);
  mpfr_sqrt(squares.upper.get(), squares.upper.get(), MPFR_RNDU);
  mpfr_log(factor.upper.get(), product.lower.get(), MPFR_RNDD);
  mpfr_log(factor.lower.get(), product.upper.get(), MPFR_RNDU);
  mpfr_neg(factor.upper.get(), factor.upper.get(), MPFR_RNDU);
  mpfr_neg(factor.lower.get(), factor.lower.get(), MPFR_RNDD);
  mpfr_mul_d(factor.upper.get(), factor.upper.get(), scale, MPFR_RNDU);
  mpfr_mul_d(factor.lower.get(), factor.lower.get(), scale, MPFR_RNDD);
  mpfr_div(factor.upper.get(), factor.upper.get(), squares.lower.get(), MPFR_RNDU);
  mpfr_div(factor.lower.get(), factor.lower.get(), squares.upper.get(), MPFR_RNDD);
}

std::optional<std::vector<std::int64_t>> round_all(const std::vector<LazyNormal>& normals,
                                                   const std::vector<LazyUniform>& uniforms, double scale,
                                                   mpfr_prec_t precision) {
  Bounds factor(precision), term(precision);
  bound_factor(factor, normals, uniforms, scale, precision);
  std::vector<std::int64_t> noise;
  noise.reserve(normals.size());
  for (const LazyNormal& normal : normals) {
    set(term, normal);
    mpfr_mul(term.lower.get(), term.lower.get(), factor.lower.get(), MPFR_RNDD);
    mpfr_mul(term.upper.get(), term.upper.get(), factor.upper.get(), MPFR_RNDU);
    const std::optional<std::int64_t> magnitude = round_if_decided(term);
    if (!magnitude) return std::nullopt;
    noise.push_back(normal.negative ? -*magnitude : *magnitude);
  }
  return noise;
}
// [/proof]

}  // namespace

// [proof random_k_norm.sampler]
std::vector<std::int64_t> rounded_k_norm(BitSource& bits, std::size_t dimension, double scale) {
  require(dimension >= 1 && dimension <= kMaximumKNormDimension, "the dimension of K-norm noise must be 1 to 2^17");
  require_in_closed_range("scale", scale, 0.5, 0x1p50);
  std::vector<LazyNormal> normals;
  std::vector<LazyUniform> uniforms;
  normals.reserve(dimension);
  uniforms.reserve(dimension);
  for (std::size_t j = 0; j < dimension; ++j) {
    normals.push_back(detail::draw_normal(bits));
    uniforms.emplace_back(bits.next(), 64);
  }
  for (mpfr_prec_t precision = 128;; precision += 64) {
    if (auto noise = round_all(normals, uniforms, scale, precision)) return *std::move(noise);
    for (LazyNormal& normal : normals) normal.fraction.extend(bits);
    for (LazyUniform& uniform : uniforms) uniform.extend(bits);
  }
}
// [/proof]

}  // namespace dperm::random
