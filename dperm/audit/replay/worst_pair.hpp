// SPDX-License-Identifier: Apache-2.0
// The pair of neighbours that changes a plan's exact answers most, by hand-made extremes and by climbing from the best
// of them; a row that changes may stand anywhere in the second table. An adversary also picks what was released before:
// the sensitivity must hold whatever the outputs.
#pragma once

#include <cstdint>
#include <memory>

#include "dperm/audit/replay/pair.hpp"

namespace dperm::audit {

struct SearchOptions {
  std::uint64_t seed = 1;
  std::size_t most_replays = 400;  // of hand-made pairs
  std::size_t climbs = 200;
  bool pick_outputs = true;  // false: outputs are drawn, as in a game
  // A choice: look for the pair of which a game is expected to show most, instead of the largest loss, which may belong
  // to candidates that are never chosen.
  bool for_game = false;
};

struct Found {
  Pair pair;
  std::vector<double> push = {};  // the direction that outputs were pushed in; empty: they were drawn
  Comparison comparison = {};
  double share = 0;  // of what is declared: of mu over all Gaussian releases, else of one release
  std::size_t replays = 0;
};

// Tables of `rows` rows; neighbours differ in as many of them as the plan protects together.
Found worst_pair(const methods::Plan& plan, std::shared_ptr<const schema::Encoding> encoding, std::size_t rows,
                 const SearchOptions& options);

// What a comparison reaches.
double share_of(const Comparison& comparison);

}  // namespace dperm::audit
