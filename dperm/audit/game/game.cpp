// SPDX-License-Identifier: Apache-2.0
#include "dperm/audit/game/game.hpp"

#include <oneapi/tbb/global_control.h>
#include <oneapi/tbb/parallel_for.h>
#include <oneapi/tbb/task_arena.h>

#include <Eigen/Dense>
#include <algorithm>
#include <chrono>
#include <cmath>
#include <ctime>
#include <numeric>
#include <thread>

#include "dperm/audit/statistics/roc.hpp"
#include "dperm/core/check.hpp"
#include "dperm/core/fork_join.hpp"

namespace dperm::audit {

namespace {

using Numbers = std::vector<std::vector<double>>;  // one entry a run

constexpr std::size_t kThresholds = 64;

Numbers play_all(const Play& play, bool first, std::size_t runs, const GameOptions& options) {
  Numbers numbers(runs);
  const int cores = options.threads > 0 ? options.threads : static_cast<int>(std::thread::hardware_concurrency());
  oneapi::tbb::task_arena arena(std::max(1, cores));
  const auto one = [&](std::size_t i) {
    const std::uint64_t number = 2 * i + (first ? 0 : 1);
    numbers[i] = play(first, options.seed * 0x100000001B3u + number);
  };
  const ForkJoin loop(one);
  arena.execute([&] { oneapi::tbb::parallel_for(std::size_t{0}, runs, loop.task()); });
  loop.join();
  return numbers;
}

// Fisher's direction: the one in which the means are furthest apart beside the spread.
std::vector<double> direction(const Numbers& with, const Numbers& without, std::size_t half) {
  const auto dimension = static_cast<Eigen::Index>(with.front().size());
  if (dimension == 1) return {1};
  Eigen::MatrixXd spread = Eigen::MatrixXd::Zero(dimension, dimension);
  std::vector<Eigen::VectorXd> means;
  for (const Numbers* side : {&with, &without}) {
    Eigen::VectorXd mean = Eigen::VectorXd::Zero(dimension);
    for (std::size_t i = 0; i < half; ++i) mean += Eigen::Map<const Eigen::VectorXd>((*side)[i].data(), dimension);
    mean /= static_cast<double>(half);
    for (std::size_t i = 0; i < half; ++i) {
      const Eigen::VectorXd away = Eigen::Map<const Eigen::VectorXd>((*side)[i].data(), dimension) - mean;
      spread += away * away.transpose();
    }
    means.push_back(mean);
  }
  spread.diagonal().array() += 1e-12 * spread.trace() + 1e-300;
  const Eigen::VectorXd best = spread.ldlt().solve(means[0] - means[1]);
  return {best.data(), best.data() + dimension};
}

std::vector<double> scores(const Numbers& runs, const std::vector<double>& along, std::size_t from, std::size_t to) {
  std::vector<double> result;
  for (std::size_t i = from; i < to; ++i) {
    double score = 0;
    for (std::size_t j = 0; j < along.size(); ++j) score += along[j] * runs[i][j];
    result.push_back(score);
  }
  return result;
}

// The threshold that would have shown most, among evenly spread ranks of all scores.
double best_threshold(const std::vector<double>& with, const std::vector<double>& without, const GameOptions& options) {
  if (options.gaussian) {  // half way between the means both rates are near a half, where they are known best
    const auto mean = [](const std::vector<double>& scores) {
      return std::accumulate(scores.begin(), scores.end(), 0.0) / static_cast<double>(scores.size());
    };
    return (mean(with) + mean(without)) / 2;
  }
  const auto shown_at = [&](double threshold) {
    const Guesses guesses = guesses_above(threshold, with, without);
    // A claim about noise is held against right guesses.
    if (options.epsilon_of) return static_cast<double>(guesses.hits) - static_cast<double>(guesses.alarms);
    // Bounds that give way more than they need to keep the choice off rates that were lucky here.
    return epsilon_at_least(guesses, options.delta, options.error * options.error);
  };
  std::vector<double> all = with;
  all.insert(all.end(), without.begin(), without.end());
  std::sort(all.begin(), all.end());
  double best = all[all.size() / 2], most = -1;
  for (std::size_t k = 0; k <= kThresholds; ++k) {
    const double threshold = all[k * (all.size() - 1) / kThresholds];
    // Just below a value that many scores have is another test than at it.
    for (const double each : {threshold, std::nextafter(threshold, -INFINITY)}) {
      const double shown = shown_at(each);
      if (shown > most) {
        most = shown;
        best = each;
      }
    }
  }
  return best;
}

}  // namespace

GameResult play_game(const Play& play, const GameOptions& options) {
  require(options.runs >= 4, "a game needs at least four runs on each table");
  const auto start = std::chrono::steady_clock::now();
  const std::clock_t cpu_start = std::clock();
  const Numbers with = play_all(play, true, options.runs, options);
  const Numbers without = play_all(play, false, options.runs, options);
  GameResult result;
  result.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  result.cpu_seconds = static_cast<double>(std::clock() - cpu_start) / CLOCKS_PER_SEC;
  result.runs = 2 * options.runs;
  const std::size_t half = options.runs / 2;
  const std::vector<double> along = direction(with, without, half);
  result.threshold = best_threshold(scores(with, along, 0, half), scores(without, along, 0, half), options);
  result.with = scores(with, along, half, options.runs);
  result.without = scores(without, along, half, options.runs);
  result.guesses = guesses_above(result.threshold, result.with, result.without);
  if (options.gaussian && options.delta > 0) {
    result.mu = mu_at_least(result.guesses, options.error);
    result.epsilon = epsilon_of_mu(result.mu, options.delta);
  } else if (options.epsilon_of) {
    result.epsilon = options.epsilon_of(advantage_at_least(result.guesses, options.error));
  } else {
    result.epsilon = epsilon_at_least(result.guesses, options.delta, options.error);
  }
  return result;
}

}  // namespace dperm::audit
