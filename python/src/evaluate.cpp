// SPDX-License-Identifier: Apache-2.0
// How good a model is on labelled rows.
#include "dperm/evaluate.hpp"

#include "python/src/watched.hpp"

namespace dperm::python {

namespace {

nb::dict told(const Measures& measures) {
  nb::dict values;
  for (const Measure& each : measures.values) {
    values[each.name.c_str()] = nb::make_tuple(each.value, each.radius, each.total_radius);
  }
  nb::list roc, calibration, residuals;
  for (const RocPoint& each : measures.roc) {
    roc.append(nb::make_tuple(each.threshold, each.false_positive_rate, each.true_positive_rate));
  }
  for (const CalibrationBin& each : measures.calibration) {
    calibration.append(nb::make_tuple(each.lower, each.upper, each.rows, each.predicted, each.observed, each.radius,
                                      each.total_radius));
  }
  for (const ResidualBin& each : measures.residuals) {
    residuals.append(nb::make_tuple(each.lower, each.upper, each.rows, each.mean, each.radius, each.total_radius));
  }
  nb::dict result;
  result["rows"] = measures.rows;
  result["rows_radius"] = measures.rows_radius;
  result["values"] = values;
  result["labels"] = nb::cast(measures.confusion.labels);
  result["confusion"] = nb::cast(measures.confusion.counts);
  result["confusion_radius"] = measures.confusion.radius;
  result["roc"] = roc;
  result["calibration"] = calibration;
  result["residuals"] = residuals;
  return result;
}

nb::dict told(const EvaluationReport& report) {
  nb::dict result, groups;
  for (const GroupMeasures& each : report.groups) groups[each.group.c_str()] = told(each.measures);
  result["all"] = told(report.all);
  result["groups"] = groups;
  result["private"] = report.is_private;
  if (report.guarantee) {
    result["guarantee"] = nb::make_tuple(report.guarantee->epsilon, report.guarantee->delta, report.guarantee->pure,
                                         std::string(word(report.guarantee->neighbours)), report.guarantee->accountant);
  }
  return result;
}

// epsilon none: the caller declares the rows public.
nb::dict reported(const Model& model, const Dataset& dataset, std::optional<double> epsilon, double delta,
                  const std::string& groups, double threshold, int threads, std::optional<std::uint64_t> seed,
                  bool other_rows, const std::optional<ChargeTo>& charge) {
  ReportOptions options;
  options.groups = groups;
  options.threshold = threshold;
  options.delta = delta;
  options.threads = threads;
  options.seed = seed;
  options.other_rows = other_rows;
  EvaluationReport result;
  {
    const Watched watched;
    result = ChargeTo::run(
        charge,
        [&](const Charge& to) {
          return epsilon ? report(model, dataset, *epsilon, to, options) : report_public(model, dataset, to, options);
        },
        [&] { return epsilon ? report(model, dataset, *epsilon, options) : report_public(model, dataset, options); });
  }
  return told(result);
}

}  // namespace

void bind_evaluate(nb::module_& module) {
  module.def("evaluate", &reported, nb::arg("model"), nb::arg("dataset"), nb::arg("epsilon").none(), nb::arg("delta"),
             nb::arg("groups"), nb::arg("threshold"), nb::arg("threads"), nb::arg("seed").none(), nb::arg("other_rows"),
             nb::arg("charge").none());
  module.def("require_origin", &require_origin, nb::arg("model"), nb::arg("dataset"), nb::arg("other_rows"));
  module.def(
      "held_out",
      [](const Model& model) -> nb::object {
        const auto report = held_out_report(model);
        return report ? nb::object(told(*report)) : nb::none();
      },
      nb::arg("model"));
}

}  // namespace dperm::python
