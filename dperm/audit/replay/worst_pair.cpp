// SPDX-License-Identifier: Apache-2.0
#include "dperm/audit/replay/worst_pair.hpp"

#include <algorithm>
#include <cmath>
#include <variant>

#include "dperm/audit/exact/choice_loss.hpp"

namespace dperm::audit {

namespace {

std::vector<std::int32_t> extreme_targets(const schema::Target& target) {
  if (target.kind == schema::TargetKind::classes) {
    std::vector<std::int32_t> all;
    for (std::size_t k = 0; k < std::min<std::size_t>(3, target.values.size()); ++k) {
      all.push_back(static_cast<std::int32_t>(k));
    }
    return all;
  }
  if (target.kind == schema::TargetKind::binary) return {1, -1};
  return {kTargetOne, -kTargetOne, 0};
}

// Corners of the schema's box, all columns up, all down and by turns, with every extreme target.
Rows extreme_rows(const schema::Encoding& encoding) {
  Rows rows;
  for (const int corner : {0, 1, 2}) {
    if (corner == 2 && encoding.reals().size() + encoding.categories().size() < 2) break;
    Row row;
    for (std::size_t j = 0; j < encoding.reals().size(); ++j) {
      const bool up = corner == 0 || (corner == 2 && j % 2 == 0);
      row.reals.push_back(static_cast<std::int16_t>(up ? 32767 : encoding.reals()[j].from_zero ? 0 : -32767));
    }
    for (std::size_t c = 0; c < encoding.categories().size(); ++c) {
      const std::uint32_t levels = encoding.categories()[c].levels;
      row.codes.push_back(corner == 0 ? 0 : corner == 1 ? levels - 1 : static_cast<std::uint32_t>(c % levels));
    }
    for (const std::int32_t target : extreme_targets(encoding.schema().target)) {
      row.target = target;
      rows.push_back(row);
    }
  }
  return rows;
}

// Outputs of Gaussian releases that lead weights in one direction, far beyond the noise.
Tamper pushed(const std::vector<double>& push) {
  if (push.empty()) return {};
  return [push](const privacy::Mechanism& mechanism, const privacy::WitnessedQuery& query,
                std::vector<std::int64_t>& output) {
    double unit = 0;
    if (const auto* event = std::get_if<privacy::GaussianEvent>(&mechanism))
      unit = event->sigma + event->l2_sensitivity;
    if (const auto* event = std::get_if<privacy::SampledGaussianEvent>(&mechanism)) {
      unit = event->sigma + event->contribution;
    }
    if (const auto* term = std::get_if<privacy::WitnessedTerm>(&query)) {
      const auto* gaussian = std::get_if<privacy::ObjectivePerturbationEvent>(&mechanism);
      const auto* pure = std::get_if<privacy::PureObjectiveEvent>(&mechanism);
      unit = (gaussian ? gaussian->objective.sigma : pure ? pure->objective.scale : 0) / term->step;
    }
    constexpr double kFar = 100;
    for (std::size_t j = 0; j < output.size(); ++j) {
      output[j] -= std::llround(std::clamp(kFar * unit * push[j % push.size()], -0x1p60, 0x1p60));
    }
  };
}

// What a long game on a choice is expected to show, of the epsilon that is declared.
double choice_share(const Replayed& run) {
  if (run.first.steps.size() != 1 || run.second.steps.size() != 1) return share_of(run.comparison);
  const Step &a = run.first.steps.front(), &b = run.second.steps.front();
  const auto share = [&](const auto& event) {
    constexpr double kRuns = 4e5;
    const double scale = static_cast<double>(event.scale_numerator) / static_cast<double>(event.scale_denominator);
    return choice_power(a.runs, b.runs, scale, kRuns) * scale / static_cast<double>(event.range);
  };
  if (const auto* event = std::get_if<privacy::ExponentialEvent>(&a.mechanism)) {
    if (!a.runs.empty()) return share(*event);
  }
  if (const auto* event = std::get_if<privacy::PermuteAndFlipEvent>(&a.mechanism)) return share(*event);
  return share_of(run.comparison);
}

class Search {
 public:
  Search(const methods::Plan& plan, const SearchOptions& options)
      : plan_(plan), options_(options), bits_(options.seed) {}

  bool try_pair(const Pair& pair, const std::vector<double>& push) {
    ++best_.replays;
    const Replayed run = replay(plan_, pair, options_.seed, pushed(push));
    const double share = options_.for_game ? choice_share(run) : share_of(run.comparison);
    // A difference in flow is worse than any distance.
    const bool worse = !run.comparison.difference.empty() && best_.comparison.difference.empty();
    if (!worse && (share <= best_.share || !best_.comparison.difference.empty()) && !best_.pair.rows.empty())
      return false;
    best_ = {pair, push, run.comparison, share, best_.replays};
    return true;
  }

