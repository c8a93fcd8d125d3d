// SPDX-License-Identifier: Apache-2.0
#include "dperm/privacy/distributions/event_family.hpp"

#include <algorithm>
#include <cmath>
#include <compare>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <utility>

#include "dperm/privacy/composition/additive_costs.hpp"
#include "dperm/privacy/distributions/normal_mass.hpp"
#include "dperm/privacy/distributions/release_moment.hpp"

namespace dperm::privacy {
namespace {

constexpr std::size_t kMostCells = 72, kMostCellsEachWay = 40, kFewRates = 4;
constexpr double kLeastSpacing = 0.01;            // of nodes on a logarithmic scale: closer ones gain nothing
constexpr double kLargest = 60;                   // strengths above it are rounded instead of mixed
constexpr double kShareMargin = 1e-11;            // above the rounding error of a share
constexpr std::uint64_t kLargestOddFamily = 200;  // ranges of choices that have a family each

// The last two are pairs that choices have: two candidates with one range, and with equal costs.
enum class Kind { sampled_gaussian, sampled_laplace, pure, laplace, bounded_range, two_candidates, equal_candidates };

struct Family {
  Kind kind;
  Sampling sampling;
  Neighbours neighbours;
  std::uint64_t range = 0;
  auto operator<=>(const Family&) const = default;
};

struct Place {
  Family family;
  double rate, strength;
};

Place plain(Kind kind, double strength, std::uint64_t range = 0) {
  return {{kind, Sampling::poisson, Neighbours::replace_one, range}, 1, strength};
}

// Where the distribution that dominates an event is.
std::optional<Place> place_above(const PrivacyEvent& event) {
  if (const auto* e = std::get_if<SampledGaussianEvent>(&event.mechanism)) {
    if (e->group > 1) return std::nullopt;
    return Place{{Kind::sampled_gaussian, e->sampling, event.neighbours}, e->rate, e->contribution / e->sigma};
  }
  const auto* laplace = std::get_if<SampledLaplaceEvent>(&event.mechanism);
  if (laplace && laplace->rate < 1 &&
      (laplace->sampling == Sampling::fixed_size || event.neighbours == Neighbours::add_remove)) {
    const double strength = laplace->contribution / laplace->scale;
    return Place{{Kind::sampled_laplace, laplace->sampling, event.neighbours}, laplace->rate, strength};
  }
  if (std::holds_alternative<ObjectivePerturbationEvent>(event.mechanism)) return std::nullopt;
  if (std::holds_alternative<ExponentialEvent>(event.mechanism))
    return plain(Kind::bounded_range, pure_epsilon_once(event));
  const bool as_laplace =
      std::holds_alternative<PermuteAndFlipEvent>(event.mechanism) || (laplace && laplace->rate == 1);
  return plain(as_laplace ? Kind::laplace : Kind::pure, pure_epsilon_once(event));
}

// [proof privacy_loss_distribution.below]
// Where the distribution of a pair of neighbours that an event has is; see attained_distribution.cpp for the pairs.
struct PlaceBelow {
  Neighbours neighbours;
  using Found = std::optional<Place>;

