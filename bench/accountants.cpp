// SPDX-License-Identifier: Apache-2.0
// Time and interval of the privacy-loss accountant on one core, as JSON lines; bench/accountants.py runs peers beside
// it.
#include <fmt/core.h>

#include <algorithm>
#include <chrono>
#include <vector>

#include "dperm/privacy/privacy_curve.hpp"

namespace {

using namespace dperm::privacy;

struct Timed {
  Interval interval;
  double seconds;
};

Timed best_of_three(const std::vector<PrivacyEvent>& events, double delta, double width) {
  Timed best{{0, 0}, 1e300};
  for (int run = 0; run < 3; ++run) {
    const auto start = std::chrono::steady_clock::now();
    best.interval = PrivacyCurve(events).epsilon(delta, width);
    const std::chrono::duration<double> time = std::chrono::steady_clock::now() - start;
    best.seconds = std::min(best.seconds, time.count());
  }
  return best;
}

void many_different_releases() {
  std::vector<PrivacyEvent> events;
  for (int i = 0; i < 100'000; ++i) {
    const SampledGaussianEvent step{1, 4 + 1e-5 * i, 0.01, Sampling::poisson};
    events.push_back({"step", step, Neighbours::add_remove, 1});
  }
  const Timed timed = best_of_three(events, 1e-6, 1e-3);
  fmt::print("{{\"program\": \"dperm\", \"events\": {}, \"lower\": {:.7f}, \"upper\": {:.7f}, \"seconds\": {:.4f}}}\n",
             events.size(), timed.interval.lower, timed.interval.upper, timed.seconds);
}

}  // namespace

int main() {
  struct Case {
    double sigma, rate;
    std::int64_t steps;
  };
  for (const Case& c : {Case{1, 0.01, 10'000}, Case{0.8, 0.004, 3'000}, Case{5, 1, 1'000}}) {
    for (const double delta : {1e-5, 1e-6}) {
      for (const double width : {1e-2, 1e-3}) {
        const std::vector<PrivacyEvent> events{
            {"step", SampledGaussianEvent{1, c.sigma, c.rate, Sampling::poisson}, Neighbours::add_remove, c.steps}};
        const Timed timed = best_of_three(events, delta, width);
        fmt::print(
            "{{\"program\": \"dperm\", \"sigma\": {}, \"rate\": {}, \"steps\": {}, \"delta\": {}, \"width\": {}, "
            "\"lower\": {:.7f}, \"upper\": {:.7f}, \"seconds\": {:.4f}}}\n",
            c.sigma, c.rate, c.steps, delta, width, timed.interval.lower, timed.interval.upper, timed.seconds);
      }
    }
  }
  many_different_releases();
}
