// SPDX-License-Identifier: Apache-2.0
// Processor time and interval of the privacy-loss accountant, as JSON lines; bench/accountants.py runs peers beside it.
#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <ctime>
#include <functional>
#include <random>
#include <vector>

#include "dperm/privacy/calibration/calibration.hpp"
#include "dperm/privacy/composition/privacy_curve.hpp"

namespace {

using namespace dperm::privacy;

struct Timed {
  Interval interval;
  double seconds;
};

Timed best_of_two(const std::vector<PrivacyEvent>& events, double delta, double width) {
  Timed best{{0, 0}, 1e300};
  for (int run = 0; run < 2; ++run) {
    const std::clock_t start = std::clock();
    best.interval = PrivacyCurve(events).epsilon(delta, width);
    best.seconds = std::min(best.seconds, static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC);
  }
  return best;
}

// A hundred thousand releases that all differ, of one kind or of several.
struct Heterogeneous {
  const char* name;
  Neighbours neighbours;
  std::function<Mechanism(int i, const std::function<double(double, double)>& between)> at;
};

template <class Choice>
Mechanism choice(double epsilon) {
  const LaplaceScale scale = laplace_scale_for(1, epsilon);
  return Choice{1, scale.numerator, scale.denominator};
}

std::vector<Heterogeneous> all_heterogeneous() {
  const auto add = Neighbours::add_remove, replace = Neighbours::replace_one;
  const auto poisson = Sampling::poisson, fixed = Sampling::fixed_size;
  return {
      {"sampled Gaussian, sigma differs", add,
       [=](int i, const auto&) -> Mechanism { return SampledGaussianEvent{1, 4 + 1e-5 * i, 0.01, poisson}; }},
      {"sampled Gaussian, sigma and rate differ", add,
       [=](int, const auto& between) -> Mechanism {
         return SampledGaussianEvent{1, between(2, 8), between(1e-3, 2e-2), poisson};
       }},
      {"the same over wide ranges", add,
       [=](int, const auto& between) -> Mechanism {
         return SampledGaussianEvent{1, between(0.8, 80), between(1e-5, 1e-2), poisson};
       }},
      {"sampled Gaussian, record replaced", replace,
       [=](int, const auto& between) -> Mechanism {
         return SampledGaussianEvent{1, between(4, 16), between(1e-3, 2e-2), poisson};
       }},
      {"sampled Gaussian, fixed size", replace,
       [=](int, const auto& between) -> Mechanism {
         return SampledGaussianEvent{1, between(8, 32), between(1e-3, 2e-2), fixed};
       }},
      {"sampled Laplace", add,
       [=](int, const auto& between) -> Mechanism {
         return SampledLaplaceEvent{1, between(2, 8), between(1e-3, 2e-2), poisson};
       }},
      {"Laplace", replace,
       [=](int, const auto& between) -> Mechanism { return SampledLaplaceEvent{1, between(200, 2000), 1, poisson}; }},
      {"randomised response", replace,
       [](int, const auto& between) -> Mechanism { return RandomisedResponseEvent{between(5e-4, 1e-2)}; }},
      {"exponential mechanism", replace,
       [](int, const auto& between) -> Mechanism { return choice<ExponentialEvent>(between(1e-3, 2e-2)); }},
      {"permute-and-flip", replace,
       [](int, const auto& between) -> Mechanism { return choice<PermuteAndFlipEvent>(between(5e-4, 1e-2)); }},
      {"all of these", replace,
       [=](int i, const auto& between) -> Mechanism {
         switch (i % 7) {
           case 0:
             return SampledGaussianEvent{1, between(4, 16), between(1e-3, 2e-2), poisson};
           case 1:
             return SampledGaussianEvent{1, between(8, 32), between(1e-3, 2e-2), fixed};
           case 2:
             return SampledLaplaceEvent{1, between(200, 2000), 1, poisson};
           case 3:
             return RandomisedResponseEvent{between(5e-4, 1e-2)};
           case 4:
             return choice<ExponentialEvent>(between(1e-3, 2e-2));
           case 5:
             return choice<PermuteAndFlipEvent>(between(5e-4, 1e-2));
           default:
             return GaussianEvent{1, between(200, 2000)};
         }
       }},
  };
}

void many_different_releases() {
  for (const Heterogeneous& heterogeneous : all_heterogeneous()) {
    std::mt19937_64 random(1);
    const auto between = [&](double low, double high) {
      return low * std::pow(high / low, std::uniform_real_distribution(0.0, 1.0)(random));
    };
    std::vector<PrivacyEvent> events;
    for (int i = 0; i < 100'000; ++i)
      events.push_back({"step", heterogeneous.at(i, between), heterogeneous.neighbours, 1});
    const Timed timed = best_of_two(events, 1e-6, 1e-2);
    fmt::print(
        "{{\"program\": \"dperm\", \"kind\": \"{}\", \"events\": {}, \"lower\": {:.7f}, \"upper\": {:.7f}, "
        "\"seconds\": {:.4f}}}\n",
        heterogeneous.name, events.size(), timed.interval.lower, timed.interval.upper, timed.seconds);
    std::fflush(stdout);
  }
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
        const Timed timed = best_of_two(events, delta, width);
        fmt::print(
            "{{\"program\": \"dperm\", \"sigma\": {}, \"rate\": {}, \"steps\": {}, \"delta\": {}, \"width\": {}, "
            "\"lower\": {:.7f}, \"upper\": {:.7f}, \"seconds\": {:.4f}}}\n",
            c.sigma, c.rate, c.steps, delta, width, timed.interval.lower, timed.interval.upper, timed.seconds);
      }
    }
  }
  many_different_releases();
}
