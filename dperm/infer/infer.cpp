// SPDX-License-Identifier: Apache-2.0
#include "dperm/infer/infer.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "dperm/core/check.hpp"
#include "dperm/core/error.hpp"
#include "dperm/core/rounding.hpp"
#include "dperm/infer/bounds.hpp"
#include "dperm/privacy/calibration/calibration.hpp"
#include "dperm/privacy/composition/accountant.hpp"
#include "dperm/privacy/curator/unseen_value.hpp"
#include "dperm/random/noise/gaussian.hpp"

namespace dperm::infer {

namespace {

// Of the squared mu. Whether a column holds numbers is a question with a clear answer.
constexpr double kKindShare = 0.05;
// Of the squared mu of numbers: for sizes, for where they lie, and the rest for a closer look at some.
constexpr double kCoarseShare = 0.45, kFineShare = 0.45;
// Of delta: for texts that only one record holds.
constexpr double kUnseenShare = 0.2;
// A column is one of whole numbers unless others are more than this share of the rows, and more than noise.
constexpr double kUnusualShare = 0.005;
constexpr double kStandsOut = 4.5;
// With fewer rows than this many standard deviations of the noise nothing would stand out.
constexpr double kLeastRows = 20;

// [proof infer.budget]
// The squared mu of the ideal releases, and the probability of an unseen value, of which `account` makes the budget.
struct Currency {
  double mu_squared;
  double unseen;
};
// A person has up to `unit_rows` rows: every mu is for one of them, and the curator records what all of them cost.
Currency currency_of(const Budget& budget, std::size_t unit_rows) {
  const double mu = (1 - 1e-6) / privacy::sigma_for(1, budget.epsilon, (1 - kUnseenShare) * budget.delta) /
                    static_cast<double>(unit_rows);
  return {mu * mu, 0.99 * kUnseenShare * budget.delta / (1 + std::exp(budget.epsilon))};
}

// One column's cell moves at most one unit from one place to another.
double sensitivity_of(std::size_t columns) { return std::sqrt(2 * static_cast<double>(columns)); }

double sigma_of(std::size_t columns, double mu_squared) {
  return std::max(random::kMinimumSigma, rounded_up(rounded_up(sensitivity_of(columns)) / std::sqrt(mu_squared)));
}
// [/proof]

using Numbers = std::vector<std::size_t>;  // of wishes

class Asking {
 public:
  Asking(const data::RawTable& table, const std::vector<Wish>& wishes, const Budget& budget, privacy::Curator& curator)
      : table_(table),
        wishes_(wishes),
        budget_(budget),
        currency_(currency_of(budget, curator.unit_rows())),
        curator_(curator) {
    facts_.columns.resize(wishes.size());
  }

  Facts run() {
    const Numbers open = with(Unknown::kind);
    double left = currency_.mu_squared;
    if (!open.empty()) {
      ask_kinds(open, kKindShare * left);
      left *= 1 - kKindShare;
    }
    Numbers numbers = with(Unknown::bounds), texts = with(Unknown::values);
    for (const std::size_t wish : open) {
      (facts_.columns[wish].kind == ColumnFacts::Kind::number ? numbers : texts).push_back(wish);
    }
    const double each = left / static_cast<double>(numbers.size() + texts.size());
    if (!numbers.empty()) ask_bounds(numbers, each * static_cast<double>(numbers.size()));
    if (!texts.empty()) ask_values(texts, each * static_cast<double>(texts.size()));
    return std::move(facts_);
  }

 private:
  Numbers with(Unknown unknown) const {
    Numbers found;
    for (std::size_t i = 0; i < wishes_.size(); ++i) {
      if (wishes_[i].unknown == unknown) found.push_back(i);
    }
    return found;
  }
  std::vector<data::RawColumnName> columns(const Numbers& wishes) const {
    std::vector<data::RawColumnName> result;
    for (const std::size_t wish : wishes) result.push_back({wishes_[wish].column, wishes_[wish].style});
    return result;
  }
  std::vector<std::string> names(const Numbers& wishes) const {
    std::vector<std::string> result;
    for (const std::size_t wish : wishes) result.push_back(wishes_[wish].column);
    return result;
  }

