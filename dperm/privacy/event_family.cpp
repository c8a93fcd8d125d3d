// SPDX-License-Identifier: Apache-2.0
#include "dperm/privacy/event_family.hpp"

#include <algorithm>
#include <cmath>
#include <compare>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <utility>

#include "dperm/privacy/accountant.hpp"
#include "dperm/privacy/normal_mass.hpp"

namespace dperm::privacy {
namespace {

constexpr double kSpacing = 0.05, kRateSpacing = 0.1;  // of neighbouring nodes, on a logarithmic scale
constexpr std::size_t kMostCells = 16, kFewRates = 4;
constexpr std::size_t kMostCellsEachWay = 6;  // where strengths and rates both differ
constexpr double kLargest = 60;               // strengths above it are rounded instead of mixed
constexpr double kShareMargin = 1e-11;        // above the rounding error of a share

enum class Kind { sampled_gaussian, sampled_laplace, pure, laplace, bounded_range };

struct Family {
  Kind kind;
  Sampling sampling;
  Neighbours neighbours;
  auto operator<=>(const Family&) const = default;
};

struct Place {
  Family family;
  double rate, strength;
};

std::optional<Place> place_of(const PrivacyEvent& event) {
  const auto plain = [&](Kind kind, double strength) {
    return Place{{kind, Sampling::poisson, Neighbours::replace_one}, 1, strength};
  };
  if (const auto* e = std::get_if<SampledGaussianEvent>(&event.mechanism)) {
    return Place{{Kind::sampled_gaussian, e->sampling, event.neighbours}, e->rate, e->contribution / e->sigma};
  }
  const auto* laplace = std::get_if<SampledLaplaceEvent>(&event.mechanism);
  if (laplace && (laplace->sampling == Sampling::fixed_size || event.neighbours == Neighbours::add_remove)) {
    const double strength = laplace->contribution / laplace->scale;
    return Place{{Kind::sampled_laplace, laplace->sampling, event.neighbours}, laplace->rate, strength};
  }
  if (std::holds_alternative<ObjectivePerturbationEvent>(event.mechanism)) return std::nullopt;
  PrivacyEvent single = event;
  single.repetitions = 1;
  const double epsilon = pure_epsilon(std::span(&single, 1));
  if (std::holds_alternative<ExponentialEvent>(event.mechanism)) return plain(Kind::bounded_range, epsilon);
  const bool as_laplace =
      std::holds_alternative<PermuteAndFlipEvent>(event.mechanism) || (laplace && laplace->rate == 1);
  return plain(as_laplace ? Kind::laplace : Kind::pure, epsilon);
}

LawCount law_at(const Family& family, double rate, double strength) {
  switch (family.kind) {
    case Kind::sampled_gaussian:
      return law_of({"", SampledGaussianEvent{strength, 1, rate, family.sampling}, family.neighbours, 1});
    case Kind::sampled_laplace:
      return law_of({"", SampledLaplaceEvent{strength, 1, rate, family.sampling}, family.neighbours, 1});
    case Kind::pure:
      return {pure_law(strength), nullptr, 1};
    case Kind::laplace:
      return {laplace_law(strength), nullptr, 1};
    case Kind::bounded_range:
      return {bounded_range_law(strength), nullptr, 1};
  }
  return {};
}

// [proof privacy_loss_law.family]
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
      return tangents(a / 2, b / 2, x / 2);
    case Kind::bounded_range:
      return tangents(a / 4, b / 4, x / 4);
  }
  return 1;
}

// A law below that of strength `target`: the line through two weaker ones, continued. Nothing where its masses might
// not be positive.
Law continued_law(const Family& family, double rate, double near, double target) {
  if (family.kind != Kind::sampled_gaussian || target > kLargest / 2) return nullptr;
  const double far = near * near * near / (target * target);
  const double factor = (share(family, far, near, target) - 1) * (1 - 1e-9);
  const double ratio = near / far * std::exp(9 * (near * near - far * far) / 8);
  if (!(factor > 0 && factor <= 1 && ratio <= 1 + 1 / (2 * factor))) return nullptr;
  return extrapolated_law(law_at(family, rate, near).forward, law_at(family, rate, far).forward, factor);
}
// [/proof]

// From the least to the greatest value in equal ratios.
std::vector<double> nodes_between(double least, double most, double spacing, std::size_t most_cells) {
  const double wanted = std::ceil(std::log(most / least) / spacing);
  const auto cells = static_cast<std::size_t>(std::clamp(wanted, 0.0, static_cast<double>(most_cells)));
  std::vector<double> nodes{least};
  for (std::size_t i = 1; i < cells; ++i) {
    nodes.push_back(least * std::pow(most / least, static_cast<double>(i) / static_cast<double>(cells)));
  }
  if (cells > 0) nodes.push_back(most);
  return nodes;
}

