// SPDX-License-Identifier: Apache-2.0
// The best of a random number of runs: its distribution by simulation, and exactly computed divergences against the
// theorem.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "dperm/core/error.hpp"
#include "dperm/privacy/composition/additive_costs.hpp"
#include "dperm/privacy/composition/renyi.hpp"
#include "dperm/privacy/curator/curator.hpp"
#include "tests/support/goodness_of_fit.hpp"

namespace dperm::privacy {
namespace {

constexpr auto kNegativeBinomial = RepetitionDistribution::truncated_negative_binomial;

// The distributions tried: geometric, logarithmic, between and beyond, Poisson.
std::vector<SelectionEvent> distributions(double base_epsilon, double base_mu) {
  return {{kNegativeBinomial, 1, 0.1, base_epsilon, base_mu},
          {kNegativeBinomial, 0, 0.05, base_epsilon, base_mu},
          {kNegativeBinomial, 0.5, 0.3, base_epsilon, base_mu},
          {kNegativeBinomial, 3, 0.5, base_epsilon, base_mu},
          {RepetitionDistribution::poisson, 0, 5, base_epsilon, base_mu},
          {RepetitionDistribution::poisson, 0, 0.5, base_epsilon, base_mu}};
}

// E x^K.
double generating_function(const SelectionEvent& e, double x) {
  if (e.distribution == RepetitionDistribution::poisson) return std::exp(e.parameter * (x - 1));
  if (e.shape == 0) return std::log1p(-(1 - e.parameter) * x) / std::log(e.parameter);
  return (std::pow(1 - (1 - e.parameter) * x, -e.shape) - 1) / (std::pow(e.parameter, -e.shape) - 1);
}

// Probabilities of the outputs of one run, worst score first, to those of the best run; "no run" comes last.
std::vector<double> best_of(const SelectionEvent& e, const std::vector<double>& single) {
  std::vector<double> best;
  double below = 0;
  for (const double each : single) {
    best.push_back(generating_function(e, below + each) - generating_function(e, below));
    below += each;
  }
  best.push_back(generating_function(e, 0));
  return best;
}

double renyi(const std::vector<double>& p, const std::vector<double>& q, double order) {
  double sum = 0;
  for (std::size_t i = 0; i < p.size(); ++i) {
    if (p[i] > 0) sum += std::pow(p[i], order) * std::pow(q[i], 1 - order);
  }
  return std::log(sum) / (order - 1);
}

double largest_loss(const std::vector<double>& p, const std::vector<double>& q) {
  double most = 0;
  for (std::size_t i = 0; i < p.size(); ++i) {
    if (p[i] > 0) most = std::max(most, std::abs(std::log(p[i] / q[i])));
  }
  return most;
}

// Pure mechanisms with few outputs: every assignment of e^epsilon's two sides to outputs, in every order of scores.
TEST(SelectBest, ExactDivergencesOfSmallPureMechanismsStayBelowTheTheorem) {
  constexpr int kOutputs = 4;
  double closest = 0;
  for (const double epsilon : {0.1, 1.0, 2.0}) {
    for (const SelectionEvent& e : distributions(epsilon, 0)) {
      const std::vector<PrivacyEvent> events{{"best", e, Neighbours::replace_one, 1}};
      for (int pattern = 1; pattern + 1 < 1 << kOutputs; ++pattern) {
        for (const double rare : {0.01, 0.25}) {
          // Output i has weights w under both, times e^epsilon on the side its bit names; q rescaled to be
          // epsilon-close.
          std::vector<double> p(kOutputs), q(kOutputs);
          double high_p = 0, high_q = 0;
          for (int i = 0; i < kOutputs; ++i) high_p += (pattern >> i & 1) != 0 ? (i % 2 != 0 ? rare : 1) : 0;
          for (int i = 0; i < kOutputs; ++i) high_q += (pattern >> i & 1) != 0 ? 0 : (i % 2 != 0 ? rare : 1);
          const double odds = std::exp(epsilon);
          for (int i = 0; i < kOutputs; ++i) {
            const bool favoured = (pattern >> i & 1) != 0;
            const double share = (i % 2 != 0 ? rare : 1) / (favoured ? high_p : high_q);
            p[static_cast<std::size_t>(i)] = share * (favoured ? odds : 1) / (1 + odds);
            q[static_cast<std::size_t>(i)] = share * (favoured ? 1 : odds) / (1 + odds);
          }
          const auto best_p = best_of(e, p), best_q = best_of(e, q);
          for (const double order : {1.5, 2.0, 8.0, 40.0}) {
            const double exact = renyi(best_p, best_q, order), bound = renyi_divergence(events, order);
            EXPECT_LE(exact, bound * (1 + 1e-9)) << to_string(Mechanism(e)) << " order " << order;
          }
          if (e.distribution == kNegativeBinomial) {
            const double bound = pure_epsilon(events), exact = largest_loss(best_p, best_q);
            EXPECT_LE(exact, bound * (1 + 1e-9)) << to_string(Mechanism(e));
            closest = std::max(closest, exact / bound);
          }
        }
      }
    }
  }
  EXPECT_GT(closest, 0.8) << "the mechanisms tried are too tame to test anything";
}

// A score N(0, 1) against N(mu, 1) in narrow cells and two tails. Joining outputs only lowers divergences.
TEST(SelectBest, ExactDivergencesOfAGaussianScoreStayBelowTheTheorem) {
  const auto normal = [](double mean) {
    std::vector<double> cells;
    double below = 0;
    for (int i = -200; i < 200; ++i) {
      const double up_to = std::erfc((mean - i / 50.0) / std::sqrt(2)) / 2;
      cells.push_back(up_to - below);
      below = up_to;
    }
    cells.push_back(1 - below);
    return cells;
  };
  for (const double mu : {0.3, 1.0}) {
    for (const SelectionEvent& e : distributions(0, mu)) {
      const std::vector<PrivacyEvent> events{{"best", e, Neighbours::replace_one, 1}};
      const auto low = best_of(e, normal(0)), high = best_of(e, normal(mu));
      for (const double order : {1.5, 3.0, 8.0}) {
        const double bound = renyi_divergence(events, order) * (1 + 1e-6);
        EXPECT_LE(renyi(low, high, order), bound) << to_string(Mechanism(e)) << " order " << order;
        EXPECT_LE(renyi(high, low, order), bound) << to_string(Mechanism(e)) << " order " << order;
      }
    }
  }
}

// Two candidates, one drawn for each run and shown: a score N(0, 1) that moves by mu, and one over a Poisson sample,
// (1-q) N(0) + q N(m) against (1-q) N(0) + q N(-m). The base is told by both releases.
TEST(SelectBest, ExactDivergencesOfAMixtureOfCandidatesStayBelowTheTheorem) {
  constexpr double kMu = 0.5, kRate = 0.3, kSampledMu = 0.9;
  const auto up_to = [](double x, double mean) { return std::erfc((mean - x) / std::sqrt(2)) / 2; };
  // Cells of the score, worst first, each split by candidate.
  const auto outputs = [&](double side) {
    std::vector<double> cells;
    double plain = 0, sampled = 0;
    for (int i = -200; i <= 200; ++i) {
      const double x = i < 200 ? i / 50.0 : 50;
      const double plain_here = up_to(x, side * kMu / 2);
      const double sampled_here = (1 - kRate) * up_to(x, 0) + kRate * up_to(x, side * kSampledMu);
      cells.push_back((plain_here - plain) / 2);
      cells.push_back((sampled_here - sampled) / 2);
      plain = plain_here, sampled = sampled_here;
    }
    return cells;
  };
  const std::vector<PrivacyEvent> plain{{"score", GaussianEvent{kMu, 1}, Neighbours::replace_one, 1}};
  const std::vector<PrivacyEvent> sampled{
      {"score", SampledGaussianEvent{kSampledMu, 1, kRate, Sampling::poisson}, Neighbours::replace_one, 1}};
  double closest = 0;
  for (SelectionEvent e : distributions(0, 0)) {
    e.alternatives = {plain, sampled};
    const RenyiCurve curve(std::vector<PrivacyEvent>{{"best", e, Neighbours::replace_one, 1}});
    const auto low = best_of(e, outputs(-1)), high = best_of(e, outputs(1));
    for (const double order : {1.5, 3.0, 8.0}) {
      const double bound = curve.at(order), exact = std::max(renyi(low, high, order), renyi(high, low, order));
      EXPECT_LE(exact, bound * (1 + 1e-6)) << to_string(Mechanism(e)) << " order " << order;
      closest = std::max(closest, exact / bound);
    }
  }
  EXPECT_GT(closest, 0.3) << "the mechanism is too tame to test anything";
}

// Candidate c releases its own number, and a count of 2 c with Laplace noise as its score.
Curator::ScoredRun noisy_number(std::uint64_t candidate, Curator& inside) {
  const auto score = inside.release(Sensitive<std::int64_t>(2 * static_cast<std::int64_t>(candidate)),
                                    DiscreteLaplaceEvent{1, 1, 1}, "score");
  return {score.map([&](std::int64_t) { return std::vector<double>{static_cast<double>(candidate)}; }), score};
}

TEST(SelectBest, TheBestRunHasItsExactDistribution) {
  constexpr int kTrials = 20'000, kFar = 25, kCandidates = 2;
  // Runs ordered by score; two candidates with the same score share its probability as in a single run.
  const double ratio = std::exp(-1.0), peak = (1 - ratio) / (1 + ratio);
  std::vector<double> single;
  std::vector<std::array<double, kCandidates>> shares;
  for (int score = -kFar; score <= kFar; ++score) {
    const std::array<double, kCandidates> both = {peak * std::pow(ratio, std::abs(score)) / 2,
                                                  peak * std::pow(ratio, std::abs(score - 2)) / 2};
    single.push_back(both[0] + both[1]);
    shares.push_back({both[0] / single.back(), both[1] / single.back()});
  }
  for (const SelectionEvent& e : distributions(1, 0)) {
    const std::vector<double> best = best_of(e, single);
    std::vector<testing::Cell> cells;
    for (std::size_t i = 0; i < single.size(); ++i) {
      for (const double share : shares[i]) cells.push_back({best[i] * share, 0});
    }
    cells.push_back({best.back(), 0});
    double sum = 0;
    for (const auto& cell : cells) sum += cell.probability;
    cells.push_back({std::max(0.0, 1 - sum), 0});  // scores further out
    random::SeededBits bits(11);
    for (int i = 0; i < kTrials; ++i) {
      Curator curator(bits);
      const Curator::Selected selected = curator.select_best(noisy_number, kCandidates, e, "best").get();
      std::size_t cell = cells.size() - 2;
      if (selected.any) {
        ASSERT_EQ(selected.output, std::vector<double>{static_cast<double>(selected.candidate)});
        cell = std::abs(selected.score) > kFar
                   ? cells.size() - 1
                   : static_cast<std::size_t>(2 * (selected.score + kFar)) + selected.candidate;
      }
      ++cells[cell].observed;
    }
    EXPECT_TRUE(testing::test_cells(cells)) << to_string(Mechanism(e)) << ": " << testing::test_cells(cells).text;
  }
}

TEST(SelectBest, OneEventIsRecordedHoweverManyRunsThereWere) {
  random::SeededBits bits(5);
  Curator curator(bits);
  const SelectionEvent e{RepetitionDistribution::poisson, 0, 20, 1, 0};
  curator.select_best(noisy_number, 3, e, "best model");
  const std::vector<PrivacyEvent> expected{{"best model", e, Neighbours::replace_one, 1}};
  EXPECT_EQ(curator.events(), expected);
}

TEST(SelectBest, EveryRunHasACuratorOfItsOwnWithTheSameBitsAndNeighbours) {
  random::SeededBits bits(5);
  Curator curator(bits, Neighbours::add_remove);
  curator.select_best(
      [&](std::uint64_t candidate, Curator& inside) {
        EXPECT_NE(&inside, &curator);
        EXPECT_TRUE(inside.events().empty());
        EXPECT_FALSE(inside.secure());
        const auto result = noisy_number(candidate, inside);
        EXPECT_EQ(inside.events().at(0).neighbours, Neighbours::add_remove);
        return result;
      },
      3, {kNegativeBinomial, 1, 0.2, 1, 0}, "best");
}

TEST(SelectBest, NoRunAtAllReleasesNothingOfTheData) {
  random::SeededBits bits(5);
  Curator curator(bits);
  const SelectionEvent hardly{RepetitionDistribution::poisson, 0, 1e-12, 1, 0};
  const Curator::Selected selected = curator.select_best(noisy_number, 3, hardly, "best").get();
  EXPECT_FALSE(selected.any);
  EXPECT_TRUE(selected.output.empty());
  EXPECT_EQ(curator.events().size(), 1u);
}

TEST(SelectBest, RefusesImpossibleEventsAndEmptyGridsBeforeAnyRun) {
  random::SeededBits bits(5);
  Curator curator(bits);
  const auto never = [](std::uint64_t, Curator&) -> Curator::ScoredRun { throw std::logic_error("ran"); };
  EXPECT_THROW(curator.select_best(never, 3, {RepetitionDistribution::poisson, 0, 5, 0, 0}, "best"), ArgumentError);
  EXPECT_THROW(curator.select_best(never, 3, {kNegativeBinomial, 1, 1.5, 1, 0}, "best"), ArgumentError);
  EXPECT_THROW(curator.select_best(never, 0, {RepetitionDistribution::poisson, 0, 5, 1, 0}, "best"), ArgumentError);
  EXPECT_TRUE(curator.events().empty());
}

}  // namespace
}  // namespace dperm::privacy
