// SPDX-License-Identifier: Apache-2.0
#include "cli/measures_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "cli/text.hpp"
#include "dperm/methods/evaluation/beside_constant.hpp"
#include "dperm/report/effect_text.hpp"

namespace dperm::cli {

namespace {

constexpr std::size_t kMostClasses = 12;  // of a confusion matrix that fits a terminal

std::string measure_table(const methods::Measures& measures, bool exact) {
  std::size_t width = 0;
  for (const methods::Measure& each : measures.values) width = std::max(width, each.name.size());
  std::string text;
  for (const methods::Measure& each : measures.values) {
    text += fmt::format("  {:<{}}  {}\n", measure_words(each.name), width, measure_text(each, exact));
  }
  return text;
}

std::string confusion_table(const methods::ConfusionMatrix& confusion, bool exact) {
  const std::size_t classes = confusion.labels.size();
  if (classes == 0 || classes > kMostClasses) return "";
  std::size_t width = 8;
  for (const std::string& each : confusion.labels) width = std::max(width, each.size() + 2);
  std::string text = fmt::format("rows by class (down) and prediction (across){}:\n  {:<{}}",
                                 exact ? "" : fmt::format(", each +- {:.3g}", confusion.radius), "", width);
  for (const std::string& each : confusion.labels) text += fmt::format("{:>{}}", each, width);
  for (std::size_t k = 0; k < classes; ++k) {
    text += fmt::format("\n  {:<{}}", confusion.labels[k], width);
    for (std::size_t j = 0; j < classes; ++j)
      text += fmt::format("{:>{}.0f}", confusion.counts[k * classes + j], width);
  }
  return text + "\n";
}

std::string calibration_table(const std::vector<methods::CalibrationBin>& bins, bool exact) {
  if (bins.empty()) return "";
  std::string text = "calibration: mean predicted probability and share of positive rows, by predicted probability\n";
  for (const methods::CalibrationBin& each : bins) {
    text += fmt::format("  {:.3f} to {:.3f}  predicted {:.3f}  observed {:.3f} +- {:.3f}\n", each.lower, each.upper,
                        each.predicted, each.observed, exact ? each.total_radius : each.radius);
  }
  return text;
}

std::string residual_table(const std::vector<methods::ResidualBin>& bins, bool exact, const std::string& target) {
  if (bins.empty()) return "";
  std::string text = fmt::format("mean residual ({} minus prediction), by prediction\n", target);
  for (const methods::ResidualBin& each : bins) {
    text += fmt::format("  {:.4g} to {:.4g}  {:+.4g} +- {:.2g}\n", each.lower, each.upper, each.mean,
                        exact ? each.total_radius : each.radius);
  }
  return text;
}

// One line a group: how many rows and the measures that are compared between groups.
std::string group_table(const std::vector<methods::GroupMeasures>& groups, bool exact) {
  std::string text;
  for (const methods::GroupMeasures& each : groups) {
    text += fmt::format("group {}: about {:.0f} rows{}\n", each.group, each.measures.rows,
                        exact ? "" : fmt::format(" (+- {:.0f})", each.measures.rows_radius));
    text += measure_table(each.measures, exact);
  }
  return text;
}

}  // namespace

std::string measure_words(std::string name) {
  if (name == "auc") return "AUC";
  if (name == "r2") return "R2";
  std::replace(name.begin(), name.end(), '_', ' ');
  return name;
}

std::string rounded_measure(const methods::Measure& measure) {
  if (std::isnan(measure.value)) return "unknown (too few rows for the noise)";
  return fmt::format("{} +- {:.2g}", report::rounded_to(measure.value, measure.total_radius), measure.total_radius);
}

std::string constant_text(const methods::Measures& measures) {
  const auto beside = methods::beside_constant(measures);
  if (!beside || !beside->not_clearly_better()) return "";
  const char* const how = beside->no_better() ? "no" : "not clearly";
  if (measures.find("r2") != nullptr) {
    return fmt::format("Its predictions are {} better than one number for all rows, whose R2 is 0.", how);
  }
  return fmt::format("Its answers are {} better than always the same answer, which is right for a share of {:.3g}{}.",
                     how, beside->constant,
                     beside->ranks ? "; but its scores do tell rows apart, better than chance" : "");
}

std::string judged_rows_text(const methods::Measures& all, std::size_t rows, bool persons) {
  if (!persons) return counted(rows, "row");
  return fmt::format("about {:.0f} (+- {:.0f}) rows", std::max(0.0, all.rows), all.rows_radius);
}

std::string measure_text(const methods::Measure& measure, bool exact) {
  if (std::isnan(measure.value)) return exact ? "no such rows" : "too few rows for the noise";
  if (exact) return fmt::format("{:.6g} (sampling +- {:.2g})", measure.value, measure.total_radius);
  return fmt::format("{:.4g} +- {:.2g} (with sampling {:.2g})", measure.value, measure.radius, measure.total_radius);
}

std::string measures_text(const methods::Evaluated& evaluated, bool exact, const std::string& target) {
  const methods::Measures& all = evaluated.all;
  return measure_table(all, exact) + confusion_table(all.confusion, exact) + calibration_table(all.calibration, exact) +
         residual_table(all.residuals, exact, target) + group_table(evaluated.groups, exact);
}

}  // namespace dperm::cli
