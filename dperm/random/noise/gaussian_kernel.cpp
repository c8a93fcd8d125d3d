// SPDX-License-Identifier: Apache-2.0
// The vector code of gaussian_pairs.hpp, compiled once per instruction set and chosen at run time. Only correctly
// rounded operations in a fixed order (no fused multiply-add), one pair a lane: every vector width gives the same bits.
#include <array>
#include <bit>
#include <limits>

#include "dperm/random/noise/gaussian_pairs.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "dperm/random/noise/gaussian_kernel.cpp"
#include <hwy/foreach_target.h>
// foreach_target first: it includes this file again for every target.
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace dperm::random::detail::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;
using Doubles = hn::CappedTag<double, 8>;
using Words = hn::RebindToUnsigned<Doubles>;
using Double = hn::Vec<Doubles>;
using Word = hn::Vec<Words>;

// [proof random_gaussian_pairs.polynomials]
template <std::size_t kTerms>
HWY_INLINE Double polynomial(const std::array<double, kTerms>& terms, Double x) {
  const Doubles d;
  Double sum = hn::Set(d, terms[kTerms - 1]);
  for (std::size_t k = kTerms - 1; k-- > 0;) sum = hn::Add(hn::Mul(sum, x), hn::Set(d, terms[k]));
  return sum;
}

// 4 artanh(s) / s in powers of s^2.
inline constexpr std::array<double, 11> kLogarithm = {4.0,      4.0 / 3,  4.0 / 5,  4.0 / 7,  4.0 / 9, 4.0 / 11,
                                                      4.0 / 13, 4.0 / 15, 4.0 / 17, 4.0 / 19, 4.0 / 21};
// cos(pi f / 4) and sin(pi f / 4) / f in powers of f^2.
inline constexpr std::array<double, 9> kCosine = {1.0,
                                                  -0.30842513753404244,
                                                  0.015854344243815502,
                                                  -0.00032599188692739,
                                                  3.59086044859151e-06,
                                                  -2.4611369504942e-08,
                                                  1.1501159127974052e-10,
                                                  -3.8980731712596753e-13,
                                                  1.001886461636272e-15};
inline constexpr std::array<double, 9> kSine = {0.7853981633974483,     -0.08074551218828079,    0.0024903945701927202,
                                                -3.657620418217725e-05, 3.1336168903781217e-07,  -1.757247673443401e-09,
                                                6.948453273886629e-12,  -2.0410263396641442e-14, 4.628704628834683e-17};
inline constexpr double kTwoLogTwo = 1.3862943611198906;
inline constexpr double kRootTwo = 0x1.6a09e667f3bcdp+0;
// [/proof]

// [proof random_gaussian_pairs.radius]
// (first 52 digits + 1/2) / 2^52, exactly.
HWY_INLINE Double middle_of_52(Word digits) {
  const Words w;
  const Word one_and_digits = hn::Or(hn::ShiftRight<12>(digits), hn::Set(w, std::bit_cast<std::uint64_t>(1.0)));
  return hn::Sub(hn::BitCast(Doubles(), one_and_digits), hn::Set(Doubles(), 1 - 0x1p-53));
}

// (digits + 1/2) / 2^64, rounded once.
HWY_INLINE Double middle_of_64(Word digits) {
  const Words w;
  const Doubles d;
  const Word high = hn::Or(hn::ShiftRight<12>(digits), hn::Set(w, std::bit_cast<std::uint64_t>(1.0)));
  const Word low = hn::Or(hn::And(digits, hn::Set(w, 0xfff)), hn::Set(w, std::bit_cast<std::uint64_t>(0x1p-12)));
  return hn::Add(hn::Sub(hn::BitCast(d, high), hn::Set(d, 1.0)),
                 hn::Sub(hn::BitCast(d, low), hn::Set(d, 0x1p-12 - 0x1p-65)));
}

// sqrt(-2 ln U), or NaN unless both U and 1 - U are at least about 2^-16.
HWY_INLINE Double radius_of(Word digits) {
  const Words w;
  const Doubles d;
  const Double u = middle_of_64(digits);
  const Double rest = middle_of_64(hn::Not(digits));  // 1 - U, to full precision where it is small
  // u = 2^-halvings * mantissa, the mantissa between the roots of 1/2 and 2.
  const Word u_bits = hn::BitCast(w, u);
  const Word halvings = hn::ShiftRight<52>(hn::Sub(hn::Set(w, std::bit_cast<std::uint64_t>(kRootTwo) - 1), u_bits));
  const Double mantissa = hn::BitCast(d, hn::Add(u_bits, hn::ShiftLeft<52>(halvings)));
  const Word counted = hn::Or(halvings, hn::Set(w, std::bit_cast<std::uint64_t>(0x1p52)));
  const Double count = hn::Sub(hn::BitCast(d, counted), hn::Set(d, 0x1p52));
  const Double excess = hn::IfThenElse(hn::Eq(count, hn::Zero(d)), hn::Neg(rest), hn::Sub(mantissa, hn::Set(d, 1.0)));
  // ln(1 + excess) = 2 artanh(excess / (2 + excess)).
  const Double s = hn::Div(excess, hn::Add(excess, hn::Set(d, 2.0)));
  const Double twice_log = hn::Mul(s, polynomial(kLogarithm, hn::Mul(s, s)));
  const Double radius = hn::Sqrt(hn::Sub(hn::Mul(count, hn::Set(d, kTwoLogTwo)), twice_log));
  const auto known = hn::Ge(hn::Min(u, rest), hn::Set(d, 0x1p-16));
  return hn::IfThenElse(known, radius, hn::Set(d, std::numeric_limits<double>::quiet_NaN()));
}
// [/proof]

