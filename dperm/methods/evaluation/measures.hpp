// SPDX-License-Identifier: Apache-2.0
// How good a model is: plain numbers with their error bars. Exact for public rows, else computed from released counts.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace dperm::methods {

// A number with error bars of 95%. Not a number: the rows, or the counts after noise, are too few to tell.
struct Measure {
  std::string name = {};  // "accuracy", "auc", "r2", ...
  double value = 0;
  double radius = 0;        // from the exact value on the same rows: noise and bins
  double total_radius = 0;  // from the value on many such rows: sampling too
};

// Rows with a score above the threshold are called positive.
struct RocPoint {
  double threshold;  // a probability where scores mean one, else a score
  double false_positive_rate, true_positive_rate;
  double false_positive_radius, true_positive_radius;  // as Measure::radius, of each point by itself
};

// Rows whose predicted probability lies between two bounds. The bars of all bins together hold with 95%.
struct CalibrationBin {
  double lower, upper;
  double rows;       // an estimate
  double predicted;  // mean predicted probability, up to `predicted_radius`
  double predicted_radius;
  double observed;  // share of positive rows
  double radius, total_radius;
};

// Rows of a real target whose prediction lies between two bounds, in the target's own unit: about a tenth of the rows.
struct ResidualBin {
  double lower, upper;
  double rows;
  double mean;  // of target minus prediction
  double radius, total_radius;
};

// Rows by class (first index) and predicted class, at the threshold. Empty where only the diagonal is known.
struct ConfusionMatrix {
  std::vector<std::string> labels = {};
  std::vector<double> counts = {};  // row by row of the matrix
  double radius = 0;                // of each count by itself
};

struct Measures {
  double rows = 0;         // an estimate where groups were counted with noise
  double rows_radius = 0;  // 0: exact, public
  std::vector<Measure> values = {};
  ConfusionMatrix confusion = {};
  std::vector<RocPoint> roc = {};
  std::vector<CalibrationBin> calibration = {};
  std::vector<ResidualBin> residuals = {};

  // By its name; null where there is none of it.
  const Measure* find(const std::string& name) const {
    for (const Measure& each : values) {
      if (each.name == name) return &each;
    }
    return nullptr;
  }
};

struct GroupMeasures {
  std::string group;
  Measures measures;
};

struct Evaluated {
  Measures all;
  std::vector<GroupMeasures> groups = {};
};

}  // namespace dperm::methods
