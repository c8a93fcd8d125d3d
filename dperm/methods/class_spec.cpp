// SPDX-License-Identifier: Apache-2.0
#include "dperm/methods/class_spec.hpp"

#include <fmt/format.h>

#include "dperm/core/error.hpp"

namespace dperm::methods {

namespace {

std::size_t real_named(const schema::Encoding& encoding, const std::string& name) {
  std::vector<std::string> known;
  for (std::size_t real = 0; real < encoding.reals().size(); ++real) {
    known.push_back(encoding.schema().columns[encoding.reals()[real].column].name);
    if (known.back() == name) return real;
  }
  throw ArgumentError(
      fmt::format("there is no real or integer column '{}'; choose {}", name,
                  known.empty() ? "another class, the schema has none" : fmt::format("{}", fmt::join(known, ", "))));
}

void require_columns(const ClassSpec& spec, std::size_t wanted) {
  if (spec.columns.size() == wanted) return;
  throw ArgumentError(fmt::format("class {} takes {} column names; got {}", spec.name, wanted, spec.columns.size()));
}

}  // namespace

std::unique_ptr<FiniteClass> make_class(const schema::Encoding& encoding, const ClassSpec& spec) {
  if (spec.name == "thresholds") {
    require_columns(spec, 1);
    return thresholds(encoding, real_named(encoding, spec.columns[0]));
  }
  if (spec.name == "intervals") {
    require_columns(spec, 1);
    return intervals(encoding, real_named(encoding, spec.columns[0]), spec.parts);
  }
  if (spec.name == "rectangles") {
    require_columns(spec, 2);
    return rectangles(encoding, real_named(encoding, spec.columns[0]), real_named(encoding, spec.columns[1]),
                      spec.parts);
  }
  if (spec.name == "stumps") {
    require_columns(spec, 0);
    return stumps(encoding);
  }
  if (spec.name == "conjunctions") {
    require_columns(spec, 0);
    return conjunctions(encoding, spec.literals);
  }
  if (spec.name == "halfspaces") {
    require_columns(spec, 0);
    return halfspaces(encoding, spec.coefficients, spec.parts);
  }
  throw ArgumentError(fmt::format(
      "there is no class '{}'; choose thresholds, intervals, stumps, conjunctions, rectangles or halfspaces",
      spec.name));
}

}  // namespace dperm::methods
