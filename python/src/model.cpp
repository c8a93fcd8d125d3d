// SPDX-License-Identifier: Apache-2.0
// Fits and models.
#include "dperm/model.hpp"

#include <nanobind/ndarray.h>

#include "python/src/watched.hpp"

namespace dperm::python {

namespace {

// Called between the steps of a fit, with the lock released: tells whoever wants to know, at fixed steps. The clock has
// no part in it: notebooks keep what is shown, and times depend on records. What the listener raises ends the fit.
class Listener {
 public:
  explicit Listener(nb::object told) {
    if (!told.is_none()) told_ = std::move(told);
  }
  Listener(const Listener&) = delete;
  Listener& operator=(const Listener&) = delete;

  void step(std::size_t step, std::size_t steps) {
    if (!told_) return;
    const std::size_t mark = steps < kMarks ? step : step / (steps / kMarks);
    if (mark == last_) return;
    last_ = mark;
    const nb::gil_scoped_acquire locked;
    (*told_)(step, steps);
  }

 private:
  static constexpr std::size_t kMarks = 100;
  std::optional<nb::object> told_;
  std::size_t last_ = 0;
};

Model fitted(const Plan& plan, const Dataset& dataset, int threads, std::optional<std::uint64_t> seed,
             nb::object progress, bool unsafe, const std::optional<ChargeTo>& charge) {
  Listener listener(std::move(progress));
  Watched watched;
  FitOptions options;
  options.threads = threads;
  options.seed = seed;
  options.unsafe = unsafe;
  options.progress = [&](std::size_t step, std::size_t steps) {
    watched.look();  // steps without a pass over the rows
    listener.step(step, steps);
  };
  return ChargeTo::run(
      charge, [&](const Charge& to) { return fit(plan, dataset, to, options); },
      [&] { return fit(plan, dataset, options); });
}

template <class Number>
nb::ndarray<nb::numpy, Number, nb::ndim<1>> array_of(std::vector<Number>&& numbers) {
  auto* kept = new std::vector<Number>(std::move(numbers));
  const nb::capsule owner(kept, [](void* data) noexcept { delete static_cast<std::vector<Number>*>(data); });
  return nb::ndarray<nb::numpy, Number, nb::ndim<1>>(kept->data(), {kept->size()}, owner);
}

// Labels there are, and of every row: the place of its label, probabilities row by row, margin, number.
nb::tuple predicted(const Model& model, const Dataset& dataset, int threads, const std::optional<ChargeTo>& charge) {
  RowPredictions rows;
  {
    const Watched watched;
    rows = ChargeTo::run(
        charge, [&](const Charge& to) { return predict(model, dataset, to, threads); },
        [&] { return predict(model, dataset, threads); });
  }
  std::vector<std::int64_t> label(rows.label.begin(), rows.label.end());
  return nb::make_tuple(rows.labels, array_of(std::move(label)), array_of(std::move(rows.probabilities)),
                        array_of(std::move(rows.margins)), array_of(std::move(rows.numbers)));
}

using CoefficientTuple = std::tuple<std::string, double, std::string, std::string>;
std::vector<CoefficientTuple> coefficients_of(const Model& model) {
  std::vector<CoefficientTuple> result;
  for (Coefficient& each : model.coefficients()) {
    result.emplace_back(std::move(each.name), each.value, std::move(each.per), std::move(each.label));
  }
  return result;
}

// (column, values, labels, effects, "lines" | "steps" | "labels", log, date, class)
nb::list curves_of(const Model& model) {
  constexpr const char* kKinds[] = {"lines", "steps", "labels"};
  nb::list result;
  for (const Curve& each : model.curves()) {
    result.append(nb::make_tuple(each.along.name, each.along.values, each.along.labels, each.effects,
                                 kKinds[static_cast<int>(each.kind)], each.along.log, each.along.date, each.label));
  }
  return result;
}

nb::list surfaces_of(const Model& model) {
  nb::list result;
  for (const Surface& each : model.surfaces()) {
    result.append(nb::make_tuple(each.first.name, each.first.values, each.second.name, each.second.values, each.effects,
                                 each.label));
  }
  return result;
}

std::optional<std::tuple<double, double, double>> interval_of(const Model& model) {
  const auto found = model.interval();
  if (!found) return std::nullopt;
  return std::tuple(found->lower, found->upper, found->confidence);
}

using CheckTuple = std::tuple<std::string, bool, std::string>;
std::tuple<bool, std::vector<CheckTuple>, std::vector<std::string>> verified(const Model& model) {
  Verification found = verify(model);
  std::vector<CheckTuple> checks;
  for (Check& each : found.checks) checks.emplace_back(std::move(each.what), each.passed, std::move(each.detail));
  return {found.passed, std::move(checks), std::move(found.taken_on_trust)};
}

}  // namespace

void bind_model(nb::module_& module) {
  nb::class_<Model>(module, "Model", "A released model: public numbers and what they cost.")
      .def_static(
          "parse", [](const std::string& json) { return parse_model(json); }, nb::arg("json"), Unlocked())
      .def_static("read", &read_model, nb::arg("path"), Unlocked())
      .def("write", &write_model, nb::arg("path"), nb::arg("overwrite"), Unlocked())
      .def("to_json", &Model::to_json, Unlocked())
      .def_prop_ro("algorithm", [](const Model& self) { return std::string(self.algorithm()); })
      .def_prop_ro("rows", &Model::rows)
      .def_prop_ro("schema", &Model::schema, nb::rv_policy::copy)
      .def_prop_ro("is_private", &Model::is_private)
      .def_prop_ro("remarks", &Model::remarks)
      .def_prop_ro("rule", &Model::rule)
      .def_prop_ro("interval", &interval_of, "(lower, upper, confidence)")
      // The array owns its numbers, so that it is not tied to the model, as properties are by default.
      .def_prop_ro(
          "weights", [](const Model& self) { return array_of(std::vector<double>(self.weights())); },
          nb::rv_policy::move)
      .def_prop_ro("coefficients", &coefficients_of)
      .def_prop_ro("curves", &curves_of)
      .def_prop_ro("surfaces", &surfaces_of);
  module.def("fit", &fitted, nb::arg("plan"), nb::arg("dataset"), nb::arg("threads"), nb::arg("seed").none(),
             nb::arg("progress").none(), nb::arg("unsafe"), nb::arg("charge").none());
  module.def("predict", &predicted, nb::arg("model"), nb::arg("dataset"), nb::arg("threads"), nb::arg("charge").none());
  module.def("verify", &verified, nb::arg("model"), Unlocked());
}

}  // namespace dperm::python
