// SPDX-License-Identifier: Apache-2.0
#include "dperm/ledger/origin.hpp"

#include <fmt/core.h>

#include "dperm/core/check.hpp"

namespace dperm::ledger {

const std::string& dataset_of(const model::Model& model) {
  return model.schema.dataset.empty() && model.ledger ? model.ledger->dataset : model.schema.dataset;
}

void require_origin(const model::Model& model, const Origin& origin) {
  require(
      origin.dataset.empty() || !origin.other_rows,
      fmt::format("`other_rows` says that no ledger counts these rows, and they are named as the dataset '{}'; leave "
                  "one of the two out",
                  origin.dataset));
  const std::string& known = dataset_of(model);
  require(known.empty() || !origin.dataset.empty() || origin.other_rows,
          fmt::format("the model was learned from the dataset '{}', which a ledger counts, and nothing says whose rows "
                      "these are. Name their `dataset` and its ledger, or say `other_rows` where they belong to none "
                      "that a ledger counts",
                      known));
}

}  // namespace dperm::ledger
