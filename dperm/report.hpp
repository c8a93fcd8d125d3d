// SPDX-License-Identifier: Apache-2.0
// Public API: a page about models for people who decide, audit or are in the table.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "dperm/model.hpp"

namespace dperm {

struct ReportPageOptions {
  std::string title = {};               // empty: what was learned
  std::vector<std::string> names = {};  // of the models' files, one each; empty: "model 1.json", ...
  std::string notes = {};               // before paths of proof notes, to make links of them; empty: paths alone
};

// One self-contained HTML page: what is promised, what was learned, how good it is, what it cost, why it holds and what
// must not be concluded; several models are compared and their costs added. No script, nothing from the network, and
// nothing but released and public numbers. A model that does not verify or is not private says so first. Throws
// ArgumentError for no models, or another number of names.
std::string report_html(std::span<const Model> models, const ReportPageOptions& options = {});

}  // namespace dperm
