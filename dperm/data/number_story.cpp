// SPDX-License-Identifier: Apache-2.0
#include "dperm/data/number_story.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace dperm::data {

namespace {

constexpr std::size_t kMostValues = std::size_t{1} << 14;  // that are counted
constexpr std::size_t kFewestRows = 10;                    // of a code, and one in a hundred
constexpr std::size_t kCodeOneIn = 100;
constexpr double kBeyondOneIn = 10;         // of the bounds, how far beyond them a code lies
constexpr std::size_t kFewestNarrow = 100;  // rows; fewer may be alike
constexpr std::size_t kNarrow = 50;         // the part of the bounds that nearly all rows lie in, and still differ
constexpr std::size_t kElsewhere = 1000;    // one in so many rows may lie elsewhere,
constexpr std::size_t kDifferently = 10;    // and one in so many of those that do not hold the commonest value

void count(std::unordered_map<double, std::size_t>& counts, double value) {
  if (const auto found = counts.find(value); found != counts.end()) {
    ++found->second;
  } else if (counts.size() < kMostValues) {
    counts.emplace(value, 1);
  }
}

// The commonest value; nothing where there is none.
std::optional<NumberStory::Code> commonest(const std::unordered_map<double, std::size_t>& counts, auto wanted) {
  std::optional<NumberStory::Code> found;
  for (const auto& [value, rows] : counts) {
    if (!wanted(value)) continue;
    if (!found || std::pair(rows, value) > std::pair(found->rows, found->value)) found = {value, rows};
  }
  return found;
}

}  // namespace

NumberStory::NumberStory(double lower, double upper, schema::Scale scale)
    : lower_(lower), upper_(upper), scale_(scale) {
  for (const double size : {99.0, 999.0, 9999.0, 99999.0, 999999.0, 9999999.0, 99999999.0, 999999999.0}) {
    nines_.emplace_back(size, 0);
    nines_.emplace_back(-size, 0);
  }
  nines_.emplace_back(-9, 0);
}

std::size_t NumberStory::bin_of(double value) const {
  double part = (value - lower_) / (upper_ - lower_);
  if (scale_ == schema::Scale::log) part = std::log1p(value - lower_) / std::log1p(upper_ - lower_);
  return std::min(static_cast<std::size_t>(part * static_cast<double>(kBins)), kBins - 1);
}

void NumberStory::add(double value) {
  ++rows_;
  if (std::isnan(value)) return;
  ++readable_;
  below_ += value < lower_;
  above_ += value > upper_;
  count(counts_, value);
  if (value < lower_ || value > upper_) count(outside_, value);
  ++bins_[bin_of(std::clamp(value, lower_, upper_))];
  const auto nine = std::ranges::find(nines_, value, &std::pair<double, std::size_t>::first);
  if (nine != nines_.end()) {
    ++nine->second;
  } else {
    least_ = std::min(least_, value);
    most_ = std::max(most_, value);
  }
}

std::optional<NumberStory::Code> NumberStory::code_outside() const {
  for (const bool above : {false, true}) {
    const auto found = commonest(outside_, [&](double value) { return (value > upper_) == above; });
    if (!found || 2 * found->rows <= (above ? above_ : below_)) continue;
    // Close to the bound it is a number like others, and moving it there changes little.
    const double beyond = above ? found->value - upper_ : lower_ - found->value;
    if (beyond * kBeyondOneIn >= upper_ - lower_) return found;
  }
  return std::nullopt;
}

std::optional<NumberStory::Code> NumberStory::code_of_nines() const {
  std::optional<Code> found;
  const double spread = most_ - least_;
  for (const auto& [value, rows] : nines_) {
    if (!(spread > 0) || rows == 0) continue;
    if (value - most_ <= spread && least_ - value <= spread) continue;
    if (!found || rows > found->rows) found = {value, rows};
  }
  return found;
}

std::optional<NumberStory::Code> NumberStory::code() const {
  for (const auto& found : {code_outside(), code_of_nines()}) {
    if (found && found->rows >= std::max(kFewestRows, rows_ / kCodeOneIn) && found->rows < readable_) return found;
  }
  return std::nullopt;
}

bool NumberStory::is_narrow() const {
  const auto common = commonest(counts_, [](double) { return true; });
  if (!common || common->rows == readable_ || readable_ < kFewestNarrow) return false;
  constexpr std::size_t kWindow = kBins / kNarrow;
  std::size_t inside = std::accumulate(bins_.begin(), bins_.begin() + kWindow, std::size_t{0}), most = inside;
  for (std::size_t end = kWindow; end < kBins; ++end) {
    inside += bins_[end] - bins_[end - kWindow];
    most = std::max(most, inside);
  }
  const std::size_t elsewhere = readable_ - most;
  return elsewhere <= readable_ / kElsewhere && elsewhere * kDifferently <= readable_ - common->rows;
}

}  // namespace dperm::data
