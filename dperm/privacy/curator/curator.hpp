// SPDX-License-Identifier: Apache-2.0
// The one door: opens a Sensitive integer (vector), adds exact noise, records the event. Proof note: curator.md.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "dperm/core/row_sample.hpp"
#include "dperm/core/sensitive.hpp"
#include "dperm/privacy/curator/released.hpp"
#include "dperm/privacy/curator/witness.hpp"
#include "dperm/privacy/events/event.hpp"
#include "dperm/random/bits.hpp"
#include "dperm/random/choice/lattice_selection.hpp"
#include "dperm/random/choice/proximal_sampler.hpp"
#include "dperm/random/choice/selection.hpp"

namespace dperm::audit {
struct CuratorAccess;  // defined in dperm/audit alone (tools/check_layers.py)
}

namespace dperm::privacy {

// Coordinates of a query beyond this size are moved to it, and results beyond the 64-bit range to +-(2^63 - 1). Plans
// keep queries below it; the rule makes every other query well defined without weakening the guarantee.
inline constexpr std::int64_t kLargestQuery = std::int64_t{1} << 62;

class Curator {
 public:
  // `bits` must outlive the curator. With bits that are not secure() the releases are reproducible, hence not private.
  // Mechanisms are stated for one record; what is recorded is for up to `unit_rows` of them at once (group.md).
  explicit Curator(random::BitSource& bits, Neighbours neighbours = Neighbours::replace_one, std::size_t unit_rows = 1)
      : bits_(bits), neighbours_(neighbours), unit_rows_(unit_rows) {}
  Curator(const Curator&) = delete;
  Curator& operator=(const Curator&) = delete;

  // The caller's proof note shows that the query's sensitivity is at most the mechanism's. Throws ArgumentError, before
  // the query is looked at, for noise that the sampler cannot make, and InternalError for a query without coordinates.
  Released<std::vector<std::int64_t>> release(const Sensitive<std::vector<std::int64_t>>& query,
                                              const GaussianEvent& mechanism, std::string what);
  Released<std::vector<std::int64_t>> release(const Sensitive<std::vector<std::int64_t>>& query,
                                              const KNormEvent& mechanism, std::string what);
  Released<std::int64_t> release(const Sensitive<std::int64_t>& query, const DiscreteLaplaceEvent& mechanism,
                                 std::string what);
  Released<std::vector<std::int64_t>> release(const Sensitive<std::vector<std::int64_t>>& query,
                                              const DiscreteLaplaceEvent& mechanism, std::string what);

  // Draws in secret which of `rows` records take part, as the mechanism's sampling and rate say, and adds noise to what
  // `query` makes of them (perhaps none). The caller's proof note shows that the query is
  // a sum over them in which a record's part has at most the mechanism's contribution. Note: sampled_release.md.
  using SampledQuery = std::function<Sensitive<std::vector<std::int64_t>>(const Sensitive<SharedSample>&)>;
  Released<std::vector<std::int64_t>> release(const SampledQuery& query, std::size_t rows,
                                              const SampledGaussianEvent& mechanism, std::string what);

  // The number of the chosen candidate; `candidates` is their public number, which the runs must add up to (otherwise
  // InternalError). The caller's proof note shows that no record changes the costs with more than the mechanism's
  // range, and that a number means the same candidate whatever the data.
  Released<std::uint64_t> choose(const Sensitive<std::vector<random::CostRun>>& costs,
                                 const ExponentialEvent& mechanism, std::uint64_t candidates, std::string what);
  Released<std::uint64_t> choose(const Sensitive<std::vector<random::CostRun>>& costs,
                                 const PermuteAndFlipEvent& mechanism, std::uint64_t candidates, std::string what);

  // A point of a lattice with 2^lattice_bits values in each of `dimension` coordinates, both public (otherwise
  // InternalError). The caller's proof note shows the same, that the set of points is public, and that the costs' boxes
  // are bounded as random::LatticeCosts says.
  Released<std::vector<std::uint64_t>> choose(const Sensitive<std::unique_ptr<random::LatticeCosts>>& costs,
                                              const ExponentialEvent& mechanism, std::size_t dimension,
                                              int lattice_bits, std::string what);

  // What the proximal sampler reaches after the rounds in `settings`, public like all of them. The caller's proof note
  // shows that the target's density is the mechanism's to within its log error, and that the sampler's distance from it
  // is at most the mechanism's.
  Released<std::vector<std::int64_t>> sample(const Sensitive<std::unique_ptr<random::ProximalTarget>>& target,
                                             const RegularisedExponentialEvent& mechanism,
                                             const random::ProximalSettings& settings, std::string what);

  // Per column the values that many records hold, with their noisy counts, in the order of the texts. `counts` lists
  // for each column the values that occur, each once, with the number of records that hold it. The caller's proof note
  // shows that replacing a record changes all counts together by at most the mechanism's sensitivity, and that a record
  // holds at most the mechanism's number of values. Note: select_values.md.
  struct ValueCount {
    std::string value;
    std::int64_t count;
  };
  using ValueCounts = std::vector<std::vector<ValueCount>>;
  Released<ValueCounts> select_values(const Sensitive<ValueCounts>& counts, const SelectedCountsEvent& mechanism,
                                      std::string what);