  Found operator()(const SampledGaussianEvent& e) const {
    const double mu = e.contribution / e.sigma;
    if (e.group > 1) return std::nullopt;
    if (e.sampling == Sampling::poisson) return Place{{Kind::sampled_gaussian, e.sampling, neighbours}, e.rate, mu};
    return Place{{Kind::sampled_gaussian, Sampling::poisson, Neighbours::add_remove}, e.rate, 2 * mu};
  }
  Found operator()(const SampledLaplaceEvent& e) const {
    const bool twice = e.sampling == Sampling::fixed_size || (neighbours == Neighbours::replace_one && e.rate == 1);
    const double epsilon = (twice ? 2 : 1) * (e.contribution / e.scale);
    if (e.rate == 1) return plain(Kind::laplace, epsilon);
    return Place{{Kind::sampled_laplace, Sampling::poisson, Neighbours::add_remove}, e.rate, epsilon};
  }
  Found operator()(const RandomisedResponseEvent& e) const { return plain(Kind::pure, e.epsilon); }
  // A change by one has two probabilities only: at most 0, and at least 1.
  Found operator()(const DiscreteLaplaceEvent& e) const {
    if (e.l1_sensitivity > 1) return std::nullopt;
    return plain(Kind::pure, static_cast<double>(e.scale_denominator) / static_cast<double>(e.scale_numerator));
  }
  // Costs that differ by half the range, rounded down where that loses little.
  Found operator()(const ExponentialEvent& e) const {
    const double unit = static_cast<double>(e.scale_denominator) / static_cast<double>(e.scale_numerator);
    if (e.range % 2 == 0 || e.range > kLargestOddFamily) {
      return plain(Kind::pure, static_cast<double>(e.range / 2) * unit);
    }
    return plain(Kind::two_candidates, static_cast<double>(e.range / 2 + 1) * unit, e.range);
  }
  Found operator()(const PermuteAndFlipEvent& e) const {
    const double unit = static_cast<double>(e.scale_denominator) / static_cast<double>(e.scale_numerator);
    return plain(Kind::equal_candidates, static_cast<double>(e.range) * unit);
  }
  Found operator()(const auto&) const { return std::nullopt; }
};
// [/proof]

// Probabilities of the first of two outcomes.
Masses two_outcomes(const Family& family, double strength) {
  const auto chance = [](double x) { return 1 / (1 + std::exp(-x)); };
  if (family.kind == Kind::equal_candidates) return {0.5, std::exp(-strength) / 2};
  if (family.kind == Kind::pure) return {chance(strength), chance(-strength)};
  const double below = static_cast<double>(family.range / 2), above = below + 1;
  return {chance(strength), chance(-strength * below / above)};
}

DistributionCount distribution_at(const Family& family, double rate, double strength) {
  switch (family.kind) {
    case Kind::sampled_gaussian:
      return distribution_of({"", SampledGaussianEvent{strength, 1, rate, family.sampling}, family.neighbours, 1});
    case Kind::sampled_laplace:
      return distribution_of({"", SampledLaplaceEvent{strength, 1, rate, family.sampling}, family.neighbours, 1});
    case Kind::pure:
      return {pure_distribution(strength), nullptr, 1};
    case Kind::laplace:
      return {laplace_distribution(strength), nullptr, 1};
    case Kind::bounded_range:
      return {bounded_range_distribution(strength), nullptr, 1};
    case Kind::two_candidates:
    case Kind::equal_candidates: {
      const Masses m = two_outcomes(family, strength);
      return {atoms_distribution({{std::log((1 - m.p) / (1 - m.q)), 1 - m.p}, {std::log(m.p / m.q), m.p}}, 0), nullptr,
              1};
    }
  }
  return {};
}

// [proof privacy_loss_distribution.family]
// (s(x) - s(a)) / (s(b) - s(a)) for a < b and the family's coordinate s, in which every hockey stick is convex.
double share(const Family& family, double a, double b, double x) {
  // (tanh x - tanh a) / (tanh b - tanh a)
  const auto tangents = [](double low, double high, double at) {
    return std::sinh(at - low) * std::cosh(high) / (std::sinh(high - low) * std::cosh(at));
  };
  const double factor = family.neighbours == Neighbours::replace_one ? 2 : 1;
  if (factor * b > kLargest) return 1;
  switch (family.kind) {
    case Kind::sampled_gaussian:
      return normal_mass(factor * a / 2, factor * x / 2) / normal_mass(factor * a / 2, factor * b / 2);
    case Kind::sampled_laplace:
      return std::expm1(-factor * (x - a) / 2) / std::expm1(-factor * (b - a) / 2);
    case Kind::laplace:
      return std::expm1(-(x - a) / 2) / std::expm1(-(b - a) / 2);
    case Kind::pure:
    case Kind::two_candidates:
      return tangents(a / 2, b / 2, x / 2);
    case Kind::bounded_range:
      return tangents(a / 4, b / 4, x / 4);
    case Kind::equal_candidates:
      return std::expm1(-(x - a)) / std::expm1(-(b - a));
  }
  return 1;
}
// [/proof]

// The moment of a release's own distribution, for families whose distribution is attained.
double moment(const Family& family, double rate, double strength, double theta, double log_reference) {
  switch (family.kind) {
    case Kind::sampled_gaussian:
      if (family.neighbours == Neighbours::replace_one) {
        return sampled_gaussian_replace_moment(strength, rate, theta, log_reference);
      }
      return sampled_gaussian_moment(strength, rate, theta, log_reference);
    case Kind::sampled_laplace:
      return sampled_laplace_moment(strength, rate, theta, log_reference);
    case Kind::laplace:
      return laplace_moment(strength, theta, log_reference);
    case Kind::pure:
    case Kind::two_candidates:
    case Kind::equal_candidates: {
      const Masses m = two_outcomes(family, strength);
      return two_outcomes_moment(m.p, m.q, theta, log_reference);
    }
    case Kind::bounded_range:
      return 0;
  }
  return 0;
}

// Whether the family's forward distribution is that of neighbours that its releases have.
bool attained(const Family& family) {
  return family.sampling == Sampling::poisson && family.kind != Kind::bounded_range;
}

// Nodes from the least to the greatest value. A cell of length w on a logarithmic scale with bend b costs about b w^2,
// so that lengths in proportion to b^(-1/3) are best; a quarter of the nodes is spread evenly.
class Nodes {
 public:
  Nodes(double least, double most) : least_(least), range_(std::log(most / least)), bend_(kBins) {}
  void add(double value, double bend) { bend_[bin(value)] += std::min(bend, 1e200); }
  std::vector<double> choose(std::size_t most_cells, double spacing = kLeastSpacing) const {
    const double wanted = std::ceil(range_ / spacing);
    const double cells = std::clamp(wanted, 0.0, static_cast<double>(most_cells));
    if (cells == 0) return {least_};
    double whole = 0;
    for (const double b : bend_) whole += std::cbrt(b);
    std::vector<double> nodes{least_};
    double sum = 0;
    for (std::size_t i = 0; i + 1 < kBins; ++i) {
      sum += cells * (0.75 * std::cbrt(bend_[i]) / whole + 0.25 / static_cast<double>(kBins));
      if (sum >= static_cast<double>(nodes.size())) nodes.push_back(least_ * std::exp(range_ * end_of(i)));
    }
    nodes.push_back(least_ * std::exp(range_));
    return nodes;
  }

