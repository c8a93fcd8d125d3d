// SPDX-License-Identifier: Apache-2.0
#include "dperm/data/column_story.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "dperm/schema/encoding.hpp"

namespace dperm::data {

namespace {

constexpr std::size_t kMostCounts = std::size_t{1} << 24;  // of codes by class; more than that gives no class away
constexpr std::size_t kMostFirsts = std::size_t{1} << 20;  // what is kept of a real target
constexpr std::size_t kFewestRows = 10;                    // on a straight line
constexpr std::size_t kWrongOneIn = 1000;
constexpr double kLine = 0.99999;  // correlation of a straight line
// What has a smaller chance is no chance: one in a million, as a logarithm.
constexpr double kNoChance = 13.8;

// The logarithm of how many sets of so many of these rows there are.
double log_sets(std::size_t rows, std::size_t chosen) {
  const auto log_factorial = [](std::size_t n) { return std::lgamma(static_cast<double>(n) + 1); };
  return log_factorial(rows) - log_factorial(chosen) - log_factorial(rows - chosen);
}

std::size_t cut_of(std::int32_t q) {
  return static_cast<std::size_t>(std::clamp(q, -schema::kRealOne, schema::kRealOne) + schema::kRealOne);
}

}  // namespace

ColumnStory::ColumnStory(const StoryTarget& target, bool ordered) : target_(target), ordered_(ordered) {
  if (ordered && target.classes == 2) cuts_.resize(2 * (2 * std::size_t{schema::kRealOne} + 1));
}

// Codes in the order in which they appeared; beyond many, the code stands for itself.
std::size_t ColumnStory::first_of(std::int32_t code) {
  if (const auto found = firsts_.find(code); found != firsts_.end()) return found->second;
  if (firsts_.size() >= kMostFirsts) return kMostFirsts + static_cast<std::uint32_t>(code);
  return firsts_.emplace(code, firsts_.size()).first->second;
}

void ColumnStory::add(std::span<const std::int32_t> codes, std::span<const std::int32_t> targets) {
  rows_ += codes.size();
  for (std::size_t r = 0; r < codes.size(); ++r) {
    const std::size_t first = first_of(codes[r]);
    if (first < kMostFirsts) {
      if (sizes_.size() <= first) sizes_.resize(first + 1);
      ++sizes_[first];
    }
    signature_ = (signature_ ^ first) * 0x100000001b3;
    signature_ ^= signature_ >> 29;
    if (target_.classes > 0 && (first + 1) * target_.classes <= kMostCounts) {
      if (counts_.size() < (first + 1) * target_.classes) counts_.resize((first + 1) * target_.classes);
      ++counts_[first * target_.classes + static_cast<std::size_t>(targets[r])];
    }
    if (!cuts_.empty()) ++cuts_[2 * cut_of(codes[r]) + static_cast<std::size_t>(targets[r])];
    if (target_.real && ordered_) {
      const double x = static_cast<double>(codes[r]) / schema::kRealOne;
      const double y = static_cast<double>(targets[r]) / schema::kTargetOne;
      sum_x_ += x;
      sum_y_ += y;
      sum_xx_ += x * x;
      sum_yy_ += y * y;
      sum_xy_ += x * y;
    }
  }
}

bool ColumnStory::is_telling() const {
  const auto largest = std::max_element(sizes_.begin(), sizes_.end());
  return largest != sizes_.end() && log_sets(rows_, rows_ - *largest) >= kNoChance;
}

bool ColumnStory::gives_target() const { return target_.classes > 0 ? gives_class() : gives_number(); }

bool ColumnStory::gives_class() const {
  const std::size_t classes = target_.classes;
  std::vector<std::size_t> totals(classes);
  for (std::size_t i = 0; i < counts_.size(); ++i) totals[i % classes] += counts_[i];
  const std::size_t rows = std::accumulate(totals.begin(), totals.end(), std::size_t{0});
  const std::size_t others = rows - *std::max_element(totals.begin(), totals.end());
  if (rows != rows_ || others == 0) return false;
  const double sets = log_sets(rows, others);
  std::size_t wrong = rows;
  // Every value may stand for either class; where they are many, or the table is small, some fit by chance.
  if (10 * firsts_.size() <= rows && sets - static_cast<double>(firsts_.size()) * std::log(2) >= kNoChance) {
    wrong = 0;
    for (auto level = counts_.begin(); level != counts_.end(); level += static_cast<std::ptrdiff_t>(classes)) {
      const auto end = level + static_cast<std::ptrdiff_t>(classes);
      wrong += std::accumulate(level, end, std::size_t{0}) - *std::max_element(level, end);
    }
  }
  std::size_t negative_below = 0, positive_below = 0;
  const bool cut_tells = sets - std::log(2 * static_cast<double>(rows) + 2) >= kNoChance;
  for (std::size_t q = 0; cut_tells && q < cuts_.size() / 2; ++q) {
    negative_below += cuts_[2 * q];
    positive_below += cuts_[2 * q + 1];
    const std::size_t rising = positive_below + (totals[0] - negative_below);  // negative below, positive above
    wrong = std::min({wrong, rising, rows - rising});
  }
  return wrong * kWrongOneIn <= others;
}

bool ColumnStory::gives_number() const {
  if (!target_.real || !ordered_ || rows_ < kFewestRows) return false;
  const auto n = static_cast<double>(rows_);
  const double xx = sum_xx_ / n - sum_x_ * sum_x_ / (n * n);
  const double yy = sum_yy_ / n - sum_y_ * sum_y_ / (n * n);
  const double xy = sum_xy_ / n - sum_x_ * sum_y_ / (n * n);
  return xx > 1e-9 && yy > 1e-9 && std::abs(xy) >= kLine * std::sqrt(xx * yy);
}

}  // namespace dperm::data