// The index of the last node at most `value`.
std::size_t below(const std::vector<double>& nodes, double value) {
  const auto after = std::upper_bound(nodes.begin(), nodes.end(), value);
  return after == nodes.begin() ? 0 : static_cast<std::size_t>(after - nodes.begin()) - 1;
}

struct Member {
  double rate, strength, count;
};

// The mixtures of one cell, added up: corner 0 and 1 at the lower rate, 2 and 3 at the higher one.
struct Cell {
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

class FamilyLaws {
 public:
  FamilyLaws(const Family& family, const std::vector<Member>& members, Side side) : family_(family), side_(side) {
    std::set<double> rates;
    double least = members.front().strength, most = least;
    for (const Member& member : members) {
      rates.insert(member.rate);
      least = std::min(least, member.strength);
      most = std::max(most, member.strength);
    }
    const bool many_rates = rates.size() > kFewRates;
    strengths_ = nodes_between(least, most, kSpacing, many_rates ? kMostCellsEachWay : kMostCells);
    rates_.assign(rates.begin(), rates.end());
    if (many_rates) rates_ = nodes_between(*rates.begin(), *rates.rbegin(), kRateSpacing, kMostCellsEachWay);
    blends_rates_ = many_rates && side == Side::above;
    for (const Member& member : members) add(member);
  }

  void append_to(std::vector<LawCount>& laws) {
    for (const auto& [place, cell] : cells_) {
      LawCount entry{nullptr, nullptr, cell.count};
      for (std::size_t c = 0; c < 4; ++c) {
        if (!(cell.sum[c] > 0)) continue;
        const LawPair& corner = corner_law(place.first, place.second, c);
        entry.blend.push_back({corner.forward, corner.reverse, cell.weight(c), cell.spread(c)});
      }
      entry.forward = entry.blend.front().forward;
      entry.reverse = entry.blend.front().reverse;
      if (entry.blend.size() == 1) entry.blend.clear();
      laws.push_back(std::move(entry));
    }
  }

 private:
  struct LawPair {
    Law forward, reverse;
  };

  void add(const Member& member) {
    const std::size_t r = below(rates_, member.rate), m = below(strengths_, member.strength);
    const bool between = m + 1 < strengths_.size() && member.strength > strengths_[m];
    double strong = between ? share(family_, strengths_[m], strengths_[m + 1], member.strength) : 0;
    if (side_ == Side::below) {
      if (between && !corner_law(r, m, 1).forward) strong = 0;
      strong *= 1 - kShareMargin;
      cells_[{r, m}].add({1 - strong, strong, 0, 0}, member.count);
      return;
    }
    const bool rate_between = blends_rates_ && r + 1 < rates_.size() && member.rate > rates_[r];
    double often = rate_between ? (member.rate - rates_[r]) / (rates_[r + 1] - rates_[r]) : 0;
    strong = std::min(1.0, strong * (1 + kShareMargin));
    often = std::min(1.0, often * (1 + kShareMargin));
    cells_[{r, m}].add({(1 - often) * (1 - strong), (1 - often) * strong, often * (1 - strong), often * strong},
                       member.count);
  }

  // Corners 0 and 1 are the nodes on both sides in strength, 2 and 3 the same at the next rate. From below the second
  // is the law continued from weaker ones instead, empty where there is none, and the order of the neighbours is fixed.
  const LawPair& corner_law(std::size_t r, std::size_t m, std::size_t corner) {
    const bool continued = side_ == Side::below && corner == 1;
    const std::size_t rate = r + corner / 2, node = m + (continued ? 0 : corner % 2);
    const auto place = std::pair{std::pair{rate, node}, continued};
    const auto found = laws_.find(place);
    if (found != laws_.end()) return found->second;
    LawPair pair;
    if (continued) {
      pair.forward = continued_law(family_, rates_[rate], strengths_[node], strengths_[node + 1]);
    } else {
      const LawCount law = law_at(family_, rates_[rate], strengths_[node]);
      pair = {law.forward, side_ == Side::above ? law.reverse : nullptr};
    }
    return laws_.emplace(place, std::move(pair)).first->second;
  }

  Family family_;
  Side side_;
  bool blends_rates_ = false;
  std::vector<double> rates_, strengths_;
  std::map<std::pair<std::size_t, std::size_t>, Cell> cells_;
  std::map<std::pair<std::pair<std::size_t, std::size_t>, bool>, LawPair> laws_;
};

}  // namespace

std::vector<LawCount> few_laws(const std::vector<CountedEvent>& releases, Side side) {
  std::map<Family, std::vector<Member>> families;
  std::vector<LawCount> laws;
  for (const CountedEvent& each : releases) {
    if (const auto place = place_of(each.event)) {
      families[place->family].push_back({place->rate, place->strength, each.count});
    } else {
      laws.push_back(law_of(each.event));
      laws.back().count = each.count;
    }
  }
  for (const auto& [family, members] : families) FamilyLaws(family, members, side).append_to(laws);
  return laws;
}

}  // namespace dperm::privacy