  // The number of rows is public, so refusing by it tells nothing.
  void require_rows(std::size_t rows, double sigma) {
    ensure(facts_.rows == 0 || facts_.rows == rows, "the table changed while it was asked");
    facts_.rows = rows;
    if (static_cast<double>(rows) >= kLeastRows * sigma) return;
    throw ArgumentError(fmt::format(
        "{} rows are too few to ask about {} columns at epsilon {:g}: nothing would stand out from noise of "
        "{:.0f} rows. Nothing was spent. Give bounds and values from documentation (--codebook, or in the "
        "schema), ask about fewer columns, or raise --epsilon to about {:.2g}",
        rows, wishes_.size(), budget_.epsilon, sigma,
        budget_.epsilon * kLeastRows * sigma / static_cast<double>(rows)));
  }
  // What the first histogram will need, whatever the kinds turn out to be.
  void require_rows(std::size_t rows) {
    require_rows(rows, sigma_of(wishes_.size(), (1 - kKindShare) * currency_.mu_squared * kCoarseShare));
  }

  // [proof infer.releases]
  void ask_kinds(const Numbers& wishes, double mu_squared) {
    const auto counted = data::kind_counts(table_, columns(wishes));
    require_rows(counted.rows);
    const double sigma = sigma_of(wishes.size(), mu_squared);
    const double sensitivity = rounded_up(sensitivity_of(wishes.size()));
    const auto counts = curator_.release(counted.counts, privacy::GaussianEvent{sensitivity, sigma},
                                         "how many cells of each column are numbers");
    const double unusual = std::max(kUnusualShare * static_cast<double>(counted.rows), kStandsOut * sigma);
    for (std::size_t i = 0; i < wishes.size(); ++i) {
      const std::int64_t* const places = &counts.get()[data::kKinds * i];
      ColumnFacts& facts = facts_.columns[wishes[i]];
      const bool codes = static_cast<double>(places[3]) >= unusual;  // a column of codes has others without zeros
      const bool numbers = !codes && places[0] + places[1] + places[3] > places[2];
      facts.kind = numbers ? ColumnFacts::Kind::number : ColumnFacts::Kind::text;
      facts.whole = static_cast<double>(places[1]) < unusual;
    }
  }

  std::vector<std::int64_t> histograms(const std::vector<data::ColumnBins>& bins, double sigma, const char* what) {
    const auto counted = data::histograms(table_, bins);
    require_rows(counted.rows);
    const double sensitivity = rounded_up(sensitivity_of(bins.size()));
    return curator_.release(counted.counts, privacy::GaussianEvent{sensitivity, sigma}, what).get();
  }

  void ask_bounds(const Numbers& wishes, double mu_squared) {
    const double sigma = sigma_of(wishes.size(), mu_squared * kCoarseShare);
    std::vector<data::ColumnBins> coarse;
    for (const std::size_t wish : wishes) {
      coarse.push_back({{wishes_[wish].column, wishes_[wish].style}, kCoarseBins, coarse_bin});
    }
    const auto counts = histograms(coarse, sigma, "sizes of the numbers in each column");
    const CountNoise noise{sigma, static_cast<double>(facts_.rows)};
    std::vector<FineGrid> grids;
    Numbers refined;
    for (std::size_t i = 0; i < wishes.size(); ++i) {
      const auto range = coarse_range(std::span(counts).subspan(i * kCoarseBins, kCoarseBins), noise);
      ColumnFacts& facts = facts_.columns[wishes[i]];
      facts.kind = range ? ColumnFacts::Kind::number : ColumnFacts::Kind::nothing;
      if (!range) continue;
      facts.lower = range->lower;
      facts.upper = range->upper;
      facts.scale = range->scale;
      facts.zero_or_one = range->zero_or_one;
      facts.sign = range->sign;
      if (range->zero_or_one) continue;
      grids.emplace_back(*range);
      refined.push_back(wishes[i]);
    }
    if (refined.empty()) return;
    refine(refined, grids, mu_squared * kFineShare, "where the numbers of each column lie");
    // Numbers far from zero for their spread, such as longitudes, lie in few of the bins.
    Numbers narrow;
    std::vector<FineGrid> closer;
    for (std::size_t i = 0; i < refined.size(); ++i) {
      const ColumnFacts& facts = facts_.columns[refined[i]];
      const auto range = closer_range(grids[i], {facts.lower, facts.upper});
      if (!range) continue;
      narrow.push_back(refined[i]);
      closer.emplace_back(*range);
    }
    const double rest = mu_squared * (1 - kCoarseShare - kFineShare);
    if (!narrow.empty()) refine(narrow, closer, rest, "where the numbers of narrow columns lie");
  }

