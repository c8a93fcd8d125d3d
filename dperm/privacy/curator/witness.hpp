// SPDX-License-Identifier: Apache-2.0
// What an audit sees of the releases of a curator. Only dperm/audit can give a curator a witness, and a curator with
// one is not secure(): nothing that it makes passes for private. Note: curator.md.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <variant>
#include <vector>

#include "dperm/privacy/events/event.hpp"
#include "dperm/random/choice/lattice_selection.hpp"
#include "dperm/random/choice/proximal_sampler.hpp"
#include "dperm/random/choice/selection.hpp"

namespace dperm::privacy {

// A random term of an objective, in units of `step`: drawn without a query, and not released.
struct WitnessedTerm {
  double step;
};

// What a mechanism was applied to. Pointers are not null and live as long as the call.
using WitnessedQuery = std::variant<WitnessedTerm, std::span<const std::int64_t>, std::span<const random::CostRun>,
                                    const random::LatticeCosts*, const random::ProximalTarget*>;

class Witness {
 public:
  virtual ~Witness() = default;
  // A release is recorded; no bit has been drawn for it. Releases inside others follow them.
  virtual void begins(const Mechanism& mechanism, std::string_view what) = 0;
  // What is about to leave, which the witness may replace by as many other numbers. The number of a candidate and the
  // coordinates of a point are handed over as signed integers.
  virtual void ends(const WitnessedQuery& query, std::vector<std::int64_t>& output) = 0;
  // Rows are drawn of so many. Where the witness has re-ordered the table: for each row number that may be drawn, the
  // place of the record that it is to stand for. Empty: every record is where it was.
  virtual std::span<const std::uint32_t> places(std::size_t rows) = 0;
};

}  // namespace dperm::privacy
