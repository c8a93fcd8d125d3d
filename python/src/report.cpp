// SPDX-License-Identifier: Apache-2.0
// A page about models for people who decide, audit or are in the table.
#include "dperm/report.hpp"

#include "python/src/core.hpp"

namespace dperm::python {

namespace {

std::string page(const std::vector<const Model*>& models, const std::string& title,
                 const std::vector<std::string>& names) {
  std::vector<Model> given;
  for (const Model* each : models) given.push_back(*each);
  ReportPageOptions options;
  options.title = title;
  options.names = names;
  return report_html(given, options);
}

}  // namespace

void bind_report(nb::module_& module) {
  module.def("report_html", &page, nb::arg("models"), nb::arg("title"), nb::arg("names"), Unlocked());
}

}  // namespace dperm::python
