// SPDX-License-Identifier: Apache-2.0
// Steps over secret samples: whether the row took part is not known, so a step's outputs are a mixture of normals, one
// for each number of the person's rows in the sample. The others are taken as their mean; where their part is at right
// angles to the row's this is the exact privacy loss, elsewhere a little less is seen.
#include <algorithm>
#include <cmath>
#include <numeric>
#include <variant>

#include "dperm/audit/game/game.hpp"

namespace dperm::audit {

namespace {

using Vector = std::vector<double>;

double dot(const Vector& a, const Vector& b) { return std::inner_product(a.begin(), a.end(), b.begin(), 0.0); }

// What one row adds to the first step's sum, from tables of nothing but this row: their sums are whole multiples of it,
// by the secret size of the sample, and neighbouring multiples are its length apart.
Vector part_of(const methods::Plan& plan, const Pair& pair, const Row& row,
               const privacy::SampledGaussianEvent& event) {
  constexpr std::uint64_t kSeeds = 48;
  const data::Dataset table = dataset_of(pair.encoding, Rows(pair.rows.size(), row));
  Vector longest;
  std::vector<double> lengths;
  for (std::uint64_t seed = 1; seed <= kSeeds; ++seed) {
    const Transcript run = watched_run(plan, table, {.seed = seed});
    if (run.steps.empty()) return {};
    const Vector sum(run.steps.front().query.begin(), run.steps.front().query.end());
    lengths.push_back(std::sqrt(dot(sum, sum)));
    if (longest.empty() || lengths.back() > std::sqrt(dot(longest, longest))) longest = sum;
  }
  std::sort(lengths.begin(), lengths.end());
  const double most = lengths.back();
  if (!(most > 0)) return longest;
  double length = most / (event.rate * static_cast<double>(pair.rows.size()));  // samples of one size
  bool several = false;
  for (std::size_t i = 1; i < lengths.size(); ++i) {
    const double gap = lengths[i] - lengths[i - 1];
    if (gap > 1e-6 * most) length = several ? std::min(length, gap) : gap, several = true;
  }
  for (double& each : longest) each *= length / most;
  return longest;
}

Vector mean_of_others(const methods::Plan& plan, const Pair& pair, const privacy::SampledGaussianEvent& event) {
  Vector sum;
  Rows known;
  std::vector<Vector> parts;
  for (std::size_t i = 0; i < pair.rows.size(); ++i) {
    if (i >= pair.place && i < pair.place + pair.copies) continue;
    auto place = static_cast<std::size_t>(std::find(known.begin(), known.end(), pair.rows[i]) - known.begin());
    if (place == known.size()) {
      known.push_back(pair.rows[i]);
      parts.push_back(part_of(plan, pair, pair.rows[i], event));
    }
    if (sum.empty()) sum.assign(parts[place].size(), 0.0);
    for (std::size_t j = 0; j < sum.size(); ++j) sum[j] += event.rate * parts[place][j];
  }
  return sum;
}

// The logarithm of the mixture's density at `away` over that without any of the person's rows.
class Mixture {
 public:
  Mixture(Vector part, double sigma, double rate, std::size_t rows) : part_(std::move(part)), sigma_(sigma) {
    const double square = dot(part_, part_) / (2 * sigma * sigma);
    double chance = std::pow(1 - rate, static_cast<double>(rows));  // of none; rates of 1 are no samples
    for (std::size_t b = 0; b <= rows; ++b) {
      const double count = static_cast<double>(b);
      logs_.push_back(std::log(chance) - count * count * square);
      chance *= (static_cast<double>(rows) - count) / (count + 1) * rate / (1 - rate);
    }
  }
  double operator()(const Vector& away) const {
    const double along = dot(away, part_) / (sigma_ * sigma_);
    double most = logs_.front(), sum = 0;
    for (std::size_t b = 0; b < logs_.size(); ++b) most = std::max(most, logs_[b] + static_cast<double>(b) * along);
    for (std::size_t b = 0; b < logs_.size(); ++b) sum += std::exp(logs_[b] + static_cast<double>(b) * along - most);
    return most + std::log(sum);
  }

 private:
  Vector part_, logs_;
  double sigma_;
};

}  // namespace

std::optional<Play> sampled_play(const methods::Plan& plan, const Pair& pair, const Tamper& tamper, double noise) {
  const auto* event =
      plan.events.size() == 1 ? std::get_if<privacy::SampledGaussianEvent>(&plan.events.front().mechanism) : nullptr;
  if (event == nullptr || event->rate >= 1) return std::nullopt;
  const double sigma = noise * event->sigma;
  const Mixture first(part_of(plan, pair, pair.row(), *event), sigma, event->rate, pair.copies);
  const Mixture second(part_of(plan, pair, pair.other, *event), sigma, event->rate, pair.copies);
  const Vector mean = mean_of_others(plan, pair, *event);
  const auto tables = std::make_shared<const Tables>(pair);
  return [=](bool on_first, std::uint64_t seed) -> std::vector<double> {
    const Transcript run = tables->watched(plan, on_first, {.seed = seed, .tamper = tamper, .keep_queries = false});
    double loss = 0;
    for (const Step& step : run.steps) {
      Vector away(step.output.begin(), step.output.end());
      for (std::size_t j = 0; j < away.size(); ++j) away[j] -= mean[j];
      loss += first(away) - second(away);
    }
    return {loss};
  };
}

}  // namespace dperm::audit
