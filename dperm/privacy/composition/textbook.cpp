// SPDX-License-Identifier: Apache-2.0
#include "dperm/privacy/composition/textbook.hpp"

#include <cmath>
#include <vector>

#include "dperm/core/rounding.hpp"
#include "dperm/privacy/composition/accountant.hpp"

namespace dperm::privacy {
namespace {

struct Single {
  double epsilon;  // of one repetition at its share of delta
  double count;
};

std::vector<Single> singles(std::span<const PrivacyEvent> events, double delta) {
  double count = 0;
  for (const PrivacyEvent& event : events) count += static_cast<double>(event.repetitions);
  std::vector<Single> result;
  for (const PrivacyEvent& event : events) {
    PrivacyEvent once = event;
    once.repetitions = 1;
    result.push_back({account(std::span(&once, 1), delta / count).epsilon, static_cast<double>(event.repetitions)});
  }
  return result;
}

}  // namespace

double basic_composition(std::span<const PrivacyEvent> events, double delta) {
  double sum = 0;
  for (const Single& each : singles(events, delta)) sum += each.count * each.epsilon;
  return rounded_up(sum);
}

double advanced_composition(std::span<const PrivacyEvent> events, double delta) {
  double squares = 0, drift = 0;
  for (const Single& each : singles(events, delta / 2)) {
    squares += each.count * each.epsilon * each.epsilon;
    drift += each.count * each.epsilon * std::expm1(each.epsilon);
  }
  return rounded_up(std::sqrt(2 * std::log(2 / delta) * squares) + drift);
}

}  // namespace dperm::privacy
