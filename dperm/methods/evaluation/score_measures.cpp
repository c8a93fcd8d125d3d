// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "dperm/methods/evaluation/cell_measures.hpp"
#include "dperm/methods/evaluation/score_edges.hpp"

namespace dperm::methods {

namespace {

constexpr double kNoNumber = std::numeric_limits<double>::quiet_NaN();
constexpr double kClippedMargin = 4;   // a row's log loss is at most that of this margin, as `clipped_loss`
constexpr double kStandsOut = 2;       // standard deviations of its noise
constexpr double kWantedInABin = 0.1;  // of all rows, in a bin of the calibration curve
constexpr double kLeastOverNoise = 5;  // standard deviations of the count's noise, likewise

double total(std::span<const double> counts) { return std::accumulate(counts.begin(), counts.end(), 0.0); }

// What rows of a bin can have of a mean, and what to take for it.
struct Within {
  double lower, upper;
  double middle() const { return (lower + upper) / 2; }
  double half() const { return (upper - lower) / 2; }
};

class Histogram {
 public:
  Histogram(const ScoreCounts& counts, const NoiseModel& noise) : c_(counts), noise_(noise) {
    positives_ = total(c_.positive);
    negatives_ = total(c_.negative);
    first_ =
        static_cast<std::size_t>(std::lower_bound(c_.edges.begin(), c_.edges.end(), c_.threshold) - c_.edges.begin()) +
        1;
  }

  Measures measures() const {
    Measures result;
    result.rows = positives_ + negatives_;
    Spread all;
    all.add(1, 2 * bins());
    result.rows_radius = noise_.radius(all);
    add_answers(result);
    result.values.push_back(auc());
    if (c_.probabilities) {
      result.values.push_back(mean("log_loss", [&](std::size_t b, bool positive) { return log_loss(b, positive); }));
      result.values.push_back(mean("brier_score", [&](std::size_t b, bool positive) { return square(b, positive); }));
      result.calibration = calibration();
    }
    result.roc = roc();
    return result;
  }

 private:
  double bins() const { return static_cast<double>(c_.positive.size()); }
  double score_below(std::size_t b) const { return b == 0 ? -HUGE_VAL : c_.edges[b - 1]; }
  double score_above(std::size_t b) const { return b < c_.edges.size() ? c_.edges[b] : HUGE_VAL; }
  Within probability(std::size_t b) const { return {probability_of(score_below(b)), probability_of(score_above(b))}; }

  // Of rows above and not above the threshold.
  void add_answers(Measures& result) const {
    const double above = bins() - static_cast<double>(first_), below = static_cast<double>(first_);
    const double tp = total(c_.positive.subspan(first_)), fn = positives_ - tp;
    const double fp = total(c_.negative.subspan(first_)), tn = negatives_ - fp;
    const auto share = [&](const char* name, double a, double a_cells, double b, double b_cells) {
      result.values.push_back(share_measure(name, a, a_cells, b, b_cells, noise_));
    };
    share("accuracy", tp + tn, bins(), fp + fn, bins());
    share("positive_share", positives_, bins(), negatives_, bins());
    share("predicted_positive_share", tp + fp, 2 * above, tn + fn, 2 * below);
    share("recall", tp, above, fn, below);
    share("precision", tp, above, fp, above);
    share("false_positive_rate", fp, above, tn, below);
    Spread cell;
    cell.add(1, std::max(above, below));
    result.confusion = {{"0", "1"}, {tn, fp, fn, tp}, noise_.radius(cell)};
  }