// [proof random_gaussian_pairs.direction]
void compute_directions(PairBatch& batch, std::size_t pairs) {
  const Words w;
  const Doubles d;
  const Word sign_bit = hn::Set(w, std::uint64_t{1} << 63);
  for (std::size_t i = 0; i < pairs; i += hn::Lanes(d)) {
    hn::Store(radius_of(hn::Load(w, batch.radius_bits.data() + i)), d, batch.radius.data() + i);
    const Word angle = hn::Load(w, batch.angle_bits.data() + i);
    const Double f = middle_of_52(angle);
    const Double square = hn::Mul(f, f);
    const Double cosine = polynomial(kCosine, square);
    const Double sine = hn::Mul(f, polynomial(kSine, square));
    const auto swap = hn::RebindMask(d, hn::TestBit(angle, hn::Set(w, 1)));
    const Word x_sign = hn::And(hn::ShiftLeft<62>(angle), sign_bit);
    const Word y_sign = hn::And(hn::ShiftLeft<61>(angle), sign_bit);
    hn::Store(hn::Xor(hn::IfThenElse(swap, sine, cosine), hn::BitCast(d, x_sign)), d, batch.x.data() + i);
    hn::Store(hn::Xor(hn::IfThenElse(swap, cosine, sine), hn::BitCast(d, y_sign)), d, batch.y.data() + i);
  }
}
// [/proof]

// [proof random_gaussian_pairs.decision]
// Adding it to a double below 2^51 in size leaves the nearest integer in the last bits.
inline constexpr double kToInteger = 0x1.8p52;

// The nearest integer where the distance to it is less than `limit`. A NaN is undecided.
HWY_INLINE hn::Vec<hn::RebindToSigned<Doubles>> round_within(Double value, Double limit) {
  const Doubles d;
  const hn::RebindToSigned<Doubles> i;
  const Double shifted = hn::Add(value, hn::Set(d, kToInteger));
  const Double distance = hn::Abs(hn::Sub(value, hn::Sub(shifted, hn::Set(d, kToInteger))));
  const auto integer = hn::Sub(hn::BitCast(i, shifted), hn::Set(i, std::bit_cast<std::int64_t>(kToInteger)));
  return hn::IfThenElse(hn::RebindMask(i, hn::Lt(distance, limit)), integer, hn::Set(i, kUndecided));
}

bool round_pairs(PairBatch& batch, std::size_t pairs, double sigma, double margin) {
  const Doubles d;
  const hn::RebindToSigned<Doubles> integers;
  auto smallest = hn::Zero(integers);
  for (std::size_t i = 0; i < pairs; i += hn::Lanes(d)) {
    const Double scale = hn::Mul(hn::Load(d, batch.radius.data() + i), hn::Set(d, sigma));
    const Double limit = hn::Sub(hn::Set(d, 0.5), hn::Mul(scale, hn::Set(d, margin)));
    const auto x = round_within(hn::Mul(scale, hn::Load(d, batch.x.data() + i)), limit);
    const auto y = round_within(hn::Mul(scale, hn::Load(d, batch.y.data() + i)), limit);
    hn::Store(x, integers, batch.rounded_x.data() + i);
    hn::Store(y, integers, batch.rounded_y.data() + i);
    smallest = hn::Min(smallest, hn::Min(x, y));
  }
  return hn::AllFalse(integers, hn::Eq(smallest, hn::Set(integers, kUndecided)));
}
// [/proof]

}  // namespace dperm::random::detail::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace dperm::random::detail {

HWY_EXPORT(compute_directions);
HWY_EXPORT(round_pairs);

void compute_directions(PairBatch& batch, std::size_t pairs) { HWY_DYNAMIC_DISPATCH(compute_directions)(batch, pairs); }

bool round_pairs(PairBatch& batch, std::size_t pairs, double sigma, double margin) {
  return HWY_DYNAMIC_DISPATCH(round_pairs)(batch, pairs, sigma, margin);
}

}  // namespace dperm::random::detail
#endif
