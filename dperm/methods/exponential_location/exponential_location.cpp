// SPDX-License-Identifier: Apache-2.0
#include "dperm/methods/algorithms.hpp"
#include "dperm/methods/exponential_location/location.hpp"
#include "dperm/methods/option_tables.hpp"

namespace dperm::methods {

Plan plan_for(const Task& task, const ExponentialLocationOptions& options) {
  check_options(options);
  const LocationSettings s = location_settings(task, options);
  return make_plan(
      options, s.task, location_events(s), s.derivation,
      {s.excess_risk, "excess risk over all locations between the bounds [exponential_location.md]"},
      [s](const data::Dataset& dataset, privacy::Curator& curator, const FitOptions& fit_options) -> Trained {
        return release_location(s, dataset, curator, fit_options.threads);
      });
}

}  // namespace dperm::methods
