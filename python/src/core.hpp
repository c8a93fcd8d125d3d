// SPDX-License-Identifier: Apache-2.0
// The extension module dperm._core: the public C++ API as Python sees it. No rule and no number is decided here; words,
// defaults and results for people are in the package around it.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/stl/map.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include "dperm/dperm.hpp"

namespace dperm::python {

namespace nb = nanobind;

// Other Python threads go on while a call works.
using Unlocked = nb::call_guard<nb::gil_scoped_release>;

// A ledger by its path, and the dataset in it. Opened where it is used: nothing open crosses a thread or a fork.
struct ChargeTo {
  std::string path, dataset, request_id;

  // What `counted` makes of the charge where there is one, and `free` without.
  template <class Counted, class Free>
  static auto run(const std::optional<ChargeTo>& to, const Counted& counted, const Free& free) {
    if (!to) return free();
    Ledger ledger = Ledger::open(to->path);
    return counted(Charge{ledger, to->dataset, to->request_id, warn});
  }

 private:
  static void warn(const std::string& problem);
};

void bind_errors(nb::module_& module);
void bind_schema(nb::module_& module);
void bind_dataset(nb::module_& module);
void bind_plan(nb::module_& module);
void bind_model(nb::module_& module);
void bind_evaluate(nb::module_& module);
void bind_accounting(nb::module_& module);
void bind_report(nb::module_& module);
void bind_remote(nb::module_& module);
void bind_ledger(nb::module_& module);

}  // namespace dperm::python