  void refine(const Numbers& wishes, const std::vector<FineGrid>& grids, double mu_squared, const char* what) {
    std::vector<data::ColumnBins> bins;
    for (std::size_t i = 0; i < wishes.size(); ++i) {
      const Wish& wish = wishes_[wishes[i]];
      const FineGrid grid = grids[i];
      bins.push_back({{wish.column, wish.style}, kFineBins, [grid](double value) { return grid.bin(value); }});
    }
    const double sigma = sigma_of(wishes.size(), mu_squared);
    const auto counts = histograms(bins, sigma, what);
    for (std::size_t i = 0; i < wishes.size(); ++i) {
      const Bounds bounds = fine_bounds(grids[i], std::span(counts).subspan(i * kFineBins, kFineBins),
                                        {sigma, static_cast<double>(facts_.rows)});
      facts_.columns[wishes[i]].lower = bounds.lower;
      facts_.columns[wishes[i]].upper = bounds.upper;
    }
  }

  void ask_values(const Numbers& wishes, double mu_squared) {
    const auto counted = data::value_counts(table_, names(wishes));
    require_rows(counted.rows);
    const double sigma = sigma_of(wishes.size(), mu_squared);
    const privacy::SelectedCountsEvent event{
        rounded_up(sensitivity_of(wishes.size())), sigma,
        privacy::threshold_for(sigma, wishes.size() * curator_.unit_rows(), currency_.unseen), wishes.size()};
    const auto as_listed = [](const data::ValueCounts& columns) {
      privacy::Curator::ValueCounts result;
      for (const auto& column : columns) {
        auto& values = result.emplace_back();
        for (const auto& [value, count] : column) values.push_back({value, count});
      }
      return result;
    };
    const auto selected = curator_.select_values(counted.counts.map(as_listed), event, "common values of each column");
    for (std::size_t i = 0; i < wishes.size(); ++i) {
      ColumnFacts& facts = facts_.columns[wishes[i]];
      facts.values = selected.get()[i];
      facts.kind = facts.values.empty() ? ColumnFacts::Kind::nothing : ColumnFacts::Kind::text;
    }
  }
  // [/proof]

  const data::RawTable& table_;
  const std::vector<Wish>& wishes_;
  const Budget& budget_;
  Currency currency_;
  privacy::Curator& curator_;
  Facts facts_;
};

}  // namespace

Facts ask(const data::RawTable& table, const std::vector<Wish>& wishes, const Budget& budget,
          privacy::Curator& curator) {
  require(!wishes.empty(), "nothing is left to be inferred: every column has its bounds or values");
  privacy::require_meaningful_epsilon(budget.epsilon);
  require(budget.delta > 0 && budget.delta < 1, "delta",
          fmt::format("must be above 0 and below 1 (values that one person alone has must stay hidden); got {:g}",
                      budget.delta));
  Facts facts = Asking(table, wishes, budget, curator).run();
  const privacy::Guarantee spent = privacy::account(curator.events(), budget.delta);
  ensure(spent.epsilon <= budget.epsilon * (1 + 1e-9), "inference spent more than its budget");
  return facts;
}

}  // namespace dperm::infer