  Measure auc() const {
    const double cells = bins();
    if (!stands_out(positives_, cells, noise_) || !stands_out(negatives_, cells, noise_)) {
      return {"auc", kNoNumber, kNoNumber, kNoNumber};
    }
    double won = 0, below = 0, tied = 0;
    for (std::size_t b = 0; b < c_.positive.size(); ++b) {
      won += c_.positive[b] * (below + c_.negative[b] / 2);
      tied += std::max(0.0, c_.positive[b]) * std::max(0.0, c_.negative[b]);
      below += c_.negative[b];
    }
    const double pairs = positives_ * negatives_, auc = won / pairs;
    Spread spread;
    double sampling_positive = 0, sampling_negative = 0, above = positives_;
    below = 0;
    for (std::size_t b = 0; b < c_.positive.size(); ++b) {
      above -= c_.positive[b];
      const double of_positive = (below + c_.negative[b] / 2) / negatives_ - auc;
      const double of_negative = (above + c_.positive[b] / 2) / positives_ - auc;
      spread.add(of_positive / positives_);
      spread.add(of_negative / negatives_);
      sampling_positive += c_.positive[b] * of_positive * of_positive / positives_;
      sampling_negative += c_.negative[b] * of_negative * of_negative / negatives_;
      below += c_.negative[b];
    }
    // Noise times noise: every pair of bins, by half where they are the same.
    const double second = noise_.variance * noise_.variance * (cells * (cells - 1) / 2 + cells / 4) / (pairs * pairs);
    const double binned = tied / (2 * pairs);
    const double sampling =
        noise_.alike * (std::max(0.0, sampling_positive) / positives_ + std::max(0.0, sampling_negative) / negatives_);
    return {"auc", std::clamp(auc, 0.0, 1.0), noise_.radius(spread, second) + binned,
            noise_.radius(spread, second + sampling) + binned};
  }

  Within log_loss(std::size_t b, bool positive) const {
    const auto loss = [](double margin) { return std::log1p(std::exp(-std::max(margin, -kClippedMargin))); };
    return positive ? Within{loss(score_above(b)), loss(score_below(b))}
                    : Within{loss(-score_below(b)), loss(-score_above(b))};
  }

  Within square(std::size_t b, bool positive) const {
    const Within p = probability(b);
    return positive ? Within{(1 - p.upper) * (1 - p.upper), (1 - p.lower) * (1 - p.lower)}
                    : Within{p.lower * p.lower, p.upper * p.upper};
  }

  // The mean over rows of a number that lies within bounds in every cell.
  template <class Of>
  Measure mean(const char* name, const Of& of) const {
    const double rows = positives_ + negatives_;
    if (!stands_out(rows, 2 * bins(), noise_)) return {name, kNoNumber, kNoNumber, kNoNumber};
    double sum = 0, binned = 0, squares = 0, most = 0;
    for_each_cell([&](std::size_t b, bool positive, double count) {
      const Within within = of(b, positive);
      sum += count * within.middle();
      squares += count * within.middle() * within.middle();
      binned += std::max(0.0, count) * within.half();
      most = std::max(most, within.upper);
    });
    const double mean = sum / rows;
    Spread spread;
    for_each_cell([&](std::size_t b, bool positive, double) { spread.add((of(b, positive).middle() - mean) / rows); });
    const double sampling = noise_.alike * std::max(0.0, squares / rows - mean * mean) / rows;
    return {name, std::clamp(mean, 0.0, most), noise_.radius(spread) + binned / rows,
            noise_.radius(spread, sampling) + binned / rows};
  }

  template <class Use>
  void for_each_cell(const Use& use) const {
    for (std::size_t b = 0; b < c_.positive.size(); ++b) {
      use(b, true, c_.positive[b]);
      use(b, false, c_.negative[b]);
    }
  }

  std::vector<RocPoint> roc() const {
    std::vector<RocPoint> points;
    for (std::size_t k = 0; k <= c_.edges.size() + 1; ++k) {
      const double score = k == 0 ? -HUGE_VAL : k <= c_.edges.size() ? c_.edges[k - 1] : HUGE_VAL;
      const auto rate = [&](std::span<const double> counts, double sum) {
        const double above = total(counts.subspan(k));
        const double cells = bins() - static_cast<double>(k);
        return share_measure("", above, cells, sum - above, static_cast<double>(k), noise_);
      };
      const Measure tpr = rate(c_.positive, positives_), fpr = rate(c_.negative, negatives_);
      if (std::isnan(tpr.value) || std::isnan(fpr.value)) return {};
      points.push_back(
          {c_.probabilities ? probability_of(score) : score, fpr.value, tpr.value, fpr.radius, tpr.radius});
    }
    return points;
  }

