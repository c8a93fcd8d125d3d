// SPDX-License-Identifier: Apache-2.0
// Records: from files, and from whatever exports an Arrow C stream. What crosses is that interface alone, so no version
// of a Python package that produces it matters here.
#include "dperm/dataset.hpp"

#include "python/src/watched.hpp"

namespace dperm::python {

namespace {

ReadOptions options_of(const std::string& tiles, int threads, bool strict, const std::string& format,
                       bool target_required) {
  ReadOptions options;
  options.tiles_path = tiles;
  options.threads = threads;
  options.strict = strict;
  options.format = format;
  options.target_required = target_required;
  options.by_unit = target_required;
  return options;
}

Dataset from_files(const std::vector<std::string>& files, const Schema& schema, const std::string& tiles, int threads,
                   bool strict, const std::string& format, bool target_required) {
  return read_dataset(files, schema, options_of(tiles, threads, strict, format, target_required));
}

// The capsule keeps the struct; reading takes over what is in it.
Dataset from_stream(const nb::object& capsule, const Schema& schema, int threads, bool strict, bool target_required) {
  void* stream = PyCapsule_GetPointer(capsule.ptr(), "arrow_array_stream");
  if (stream == nullptr) throw nb::python_error();
  const Watched watched;
  return read_stream(static_cast<ArrowArrayStream*>(stream), schema,
                     options_of("", threads, strict, "", target_required));
}

}  // namespace

void bind_dataset(nb::module_& module) {
  nb::class_<Dataset>(module, "Dataset", "Records behind a door: their number and their schema are all they tell.")
      .def_prop_ro("rows", &Dataset::rows)
      .def_prop_ro("schema", &Dataset::schema, nb::rv_policy::copy);
  module.def("read_columns", &read_columns, nb::arg("schema"));
  module.def("read_files", &from_files, nb::arg("files"), nb::arg("schema"), nb::arg("tiles"), nb::arg("threads"),
             nb::arg("strict"), nb::arg("format"), nb::arg("target_required"), WatchedCall());
  module.def("read_stream", &from_stream, nb::arg("capsule"), nb::arg("schema"), nb::arg("threads"), nb::arg("strict"),
             nb::arg("target_required"));
}

}  // namespace dperm::python