  void hand_made(const std::shared_ptr<const schema::Encoding>& encoding, std::size_t rows) {
    const Rows extremes = extreme_rows(*encoding);
    std::vector<Pair> pairs;
    for (std::size_t background = 0; background <= 1; ++background) {
      for (const Row& first : extremes) {
        for (const Row& second : extremes) {
          if (first == second) continue;
          Pair pair{encoding, {}, 0, second};
          // The other rows pull to and fro, or all one way.
          for (std::size_t i = 0; i < rows; ++i) pair.rows.push_back(background == 0 ? extremes[i % 2] : extremes[0]);
          pair.copies = std::min(rows, methods::group_of(plan_.task.facts));
          // A table in the order of a key: with another key the row goes to the other end, and all others make room.
          if (background == 0) pair.to = rows - pair.copies;
          std::fill_n(pair.rows.begin(), pair.copies, first);
          pairs.push_back(std::move(pair));
        }
      }
    }
    std::vector<std::vector<double>> pushes = {{}};
    if (options_.pick_outputs && !encoding->has_knots()) {
      std::vector<double> along(encoding->dimension(), 0.0);
      along[0] = 1;
      pushes.push_back(along);
      along[0] = -1;
      pushes.push_back(along);
      pushes.push_back(features(*encoding, extremes.front()));
    }
    for (const std::vector<double>& push : pushes) {
      for (const Pair& pair : pairs) {
        if (best_.replays >= options_.most_replays || best_.share >= 1) return;
        try_pair(pair, push);
      }
    }
  }

  void climb() {
    for (std::size_t i = 0; i < options_.climbs && best_.share < 1 && best_.comparison.difference.empty(); ++i) {
      Pair pair = best_.pair;
      std::vector<double> push = best_.push;
      change(pair, push);
      try_pair(pair, push);
    }
  }

  Found take() { return std::move(best_); }

 private:
  std::uint64_t below(std::uint64_t bound) { return bits_.next() % bound; }

  void change_row(Row& row, const schema::Encoding& encoding) {
    const std::uint64_t parts = row.reals.size() + row.codes.size() + 1;
    const std::uint64_t part = below(parts);
    if (part < row.reals.size()) {
      const auto any = static_cast<std::int16_t>(static_cast<int>(below(65535)) - 32767);
      const std::int16_t values[] = {32767, -32767, 0, any};
      const std::int16_t value = values[below(4)];
      row.reals[part] = encoding.reals()[part].from_zero ? static_cast<std::int16_t>(std::abs(value)) : value;
    } else if (part + 1 < parts) {
      const std::size_t c = part - row.reals.size();
      row.codes[c] = static_cast<std::uint32_t>(below(std::uint64_t{encoding.categories()[c].levels} + 1));
    } else {
      const auto targets = extreme_targets(encoding.schema().target);
      row.target = targets[below(targets.size())];
    }
  }

  void change(Pair& pair, std::vector<double>& push) {
    switch (below(push.empty() ? 4 : 5)) {
      case 0:
        change_row(pair.rows[pair.place], *pair.encoding);
        std::fill_n(pair.rows.begin() + static_cast<std::ptrdiff_t>(pair.place), pair.copies, Row(pair.row()));
        return;
      case 1:
        return change_row(pair.other, *pair.encoding);
      case 2: {  // all other rows that are alike change together
        Row changed = pair.rows[below(pair.rows.size())];
        const Row before = changed;
        change_row(changed, *pair.encoding);
        for (std::size_t i = 0; i < pair.rows.size(); ++i) {
          const bool own = i >= pair.place && i < pair.place + pair.copies;
          if (!own && pair.rows[i] == before) pair.rows[i] = changed;
        }
        return;
      }
      case 3:
        pair.to = below(pair.rows.size() - pair.copies + 1);
        return;
      default:
        push[below(push.size())] += static_cast<double>(below(2001)) / 1000.0 - 1;
    }
  }

  const methods::Plan& plan_;
  const SearchOptions& options_;
  random::SeededBits bits_;
  Found best_;
};

}  // namespace

double share_of(const Comparison& comparison) {
  double term = 0;
  for (const StepCheck& each : comparison.checks) {
    if (each.mechanism.ends_with("objective-perturbation")) term = std::max(term, each.share());
  }
  if (term > 0) return term;
  // One release beyond what is declared is a finding, whatever the others do.
  if (comparison.worst_share > 1) return comparison.worst_share;
  return comparison.declared_mu > 0 ? comparison.mu / comparison.declared_mu : comparison.worst_share;
}

Found worst_pair(const methods::Plan& plan, std::shared_ptr<const schema::Encoding> encoding, std::size_t rows,
                 const SearchOptions& options) {
  Search search(plan, options);
  search.hand_made(encoding, rows);
  search.climb();
  return search.take();
}

}  // namespace dperm::audit