  // Adjacent bins together until they hold enough rows to say something; the rest joins the last.
  std::vector<std::size_t> calibration_ends() const {
    std::vector<std::size_t> ends;
    double rows = 0, cells = 0;
    for (std::size_t b = 0; b < c_.positive.size(); ++b) {
      rows += c_.positive[b] + c_.negative[b];
      cells += 2;
      const double noise = std::sqrt(cells * noise_.variance);
      if (rows < std::max({kWantedInABin * c_.rows, kLeastOverNoise * noise, 1.0})) continue;
      ends.push_back(b + 1);
      rows = cells = 0;
    }
    if (!ends.empty()) ends.back() = c_.positive.size();
    return ends;
  }

  std::vector<CalibrationBin> calibration() const {
    const std::vector<std::size_t> ends = calibration_ends();
    std::vector<CalibrationBin> result;
    const double level = kLevel / static_cast<double>(std::max<std::size_t>(ends.size(), 1));
    std::size_t begin = 0;
    for (const std::size_t end : ends) {
      result.push_back(calibration_bin(begin, end, level));
      begin = end;
    }
    return result;
  }

  CalibrationBin calibration_bin(std::size_t begin, std::size_t end, double level) const {
    const double positive = total(c_.positive.subspan(begin, end - begin));
    const double negative = total(c_.negative.subspan(begin, end - begin));
    const double rows = positive + negative, cells = static_cast<double>(end - begin);
    const Measure observed = share_measure("", positive, cells, negative, cells, noise_, level);
    double sum = 0, binned = 0;
    for (std::size_t b = begin; b < end; ++b) {
      const double count = c_.positive[b] + c_.negative[b];
      sum += count * probability(b).middle();
      binned += std::max(0.0, count) * probability(b).half();
    }
    const double lower = probability(begin).lower, upper = probability(end - 1).upper;
    const double predicted = std::clamp(sum / rows, lower, upper);
    Spread spread;
    for (std::size_t b = begin; b < end; ++b) spread.add((probability(b).middle() - predicted) / rows, 2);
    return {lower,
            upper,
            rows,
            predicted,
            std::min(upper - lower, binned / rows + noise_.radius(spread, 0, level)),
            observed.value,
            observed.radius,
            observed.total_radius};
  }

  const ScoreCounts& c_;
  const NoiseModel& noise_;
  double positives_ = 0, negatives_ = 0;
  std::size_t first_ = 0;  // bin above the threshold
};

}  // namespace

bool stands_out(double sum, double cells, const NoiseModel& noise) {
  Spread spread;
  spread.add(1, cells);
  return sum > 0 && sum * sum >= kStandsOut * kStandsOut * noise.variance_of(spread);
}

Measure share_measure(std::string name, double a, double a_cells, double b, double b_cells, const NoiseModel& noise,
                      double level) {
  const double rows = a + b;
  if (!stands_out(rows, a_cells + b_cells, noise)) return {std::move(name), kNoNumber, kNoNumber, kNoNumber};
  const double share = std::clamp(a / rows, 0.0, 1.0);
  Spread spread;
  spread.add((1 - share) / rows, a_cells);
  spread.add(-share / rows, b_cells);
  // Two rows more of either kind, so that none seen is not taken for none there.
  const double drawn = (share * rows + 2) / (rows + 4);
  return {std::move(name), share, noise.radius(spread, 0, level),
          noise.radius(spread, noise.alike * drawn * (1 - drawn) / rows, level)};
}

Measures score_measures(const ScoreCounts& counts, const NoiseModel& noise) {
  return Histogram(counts, noise).measures();
}

}  // namespace dperm::methods
