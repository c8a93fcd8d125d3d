// SPDX-License-Identifier: Apache-2.0
#include "dperm/report.hpp"

#include "dperm/core/check.hpp"
#include "dperm/report/page/page.hpp"

namespace dperm {

std::string report_html(std::span<const Model> models, const ReportPageOptions& options) {
  require(options.names.empty() || options.names.size() == models.size(), "names", "must be one for each model");
  std::vector<report::PageModel> pages;
  for (std::size_t i = 0; i < models.size(); ++i) {
    const std::string number = models.size() == 1 ? "model.json" : "model " + std::to_string(i + 1) + ".json";
    pages.push_back({models[i].details(), options.names.empty() ? number : options.names[i]});
  }
  return report::page(pages, {options.title, options.notes});
}

}  // namespace dperm
