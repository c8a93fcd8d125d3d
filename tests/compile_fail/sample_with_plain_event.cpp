// SPDX-License-Identifier: Apache-2.0
// A sum over a sample leaves with the event that says how the sample was drawn, and with no other.
// expect: no matching function|could not convert
#include "dperm/privacy/curator/curator.hpp"

std::vector<std::int64_t> noisy(dperm::privacy::Curator& curator, const dperm::privacy::Curator::SampledQuery& query) {
#ifdef CHEAT
  const dperm::privacy::GaussianEvent event{1, 10};
#else
  const dperm::privacy::SampledGaussianEvent event{1, 10, 0.1, dperm::privacy::Sampling::poisson};
#endif
  return curator.release(query, 1000, event, "sum").get();
}
