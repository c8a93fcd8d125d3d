// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <limits>

#include "dperm/methods/evaluation/cell_measures.hpp"

namespace dperm::methods {

namespace {

constexpr double kNoNumber = std::numeric_limits<double>::quiet_NaN();
constexpr double kWantedInABin = 0.1;  // of all rows
constexpr double kLeastOverNoise = 5;  // standard deviations of the count's noise
constexpr double kStandsOut = 2;

Measure nothing(const char* name) { return {name, kNoNumber, kNoNumber, kNoNumber}; }

// The mean of `sum` over rows that may be a noisy count themselves, times `unit`.
Measure mean_measure(const char* name, double sum, double sampling, const ResidualSums& s, const NoiseModel& noise,
                     double unit) {
  const double mean = sum / s.rows;
  Spread spread;
  spread.add(unit / s.rows);
  spread.add(-unit * mean / s.rows, s.rows_spread);
  return {name, unit * mean, noise.radius(spread), noise.radius(spread, noise.alike * unit * unit * sampling)};
}

Measure r2_measure(const ResidualSums& s, const NoiseModel& noise) {
  const double mean = s.targets / s.rows, variation = s.squares - s.targets * mean;
  Spread of_variation;
  of_variation.add(1);
  of_variation.add(-4 * mean);  // targets are counted by halves, so that their sum has twice the noise
  of_variation.add(mean * mean, s.rows_spread);
  const bool seen = variation > 0 && variation * variation >= kStandsOut * kStandsOut * noise.variance_of(of_variation);
  if (!seen) return nothing("r2");
  const double share = s.squared_errors / variation;
  Spread spread;
  spread.add(1 / variation);
  spread.add(share / variation);
  spread.add(share / variation * 4 * mean);
  spread.add(share / variation * mean * mean, s.rows_spread);
  // Of errors that are about normal.
  const double explained = std::clamp(1 - share, 0.0, 1.0);
  const double sampling = 4 * explained * share * share / s.rows + 2 * share * share / (s.rows * s.rows);
  return {"r2", 1 - share, noise.radius(spread), noise.radius(spread, noise.alike * sampling)};
}

// The root of a mean square: its bars are half of the square's over the root, at least where noise hides it.
Measure root_measure(const ResidualSums& s, const NoiseModel& noise) {
  const double square = std::max(0.0, s.squared_errors / s.rows);
  const Measure mean = mean_measure("", s.squared_errors, 2 * square * square / s.rows, s, noise, 1);
  const auto root = [](double value) { return std::sqrt(std::max(0.0, value)); };
  const auto radius = [&](double of_square) {
    return std::max(root(square + of_square) - root(square), root(square) - root(square - of_square));
  };
  return {"root_mean_square_error", s.half_width * root(square), s.half_width * radius(mean.radius),
          s.half_width * radius(mean.total_radius)};
}

class Deciles {
 public:
  Deciles(const ResidualSums& sums, const NoiseModel& noise) : s_(sums), noise_(noise) {}

  std::vector<ResidualBin> bins() const {
    std::vector<std::size_t> ends;
    double rows = 0, cells = 0;
    for (std::size_t b = 0; b < s_.counts.size(); ++b) {
      rows += s_.counts[b];
      ++cells;
      const double wanted =
          std::max({kWantedInABin * s_.whole_rows, kLeastOverNoise * std::sqrt(cells * noise_.variance), 1.0});
      if (rows < wanted) continue;
      ends.push_back(b + 1);
      rows = cells = 0;
    }
    if (!ends.empty()) ends.back() = s_.counts.size();
    std::vector<ResidualBin> result;
    std::size_t begin = 0;
    for (const std::size_t end : ends) {
      result.push_back(bin(begin, end, kLevel / static_cast<double>(ends.size())));
      begin = end;
    }
    return result;
  }

 private:
  ResidualBin bin(std::size_t begin, std::size_t end, double level) const {
    double rows = 0, sum = 0;
    for (std::size_t b = begin; b < end; ++b) {
      rows += s_.counts[b];
      sum += s_.residuals[b];
    }
    const double cells = static_cast<double>(end - begin), mean = std::clamp(sum / rows, -1.0, 1.0);
    Spread spread;
    spread.add(1 / rows, cells);
    spread.add(-mean / rows, cells);
    // Residuals of a bin spread like all of them.
    const double sampling = std::max(0.0, s_.squared_errors / s_.rows) / rows;
    return {edge(begin),
            edge(end),
            rows,
            s_.half_width * mean,
            s_.half_width * noise_.radius(spread, 0, level),
            s_.half_width * noise_.radius(spread, noise_.alike * sampling, level)};
  }
  double edge(std::size_t b) const {
    const double encoded = -1 + 2 * static_cast<double>(b) / static_cast<double>(s_.counts.size());
    return s_.middle + s_.half_width * encoded;
  }

  const ResidualSums& s_;
  const NoiseModel& noise_;
};

}  // namespace

Measures residual_measures(const ResidualSums& s, const NoiseModel& noise) {
  Measures result;
  result.rows = s.rows;
  Spread of_rows;
  of_rows.add(1, s.rows_spread);
  result.rows_radius = noise.radius(of_rows);
  if (!stands_out(s.rows, s.rows_spread, noise)) {
    for (const char* name : {"r2", "root_mean_square_error", "mean_absolute_error", "mean_error", "clipped_share"}) {
      result.values.push_back(nothing(name));
    }
    return result;
  }
  double sum = 0;
  for (const double each : s.residuals) sum += each;
  const double square = std::max(0.0, s.squared_errors / s.rows), absolute = s.errors / s.rows;
  result.values.push_back(r2_measure(s, noise));
  result.values.push_back(root_measure(s, noise));
  result.values.push_back(mean_measure("mean_absolute_error", s.errors,
                                       std::max(0.0, square - absolute * absolute) / s.rows, s, noise, s.half_width));
  result.values.back().value = std::max(0.0, result.values.back().value);
  // Residuals of bins are cut at half of the range, so that a row beyond it may hide as much again, on either side.
  const double unit = s.half_width / s.rows, hidden = unit * std::max(0.0, s.clipped);
  Spread spread;
  spread.add(unit, static_cast<double>(s.residuals.size()));
  spread.add(unit);
  spread.add(-unit * sum / s.rows, s.rows_spread);
  const double sampling = noise.alike * s.half_width * s.half_width * square / s.rows;
  result.values.push_back(
      {"mean_error", unit * sum, noise.radius(spread) + hidden, noise.radius(spread, sampling) + hidden});
  result.values.push_back(mean_measure("clipped_share", s.clipped, 0, s, noise, 1));
  result.values.back().value = std::clamp(result.values.back().value, 0.0, 1.0);
  result.residuals = Deciles(s, noise).bins();
  return result;
}

}  // namespace dperm::methods
