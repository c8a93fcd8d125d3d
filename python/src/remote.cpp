// SPDX-License-Identifier: Apache-2.0
// Rows in parts on other machines, for dperm.spark. Questions and answers are bytes.
#include "dperm/remote.hpp"

#include "python/src/core.hpp"

namespace dperm::python {

namespace {

std::string_view view(const nb::bytes& bytes) { return {bytes.c_str(), bytes.size()}; }
nb::bytes made(const std::string& bytes) { return nb::bytes(bytes.data(), bytes.size()); }

std::tuple<std::size_t, std::string> written(const nb::object& capsule, const Schema& schema, const std::string& name,
                                             const std::string& path, int threads) {
  void* stream = PyCapsule_GetPointer(capsule.ptr(), "arrow_array_stream");
  if (stream == nullptr) throw nb::python_error();
  const nb::gil_scoped_release unlocked;
  PartFacts facts = write_part(static_cast<ArrowArrayStream*>(stream), schema, name, path, threads);
  return {facts.rows, std::move(facts.digest)};
}

nb::bytes answered(const PartRows& part, const nb::bytes& question, int threads) {
  std::string answer;
  {
    const std::string_view asked = view(question);
    const nb::gil_scoped_release unlocked;
    answer = part.answer(asked, threads);
  }
  return made(answer);
}

// A fit asks with Python's lock released, and may be the last to hold the function.
std::shared_ptr<nb::object> kept(nb::object function) {
  return {new nb::object(std::move(function)), [](nb::object* held) {
            const nb::gil_scoped_acquire locked;
            delete held;
          }};
}

Dataset of_parts(const Schema& schema, std::size_t rows, nb::object ask) {
  return remote_dataset(schema, rows, [function = kept(std::move(ask))](const std::string& question) {
    const nb::gil_scoped_acquire locked;
    const auto answer = nb::cast<nb::bytes>((*function)(made(question)));
    return std::string(view(answer));
  });
}

}  // namespace

void bind_remote(nb::module_& module) {
  module.def("part_columns", &part_columns, nb::arg("schema"));
  module.def("write_part", &written, nb::arg("capsule"), nb::arg("schema"), nb::arg("name"), nb::arg("path"),
             nb::arg("threads"));
  nb::class_<PartRows>(module, "PartRows", "Rows of a part of a table. Their answers are NOT private.")
      .def(
          "__init__",
          [](PartRows* self, const Schema& schema, const std::string& name, const std::string& path, std::size_t rows,
             const std::string& digest,
             std::size_t first) { new (self) PartRows(schema, name, path, {rows, digest}, first); },
          nb::arg("schema"), nb::arg("name"), nb::arg("path"), nb::arg("rows"), nb::arg("digest"), nb::arg("first"),
          Unlocked())
      .def("answer", &answered, nb::arg("question"), nb::arg("threads"));
  module.def(
      "add_answers", [](const nb::bytes& a, const nb::bytes& b) { return made(add_answers(view(a), view(b))); },
      nb::arg("a"), nb::arg("b"));
  module.def("remote_dataset", &of_parts, nb::arg("schema"), nb::arg("rows"), nb::arg("ask"));
}

}  // namespace dperm::python