  // Draws in secret, which open nothing and cost nothing. Their laws are the same for every order of the rows. Note:
  // secret_draws.md.

  // `size` of `rows` row numbers, each set equally likely.
  Sensitive<std::vector<std::size_t>> draw_subset(std::size_t rows, std::size_t size);
  // All row numbers in batches of `size`, the last perhaps shorter, each division equally likely; they increase inside
  // a batch. ArgumentError above random::kMostPermuted rows.
  Sensitive<std::vector<std::uint32_t>> draw_batches(std::size_t rows, std::size_t size);
  // One coin each for a number of persons that nobody learns, true with this probability (strictly between 0 and 1),
  // independent of one another.
  Sensitive<std::vector<bool>> draw_coins(const Sensitive<std::size_t>& persons, double probability);

  // One run of a mechanism on the candidate with this number, with a score of which more is better, both released
  // through `inside`, a curator of its own. A pure function apart from that: it keeps and tells nothing.
  struct ScoredRun {
    Released<std::vector<double>> output;
    Released<std::int64_t> score;
  };
  using Run = std::function<ScoredRun(std::uint64_t candidate, Curator& inside)>;
  struct Selected {
    bool any;  // false: there was no run, and the rest is empty and 0
    std::vector<double> output;
    std::uint64_t candidate;
    std::int64_t score;
  };
  // The run with the best score among a random number of runs, each on a candidate drawn uniformly from a public number
  // of them. All other runs, their number included, stay inside. The caller's proof note shows that for every candidate
  // output and score together have at most the mechanism's base epsilon, or base mu. Note: select_best.md.
  Released<Selected> select_best(const Run& run, std::uint64_t candidates, const SelectionEvent& mechanism,
                                 std::string what);

  // Releases about parts of the records, those of each part through a curator of its own, recorded as one event. The
  // caller's proof note shows that the division does not depend on the records and that what goes through the curator
  // with number i is computed from part i and from released values alone. InternalError unless every part released
  // exactly what the mechanism lists for it. Note: disjoint_parts.md.
  using PartsRun = std::function<void(const std::vector<std::unique_ptr<Curator>>& parts)>;
  void release_parts(const PartsRun& run, const DisjointPartsEvent& mechanism, std::string what);

  // The random linear term of an objective, in units of `step` (a power of two): the mechanism's sigma / step times Z,
  // rounded, in each coordinate. Sensitive, because nobody may see it. The event is recorded here, before any record is
  // looked at; the minimiser itself leaves through release().
  Sensitive<std::vector<std::int64_t>> draw_objective_term(const ObjectivePerturbationEvent& mechanism,
                                                           std::size_t dimension, double step, std::string what);
  // The same for a term of density proportional to exp(-||b||/scale).
  Sensitive<std::vector<std::int64_t>> draw_objective_term(const PureObjectiveEvent& mechanism, std::size_t dimension,
                                                           double step, std::string what);

  // Lets a value out as it is. Nothing is promised to anyone any more, and the event says so to every accountant: for
  // models that their owner asks for without privacy. Note: unprotected_release.md.
  Released<std::vector<double>> release_unprotected(const Sensitive<std::vector<double>>& value, std::string what);

  std::vector<PrivacyEvent> events() const { return compressed(events_); }
  bool secure() const { return bits_.secure() && witness_ == nullptr; }
  std::size_t unit_rows() const { return unit_rows_; }

 private:
  friend struct audit::CuratorAccess;
  Curator(random::BitSource& bits, Neighbours neighbours, std::size_t unit_rows, Witness* witness)
      : bits_(bits), neighbours_(neighbours), unit_rows_(unit_rows), witness_(witness) {}
  // A curator for what happens inside a release of this one.
  std::unique_ptr<Curator> inside(std::size_t unit_rows) const {
    return std::unique_ptr<Curator>(new Curator(bits_, neighbours_, unit_rows, witness_));
  }
  std::vector<std::int64_t> shown(const WitnessedQuery& query, std::vector<std::int64_t> output) const {
    if (witness_ != nullptr) witness_->ends(query, output);
    return output;
  }
  SharedSample draw_sample(const SampledGaussianEvent& mechanism, std::size_t rows);
  // Row numbers that were drawn of so many rows: a witness may have them follow the records of a re-ordered table.
  template <class Number>
  void follow_records(std::vector<Number>& numbers, std::size_t rows) const;
  void record(const Mechanism& mechanism, std::string what);  // what it costs a unit
  void record_as_it_is(Mechanism mechanism, std::string what);
  Released<std::vector<std::int64_t>> with_gaussian_noise(const std::vector<std::int64_t>& value, double sigma);

  random::BitSource& bits_;
  Neighbours neighbours_;
  std::size_t unit_rows_;
  Witness* witness_ = nullptr;
  std::vector<PrivacyEvent> events_;
};

}  // namespace dperm::privacy
