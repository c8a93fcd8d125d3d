// SPDX-License-Identifier: Apache-2.0
// One self-contained page about one model or several: no script, nothing from the network, released and public numbers
// only.
#pragma once

#include <string>
#include <vector>

#include "dperm/model/model.hpp"

namespace dperm::report {

struct PageModel {
  model::Model model;
  std::string name;         // of its file, as readers know it
  std::string digest = {};  // as the file has it; empty: of the model as it would be written
};

struct PageOptions {
  std::string title = {};  // empty: what was learned
  std::string notes = {};  // before paths of proof notes, to make links of them; empty: paths alone
};

// Throws ArgumentError for no models.
std::string page(const std::vector<PageModel>& models, const PageOptions& options = {});

}  // namespace dperm::report
