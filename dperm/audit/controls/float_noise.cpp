// SPDX-License-Identifier: Apache-2.0
// Laplace noise as textbooks write it, in floating point: the numbers that the sum can become differ between
// neighbours, so the lowest bits tell which it was [MIR12].
#include <cmath>
#include <memory>

#include "dperm/audit/controls/controls.hpp"
#include "dperm/audit/replay/worst_pair.hpp"
#include "dperm/audit/subjects.hpp"

namespace dperm::audit {

namespace {

constexpr double kUnit = 0x1p-32;

double noise_at(double scale, std::uint64_t number, bool negative) {
  const double size = -scale * std::log(static_cast<double>(number) * kUnit);
  return negative ? -size : size;
}

double float_laplace(double scale, std::uint64_t bits) {
  return noise_at(scale, (bits >> 32) + 1, (bits & 1) != 0);  // 1 to 2^32
}

// Whether some random number gives this output from this query, bit for bit.
bool reachable(double output, double query, double scale) {
  const double away = output - query;
  const double number = std::exp(-std::fabs(away) / scale) / kUnit;
  for (const double shift : {-2.0, -1.0, 0.0, 1.0, 2.0}) {
    const double near = std::round(number) + shift;
    if (near < 1 || near > 0x1p32) continue;
    for (const bool negative : {false, true}) {
      if (query + noise_at(scale, static_cast<std::uint64_t>(near), negative) == output) return true;
    }
  }
  return false;
}

}  // namespace

Verdict float_noise(bool broken, const ControlOptions& options) {
  const Subject each = subject("exponential-location-mean", options.epsilon);
  const Pair pair =
      worst_pair(each.plan, each.encoding, each.rows, {.most_replays = 50, .climbs = 0, .pick_outputs = false}).pair;
  const auto tables = std::make_shared<const Tables>(pair);
  const auto exact = [&](const data::Dataset& table) {
    return watched_run(each.plan, table, {}).steps.front().query.front();
  };
  const std::int64_t first_sum = exact(tables->first), second_sum = exact(tables->second);
  const double unit = 1.0 / kTargetOne, scale = 2 / options.epsilon;
  const auto score = [=](double output) -> std::vector<double> {
    const bool first = reachable(output, static_cast<double>(first_sum) * unit, scale);
    const bool second = reachable(output, static_cast<double>(second_sum) * unit, scale);
    return {static_cast<double>(first) - static_cast<double>(second)};
  };
  const Play floats = [=](bool first, std::uint64_t seed) {
    random::SeededBits bits(seed);
    return score(static_cast<double>(first ? first_sum : second_sum) * unit + float_laplace(scale, bits.next()));
  };
  // The library's release, put to the same question.
  const Play integers = [=, plan = each.plan](bool first, std::uint64_t seed) {
    const Transcript run =
        watched_run(plan, first ? tables->first : tables->second, {.seed = seed, .keep_queries = false});
    return score(static_cast<double>(run.steps.front().output.front()) * unit);
  };
  return judged(broken ? floats : integers, options.epsilon,
                {.runs = 4000, .error = options.error, .delta = 0, .threads = options.threads, .seed = options.seed});
}

}  // namespace dperm::audit