 private:
  static constexpr std::size_t kBins = 512;
  static double end_of(std::size_t bin) { return static_cast<double>(bin + 1) / static_cast<double>(kBins); }
  std::size_t bin(double value) const {
    const double place = range_ > 0 ? std::log(value / least_) / range_ * static_cast<double>(kBins) : 0;
    return static_cast<std::size_t>(std::clamp(place, 0.0, static_cast<double>(kBins - 1)));
  }
  double least_, range_;
  std::vector<double> bend_;
};

// The index of the last node at most `value`.
std::size_t below(const std::vector<double>& nodes, double value) {
  const auto after = std::upper_bound(nodes.begin(), nodes.end(), value);
  return after == nodes.begin() ? 0 : static_cast<std::size_t>(after - nodes.begin()) - 1;
}

struct Member {
  double rate, strength, count;
};

// About how much a release's moment of order six bends in the logarithms of strength and rate: its terms of orders two
// and five. Only sharpness depends on it.
struct Bend {
  double strength, rate;
};
Bend bend_of(const Family& family, const Member& m) {
  const double x = m.strength * m.strength, q = m.rate;
  if (family.kind != Kind::sampled_gaussian) return {m.count * q * q * x, m.count * q * q * x};
  const double two = 60 * q * q * std::expm1(x), five = 6 * std::pow(q, 5) * std::exp(10 * x);
  return {m.count * (two * (1 + x) + five * (40 * x + 400 * x * x)), m.count * (two + 25 * five)};
}

// The mixtures of one cell, added up: corner 0 and 1 at the lower rate, 2 and 3 at the higher one.
struct Cell {
  std::vector<Member> members;
  double count = 0;
  double sum[4] = {}, squares[4] = {};
  void add(const double (&weights)[4], double times) {
    count += times;
    for (std::size_t c = 0; c < 4; ++c) sum[c] += times * weights[c], squares[c] += times * weights[c] * weights[c];
  }
  double weight(std::size_t c) const { return sum[c] / count; }
  double spread(std::size_t c) const {
    const double square = squares[c] - sum[c] * sum[c] / count;
    return sum[c] > 0 ? std::sqrt(std::max(0.0, square) + 1e-12 * count) : 0;
  }
};

class FamilyDistributions {
 public:
  FamilyDistributions(const Family& family, const std::vector<Member>& members) : family_(family) {
    std::set<double> rates;
    double least = members.front().strength, most = least;
    for (const Member& member : members) {
      if (rates.size() <= kFewRates) rates.insert(member.rate);
      least = std::min(least, member.strength);
      most = std::max(most, member.strength);
    }
    blends_rates_ = rates.size() > kFewRates;
    const auto [low, high] = std::minmax_element(members.begin(), members.end(),
                                                 [](const Member& a, const Member& b) { return a.rate < b.rate; });
    Nodes strengths(least, most), rate_nodes(low->rate, high->rate);
    for (const Member& member : members) {
      const Bend bend = bend_of(family, member);
      strengths.add(member.strength, bend.strength);
      rate_nodes.add(member.rate, bend.rate);
    }
    // Few releases need few cells, but over a long range even they need many.
    const double root = std::sqrt(static_cast<double>(members.size()));
    const auto each_way = static_cast<std::size_t>(12 + 2 * root);
    const double spacing = std::max(kLeastSpacing, 0.4 / root);
    const std::size_t both = std::min(kMostCellsEachWay, each_way);
    strengths_ = blends_rates_ ? strengths.choose(both, spacing)
                               : strengths.choose(std::min(kMostCells, 1 + members.size() / 2));
    rates_.assign(rates.begin(), rates.end());
    if (blends_rates_) rates_ = rate_nodes.choose(both, spacing);
    // The last node is that value itself, whatever its logarithm was rounded to.
    if (strengths_.size() > 1) strengths_.back() = most;
    if (blends_rates_ && rates_.size() > 1) rates_.back() = high->rate;
    for (const Member& member : members) add(member);
  }

