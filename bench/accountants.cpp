// SPDX-License-Identifier: Apache-2.0
// Time and interval of the privacy-loss accountant on one core, as JSON lines; bench/accountants.py runs peers beside
// it.
#include <fmt/core.h>

#include <chrono>
#include <vector>

#include "dperm/privacy/privacy_curve.hpp"

int main() {
  using namespace dperm::privacy;
  struct Case {
    double sigma, rate;
    std::int64_t steps;
  };
  for (const Case& c : {Case{1, 0.01, 10'000}, Case{0.8, 0.004, 3'000}, Case{5, 1, 1'000}}) {
    for (const double delta : {1e-5, 1e-6}) {
      for (const double width : {1e-2, 1e-3}) {
        const std::vector<PrivacyEvent> events{
            {"step", SampledGaussianEvent{1, c.sigma, c.rate, Sampling::poisson}, Neighbours::add_remove, c.steps}};
        double best = 1e300;
        Interval interval{0, 0};
        for (int run = 0; run < 3; ++run) {
          const auto start = std::chrono::steady_clock::now();
          interval = PrivacyCurve(events).epsilon(delta, width);
          best = std::min(best, std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count());
        }
        fmt::print(
            "{{\"program\": \"dperm\", \"sigma\": {}, \"rate\": {}, \"steps\": {}, \"delta\": {}, \"width\": {}, "
            "\"lower\": {:.7f}, \"upper\": {:.7f}, \"seconds\": {:.4f}}}\n",
            c.sigma, c.rate, c.steps, delta, width, interval.lower, interval.upper, best);
      }
    }
  }
}
