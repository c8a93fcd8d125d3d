// SPDX-License-Identifier: Apache-2.0
#include "dperm/rules/finite_class.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>

#include "dperm/core/check.hpp"
#include "dperm/core/error.hpp"
#include "dperm/rules/class_costs.hpp"

namespace dperm::rules {

namespace {

constexpr std::size_t kRealCells = kLatticeParts;
constexpr std::size_t kLimits = kRealCells + 1;  // "from cell t on", t = 0, ..., kRealCells

void require_real(const schema::Encoding& encoding, std::size_t real) {
  require(real < encoding.reals().size(),
          fmt::format("there is no real column number {}; the schema has {}", real, encoding.reals().size()));
}

void require_listable(std::uint64_t rules, const std::string& advice) {
  if (rules > kMostListedRules) {
    throw ArgumentError(
        fmt::format("this class would list {} rules, more than {}; {}", rules, kMostListedRules, advice));
  }
}

// The first q of a part: the smallest one with floor((q + 32767) parts / 65535) >= part.
std::int32_t first_of_part(std::size_t part, std::size_t parts) {
  return static_cast<std::int32_t>((part * kRealCells + parts - 1) / parts) - schema::kRealOne;
}

Hypothesis threshold_rule(std::size_t real, std::int32_t first, bool below) {
  return {{RangeRule{real, first, schema::kRealOne + 1}}, below};
}

void append(std::vector<random::CostRun>& runs, const std::vector<random::CostRun>& more) {
  for (const random::CostRun& run : more) append_run(runs, run.size, run.cost);
}

class Thresholds final : public FiniteClass {
 public:
  Thresholds(std::size_t real, std::size_t parts) : real_(real), parts_(parts) {}
  std::string name() const override { return "thresholds"; }
  std::uint64_t size() const override { return 2 * (parts_ + 1); }
  std::vector<random::CostRun> costs(const engine::RowSums& sums, Threads threads) const override {
    return threshold_costs(sums.label_counts(engine::RealCells{real_}, threads), parts_, true);
  }
  Hypothesis hypothesis(std::uint64_t number) const override {
    return threshold_rule(real_, first_of_part(number % (parts_ + 1), parts_), number > parts_);
  }

 private:
  std::size_t real_, parts_;
};

class Intervals final : public FiniteClass {
 public:
  Intervals(std::size_t real, std::size_t parts) : real_(real), parts_(parts) {}
  std::string name() const override { return "intervals"; }
  std::uint64_t size() const override { return interval_count(parts_); }
  std::vector<random::CostRun> costs(const engine::RowSums& sums, Threads threads) const override {
    const engine::LabelCounts fine = sums.label_counts(engine::RealCells{real_}, threads);
    engine::LabelCounts coarse{std::vector<std::int64_t>(parts_, 0), std::vector<std::int64_t>(parts_, 0)};
    for (std::size_t cell = 0; cell < kRealCells; ++cell) {
      coarse.negative[cell * parts_ / kRealCells] += fine.negative[cell];
      coarse.positive[cell * parts_ / kRealCells] += fine.positive[cell];
    }
    return interval_costs(coarse);
  }
  Hypothesis hypothesis(std::uint64_t number) const override {
    if (number == 0) return {{}, true};
    const CellRange cells = interval_of(number, parts_);
    return {{RangeRule{real_, first_of_part(cells.begin, parts_), first_of_part(cells.end, parts_)}}, false};
  }

 private:
  std::size_t real_, parts_;
};

class Stumps final : public FiniteClass {
 public:
  explicit Stumps(const schema::Encoding& encoding) : reals_(encoding.reals().size()) {
    for (const schema::CategoryCode& category : encoding.categories()) codes_.push_back(category.levels + 1ull);
  }
  std::string name() const override { return "stumps"; }
  std::uint64_t size() const override {
    std::uint64_t sum = 2 * kLimits * reals_;
    for (const std::uint64_t codes : codes_) sum += 2 * codes;
    return sum;
  }
  std::vector<random::CostRun> costs(const engine::RowSums& sums, Threads threads) const override {
    std::vector<random::CostRun> runs;
    for (std::size_t real = 0; real < reals_; ++real) {
      append(runs, threshold_costs(sums.label_counts(engine::RealCells{real}, threads), true));
    }
    for (std::size_t c = 0; c < codes_.size(); ++c) {
      const engine::LabelCounts counts = sums.label_counts(engine::CategoryCells{c}, threads);
      std::int64_t positives = 0;
      for (const std::int64_t each : counts.positive) positives += each;
      const auto errors = [&](std::size_t code) { return counts.negative[code] + positives - counts.positive[code]; };
      const auto rows = static_cast<std::int64_t>(sums.rows());
      for (std::size_t code = 0; code < codes_[c]; ++code) append_run(runs, 1, errors(code));
      for (std::size_t code = 0; code < codes_[c]; ++code) append_run(runs, 1, rows - errors(code));
    }
    return runs;
  }
  Hypothesis hypothesis(std::uint64_t number) const override {
    if (number < 2 * kLimits * reals_) {
      const auto first = static_cast<std::int32_t>(number % kLimits) - schema::kRealOne;
      return threshold_rule(number / (2 * kLimits), first, number / kLimits % 2 == 1);
    }
    number -= 2 * kLimits * reals_;
    std::size_t category = 0;
    for (; number >= 2 * codes_[category]; ++category) number -= 2 * codes_[category];
    const auto code = static_cast<std::uint32_t>(number % codes_[category]);
    return {{LevelRule{category, code, number >= codes_[category]}}, false};
  }