  void append_to(std::vector<DistributionCount>& distributions) {
    for (auto& [place, cell] : cells_) {
      DistributionCount entry{nullptr, nullptr, cell.count};
      for (std::size_t c = 0; c < 4; ++c) {
        if (!(cell.sum[c] > 0)) continue;
        const DistributionCount& corner = corner_distribution(place.first + c / 2, place.second + c % 2);
        entry.blend.push_back({corner.forward, corner.reverse, cell.weight(c), cell.spread(c)});
      }
      entry.forward = entry.blend.front().forward;
      entry.reverse = entry.blend.front().reverse;
      if (attained(family_)) {
        entry.moments = [family = family_, members = std::move(cell.members)](double theta, double log_reference) {
          double sum = 0;
          for (const Member& m : members) sum += m.count * moment(family, m.rate, m.strength, theta, log_reference);
          return sum;
        };
      }
      distributions.push_back(std::move(entry));
    }
  }

 private:
  void add(const Member& member) {
    const std::size_t r = below(rates_, member.rate), m = below(strengths_, member.strength);
    const bool between = m + 1 < strengths_.size() && member.strength > strengths_[m];
    double strong = between ? share(family_, strengths_[m], strengths_[m + 1], member.strength) : 0;
    const bool rate_between = blends_rates_ && r + 1 < rates_.size() && member.rate > rates_[r];
    double often = rate_between ? (member.rate - rates_[r]) / (rates_[r + 1] - rates_[r]) : 0;
    strong = std::min(1.0, strong * (1 + kShareMargin));
    often = std::min(1.0, often * (1 + kShareMargin));
    Cell& cell = cells_[{r, m}];
    cell.add({(1 - often) * (1 - strong), (1 - often) * strong, often * (1 - strong), often * strong}, member.count);
    cell.members.push_back(member);
  }

  const DistributionCount& corner_distribution(std::size_t rate, std::size_t strength) {
    const auto [place, fresh] = distributions_.try_emplace({rate, strength});
    if (fresh) place->second = distribution_at(family_, rates_[rate], strengths_[strength]);
    return place->second;
  }

  Family family_;
  bool blends_rates_ = false;
  std::vector<double> rates_, strengths_;
  std::map<std::pair<std::size_t, std::size_t>, Cell> cells_;
  std::map<std::pair<std::size_t, std::size_t>, DistributionCount> distributions_;
};

}  // namespace

FewDistributions few_distributions(const std::vector<CountedEvent>& releases, Side side) {
  std::map<Family, std::vector<Member>> families;
  FewDistributions result;
  for (const CountedEvent& each : releases) {
    const auto place = side == Side::above ? place_above(each.event)
                                           : std::visit(PlaceBelow{each.event.neighbours}, each.event.mechanism);
    if (place && place->strength > 0) {
      families[place->family].push_back({place->rate, place->strength, each.count});
    } else if (side == Side::above) {
      result.distributions.push_back(distribution_of(each.event));
      result.distributions.back().count = each.count;
    } else {
      result.complete = false;
    }
  }
  for (const auto& [family, members] : families) FamilyDistributions(family, members).append_to(result.distributions);
  return result;
}

}  // namespace dperm::privacy
