// SPDX-License-Identifier: Apache-2.0
// Checks that every method makes: planned noise can be drawn, the data is the one the plan was made for, and what was
// recorded is what was planned.
#pragma once

#include "dperm/core/check.hpp"
#include "dperm/methods/method.hpp"
#include "dperm/random/gaussian.hpp"
#include "dperm/random/k_norm.hpp"

namespace dperm::methods {

// Noise that the samplers cannot make is refused when it is planned, before any record is read.
inline void require_samplable(const Plan& plan) {
  for (const privacy::PrivacyEvent& event : plan.events) {
    double noise = random::kMinimumSigma;
    if (const auto* gaussian = std::get_if<privacy::GaussianEvent>(&event.mechanism)) noise = gaussian->sigma;
    if (const auto* k_norm = std::get_if<privacy::KNormEvent>(&event.mechanism)) {
      noise = k_norm->scale;
      require(plan.question.facts.dimension <= random::kMaximumKNormDimension,
              "noise of pure epsilon is limited to 131072 weights; take a delta above 0 or fewer categories");
    }
    require(noise >= random::kMinimumSigma && noise <= random::kMaximumSigma,
            "this question needs noise beyond the exact samplers' range (2^50 lattice steps); take a larger epsilon or "
            "delta");
  }
}

inline void check_facts(const Plan& plan, const data::Dataset& dataset) {
  const PublicFacts& facts = plan.question.facts;
  require(facts.rows == dataset.rows() && facts.dimension == dataset.encoding().dimension() &&
              facts.columns == dataset.encoding().columns(),
          "the plan was made for other data (rows, weights or columns differ); plan again");
}

inline void check_events(const Plan& plan, const privacy::Curator& curator) {
  ensure(curator.events() == plan.events, "recorded events differ from planned events; nothing is released");
}

}  // namespace dperm::methods
