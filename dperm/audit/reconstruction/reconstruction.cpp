// SPDX-License-Identifier: Apache-2.0
#include "dperm/audit/reconstruction/reconstruction.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>

#include "dperm/core/check.hpp"
#include "dperm/methods/algorithms.hpp"
#include "dperm/methods/non_private/optimum.hpp"
#include "dperm/random/bernoulli.hpp"

namespace dperm::audit {

namespace {

// Where none is asked for: there is one minimum then, and it is found quickly. Private methods choose their own.
constexpr double kOpenPenalty = 1e-3;
constexpr double kInfinity = std::numeric_limits<double>::infinity();

// What is known of one attempt.
struct Attempt {
  OpenRow recovered = {};
  double largest = 0, square = 0;
  bool exact = false, found = false;
};

double distance_square(const std::vector<double>& a, const std::vector<double>& b) {
  double sum = 0;
  for (std::size_t j = 0; j < a.size(); ++j) sum += (a[j] - b[j]) * (a[j] - b[j]);
  return sum;
}

// A feature is known to lie between its bounds, and the attacker knows it too.
std::vector<double> within_bounds(const std::vector<double>& features) {
  std::vector<double> result = features;
  for (double& each : result) each = std::isfinite(each) ? std::clamp(each, -1.0, 1.0) : 0;
  return result;
}

class Attacks {
 public:
  Attacks(const data::Dataset& dataset, const ReconstructionOptions& options, const engine::RowSums& sums)
      : dataset_(dataset), options_(options), sums_(sums) {
    random::SeededBits bits(options.seed);
    for (std::size_t i = 0; i < options.targets; ++i) targets_.push_back(random::uniform_below(bits, sums.rows()));
    for (std::size_t i = 0; i + 1 < options.candidates; ++i) {
      decoys_.push_back(open_row(sums, options.task.problem, random::uniform_below(bits, sums.rows())));
    }
  }

  // Weights are asked for once, or anew for every target.
  ReconstructionLevel level(double epsilon, const methods::Task& task,
                            const std::function<std::vector<double>(std::size_t)>& weights_of, OpenRow& example) const {
    ReconstructionLevel result{.epsilon = epsilon};
    std::vector<double> largest;
    double square = 0;
    for (std::size_t i = 0; i < targets_.size(); ++i) {
      const Attempt one = attempt(task, weights_of(i), targets_[i]);
      if (i == 0) example = one.recovered;
      largest.push_back(one.largest);
      square += one.square;
      result.rows_recovered += one.exact ? 1 : 0;
      result.found += one.found ? 1 : 0;
    }
    std::sort(largest.begin(), largest.end());
    result.typical_error = largest[largest.size() / 2];
    result.mean_error = std::sqrt(square / static_cast<double>(targets_.size()));
    return result;
  }

  OpenRow target(std::size_t i) const { return open_row(sums_, options_.task.problem, targets_[i]); }

  // Of whoever has no model: the mean of the others, which is as good as that of all.
  double prior_error() const {
    const engine::GramSums moments = sums_.second_moments(engine::kWholeRows, options_.threads);
    std::vector<double> mean;
    const double unit = static_cast<double>(engine::kGramUnit) * static_cast<double>(sums_.rows());
    for (std::size_t j = 0; j < sums_.dimension(); ++j) {
      mean.push_back(static_cast<double>(moments.upper_triangle[j]) / unit);
    }
    double square = 0;
    for (std::size_t i = 0; i < targets_.size(); ++i) square += mean_square(mean, target(i).features);
    return std::sqrt(square / static_cast<double>(targets_.size()));
  }

 private:
  // Over all features but the intercept's.
  static double mean_square(const std::vector<double>& a, const std::vector<double>& b) {
    return distance_square(a, b) / static_cast<double>(std::max<std::size_t>(1, a.size() - 1));
  }

