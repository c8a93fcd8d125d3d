// SPDX-License-Identifier: Apache-2.0
#include "cli/excess_risk.hpp"

#include <fmt/format.h>

#include <cmath>
#include <nlohmann/json.hpp>
#include <optional>

#include "cli/json_text.hpp"
#include "cli/output_file.hpp"
#include "cli/text.hpp"
#include "dperm/methods/evaluation/evaluation.hpp"
#include "dperm/methods/non_private/measured_excess.hpp"
#include "dperm/model/verify.hpp"
#include "dperm/planner/forecast.hpp"

namespace dperm::cli {

namespace {

std::string promised_text(const methods::UtilityBound& utility) {
  if (std::isinf(utility.excess_risk)) return "nothing: " + rendered(utility.theorem);
  return fmt::format("at most {:.4g} {}", utility.excess_risk, rendered(methods::holds_text(utility)));
}

std::string forecast_text(const std::optional<planner::Forecast>& forecast) {
  if (!forecast) return "none";
  return fmt::format("{:.4g} (between {:.4g} and {:.4g} on most tables)", forecast->excess_risk, forecast->lower,
                     forecast->upper);
}

}  // namespace

void print_excess_risk(const model::Model& model, const data::Dataset& dataset, Threads threads, bool json) {
  const methods::MeasuredExcess measured =
      DeclaredPublicAccess::open(methods::measured_excess(dataset, model::fitted(model), threads));
  const methods::Plan plan = model::planned_anew(model);
  const auto forecast = planner::forecast(plan, planner::population_of(schema::Encoding(model.schema)));
  if (json) {
    nlohmann::ordered_json out{{"excess_risk", measured.excess()},
                               {"risk", measured.risk},
                               {"least_risk", measured.least},
                               {"residual", measured.residual},
                               {"promised", plan.utility.excess_risk}};
    if (forecast) out["forecast"] = forecast->excess_risk;
    out["rows"] = dataset.rows();
    out["private"] = false;
    fmt::print("{}\n", json_text(out));
  } else {
    fmt::print(
        "what privacy cost on these {}: {:.4g} of mean loss\n"
        "  this model       {:.6f}\n"
        "  without privacy  {:.6f} (the least of its feasible set, penalty included in both)\n"
        "  promised         {}\n"
        "  forecast         {}\n",
        counted(dataset.rows(), "row"), measured.excess(), measured.risk, measured.least, promised_text(plan.utility),
        forecast_text(forecast));
  }
  note("These numbers are exact and NOT private: they are for the owner of the data only.");
}

}  // namespace dperm::cli
