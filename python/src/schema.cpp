// SPDX-License-Identifier: Apache-2.0
// Schemas: text in, text out, and the few facts that estimators ask for.
#include "dperm/schema.hpp"

#include "dperm/schema/draft.hpp"
#include "python/src/watched.hpp"

namespace dperm::python {

namespace {

std::vector<std::pair<std::string, std::string>> named_columns(const Schema& schema) {
  constexpr const char* kKinds[] = {"real", "integer", "category", "boolean", "date", "days"};
  std::vector<std::pair<std::string, std::string>> result;
  for (const Column& each : schema.columns) result.emplace_back(each.name, kKinds[static_cast<int>(each.kind)]);
  return result;
}

std::tuple<Schema, std::vector<std::string>, std::vector<std::string>> inferred(
    const std::vector<std::string>& files, const std::string& draft, double epsilon, double delta,
    const std::string& target, const std::string& target_kind, const std::string& positive,
    const std::vector<std::string>& ignored, const std::string& codebook, int threads,
    std::optional<std::uint64_t> seed, const std::optional<ChargeTo>& charge) {
  InferOptions options;
  options.epsilon = epsilon;
  options.delta = delta;
  options.target = target;
  options.target_kind = target_kind;
  options.positive = positive;
  options.ignored = ignored;
  options.codebook = codebook;
  options.threads = threads;
  options.seed = seed;
  InferredSchema result = ChargeTo::run(
      charge, [&](const Charge& to) { return infer_schema(files, draft, options, to); },
      [&] { return infer_schema(files, draft, options); });
  result.left_out.insert(result.left_out.end(), result.identifiers.begin(), result.identifiers.end());
  return {std::move(result.schema), std::move(result.inferred), std::move(result.left_out)};
}

}  // namespace

void bind_schema(nb::module_& module) {
  nb::class_<Schema>(module, "Schema", "The public description of a table.")
      .def_static(
          "parse", [](std::string_view text, std::string_view origin) { return parse_schema(text, origin); },
          nb::arg("text"), nb::arg("origin") = "schema")
      .def_static(
          "read", [](const std::string& path) { return read_schema(path); }, nb::arg("path"))
      .def("to_toml", [](const Schema& self) { return to_toml(self); })
      .def("with_shape", &with_shape, nb::arg("shape"))
      .def_prop_ro("columns", &named_columns, "Names and kinds of the feature columns, in order.")
      .def_prop_ro("target_name", [](const Schema& self) { return self.target.name; })
      .def_prop_ro("target_kind", [](const Schema& self) { return std::string(word(self.target.kind)); })
      .def_prop_ro("target_values", [](const Schema& self) { return self.target.values; })
      .def_prop_ro("target_positive", [](const Schema& self) { return self.target.positive; })
      .def_prop_ro("target_bounds", [](const Schema& self) { return std::pair(self.target.lower, self.target.upper); })
      .def_prop_ro(
          "dataset", [](const Schema& self) { return self.dataset; }, "Its name in a ledger, or empty.")
      .def_prop_ro("unit", [](const Schema& self) { return self.unit ? self.unit->column : std::string(); })
      .def("persons_without_unit", &persons_without_unit, nb::arg("names"), nb::arg("rows"))
      .def("equals", [](const Schema& self, const Schema& other) { return self == other; }, nb::arg("other"));
  module.def(
      "draft_dataset", [](std::string_view text) { return schema::Draft::parse(text, "draft").dataset(); },
      nb::arg("text"));
  module.def("column_names", &column_names, nb::arg("files"), nb::arg("schema"), nb::arg("format"));
  module.def("infer_schema", &inferred, nb::arg("files"), nb::arg("draft"), nb::arg("epsilon"), nb::arg("delta"),
             nb::arg("target"), nb::arg("target_kind"), nb::arg("positive"), nb::arg("ignored"), nb::arg("codebook"),
             nb::arg("threads"), nb::arg("seed").none(), nb::arg("charge").none(), WatchedCall());
}

}  // namespace dperm::python
