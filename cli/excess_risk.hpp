// SPDX-License-Identifier: Apache-2.0
// dperm evaluate --excess-risk: what privacy cost a model on its own rows, beside what its plan promised.
#pragma once

#include "dperm/engine/dataset.hpp"
#include "dperm/model/model.hpp"

namespace dperm::cli {

// Exact numbers about the records: the caller has asked for `--unsafe`.
void print_excess_risk(const model::Model& model, const data::Dataset& dataset, Threads threads, bool json);

}  // namespace dperm::cli
