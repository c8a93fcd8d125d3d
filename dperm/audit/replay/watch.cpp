// SPDX-License-Identifier: Apache-2.0
#include "dperm/audit/replay/watch.hpp"

#include <cmath>
#include <exception>
#include <utility>

#include "dperm/core/check.hpp"
#include "dperm/core/error.hpp"

namespace dperm::audit {

namespace {

constexpr std::size_t kProbes = 32;

// Points that are the same for neighbours, whatever was chosen: corners and others spread over the lattice.
std::vector<std::int64_t> probe_costs(const random::LatticeCosts& costs) {
  std::vector<std::int64_t> result;
  random::SeededBits bits(1);
  const double width = std::ldexp(1.0, costs.bits());
  const double reach = 0.49 / std::sqrt(static_cast<double>(costs.dimension()));  // corners of the cube in the ball
  std::vector<std::uint64_t> point(costs.dimension());
  for (std::size_t probe = 0; probe < kProbes; ++probe) {
    for (std::size_t j = 0; j < point.size(); ++j) {
      const double corner = (probe >> j & 1) != 0 ? 0.5 + reach : 0.5 - reach;
      const double any = static_cast<double>(bits.next() >> 11) * 0x1p-53;
      point[j] = static_cast<std::uint64_t>((probe < kProbes / 2 ? corner : any) * width);
    }
    result.push_back(costs.contains(point) ? costs.cost(point) : 0);
  }
  return result;
}

class Watch final : public privacy::Witness, public random::BitSource {
 public:
  Watch(const WatchOptions& options, Transcript& transcript)
      : options_(options), transcript_(transcript), steps_(transcript.steps), bits_(0) {
    restart();
  }

  void begins(const privacy::Mechanism& mechanism, std::string_view what) override {
    restart();
    steps_.push_back({.what = std::string(what), .mechanism = mechanism});
  }
  void ends(const privacy::WitnessedQuery& query, std::vector<std::int64_t>& output) override {
    if (steps_.back().answered) steps_.push_back({.what = steps_.back().what, .mechanism = steps_.back().mechanism});
    Step& step = steps_.back();
    step.answered = true;
    if (const auto* term = std::get_if<privacy::WitnessedTerm>(&query)) step.term_step = term->step;
    if (options_.tamper) options_.tamper(step.mechanism, query, output);
    freeze(output);
    if (options_.keep_queries) keep(query, step, output);
    step.output = output;
    restart();
  }
  std::span<const std::uint32_t> places(std::size_t rows) override {
    if (options_.places.empty() || options_.places.size() == rows) return options_.places;
    transcript_.followed = false;
    return {};
  }

  std::uint64_t next() override { return bits_.next(); }
  void fill(std::span<std::uint64_t> out) override { bits_.fill(out); }
  bool secure() const override { return false; }

 private:
  // A stream of its own for every release, before it and after it.
  void restart() { bits_ = random::SeededBits(options_.seed * 0x9E3779B97F4A7C15u + ++streams_); }

  void freeze(std::vector<std::int64_t>& output) {
    if (options_.frozen == nullptr || diverged_) return;
    const std::vector<Step>& recorded = options_.frozen->steps;
    const std::size_t here = steps_.size() - 1;
    if (here >= recorded.size() || recorded[here].what != steps_[here].what ||
        recorded[here].output.size() != output.size()) {
      diverged_ = true;
      return;
    }
    const bool own_term = steps_[here].term_step > 0 && options_.term;
    output = own_term ? options_.term(recorded[here]) : recorded[here].output;
  }

  static void keep(const privacy::WitnessedQuery& query, Step& step, const std::vector<std::int64_t>& output) {
    if (const auto* sums = std::get_if<std::span<const std::int64_t>>(&query)) {
      step.query.assign(sums->begin(), sums->end());
    } else if (const auto* runs = std::get_if<std::span<const random::CostRun>>(&query)) {
      step.runs.assign(runs->begin(), runs->end());
      step.cost = cost_of(step.runs, static_cast<std::uint64_t>(output.front()));
    } else if (const auto* lattice = std::get_if<const random::LatticeCosts*>(&query)) {
      step.query = probe_costs(**lattice);
      step.cost = (*lattice)->cost(std::vector<std::uint64_t>(output.begin(), output.end()));
    } else if (const auto* target = std::get_if<const random::ProximalTarget*>(&query)) {
      step.cost = (*target)->cost(output);
    }
  }

  const WatchOptions& options_;
  Transcript& transcript_;
  std::vector<Step>& steps_;
  random::SeededBits bits_;
  std::uint64_t streams_ = 0;
  bool diverged_ = false;
};

}  // namespace

std::int64_t cost_of(const std::vector<random::CostRun>& runs, std::uint64_t number) {
  for (const random::CostRun& run : runs) {
    if (number < run.size) return run.cost + static_cast<std::int64_t>(number) * run.slope;
    number -= run.size;
  }
  throw InternalError("a candidate beyond the runs");
}

Transcript watched_run(const methods::Plan& plan, const data::Dataset& dataset, const WatchOptions& options) {
  Transcript transcript;
  Watch watch(options, transcript);
  const auto curator =
      CuratorAccess::watched(watch, plan.guarantee.neighbours, methods::group_of(plan.task.facts), watch);
  try {
    transcript.weights = plan.run(dataset, *curator, {{1}, {}}).weights.get();
  } catch (const std::exception& error) {
    transcript.failure = error.what();
  }
  transcript.events = curator->events();
  return transcript;
}

}  // namespace dperm::audit
