// SPDX-License-Identifier: Apache-2.0
// The curator's door for releases about disjoint parts of the records.
#include <utility>

#include "dperm/core/check.hpp"
#include "dperm/privacy/curator/curator.hpp"

namespace dperm::privacy {

// [proof privacy_disjoint_parts.door]
// What the parts release is stated for the same unit, by the parts' own curators: nothing is left to multiply.
void Curator::release_parts(const PartsRun& run, const DisjointPartsEvent& mechanism, std::string what) {
  validate(PrivacyEvent{.what = what, .mechanism = mechanism, .neighbours = neighbours_});
  record_as_it_is(mechanism, std::move(what));
  std::vector<std::unique_ptr<Curator>> own;
  for (std::size_t i = 0; i < mechanism.parts.size(); ++i) own.push_back(inside(unit_rows_));
  run(own);
  for (std::size_t i = 0; i < mechanism.parts.size(); ++i) {
    ensure(own[i]->events() == mechanism.parts[i], "a part released something else than planned");
  }
}
// [/proof]

}  // namespace dperm::privacy
