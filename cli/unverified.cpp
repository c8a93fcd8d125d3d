// SPDX-License-Identifier: Apache-2.0
#include "cli/unverified.hpp"

#include <fmt/core.h>

#include <utility>

#include "cli/output_file.hpp"
#include "dperm/model/verify.hpp"

namespace dperm::cli {

void warn_unless_verified(const std::string& path, model::Model model) {
  if (const auto failed = model::first_failure(std::move(model))) {
    note(fmt::format("WARNING: {} does not verify, so its guarantee may not hold: {} ({}). See dperm verify", path,
                     failed->what, failed->detail));
  }
}

}  // namespace dperm::cli
