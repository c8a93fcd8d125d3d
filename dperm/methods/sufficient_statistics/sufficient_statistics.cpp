// SPDX-License-Identifier: Apache-2.0
#include <fmt/core.h>

#include <cmath>
#include <limits>

#include "dperm/core/check.hpp"
#include "dperm/core/error.hpp"
#include "dperm/core/rounding.hpp"
#include "dperm/methods/algorithms.hpp"
#include "dperm/methods/option_tables.hpp"
#include "dperm/methods/shared/normal_equations.hpp"
#include "dperm/privacy/composition/gaussian_dp.hpp"

namespace dperm::methods {

namespace {

constexpr const char* kEigenvalue = "smallest eigenvalue";
constexpr const char* kMoments = "second moments";
// Share of mu^2 for the smallest eigenvalue, as in the published algorithm's spirit; the rest goes to the moments.
constexpr double kEigenvalueShare = 0.1;
// Chance that the noise matrix exceeds its bound, or the eigenvalue's noise its quantile.
constexpr double kBeta = 0.05;
constexpr double kPromised = 1 - 3 * kBeta;             // three events may fail
constexpr double kNormalQuantile = 1.6448536269514722;  // of 1 - kBeta
// The eigenvalue is released in steps of this fraction of one record's influence.
constexpr double kEigenvalueStep = 0x1p-20;
// Square of a real feature in [-1, 1] beyond which the automatic row norm counts a row as long; public tables have
// means of 0.2 to 0.5.
constexpr double kLongFeature = 0.4;

// Rows are x = u / row_norm after shortening, so that ||x|| <= 1, |y| <= 1, and all lengths count in these units.
struct Settings {
  Task task;
  bool certified;          // the ridge that the utility bound asks for
  double row_norm;         // of the features u with the intercept; sqrt(m): no row is longer
  std::int64_t row_limit;  // its square in the engine's integers
  privacy::Neighbours neighbours;
  double unit;  // integers per 1
  double eigenvalue_step;
  privacy::GaussianEvent eigenvalue;
  privacy::GaussianEvent moments;
  double eigenvalue_noise;  // standard deviations
  double moment_noise;
  double matrix_bound;  // spectral norm of the noise matrix, exceeded with probability at most kBeta
  double vector_bound;  // norm of the noise on x y, likewise
  double excess_risk;
};

// [proof methods_sufficient_statistics.sensitivity]
// The query is (diagonal, sqrt(2) off-diagonal, u y row_norm) of sum u u^T and sum u y in integers. In units of
// row_norm^2 it is (x x^T in Frobenius norm, x y), whose sensitivity squared is 2 + 2 + 1/2 (replace one) or 1 + 1.
double moments_sensitivity(const Settings& s) {
  const PublicFacts& facts = s.task.facts;
  const double columns = static_cast<double>(facts.columns);
  const double exact = s.unit * std::sqrt(s.neighbours == privacy::Neighbours::replace_one ? 4.5 : 2);
  // Per row: products with the target are truncated, below one unit in each of at most m coordinates, or 4 m with the
  // four knots of a surface, times row_norm for the scale. Per query: each coordinate is rounded to an integer.
  const double truncation = (facts.knots ? 4 : 2) * std::sqrt(columns) * s.row_norm;
  const double coordinates = static_cast<double>(facts.dimension) * (static_cast<double>(facts.dimension) + 3) / 2;
  // Sums above 2^53 lose their last digits on the way through double.
  const double largest =
      static_cast<double>(engine::kGramUnit) * static_cast<double>(facts.rows) * std::sqrt(columns + 1);
  require(largest < 0x1p61, "too many rows for the 64-bit lattice of sufficient-statistics");
  return rounded_up(exact + truncation + std::sqrt(coordinates) * (1 + 0x1p-50 * largest));
}

// One record moves the smallest eigenvalue of sum x x^T by at most 1; the computed one is off by a little.
double eigenvalue_sensitivity(const PublicFacts& facts) {
  const double error = eigenvalue_error(facts.dimension, static_cast<double>(facts.rows));
  require(error < 0x1p-10, "too many rows and weights for the eigenvalue's double arithmetic");
  return rounded_up((1 + 2 * error) / kEigenvalueStep + 1);
}
// [/proof]

void check_task(const Task& task) {
  validate_linear(task, "sufficient-statistics");
  if (task.problem.loss.kind != loss::LossKind::squared) {
    throw ArgumentError("sufficient-statistics is linear regression: it needs `loss = squared` and a real target");
  }
  if (task.budget.delta <= 0) {
    throw ArgumentError("sufficient-statistics adds Gaussian noise and needs delta > 0 (for example 1e-6)");
  }
  if (task.problem.feasible_set.kind != loss::SetKind::unconstrained) {
    throw ArgumentError(
        "sufficient-statistics solves without a feasible set; use `l2_penalty`, or `method = gradient-descent`");
  }
  if (task.facts.dimension > engine::kMaximumGramDimension) {
    throw ArgumentError(fmt::format("sufficient-statistics keeps a matrix of weights by weights; at most {} weights",
                                    engine::kMaximumGramDimension));
  }
}

// What a length of 1 in encoded units (rows u / sqrt(m)) is in units of row_norm.
double stretch(const Settings& s) { return std::sqrt(static_cast<double>(s.task.facts.columns)) / s.row_norm; }

// l2_penalty as a ridge on sum x x^T.
double penalty_of(const Settings& s) {
  return s.task.problem.l2_penalty * static_cast<double>(s.task.facts.rows) * stretch(s) * stretch(s);
}

double wanted_ridge(const Settings& s) { return (s.certified ? 2 : 1) * s.matrix_bound; }

double excess_risk(const Settings& s) {
  // With ridge max(2 L, penalty): sum of squares - min <= 4 (||e|| + (||E|| + ridge) ||v||)^2 / ridge when ||E|| <= L.
  const double rows = static_cast<double>(s.task.facts.rows);
  const double comparator = default_radius(s.task.problem, s.task.facts) / stretch(s);
  const double ridge = std::fmax(2 * s.matrix_bound, penalty_of(s));
  const double numerator = s.vector_bound + (s.matrix_bound + ridge) * comparator;
  const double bound = 4 * numerator * numerator / (ridge * rows);
  return std::isnan(bound) ? std::numeric_limits<double>::infinity() : bound;  // an absurd l2_penalty overflows both
}

double row_norm_for(const PublicFacts& facts, const SufficientStatisticsOptions& options, bool certified) {
  const double columns = static_cast<double>(facts.columns);
  if (options.row_norm) return std::fmin(*options.row_norm, std::sqrt(columns));
  // The utility bound is about rows as they are, and a category's feature is as long as it can be.
  if (certified || facts.dimension != facts.columns) return std::sqrt(columns);
  return std::sqrt(1 + kLongFeature * (columns - 1));
}

Settings settings_for(const Task& asked, const SufficientStatisticsOptions& options) {
  check_task(asked);
  Settings s{};
  s.task = asked;
  s.certified = options.ridge == Ridge::certified;
  s.neighbours = options.neighbours;
  const double dimension = static_cast<double>(asked.facts.dimension);
  const double mu = privacy::mu_for(asked.budget.epsilon, asked.budget.delta);
  const double wanted = row_norm_for(asked.facts, options, s.certified);
  s.row_limit = std::llrint(wanted * wanted * static_cast<double>(engine::kGramUnit));
  s.unit = static_cast<double>(s.row_limit);
  s.row_norm = std::sqrt(s.unit / static_cast<double>(engine::kGramUnit));
  s.eigenvalue_step = kEigenvalueStep;
  const double eigenvalue = eigenvalue_sensitivity(asked.facts);
  s.eigenvalue = {eigenvalue, rounded_up(eigenvalue / (mu * std::sqrt(kEigenvalueShare)) * (1 + 0x1p-30))};
  const double moments = moments_sensitivity(s);
  s.moments = {moments, rounded_up(moments / (mu * std::sqrt(1 - kEigenvalueShare)) * (1 + 0x1p-30))};
  s.eigenvalue_noise = s.eigenvalue.sigma * s.eigenvalue_step;
  s.moment_noise = s.moments.sigma / s.unit;
  s.matrix_bound = s.moment_noise * (std::sqrt(2 * dimension) + std::sqrt(2 * std::log(2 / kBeta)));
  s.vector_bound = s.moment_noise * (std::sqrt(dimension) + std::sqrt(2 * std::log(1 / kBeta)));
  s.excess_risk = excess_risk(s);
  return s;
}

// [proof methods_sufficient_statistics.query]
// What leaves through the door, as integers; see moments_sensitivity.
std::vector<std::int64_t> moments_query(const Settings& s, const engine::GramSums& gram) {
  const std::size_t dimension = s.task.facts.dimension;
  std::vector<std::int64_t> query;
  std::size_t next = 0;
  for (std::size_t a = 0; a < dimension; ++a) {
    query.push_back(gram.upper_triangle[next++]);
    for (std::size_t b = a + 1; b < dimension; ++b) {
      query.push_back(std::llrint(std::sqrt(2.0) * static_cast<double>(gram.upper_triangle[next++])));
    }
  }
  for (const std::int64_t product : gram.target_products) {
    query.push_back(std::llrint(s.row_norm * static_cast<double>(product)));
  }
  return query;
}

std::vector<std::int64_t> eigenvalue_query(const Settings& s, const engine::GramSums& gram) {
  SymmetricMatrix matrix{s.task.facts.dimension, {}};
  for (const std::int64_t entry : gram.upper_triangle) matrix.upper.push_back(static_cast<double>(entry) / s.unit);
  return {std::llrint(smallest_eigenvalue(matrix) / s.eigenvalue_step)};
}
// [/proof]

struct Solution {
  std::vector<double> weights;
  std::vector<double> noise;  // standard errors by the noise in the moments
};

// Post-processing of the two releases.
Solution solve(const Settings& s, double noisy_eigenvalue, const std::vector<std::int64_t>& noisy) {
  const std::size_t dimension = s.task.facts.dimension;
  SymmetricMatrix matrix{dimension, {}};
  std::size_t next = 0;
  for (std::size_t a = 0; a < dimension; ++a) {
    matrix.upper.push_back(static_cast<double>(noisy[next++]) / s.unit);
    for (std::size_t b = a + 1; b < dimension; ++b) {
      matrix.upper.push_back(static_cast<double>(noisy[next++]) / (std::sqrt(2.0) * s.unit));
    }
  }
  std::vector<double> right;
  for (; next < noisy.size(); ++next) right.push_back(static_cast<double>(noisy[next]) / s.unit);
  const double eigenvalue = std::fmax(0, noisy_eigenvalue - kNormalQuantile * s.eigenvalue_noise);
  const double ridge = std::fmax(penalty_of(s), wanted_ridge(s) - eigenvalue);
  // Noise may leave the matrix indefinite; below this floor a direction carries no signal.
  const double floor = s.matrix_bound / 2;
  Solution solution{solve_ridge(matrix, ridge, floor, right), {}};
  solution.noise = ridge_noise(matrix, ridge, floor, solution.weights, s.moment_noise);
  for (double& weight : solution.weights) weight *= stretch(s);
  for (double& error : solution.noise) error *= stretch(s);
  return solution;
}

// The gradient of the mean squared error is 2 (A w - b) / n, in encoded units. One-hot columns make A singular, so
// nothing is taken off the ridge.
ErrorModel error_model_of(const Settings& s) {
  const double scale = 2 / static_cast<double>(s.task.facts.rows);
  const double matrix_scale = scale / (stretch(s) * stretch(s));
  return {.penalty = matrix_scale * std::fmax(wanted_ridge(s), penalty_of(s)),
          .term_noise = scale * s.moment_noise / stretch(s),
          .matrix_noise = matrix_scale * s.moment_noise};
}

// The theorem is about the larger ridge, and about rows as they are.
UtilityBound utility_of(const Settings& s) {
  if (!s.certified) {
    return {std::numeric_limits<double>::infinity(),
            "the theorem of sufficient-statistics needs `ridge = certified` [sufficient_statistics.md]"};
  }
  const bool all_fit = s.unit >= static_cast<double>(s.task.facts.columns) * static_cast<double>(engine::kGramUnit);
  return {s.excess_risk,
          fmt::format("excess risk with ridge = certified against weights of norm {:.3g} [sufficient_statistics.md]",
                      default_radius(s.task.problem, s.task.facts)),
          kPromised, all_fit ? std::nullopt : std::optional(s.row_norm)};
}

std::vector<DerivationStep> derivation(const Settings& s) {
  return {
      {"row norm", s.row_norm,
       "intercept 1, features in [-1, 1]; longer rows are shortened with their target (at most sqrt(m))"},
      {"target bound", 1, "the schema's bounds of the target, scaled to [-1, 1]"},
      {"rows n", static_cast<double>(s.task.facts.rows), "public, whatever the neighbours"},
      {"sensitivity of the second moments (lattice units)", s.moments.l2_sensitivity,
       "sqrt(9/2) (add or remove: sqrt(2)) jointly for x x^T and x y, plus rounding [sufficient_statistics.md]"},
      {"noise sigma (lattice units)", s.moments.sigma, "90% of mu^2 [BW18, DRS22]"},
      {"sensitivity of the smallest eigenvalue (steps)", s.eigenvalue.l2_sensitivity,
       "one record moves it by at most 1"},
      {"its noise sigma (steps)", s.eigenvalue.sigma, "10% of mu^2"},
      {"noise of an entry of sum x x^T", s.moment_noise,
       "rows of norm at most 1; off-diagonal entries have 1/sqrt(2) of it"},
      {"bound of the noise matrix", s.matrix_bound, "spectral norm, exceeded with probability at most 0.05"},
  };
}

Trained regress(const Settings& s, const data::Dataset& dataset, privacy::Curator& curator, Threads threads) {
  const auto gram =
      dataset.sums().map([&](const engine::RowSums& sums) { return sums.second_moments(s.row_limit, threads); });
  const auto eigenvalue =
      curator.release(gram.map([&](const auto& sums) { return eigenvalue_query(s, sums); }), s.eigenvalue, kEigenvalue);
  const auto moments =
      curator.release(gram.map([&](const auto& sums) { return moments_query(s, sums); }), s.moments, kMoments);
  const auto solution = moments.map([&](const std::vector<std::int64_t>& noisy) {
    return solve(s, static_cast<double>(eigenvalue.get()[0]) * s.eigenvalue_step, noisy);
  });
  Trained trained{solution.map([](const Solution& each) { return each.weights; })};
  trained.weight_noise = solution.map([](const Solution& each) { return each.noise; });
  return trained;
}

}  // namespace

Plan plan_for(const Task& task, const SufficientStatisticsOptions& options) {
  check_options(options);
  const Settings s = settings_for(task, options);
  Plan plan =
      make_plan(options, s.task, {{kEigenvalue, s.eigenvalue, s.neighbours, 1}, {kMoments, s.moments, s.neighbours, 1}},
                derivation(s), utility_of(s),
                [s](const data::Dataset& dataset, privacy::Curator& curator, const FitOptions& fit_options) -> Trained {
                  return regress(s, dataset, curator, fit_options.threads);
                });
  plan.error_model = error_model_of(s);
  return plan;
}

}  // namespace dperm::methods
