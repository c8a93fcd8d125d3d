// SPDX-License-Identifier: Apache-2.0
#include "dperm/random/choice/lattice_selection.hpp"

#include <algorithm>
#include <limits>
#include <numbers>
#include <numeric>
#include <utility>

#include "dperm/core/check.hpp"
#include "dperm/random/bernoulli.hpp"
#include "dperm/random/choice/cost_table.hpp"

namespace dperm::random {
namespace {

using detail::Wide;

constexpr int kCandidateBits = 60;  // cells of all boxes together: what a table of costs can number
constexpr std::size_t kFirstBoxes = 32;
constexpr std::size_t kMostBoxes = std::size_t{1} << 21;
constexpr double kIndivisible = -std::numeric_limits<double>::infinity();

// [proof random_lattice_selection.coin]
// True with probability exp(-gap denominator / numerator).
bool accept(BitSource& bits, std::uint64_t gap, CostScale scale) {
  const Wide product = static_cast<Wide>(gap) * scale.denominator;
  for (Wide whole = product / scale.numerator; whole > 0; --whole) {
    if (!bernoulli_exp(bits, 1, 1)) return false;
  }
  return bernoulli_exp(bits, static_cast<std::uint64_t>(product % scale.numerator), scale.numerator);
}
// [/proof]

// [proof random_lattice_selection.partition]
// Boxes that cover the set, the heaviest halved first. Cells of 2^fine points a side are never divided.
class Partition {
 public:
  Partition(const LatticeCosts& costs, CostScale scale) : costs_(costs), scale_(scale) {
    const std::size_t dimension = costs.dimension();
    fine_ = std::max(0, costs.bits() - kCandidateBits / static_cast<int>(dimension));
    add({std::vector<std::uint64_t>(dimension, 0), std::vector<int>(dimension, costs.bits())});
    ensure(!heap_.empty(), "the set of lattice points is empty");
  }

  // Until there are that many boxes or none can be halved.
  void refine(std::size_t boxes) {
    while (heap_.size() < boxes && !heap_.empty() && heap_.front().weight > kIndivisible) {
      std::pop_heap(heap_.begin(), heap_.end());
      const Node node = std::move(heap_.back());
      heap_.pop_back();
      halve(node);
    }
  }

  // One run a box, in the order in which draw() looks them up; valid until the next refinement.
  std::vector<CostRun> runs() {
    first_.clear();
    std::vector<CostRun> result;
    std::uint64_t total = 0;
    for (const Node& node : heap_) {
      const std::uint64_t size = std::uint64_t{1} << cell_bits(node.box);
      result.push_back({size, node.lower});
      first_.push_back(total);
      total += size;
    }
    return result;
  }

  // A point of the set with probability exp(-cost / scale) / (sum over all points of exp(-bound / scale)), else
  // nothing.
  std::optional<std::vector<std::uint64_t>> draw(BitSource& bits, const detail::CostTable& table) const {
    const detail::Candidate candidate = table.draw(bits);
    const Node& node = heap_[candidate.run];
    std::uint64_t cell = candidate.number - first_[candidate.run];
    std::vector<std::uint64_t> point(node.box.first);
    for (std::size_t j = 0; j < point.size(); ++j) {
      const int cells = node.box.bits[j] - fine_;
      point[j] += (cell & ((std::uint64_t{1} << cells) - 1)) << fine_;
      cell >>= cells;
      point[j] += uniform_below(bits, std::uint64_t{1} << fine_);
    }
    if (!costs_.contains(point)) return std::nullopt;
    const std::int64_t gap = costs_.cost(point) - node.lower;
    ensure(gap >= 0, "a lattice point costs less than the bound of its box");
    if (!accept(bits, static_cast<std::uint64_t>(gap), scale_)) return std::nullopt;
    return point;
  }

 private:
  struct Node {
    double weight;  // logarithm of the box's share of the envelope, or kIndivisible
    std::int64_t lower;
    std::size_t axis;
    LatticeBox box;
    bool operator<(const Node& other) const { return weight < other.weight; }
  };

  int cell_bits(const LatticeBox& box) const {
    return std::accumulate(box.bits.begin(), box.bits.end(), 0) - fine_ * static_cast<int>(box.bits.size());
  }

  void halve(const Node& node) {
    LatticeBox lower = node.box;
    std::size_t axis = std::min(node.axis, lower.bits.size() - 1);
    if (lower.bits[axis] == fine_) {
      axis = static_cast<std::size_t>(std::max_element(lower.bits.begin(), lower.bits.end()) - lower.bits.begin());
    }
    --lower.bits[axis];
    LatticeBox upper = lower;
    upper.first[axis] += std::uint64_t{1} << lower.bits[axis];
    add(std::move(lower));
    add(std::move(upper));
  }

  void add(LatticeBox box) {
    const std::optional<BoxBound> bound = costs_.bound(box);
    if (!bound) return;
    const int log_size = cell_bits(box);
    const double height = static_cast<double>(bound->lower) * static_cast<double>(scale_.denominator) /
                          static_cast<double>(scale_.numerator);
    const double weight = log_size == 0 ? kIndivisible : log_size * std::numbers::ln2 - height;
    heap_.push_back({weight, bound->lower, bound->axis, std::move(box)});
    std::push_heap(heap_.begin(), heap_.end());
  }

  const LatticeCosts& costs_;
  CostScale scale_;
  int fine_ = 0;
  std::vector<Node> heap_;
  std::vector<std::uint64_t> first_;
};

// Whatever was rejected before, and however boxes were halved because of it, a trial that accepts has the right
// distribution.
std::vector<std::uint64_t> first_accepted(BitSource& bits, const LatticeCosts& costs, CostScale scale) {
  Partition partition(costs, scale);
  for (std::size_t boxes = kFirstBoxes;; boxes = std::min(2 * boxes, kMostBoxes)) {
    partition.refine(boxes);
    const std::vector<CostRun> runs = partition.runs();
    const detail::CostTable table(runs, scale);
    for (std::size_t trial = 0; trial < boxes; ++trial) {
      if (auto point = partition.draw(bits, table)) return *point;
    }
  }
}
// [/proof]

}  // namespace

std::vector<std::uint64_t> choose_exponential(BitSource& bits, const LatticeCosts& costs, CostScale scale) {
  ensure(costs.dimension() >= 1 && costs.dimension() <= kMostLatticeDimensions, "a lattice has 1 to 8 dimensions");
  ensure(costs.bits() >= 1 && costs.bits() <= kMostLatticeBits, "a lattice has 1 to 31 bits per dimension");
  return first_accepted(bits, costs, scale);
}

}  // namespace dperm::random
