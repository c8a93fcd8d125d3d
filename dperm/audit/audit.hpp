// SPDX-License-Identifier: Apache-2.0
// The audit of one algorithm: the worst pair of neighbours that was found, what of the declared sensitivity it
// reaches, and the game on it.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "dperm/audit/game/game.hpp"
#include "dperm/audit/subjects.hpp"

namespace dperm::audit {

struct AuditOptions {
  double epsilon = 1;
  double error = 1e-3;
  std::size_t runs = 0;    // on each table; 0: enough to see 80% of epsilon where that can be seen
  std::size_t search = 0;  // replays; 0: by how long a fit takes
  int threads = 0;
  std::uint64_t seed = 1;
};

struct MethodAudit {
  std::string name;
  double proved = 0, delta = 0;
  double share = 0;                  // of the declared sensitivity, over picked outputs too
  Comparison comparison = {};        // of the pair that reaches it
  std::optional<double> exact = {};  // the privacy loss itself, on the pair that was played
  GameResult game = {};              // on the worst pair with drawn outputs
  bool passed() const { return comparison.within() && game.epsilon <= proved; }
};

MethodAudit audit_subject(std::string_view name, const AuditOptions& options);

// A plan of the user's, or another.
MethodAudit audit_plan(const Subject& subject, const AuditOptions& options);

// Runs on each table, both halves together, before a bound of this error shows 80% of a claim of which the pair reaches
// `reached_share`. Where that is too little to show so much, as many as if it reached all.
std::size_t runs_needed(const methods::Plan& plan, double error, double reached_share = 1);

}  // namespace dperm::audit
