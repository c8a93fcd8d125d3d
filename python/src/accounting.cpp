// SPDX-License-Identifier: Apache-2.0
// Privacy events cross as the JSON that model files have; guarantees as tuples.
#include "dperm/accounting.hpp"

#include "python/src/core.hpp"

namespace dperm::python {

namespace {

// (epsilon, delta, pure, neighbours, accountant, mu, rho)
using GuaranteeTuple =
    std::tuple<double, double, bool, std::string, std::string, std::optional<double>, std::optional<double>>;

GuaranteeTuple accounted(const std::string& events, double delta) {
  const Guarantee found = account(parse_events(events), delta);
  return {found.epsilon,    found.delta, found.pure, std::string(word(found.neighbours)),
          found.accountant, found.mu,    found.rho};
}

double delta_of(const std::string& events, double epsilon, std::int64_t group) {
  return delta_at(parse_events(events), epsilon, group);
}

template <PrivacyEvent (*find)(const PrivacyEvent&, double, double)>
std::string found(const std::string& event, double epsilon, double delta) {
  const std::vector<PrivacyEvent> given = parse_events(event);
  if (given.size() != 1) throw ArgumentError("event", "is one event");
  return to_json(std::vector<PrivacyEvent>{find(given.front(), epsilon, delta)});
}

}  // namespace

void bind_accounting(nb::module_& module) {
  module.def("account", &accounted, nb::arg("events"), nb::arg("delta"), Unlocked());
  module.def("delta_at", &delta_of, nb::arg("events"), nb::arg("epsilon"), nb::arg("group"), Unlocked());
  module.def("find_noise", &found<find_noise>, nb::arg("event"), nb::arg("epsilon"), nb::arg("delta"), Unlocked());
  module.def("find_steps", &found<find_steps>, nb::arg("event"), nb::arg("epsilon"), nb::arg("delta"), Unlocked());
  module.def("find_rate", &found<find_rate>, nb::arg("event"), nb::arg("epsilon"), nb::arg("delta"), Unlocked());
}

}  // namespace dperm::python