  Attempt attempt(const methods::Task& task, const std::vector<double>& weights, std::size_t number) const {
    const OpenRow truth = open_row(sums_, task.problem, number);
    const std::vector<double> gradient =
        missing_gradient(task, weights, gradient_of_others(sums_, task, weights, number, options_.threads));
    Attempt result{row_with_gradient(task, weights, gradient)};
    result.recovered.features = within_bounds(result.recovered.features);
    result.square = mean_square(result.recovered.features, truth.features);
    for (std::size_t j = 0; j < truth.features.size(); ++j) {
      result.largest = std::max(result.largest, std::abs(result.recovered.features[j] - truth.features[j]));
    }
    const auto read = on_lattice(dataset_.encoding(), result.recovered.features);
    result.exact = read == on_lattice(dataset_.encoding(), truth.features) &&
                   std::abs(result.recovered.target - truth.target) < 1e-3;
    const double own = distance_square(gradient, gradient_of(task, weights, truth));
    result.found = std::all_of(decoys_.begin(), decoys_.end(), [&](const OpenRow& decoy) {
      return decoy.features == truth.features || own < distance_square(gradient, gradient_of(task, weights, decoy));
    });
    return result;
  }

  const data::Dataset& dataset_;
  const ReconstructionOptions& options_;
  const engine::RowSums& sums_;
  std::vector<std::size_t> targets_;
  std::vector<OpenRow> decoys_;
};

std::vector<double> private_weights(const data::Dataset& dataset, const methods::Plan& plan, std::uint64_t seed,
                                    Threads threads) {
  random::SeededBits bits(seed);
  privacy::Curator curator(bits, plan.guarantee.neighbours, methods::group_of(plan.task.facts));
  return methods::fit(plan, dataset, curator, {threads, {}}).weights.get();
}

}  // namespace

std::vector<double> on_lattice(const schema::Encoding& encoding, const std::vector<double>& features) {
  std::vector<double> result = features;
  for (double& each : result) each = std::round(each);
  for (const schema::RealCode& real : encoding.reals()) {
    result[real.weight] = std::round(features[real.weight] * schema::kRealOne) / schema::kRealOne;
  }
  return result;
}

Reconstruction reconstruct(const data::Dataset& dataset, const ReconstructionOptions& options) {
  require(methods::model_form(options.task.problem) == methods::ModelForm::linear,
          "reconstruction is told for linear models with one score");
  methods::require_convex_and_smooth(options.task.problem, "reconstruction");
  require(!dataset.encoding().has_knots(),
          "reconstruction reads columns that enter as they are: take `shape = linear`");
  require(options.targets >= 1 && options.candidates >= 2, "there must be a target, and candidates to find it among");
  const engine::RowSums& sums = DeclaredPublicAccess::open(dataset.sums());
  const Attacks attacks(dataset, options, sums);
  Reconstruction result{.targets = options.targets, .candidates = options.candidates};
  result.prior_error = attacks.prior_error();
  result.example = attacks.target(0);
  methods::Task bare = options.task;
  if (bare.problem.l2_penalty == 0) bare.problem.l2_penalty = kOpenPenalty;
  const std::vector<double> exact = methods::exact_optimum(sums, bare, options.threads).weights;
  result.levels.push_back(
      attacks.level(kInfinity, bare, [&](std::size_t) { return exact; }, result.example_recovered.emplace_back()));
  std::vector<double> epsilons = options.epsilons;
  std::sort(epsilons.rbegin(), epsilons.rend());
  for (const double epsilon : epsilons) {
    methods::Task task = options.task;
    task.budget = {epsilon, options.delta};
    const methods::Plan plan = options.method.plan(task);  // once: fits are what differs
    const auto fitted = [&](std::size_t i) {
      return private_weights(dataset, plan, options.seed + 1 + i, options.threads);
    };
    result.levels.push_back(attacks.level(epsilon, plan.task, fitted, result.example_recovered.emplace_back()));
  }
  return result;
}

}  // namespace dperm::audit
