// SPDX-License-Identifier: Apache-2.0
// The proof notes that a model's guarantee rests on.
#pragma once

#include <string>
#include <vector>

#include "dperm/model/model.hpp"

namespace dperm::report {

struct ProofNote {
  std::string what;  // it proves
  std::string path;  // in the source tree
};

std::vector<ProofNote> proof_notes(const model::Model& model);

}  // namespace dperm::report