 private:
  std::size_t reals_;
  std::vector<std::uint64_t> codes_;  // of each category, "no category" among them
};

class Conjunctions final : public FiniteClass {
 public:
  Conjunctions(const schema::Encoding& encoding, std::size_t most) : most_(most) {
    for (std::size_t c = 0; c < encoding.categories().size(); ++c) {
      for (std::uint32_t code = 0; code < encoding.categories()[c].levels; ++code) {
        literals_.push_back({c, code, false});
        literals_.push_back({c, code, true});
      }
    }
  }
  std::string name() const override { return "conjunctions"; }
  std::uint64_t size() const override { return conjunction_count(literals_.size(), most_); }
  std::vector<random::CostRun> costs(const engine::RowSums& sums, Threads threads) const override {
    return listed_costs(sums.conjunction_errors({literals_, most_}, threads));
  }
  Hypothesis hypothesis(std::uint64_t number) const override {
    Hypothesis result;
    for (const std::size_t index : conjunction_of(number, literals_.size(), most_)) {
      result.parts.push_back(literals_[index]);
    }
    return result;
  }

 private:
  std::size_t most_;
  std::vector<LevelRule> literals_;
};

class Rectangles final : public FiniteClass {
 public:
  Rectangles(std::size_t first, std::size_t second, std::size_t parts)
      : first_(first), second_(second), parts_(parts) {}
  std::string name() const override { return "rectangles"; }
  std::uint64_t size() const override { return 1 + sides() * sides(); }
  std::vector<random::CostRun> costs(const engine::RowSums& sums, Threads threads) const override {
    return rectangle_costs(sums.label_counts(engine::PairCells{first_, second_, parts_}, threads), parts_);
  }
  Hypothesis hypothesis(std::uint64_t number) const override {
    if (number == 0) return {{}, true};
    const CellRange a = interval_of(1 + (number - 1) / sides(), parts_);
    const CellRange b = interval_of(1 + (number - 1) % sides(), parts_);
    return {{RangeRule{first_, first_of_part(a.begin, parts_), first_of_part(a.end, parts_)},
             RangeRule{second_, first_of_part(b.begin, parts_), first_of_part(b.end, parts_)}},
            false};
  }

 private:
  std::uint64_t sides() const { return interval_count(parts_) - 1; }

  std::size_t first_, second_, parts_;
};

class Halfspaces final : public FiniteClass {
 public:
  Halfspaces(std::vector<std::vector<std::int32_t>> directions, std::size_t parts)
      : directions_(std::move(directions)), parts_(parts) {}
  std::string name() const override { return "halfspaces"; }
  std::uint64_t size() const override { return directions_.size() * per_direction(); }
  std::vector<random::CostRun> costs(const engine::RowSums& sums, Threads threads) const override {
    std::vector<random::CostRun> runs;
    for (const auto& direction : directions_) {
      append(runs, threshold_costs(sums.label_counts(engine::ProjectionCells{direction, parts_}, threads), true));
    }
    return runs;
  }
  Hypothesis hypothesis(std::uint64_t number) const override {
    const auto& direction = directions_[number / per_direction()];
    const std::uint64_t within = number % per_direction();
    std::int64_t range = 0;
    for (const std::int32_t each : direction) range += std::int64_t{schema::kRealOne} * std::abs(each);
    const auto part = static_cast<std::int64_t>(within % (parts_ + 1));
    const auto parts = static_cast<std::int64_t>(parts_);
    const std::int64_t cut = (part * (2 * range + 1) + parts - 1) / parts - range;
    return {{HalfspaceRule{direction, cut}}, within > parts_};
  }

