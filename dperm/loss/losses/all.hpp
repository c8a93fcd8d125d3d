// SPDX-License-Identifier: Apache-2.0
// The list of losses: what is in it is known to the engine, the model file, the command line and the tests.
//
// A loss of one score is a struct with
//   info                                           what it is called, for which target, what its scores mean
//   value, slope (any floating-point type)         the definitions
//   constants, slope_rounding                      what proofs assume, argued in dperm/loss/loss.md
//   Lane<T>                                        its parameters as a lane of numbers T reads them
// and, for every instruction set, lane_slope (the slope times a scale) and lane_value.
//
// Not guarded as a whole: with DPERM_LOSS_LANES defined (lanes-inl.hpp) it also declares the vector code of every loss.
#include "dperm/loss/losses/absolute.hpp"
#include "dperm/loss/losses/hinge.hpp"
#include "dperm/loss/losses/huber.hpp"
#include "dperm/loss/losses/logistic.hpp"
#include "dperm/loss/losses/pinball.hpp"
#include "dperm/loss/losses/smoothed_hinge.hpp"
#include "dperm/loss/losses/softmax.hpp"
#include "dperm/loss/losses/squared.hpp"
#include "dperm/loss/losses/zero_one.hpp"

#ifndef DPERM_LOSS_LOSSES_ALL_HPP_
#define DPERM_LOSS_LOSSES_ALL_HPP_

#include "dperm/core/error.hpp"

namespace dperm::loss {

template <class... Each>
struct LossList {};

// Within a kind of target the first is the default.
using OneScoreLosses = LossList<Logistic, Hinge, SmoothedHinge, Squared, Absolute, Pinball, Huber>;
using OtherLosses = LossList<Softmax, ZeroOne>;

// visit(L{}) for the loss L of one score that has this kind.
template <class First, class... Rest, class Visit>
auto visit_one_score(LossList<First, Rest...>, LossKind kind, Visit&& visit) {
  if (kind == First::info.kind) return visit(First{});
  if constexpr (sizeof...(Rest) > 0) {
    return visit_one_score(LossList<Rest...>{}, kind, visit);
  } else {
    throw InternalError("not a loss of one score");
  }
}

template <class Visit>
auto visit_one_score(LossKind kind, Visit&& visit) {
  return visit_one_score(OneScoreLosses{}, kind, visit);
}

}  // namespace dperm::loss

#endif
