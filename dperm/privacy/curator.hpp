// SPDX-License-Identifier: Apache-2.0
// The one door: opens a Sensitive integer (vector), adds exact noise, records the event. Proof note: curator.md.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "dperm/core/sensitive.hpp"
#include "dperm/privacy/event.hpp"
#include "dperm/privacy/released.hpp"
#include "dperm/random/bits.hpp"

namespace dperm::privacy {

class Curator {
 public:
  // `bits` must outlive the curator. With bits that are not secure() the releases are reproducible, hence not private.
  explicit Curator(random::BitSource& bits) : bits_(bits) {}
  Curator(const Curator&) = delete;
  Curator& operator=(const Curator&) = delete;

  // The caller's proof note shows that the query's sensitivity is at most the mechanism's.
  Released<std::vector<std::int64_t>> release(const Sensitive<std::vector<std::int64_t>>& query,
                                              const GaussianEvent& mechanism, std::string what);
  Released<std::vector<std::int64_t>> release(const Sensitive<std::vector<std::int64_t>>& query,
                                              const KNormEvent& mechanism, std::string what);
  Released<std::int64_t> release(const Sensitive<std::int64_t>& query, const LaplaceEvent& mechanism, std::string what);

  std::vector<PrivacyEvent> events() const { return compressed(events_); }
  bool secure() const { return bits_.secure(); }

 private:
  random::BitSource& bits_;
  std::vector<PrivacyEvent> events_;
};

}  // namespace dperm::privacy
