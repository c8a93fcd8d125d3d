// SPDX-License-Identifier: Apache-2.0
// The curator's door for the best of a random number of runs of one mechanism.
#include <utility>

#include "dperm/core/check.hpp"
#include "dperm/privacy/curator/curator.hpp"
#include "dperm/random/bernoulli.hpp"
#include "dperm/random/choice/repetitions.hpp"

namespace dperm::privacy {
namespace {

std::uint64_t draw_repetitions(random::BitSource& bits, const SelectionEvent& mechanism) {
  if (mechanism.distribution == RepetitionDistribution::poisson) return random::poisson(bits, mechanism.parameter);
  return random::truncated_negative_binomial(bits, mechanism.shape, mechanism.parameter);
}

}  // namespace

// [proof privacy_select_best.door]
Released<Curator::Selected> Curator::select_best(const Run& run, std::uint64_t candidates,
                                                 const SelectionEvent& mechanism, std::string what) {
  validate(PrivacyEvent{.what = what, .mechanism = mechanism, .neighbours = neighbours_});
  require(candidates >= 1, "a selection needs at least one candidate");
  record(mechanism, std::move(what));
  Selected best{};
  for (std::uint64_t runs = draw_repetitions(bits_, mechanism); runs > 0; --runs) {
    const std::uint64_t candidate = random::uniform_below(bits_, candidates);
    const std::unique_ptr<Curator> own = inside(unit_rows_);
    ScoredRun result = run(candidate, *own);
    if (best.any && result.score.get() <= best.score) continue;
    best = {true, std::move(result.output.value_), candidate, result.score.get()};
  }
  return Released<Selected>(std::move(best));
}
// [/proof]

}  // namespace dperm::privacy
