// SPDX-License-Identifier: Apache-2.0
// The module itself, and how failures become Python's.
#include "dperm/process.hpp"
#include "python/src/core.hpp"

namespace dperm::python {

namespace {

// The classes are written in Python, with docstrings, in dperm/errors.py; the module keeps what that file hands over.
PyObject* argument_error = nullptr;
PyObject* data_error = nullptr;
PyObject* budget_error = nullptr;
PyObject* internal_error = nullptr;

void raise(PyObject* kind, const char* fallback, const std::exception& error, const std::string& field = {}) {
  if (kind == nullptr) {
    PyErr_Format(PyExc_RuntimeError, "%s: %s", fallback, error.what());
    return;
  }
  const nb::object made = nb::borrow(kind)(nb::str(error.what()), nb::str(field.c_str()));
  PyErr_SetObject(kind, made.ptr());
}

void translate(const std::exception_ptr& thrown, void*) {
  try {
    std::rethrow_exception(thrown);
  } catch (const ArgumentError& error) {
    raise(argument_error, "ArgumentError", error, error.field());
  } catch (const DataError& error) {
    raise(data_error, "DataError", error);
  } catch (const BudgetError& error) {
    raise(budget_error, "BudgetError", error);
  } catch (const InternalError& error) {
    raise(internal_error, "InternalError", error);
  }
}

}  // namespace

void bind_errors(nb::module_& module) {
  nb::register_exception_translator(translate);
  module.def(
      "set_errors",
      [](nb::object argument, nb::object data, nb::object budget, nb::object internal) {
        argument_error = argument.release().ptr();
        data_error = data.release().ptr();
        budget_error = budget.release().ptr();
        internal_error = internal.release().ptr();
      },
      nb::arg("argument"), nb::arg("data"), nb::arg("budget"), nb::arg("internal"));
}

}  // namespace dperm::python

NB_MODULE(_core, module) {
  nanobind::set_leak_warnings(false);  // the classes of errors live as long as the process
  dperm::python::bind_errors(module);
  dperm::python::bind_schema(module);
  dperm::python::bind_dataset(module);
  dperm::python::bind_plan(module);
  dperm::python::bind_model(module);
  dperm::python::bind_evaluate(module);
  dperm::python::bind_accounting(module);
  dperm::python::bind_report(module);
  dperm::python::bind_remote(module);
  dperm::python::bind_ledger(module);
  module.def("protect_process", &dperm::protect_process,
             "Keeps this process out of core dumps and from processes of the same user that attach to it or read its "
             "memory, until it ends. Debuggers and profilers cannot attach either.");
}
