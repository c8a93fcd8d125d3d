// SPDX-License-Identifier: Apache-2.0
#include "dperm/model/evaluated_json.hpp"

#include <cmath>
#include <nlohmann/json.hpp>

namespace dperm::model {

namespace {

using Json = nlohmann::ordered_json;

Json confusion_json(const methods::ConfusionMatrix& confusion) {
  Json counts = Json::array();
  const std::size_t classes = confusion.labels.size();
  for (std::size_t k = 0; k < classes; ++k) {
    const auto first = confusion.counts.begin() + static_cast<std::ptrdiff_t>(k * classes);
    counts.push_back(std::vector<double>(first, first + static_cast<std::ptrdiff_t>(classes)));
  }
  return {{"labels", confusion.labels}, {"counts", counts}, {"radius_95", confusion.radius}};
}

Json roc_json(const std::vector<methods::RocPoint>& roc) {
  Json list = Json::array();
  for (const methods::RocPoint& each : roc) {
    list.push_back({{"threshold", each.threshold},
                    {"false_positive_rate", each.false_positive_rate},
                    {"true_positive_rate", each.true_positive_rate},
                    {"false_positive_radius_95", each.false_positive_radius},
                    {"true_positive_radius_95", each.true_positive_radius}});
  }
  return list;
}

Json calibration_json(const std::vector<methods::CalibrationBin>& bins) {
  Json list = Json::array();
  for (const methods::CalibrationBin& each : bins) {
    list.push_back({{"lower", each.lower},
                    {"upper", each.upper},
                    {"rows", each.rows},
                    {"predicted", each.predicted},
                    {"predicted_radius_95", each.predicted_radius},
                    {"observed", each.observed},
                    {"radius_95", each.radius},
                    {"radius_95_with_sampling", each.total_radius}});
  }
  return list;
}

Json residuals_json(const std::vector<methods::ResidualBin>& bins) {
  Json list = Json::array();
  for (const methods::ResidualBin& each : bins) {
    list.push_back({{"lower", each.lower},
                    {"upper", each.upper},
                    {"rows", each.rows},
                    {"mean_residual", each.mean},
                    {"radius_95", each.radius},
                    {"radius_95_with_sampling", each.total_radius}});
  }
  return list;
}

void add_measures(Json& out, const methods::Measures& measures) {
  if (measures.rows_radius > 0) {
    out["rows"] = measures.rows;
  } else {
    out["rows"] = std::llround(measures.rows);  // public, or exact
  }
  if (measures.rows_radius > 0) out["rows_radius_95"] = measures.rows_radius;
  out["measures"] = Json::object();
  for (const methods::Measure& each : measures.values) {
    out["measures"][each.name] = {
        {"value", each.value}, {"radius_95", each.radius}, {"radius_95_with_sampling", each.total_radius}};
  }
  if (!measures.confusion.labels.empty()) out["confusion"] = confusion_json(measures.confusion);
  if (!measures.roc.empty()) out["roc"] = roc_json(measures.roc);
  if (!measures.calibration.empty()) out["calibration"] = calibration_json(measures.calibration);
  if (!measures.residuals.empty()) out["residuals"] = residuals_json(measures.residuals);
}

}  // namespace

Json evaluated_json(const methods::Evaluated& evaluated) {
  Json out = Json::object();
  add_measures(out, evaluated.all);
  for (const methods::GroupMeasures& each : evaluated.groups) {
    Json& group = out["groups"].emplace_back(Json{{"group", each.group}});
    add_measures(group, each.measures);
  }
  return out;
}

}  // namespace dperm::model
