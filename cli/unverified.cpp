// SPDX-License-Identifier: Apache-2.0
#include "cli/unverified.hpp"

#include <fmt/core.h>

#include "cli/output_file.hpp"
#include "dperm/model/verify.hpp"

namespace dperm::cli {

void warn_unless_verified(const std::string& path, model::Model model) {
  if (privacy::is_unprotected(model.events)) return;  // it says so itself, and first
  model.is_private = true;
  for (const model::Check& check : model::verify(model)) {
    if (check.passed) continue;
    note(fmt::format("WARNING: {} does not verify, so its guarantee may not hold: {} ({}). See dperm verify", path,
                     check.what, check.detail));
    return;
  }
}

}  // namespace dperm::cli
