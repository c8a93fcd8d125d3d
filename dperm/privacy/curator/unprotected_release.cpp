// SPDX-License-Identifier: Apache-2.0
// Note: unprotected_release.md.
#include <utility>

#include "dperm/privacy/curator/curator.hpp"

namespace dperm::privacy {

// [proof privacy_unprotected.release]
Released<std::vector<double>> Curator::release_unprotected(const Sensitive<std::vector<double>>& value,
                                                           std::string what) {
  record(UnprotectedEvent{}, std::move(what));
  return Released<std::vector<double>>(value.value_);
}
// [/proof]

}  // namespace dperm::privacy