 private:
  std::uint64_t per_direction() const { return 2 * (parts_ + 1); }

  std::vector<std::vector<std::int32_t>> directions_;
  std::size_t parts_;
};

class Listed final : public FiniteClass {
 public:
  explicit Listed(std::vector<Hypothesis> rules) : rules_(std::move(rules)) {}
  std::string name() const override { return "rules"; }
  std::uint64_t size() const override { return rules_.size(); }
  std::vector<random::CostRun> costs(const engine::RowSums& sums, Threads threads) const override {
    return listed_costs(sums.rule_errors(rules_, threads));
  }
  Hypothesis hypothesis(std::uint64_t number) const override { return rules_[number]; }

 private:
  std::vector<Hypothesis> rules_;
};

}  // namespace

std::unique_ptr<FiniteClass> thresholds(const schema::Encoding& encoding, std::size_t real, std::size_t parts) {
  require_real(encoding, real);
  require(parts >= 1 && parts <= kMostThresholdParts, "thresholds need at least one part and at most 4294967296");
  return std::make_unique<Thresholds>(real, parts);
}

std::unique_ptr<FiniteClass> intervals(const schema::Encoding& encoding, std::size_t real, std::size_t parts) {
  require_real(encoding, real);
  require(parts >= 1 && parts <= kRealCells, "intervals need at least one part and at most 65535");
  require_listable(interval_count(parts), "take fewer parts");
  return std::make_unique<Intervals>(real, parts);
}

std::unique_ptr<FiniteClass> stumps(const schema::Encoding& encoding) {
  require(encoding.columns() > 1, "stumps need a feature column");
  return std::make_unique<Stumps>(encoding);
}

std::unique_ptr<FiniteClass> conjunctions(const schema::Encoding& encoding, std::size_t most) {
  require(!encoding.categories().empty(), "conjunctions need a category or boolean column");
  auto made = std::make_unique<Conjunctions>(encoding, most);
  require_listable(made->size(), "allow fewer literals");
  return made;
}

std::unique_ptr<FiniteClass> rectangles(const schema::Encoding& encoding, std::size_t first, std::size_t second,
                                        std::size_t parts) {
  require_real(encoding, first);
  require_real(encoding, second);
  require(first != second, "rectangles need two different columns");
  require(parts >= 1 && parts <= 1024, "rectangles need between 1 and 1024 parts");
  auto made = std::make_unique<Rectangles>(first, second, parts);
  require_listable(made->size(), "take fewer parts");
  return made;
}

std::unique_ptr<FiniteClass> halfspaces(const schema::Encoding& encoding, std::int32_t largest, std::size_t parts) {
  const std::size_t reals = encoding.reals().size();
  require(reals >= 1, "halfspaces need a real column");
  require(largest >= 1 && largest <= 100, "the largest coefficient of halfspaces must be between 1 and 100");
  require(parts >= 1 && parts <= kMostListedRules, "halfspaces need at least one part");
  const std::int32_t base = 2 * largest + 1;
  const double codes = std::pow(static_cast<double>(base), static_cast<double>(reals));
  const double rules = (codes - 1) / 2 * 2 * (static_cast<double>(parts) + 1);
  require_listable(static_cast<std::uint64_t>(std::min(rules, 0x1p62)), "take fewer parts or smaller coefficients");
  std::vector<std::vector<std::int32_t>> directions;
  for (std::uint64_t code = 0; code < static_cast<std::uint64_t>(codes); ++code) {
    std::vector<std::int32_t> direction;
    for (std::uint64_t rest = code; direction.size() < reals; rest /= static_cast<std::uint64_t>(base)) {
      direction.push_back(static_cast<std::int32_t>(rest % static_cast<std::uint64_t>(base)) - largest);
    }
    // Of a direction and its negative one is enough: every limit comes with its opposite.
    const auto leading = std::find_if(direction.begin(), direction.end(), [](std::int32_t each) { return each != 0; });
    if (leading != direction.end() && *leading > 0) directions.push_back(std::move(direction));
  }
  return std::make_unique<Halfspaces>(std::move(directions), parts);
}

std::unique_ptr<FiniteClass> listed(std::vector<Hypothesis> rules) {
  require(!rules.empty(), "a list of rules needs at least one rule");
  require_listable(rules.size(), "list fewer rules");
  return std::make_unique<Listed>(std::move(rules));
}

}  // namespace dperm::rules
