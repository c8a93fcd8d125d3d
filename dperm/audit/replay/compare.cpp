// SPDX-License-Identifier: Apache-2.0
#include "dperm/audit/replay/compare.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "dperm/audit/exact/choice_loss.hpp"

namespace dperm::audit {

namespace {

template <class... F>
struct Overloaded : F... {
  using F::operator()...;
};

// Differences of numbers below 2^62 need 64 bits and a sign.
double difference(std::int64_t a, std::int64_t b) { return static_cast<double>(static_cast<long double>(a) - b); }

double l2(const std::vector<std::int64_t>& a, const std::vector<std::int64_t>& b) {
  double square = 0;
  for (std::size_t j = 0; j < a.size(); ++j) square += difference(a[j], b[j]) * difference(a[j], b[j]);
  return std::sqrt(square);
}

double l1(const std::vector<std::int64_t>& a, const std::vector<std::int64_t>& b) {
  double sum = 0;
  for (std::size_t j = 0; j < a.size(); ++j) sum += std::fabs(difference(a[j], b[j]));
  return sum;
}

double probe_range(const std::vector<std::int64_t>& a, const std::vector<std::int64_t>& b) {
  double most = -std::numeric_limits<double>::infinity(), least = -most;
  for (std::size_t j = 0; j < a.size(); ++j) {
    most = std::max(most, difference(a[j], b[j]));
    least = std::min(least, difference(a[j], b[j]));
  }
  return a.empty() ? 0 : most - least;
}

double range_of(const Step& a, const Step& b) {
  return a.runs.empty() ? probe_range(a.query, b.query) : cost_range(a.runs, b.runs);
}

// What the exponential mechanism's log-ratio comes to over all candidates, times its scale: at most the range.
double exact_range(const privacy::ExponentialEvent& event, const Step& a, const Step& b) {
  if (a.runs.empty()) return range_of(a, b);
  const double scale = static_cast<double>(event.scale_numerator) / static_cast<double>(event.scale_denominator);
  return choice_loss(a.runs, b.runs, scale) * scale;
}

// The audit's own terms lie on the lattice: each coordinate is off by up to half a step.
double term_distance(const Step& a, const Step& b) {
  const double rounding = std::sqrt(static_cast<double>(a.output.size())) / 2;
  return std::max(0.0, l2(a.output, b.output) - rounding) * a.term_step;
}

struct Measured {
  double declared, measured;
  double noise = 0;  // Gaussian: its standard deviation
};

// Other mechanisms are stated for all rows of a person as they are.
double rows_of(std::uint64_t group) { return static_cast<double>(std::max<std::uint64_t>(1, group)); }

// Replacing a record is what neighbours do here, so a sum over a sample may change by two contributions.
std::optional<Measured> measure(const Step& a, const Step& b) {
  using namespace privacy;
  return std::visit(Overloaded{[&](const GaussianEvent& e) -> std::optional<Measured> {
                                 return Measured{e.l2_sensitivity, l2(a.query, b.query), e.sigma};
                               },
                               [&](const SampledGaussianEvent& e) -> std::optional<Measured> {
                                 // Without a sample the sum is one like any other.
                                 const double rows = rows_of(e.group);
                                 return Measured{2 * rows * e.contribution, l2(a.query, b.query),
                                                 e.rate < 1 ? 0 : e.sigma};
                               },
                               [&](const KNormEvent& e) -> std::optional<Measured> {
                                 return Measured{e.l2_sensitivity, l2(a.query, b.query)};
                               },
                               [&](const DiscreteLaplaceEvent& e) -> std::optional<Measured> {
                                 return Measured{static_cast<double>(e.l1_sensitivity), l1(a.query, b.query)};
                               },
                               [&](const ExponentialEvent& e) -> std::optional<Measured> {
                                 return Measured{static_cast<double>(e.range), exact_range(e, a, b)};
                               },
                               [&](const PermuteAndFlipEvent& e) -> std::optional<Measured> {
                                 return Measured{static_cast<double>(e.range), range_of(a, b)};
                               },
                               [&](const ObjectivePerturbationEvent& e) -> std::optional<Measured> {
                                 // The terms that lead both rows to the same point: they differ by the two records'
                                 // gradients.
                                 return Measured{2 * e.objective.gradient, term_distance(a, b)};
                               },
                               [&](const PureObjectiveEvent& e) -> std::optional<Measured> {
                                 return Measured{2 * rows_of(e.group) * e.objective.gradient, term_distance(a, b)};
                               },
                               [](const auto&) -> std::optional<Measured> { return std::nullopt; }},
                    a.mechanism);
}

std::string flow_difference(const Transcript& a, const Transcript& b, const methods::Plan& plan) {
  if (a.failure != b.failure) return fmt::format("one run fails and the other does not: {}", a.failure + b.failure);
  if (a.steps.size() != b.steps.size()) {
    return fmt::format("{} releases on one table, {} on its neighbour", a.steps.size(), b.steps.size());
  }
  for (std::size_t i = 0; i < a.steps.size(); ++i) {
    const Step &x = a.steps[i], &y = b.steps[i];
    if (x.what != y.what)
      return fmt::format("release {} is '{}' on one table, '{}' on the other", i + 1, x.what, y.what);
    if (x.mechanism != y.mechanism) return fmt::format("the noise of release {} differs", i + 1);
    if (x.query.size() != y.query.size()) return fmt::format("release {} has another size", i + 1);
  }
  if (a.events != plan.events) return "other events are recorded than were planned";
  return "";
}

void add(Comparison& result, const Step& step, const Measured& measured) {
  const std::string word(privacy::word_of(step.mechanism));
  auto place = std::find_if(result.checks.begin(), result.checks.end(), [&](const StepCheck& each) {
    return each.what == step.what && each.mechanism == word && each.declared == measured.declared;
  });
  if (place == result.checks.end()) {
    place = result.checks.insert(place, {.what = step.what, .mechanism = word, .declared = measured.declared});
  }
  ++place->releases;
  place->measured = std::max(place->measured, measured.measured);
  result.worst_share = std::max(result.worst_share, measured.measured / measured.declared);
  if (measured.noise > 0) {
    result.mu += measured.measured * measured.measured / (measured.noise * measured.noise);
    result.declared_mu += measured.declared * measured.declared / (measured.noise * measured.noise);
  }
}

template <class Choice>
double cost_loss(const Choice& event, const Step& a, const Step& b) {
  return difference(b.cost, a.cost) * static_cast<double>(event.scale_denominator) /
         static_cast<double>(event.scale_numerator);
}

double normal_loss(double sigma, const Step& a, const Step& b) {
  double sum = 0;  // (o - q')^2 - (o - q)^2 = (q - q')(2 o - q - q')
  for (std::size_t j = 0; j < a.query.size(); ++j) {
    sum += difference(a.query[j], b.query[j]) *
           (difference(a.output[j], a.query[j]) + difference(a.output[j], b.query[j]));
  }
  return sum / (2 * sigma * sigma);
}

std::optional<double> step_loss(const Step& a, const Step& b) {
  using namespace privacy;
  if (!a.answered) return std::nullopt;
  return std::visit(
      Overloaded{[&](const GaussianEvent& e) -> std::optional<double> { return normal_loss(e.sigma, a, b); },
                 [&](const SampledGaussianEvent& e) -> std::optional<double> {
                   if (e.rate < 1) return std::nullopt;
                   return normal_loss(e.sigma, a, b);
                 },
                 [&](const KNormEvent& e) -> std::optional<double> {
                   return (l2(a.output, b.query) - l2(a.output, a.query)) / e.scale;
                 },
                 [&](const DiscreteLaplaceEvent& e) -> std::optional<double> {
                   return (l1(a.output, b.query) - l1(a.output, a.query)) * static_cast<double>(e.scale_denominator) /
                          static_cast<double>(e.scale_numerator);
                 },
                 [&](const ExponentialEvent& e) -> std::optional<double> { return cost_loss(e, a, b); },
                 [&](const PermuteAndFlipEvent& e) -> std::optional<double> { return cost_loss(e, a, b); },
                 [&](const RegularisedExponentialEvent& e) -> std::optional<double> {
                   return e.inverse_temperature * difference(b.cost, a.cost);
                 },
                 [](const auto&) -> std::optional<double> { return std::nullopt; }},
      a.mechanism);
}

}  // namespace

Comparison compare(const Transcript& first, const Transcript& second, const methods::Plan& plan) {
  Comparison result;
  result.difference = flow_difference(first, second, plan);
  const std::size_t common = std::min(first.steps.size(), second.steps.size());
  for (std::size_t i = 0; i < common; ++i) {
    const Step &a = first.steps[i], &b = second.steps[i];
    if (!a.answered || a.query.size() != b.query.size() || a.output.size() != b.output.size()) continue;
    if (const auto measured = measure(a, b)) add(result, a, *measured);
  }
  result.mu = std::sqrt(result.mu);
  result.declared_mu = std::sqrt(result.declared_mu);
  return result;
}

std::optional<double> log_ratio(const Transcript& first, const Transcript& second) {
  if (first.steps.size() != second.steps.size()) return std::nullopt;
  double sum = 0;
  for (std::size_t i = 0; i < first.steps.size(); ++i) {
    const auto part = step_loss(first.steps[i], second.steps[i]);
    if (!part) return std::nullopt;
    sum += *part;
  }
  return sum;
}

}  // namespace dperm::audit
