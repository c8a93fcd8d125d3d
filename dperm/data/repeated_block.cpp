// SPDX-License-Identifier: Apache-2.0
#include "dperm/data/repeated_block.hpp"

#include <algorithm>
#include <cmath>

namespace dperm::data {

namespace {

constexpr double kPattern = 1.0 / 50;  // rows that are alike more often are a pattern, such as years
constexpr double kNoChance = 13.8;     // one in a million, as a logarithm
constexpr std::size_t kFewestRepeated = 5;

std::uint64_t mixed(std::uint64_t hash, std::uint64_t next) {
  hash = (hash ^ next) * 0x9e3779b97f4a7c15;
  return hash ^ (hash >> 29);
}

}  // namespace

void RepeatedBlock::add(std::uint64_t row) {
  ++rows_;
  if (sample_.size() < kSample) sample_.push_back(row);
  if (different_ > 0 && last_[(different_ - 1) % kLength] == row) return;
  last_[different_++ % kLength] = row;
  if (different_ < kLength) return;
  std::uint64_t hash = 0;
  for (std::size_t i = 0; i < kLength; ++i) hash = mixed(hash, last_[(different_ + i) % kLength]);
  if (hash % kKeptOneIn == 0 && !seen_.insert(hash).second) ++repeated_;
}

double RepeatedBlock::chance_of_two_alike() const {
  std::vector<std::uint64_t> sorted = sample_;
  std::sort(sorted.begin(), sorted.end());
  double pairs = 0;
  for (auto first = sorted.begin(); first != sorted.end();) {
    const auto end = std::upper_bound(first, sorted.end(), *first);
    const auto times = static_cast<double>(end - first);
    pairs += times * (times - 1);
    first = end;
  }
  const auto n = static_cast<double>(sorted.size());
  return n < 2 ? 1 : pairs / (n * (n - 1));
}

std::size_t RepeatedBlock::rows() const {
  if (repeated_ < kFewestRepeated) return 0;
  const double alike = chance_of_two_alike();
  const double places = 2 * std::log(static_cast<double>(rows_));
  if (alike > kPattern || -static_cast<double>(kLength) * std::log(alike) < places + kNoChance) return 0;
  return std::min(rows_, repeated_ * kKeptOneIn);
}

}  // namespace dperm::data
