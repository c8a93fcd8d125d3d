// SPDX-License-Identifier: Apache-2.0
// How good the model is, on rows kept out, with pictures: all from what was released about them.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "dperm/report/effect_text.hpp"
#include "dperm/report/page/facts.hpp"
#include "dperm/report/page/plot.hpp"

namespace dperm::report {

namespace {

constexpr std::size_t kMostClasses = 12;  // of a confusion matrix that can be read
constexpr std::size_t kMostDots = 12;     // with error bars, on a curve

Html measure_table(const methods::Measures& measures, const std::string& label) {
  std::vector<std::vector<Html>> rows;
  for (const methods::Measure& each : measures.values) {
    const Headline words = measure_words(each);
    const Html why = words.meaning.empty() ? Html() : element("span", {{"class", "under"}}, words.meaning);
    rows.push_back({Html(measure_name(each.name)) + why, words.value, words.bar});
  }
  return table(label, {{"Measure"}, {"Value", true}, {"Error bar, 95%", true}}, rows);
}

Html roc_picture(const methods::Measures& measures) {
  if (measures.roc.empty()) return {};
  std::vector<Point> points = {{0, 0}};
  for (const methods::RocPoint& each : measures.roc)
    points.push_back({each.false_positive_rate, each.true_positive_rate});
  points.push_back({1, 1});
  std::sort(points.begin(), points.end(),
            [](const Point& a, const Point& b) { return a.x < b.x || (a.x == b.x && a.y < b.y); });
  Plot plot({0, 1, "false positives", true}, {0, 1, "found", true});
  plot.line({{0, 0}, {1, 1}}, "dashed");
  plot.line(points, "curve");
  const std::size_t every = std::max<std::size_t>(1, measures.roc.size() / kMostDots);
  for (std::size_t i = every / 2; i < measures.roc.size(); i += every) {
    const methods::RocPoint& each = measures.roc[i];
    plot.dot({each.false_positive_rate, each.true_positive_rate}, each.false_positive_radius, each.true_positive_radius,
             fmt::format("above {}: {} found, {} false positives", digits(each.threshold),
                         percent(each.true_positive_rate), percent(each.false_positive_rate)));
  }
  const methods::Measure* const auc = measures.find("auc");
  const std::string area =
      auc == nullptr || std::isnan(auc->value) ? "" : measure_words(*auc).value + " " + measure_words(*auc).bar;
  return plot.figure(
      "ROC curve of the model",
      "Share of positive rows that are found against share of negative rows called positive, as the threshold "
      "falls." +
          (area.empty() ? "" : " Area under the curve: " + area + "."),
      Html("Vertical: positive rows that are found; horizontal: negative rows called positive. Bars: 95%. ") +
          (area.empty() ? "" : "Area " + area + "."));
}

Html calibration_picture(const methods::Measures& measures) {
  if (measures.calibration.empty()) return {};
  Plot plot({0, 1, "predicted probability", true}, {0, 1, "observed", true});
  plot.line({{0, 0}, {1, 1}}, "dashed");
  std::string description = "Observed share of positive rows against mean predicted probability: ";
  for (const methods::CalibrationBin& each : measures.calibration) {
    const std::string words = fmt::format("{} predicted, {} observed", percent(each.predicted), percent(each.observed));
    plot.dot({each.predicted, each.observed}, each.predicted_radius, each.total_radius, words);
    description += words + "; ";
  }
  return plot.figure(
      "Calibration", description,
      "Vertical: share of positive rows. On the diagonal, probabilities mean what they say. Bars: 95%, noise and "
      "sampling.");
}

Html residual_picture(const methods::Measures& measures, const std::string& target) {
  if (measures.residuals.empty()) return {};
  double low = measures.residuals.front().lower, high = measures.residuals.back().upper, largest = 0;
  for (const methods::ResidualBin& each : measures.residuals) {
    largest = std::max(largest, std::abs(each.mean) + each.total_radius);
  }
  if (!(largest > 0) || !std::isfinite(largest)) return {};
  Plot plot({low, high, "predicted " + target}, {-largest * 1.1, largest * 1.1, "residual"});
  std::string description = "Mean of " + target + " minus its prediction, by prediction: ";
  for (const methods::ResidualBin& each : measures.residuals) {
    const std::string words = fmt::format("{} to {}: {:+.3g} \u00b1 {}", digits(each.lower), digits(each.upper),
                                          each.mean, digits(each.total_radius, 2));
    plot.dot({(each.lower + each.upper) / 2, each.mean}, 0, each.total_radius, words);
    description += words + "; ";
  }
  return plot.figure(
      "Mean residual by prediction", description,
      "Vertical: " + target + " minus prediction, about a tenth of the rows each. Bars: 95%, noise and sampling.");
}

// Darker where a class has more of its rows.
Html confusion_table(methods::ConfusionMatrix confusion, bool binary) {
  const std::size_t classes = confusion.labels.size();
  if (classes == 0 || classes > kMostClasses) return {};
  if (binary && classes == 2) confusion.labels = {"negative", "positive"};
  Html head = element("th", {{"scope", "col"}}, "Class"), body;
  for (const std::string& each : confusion.labels)
    head += element("th", {{"scope", "col"}, {"class", "n"}}, "predicted " + each);
  for (std::size_t k = 0; k < classes; ++k) {
    double all = 0;
    for (std::size_t j = 0; j < classes; ++j) all += std::max(0.0, confusion.counts[k * classes + j]);
    Html row = element("th", {{"scope", "row"}}, confusion.labels[k]);
    for (std::size_t j = 0; j < classes; ++j) {
      const double count = confusion.counts[k * classes + j];
      const double share = all > 0 ? std::max(0.0, count) / all : 0;
      row += element("td", {{"class", "n shade"}, {"style", fmt::format("--share:{:.2f}", share)}}, whole(count));
    }
    body += element("tr", row);
  }
  const std::string label = "Rows by class and prediction";
  return element("p", {{"class", "name"}},
                 fmt::format("{}, with noise: each \u00b1 {}, and sums need not agree", label,
                             whole(std::ceil(confusion.radius)))) +
         element("div", {{"class", "scroll"}, {"role", "region"}, {"tabindex", "0"}, {"aria-label", label}},
                 element("table", {{"class", "confusion"}, {"aria-label", label}},
                         element("thead", element("tr", head)) + element("tbody", body)));
}

Html group_table(const std::vector<methods::GroupMeasures>& groups) {
  if (groups.empty() || groups[0].measures.values.empty()) return {};
  constexpr std::size_t kShown = 3;  // measures that fit beside each other
  const std::size_t shown = std::min(kShown, groups[0].measures.values.size());
  std::vector<TableColumn> columns = {{"Group"}, {"Rows, about", true}};
  for (std::size_t j = 0; j < shown; ++j) {
    columns.push_back({measure_name(groups[0].measures.values[j].name), true});
    if (j == 0) columns.push_back({""});
  }
  std::vector<std::vector<Html>> rows;
  for (const methods::GroupMeasures& each : groups) {
    std::vector<Html> row = {each.group, whole(each.measures.rows)};
    for (std::size_t j = 0; j < shown; ++j) {
      const methods::Measure& measure = each.measures.values[j];
      const Headline words = measure_words(measure);
      row.emplace_back(words.bar.empty() ? words.value : words.value + " " + words.bar);
      if (j > 0) continue;
      const bool known = !std::isnan(measure.value);
      row.push_back(known ? bar_cell(measure.value, measure.total_radius, 0, std::max(1.0, measure.value)) : Html());
    }
    rows.push_back(std::move(row));
  }
  return table("Groups", columns, rows);
}

Html pictures(const Facts& facts) {
  const methods::Measures& all = facts.judged->all;
  const Html content =
      roc_picture(all) + calibration_picture(all) + residual_picture(all, facts.model.schema.target.name);
  return content.empty() ? Html() : element("div", {{"class", "pictures"}}, content);
}

}  // namespace

Html judged_section(const Facts& facts, const Place& place) {
  if (!facts.judged) {
    return paragraph(facts.one_number
                         ? "One number is its own result: its interval, where one was asked for, says how sure it is."
                         : "Not measured: no rows were kept out of this fit. To measure it, spend budget on other "
                           "people's rows, or keep rows out of the next fit:") +
           (facts.one_number ? Html()
                             : commands({"dperm evaluate " + facts.name + " OTHER_ROWS.csv --epsilon 0.5",
                                         "dperm fit ... --holdout 0.2"}));
  }
  Html content = paragraph(fmt::format(
      "Measured on {} rows that were picked at random and set aside, within the same budget: a {} trains the model or "
      "tests it, never both. "
      "Error bars hold with 95%; they count the noise for privacy and that other rows would have given other numbers.",
      judged_rows(facts), facts.model.schema.unit ? "person" : "row"));
  content += measure_table(facts.judged->all, "Measures") + pictures(facts) +
             confusion_table(facts.judged->all.confusion, facts.model.schema.target.kind == schema::TargetKind::binary);
  if (facts.judged->groups.empty()) return content;
  return content + heading(place.level + 1, "By group") +
         paragraph("Differences smaller than the error bars say nothing about the groups.") +
         group_table(facts.judged->groups);
}

}  // namespace dperm::report
