// SPDX-License-Identifier: Apache-2.0
// A run of a plan with every release in view: recorded, or given the outputs of an earlier run. Fresh bits start at
// every release, so that a run on neighbouring rows draws the same noise step by step, however many bits an earlier
// choice took.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "dperm/methods/plan.hpp"
#include "dperm/privacy/curator/curator.hpp"

namespace dperm::audit {

// The one door to a watched curator.
struct CuratorAccess {
  static std::unique_ptr<privacy::Curator> watched(random::BitSource& bits, privacy::Neighbours neighbours,
                                                   std::size_t unit_rows, privacy::Witness& witness) {
    return std::unique_ptr<privacy::Curator>(new privacy::Curator(bits, neighbours, unit_rows, &witness));
  }
};

// One release as it was seen.
struct Step {
  std::string what;
  privacy::Mechanism mechanism;
  bool answered = false;                   // false: nothing left by itself, such as a selection around other releases
  std::vector<std::int64_t> query = {};    // additive noise: the exact numbers; points of a lattice: costs of probes
  std::vector<random::CostRun> runs = {};  // of a choice
  std::vector<std::int64_t> output = {};
  std::int64_t cost = 0;  // of what was chosen
  double term_step = 0;   // of a random term
};

struct Transcript {
  std::vector<Step> steps;
  std::vector<double> weights;                // as the run returned them; empty: it failed
  std::vector<privacy::PrivacyEvent> events;  // as the curator recorded them
  std::string failure = {};                   // the run's exception: neighbours must not differ in it
  bool followed = true;  // false: rows of a part were drawn, and the audit does not know where its records stand
};

// Changes an output on its way; for broken variants, and for outputs that an adversary picks.
using Tamper =
    std::function<void(const privacy::Mechanism&, const privacy::WitnessedQuery&, std::vector<std::int64_t>&)>;

struct WatchOptions {
  std::uint64_t seed = 1;
  const Transcript* frozen = nullptr;  // give these outputs again, as long as the releases are the same
  // With frozen outputs: the random term to take, from the recorded one.
  std::function<std::vector<std::int64_t>(const Step& term)> term = {};
  Tamper tamper = {};
  bool keep_queries = true;  // false: outputs and weights only
  // Where the rows of the first table stand in this one, if they moved: what is drawn for a row goes with its record.
  std::span<const std::uint32_t> places = {};
};

Transcript watched_run(const methods::Plan& plan, const data::Dataset& dataset, const WatchOptions& options);

// The cost of candidate `number`.
std::int64_t cost_of(const std::vector<random::CostRun>& runs, std::uint64_t number);

}  // namespace dperm::audit
