// SPDX-License-Identifier: Apache-2.0
// The vector code of every loss, one row per lane: lane_slope (the slope times a scale) and lane_value (double only).
// Functions outside a target's namespace would lack its instructions, so a loss's file declares them only here, once
// per target of the translation unit that includes this file.
#if defined(DPERM_LOSS_LANES_INL_HPP_) == defined(HWY_TARGET_TOGGLE)
#ifdef DPERM_LOSS_LANES_INL_HPP_
#undef DPERM_LOSS_LANES_INL_HPP_
#else
#define DPERM_LOSS_LANES_INL_HPP_
#endif

#include "dperm/loss/losses/lane_math-inl.hpp"

#define DPERM_LOSS_LANES
#include "dperm/loss/losses/all.hpp"
#undef DPERM_LOSS_LANES

#endif  // per-target include guard
