// SPDX-License-Identifier: Apache-2.0
// Plays that need not run the other table: choices with known costs, and sums whose answers are equally far apart.
#include <algorithm>
#include <variant>

#include "dperm/audit/exact/choice_loss.hpp"
#include "dperm/audit/game/plays.hpp"

namespace dperm::audit {

namespace {

constexpr std::uint64_t kProbes = 6;

// Costs of candidates by number, found by bisection.
class CostTable {
 public:
  explicit CostTable(const std::vector<random::CostRun>& runs) : runs_(runs) {
    std::uint64_t begin = 0;
    for (const random::CostRun& run : runs_) {
      begins_.push_back(begin);
      begin += run.size;
    }
  }
  std::int64_t at(std::uint64_t number) const {
    const auto after = std::upper_bound(begins_.begin(), begins_.end(), number);
    const auto index = static_cast<std::size_t>(after - begins_.begin()) - 1;
    return runs_[index].cost + static_cast<std::int64_t>(number - begins_[index]) * runs_[index].slope;
  }

 private:
  std::vector<random::CostRun> runs_;
  std::vector<std::uint64_t> begins_;
};

// Of a choice; the loss of permute-and-flip is taken as that of the exponential mechanism.
double scale_of(const privacy::Mechanism& mechanism) {
  const auto ratio = [](const auto& event) {
    return static_cast<double>(event.scale_numerator) / static_cast<double>(event.scale_denominator);
  };
  if (const auto* event = std::get_if<privacy::ExponentialEvent>(&mechanism)) return ratio(*event);
  if (const auto* event = std::get_if<privacy::PermuteAndFlipEvent>(&mechanism)) return ratio(*event);
  return 1;
}

bool is_sum(const privacy::Mechanism& mechanism) {
  const auto* sampled = std::get_if<privacy::SampledGaussianEvent>(&mechanism);
  return (sampled != nullptr && sampled->rate >= 1) || std::holds_alternative<privacy::GaussianEvent>(mechanism) ||
         std::holds_alternative<privacy::KNormEvent>(mechanism) ||
         std::holds_alternative<privacy::DiscreteLaplaceEvent>(mechanism);
}

using Gaps = std::vector<std::vector<std::int64_t>>;  // step by step, first less second

std::optional<Gaps> gaps_of(const Transcript& first, const Transcript& second) {
  if (first.steps.empty() || first.steps.size() != second.steps.size()) return std::nullopt;
  Gaps gaps;
  for (std::size_t t = 0; t < first.steps.size(); ++t) {
    const Step &a = first.steps[t], &b = second.steps[t];
    if (!a.answered || !is_sum(a.mechanism) || a.query.size() != b.query.size()) return std::nullopt;
    std::vector<std::int64_t>& gap = gaps.emplace_back();
    for (std::size_t j = 0; j < a.query.size(); ++j) gap.push_back(a.query[j] - b.query[j]);
  }
  return gaps;
}

// The transcript that the other table would have had with the same outputs.
Transcript shifted(Transcript run, const Gaps& gaps, std::int64_t sign) {
  for (std::size_t t = 0; t < run.steps.size(); ++t) {
    for (std::size_t j = 0; j < gaps[t].size(); ++j) run.steps[t].query[j] += sign * gaps[t][j];
  }
  return run;
}

}  // namespace

std::optional<Play> one_choice_play(const methods::Plan& plan, std::shared_ptr<const Tables> tables,
                                    const Tamper& tamper, const Transcript& first, const Transcript& second) {
  if (first.steps.size() != 1 || first.steps.front().runs.empty()) return std::nullopt;
  const double scale = scale_of(first.steps.front().mechanism);
  const double offset = normaliser_gap(first.steps.front().runs, second.steps.front().runs, scale);
  const auto costs = std::make_shared<const std::pair<CostTable, CostTable>>(CostTable(first.steps.front().runs),
                                                                             CostTable(second.steps.front().runs));
  return [=](bool on_first, std::uint64_t seed) -> std::vector<double> {
    const Transcript run = tables->watched(plan, on_first, {.seed = seed, .tamper = tamper, .keep_queries = false});
    const auto chosen = static_cast<std::uint64_t>(run.steps.front().output.front());
    const auto further = static_cast<double>(costs->second.at(chosen)) - static_cast<double>(costs->first.at(chosen));
    return {further / scale + offset};
  };
}

std::optional<Play> same_gap_play(const methods::Plan& plan, std::shared_ptr<const Tables> tables,
                                  const Tamper& tamper) {
  std::optional<Gaps> gaps;
  for (std::uint64_t seed = 1; seed <= kProbes; ++seed) {
    const Transcript first = tables->watched(plan, true, {.seed = seed, .tamper = tamper});
    const Transcript second = tables->watched(plan, false, {.seed = seed, .frozen = &first});
    const std::optional<Gaps> seen = gaps_of(first, second);
    if (!seen || (gaps && *gaps != *seen)) return std::nullopt;
    gaps = seen;
  }
  return [plan, tables, tamper, gaps = *gaps](bool on_first, std::uint64_t seed) -> std::vector<double> {
    const Transcript run = tables->watched(plan, on_first, {.seed = seed, .tamper = tamper});
    const Transcript other = shifted(run, gaps, on_first ? -1 : 1);
    return {on_first ? *log_ratio(run, other) : *log_ratio(other, run)};
  };
}

}  // namespace dperm::audit
