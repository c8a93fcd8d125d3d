// SPDX-License-Identifier: Apache-2.0
#include "dperm/core/nearest.hpp"

#include <algorithm>
#include <limits>
#include <numeric>

namespace dperm {

namespace {

// Words are short; a very long text is not a misspelling of any.
constexpr std::size_t kLongest = 64;

char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 0; i < a.size(); ++i) {
    std::size_t diagonal = row[0];
    row[0] = i + 1;
    for (std::size_t j = 0; j < b.size(); ++j) {
      const std::size_t replaced = diagonal + (lower(a[i]) == lower(b[j]) ? 0 : 1);
      diagonal = row[j + 1];
      row[j + 1] = std::min({replaced, row[j] + 1, row[j + 1] + 1});
    }
  }
  return row[b.size()];
}

}  // namespace

std::string_view nearest(std::string_view text, const std::vector<std::string_view>& candidates) {
  std::string_view best;
  std::size_t least = std::numeric_limits<std::size_t>::max();
  const std::string_view head = text.substr(0, kLongest);
  for (const std::string_view candidate : candidates) {
    if (const std::size_t distance = edit_distance(head, candidate.substr(0, kLongest)); distance < least) {
      least = distance;
      best = candidate;
    }
  }
  return best;
}

std::string_view likely_meant(std::string_view text, const std::vector<std::string_view>& candidates) {
  if (text.size() >= 2) {
    for (const std::string_view candidate : candidates) {
      if (candidate.starts_with(text)) return candidate;
    }
  }
  const std::string_view best = nearest(text, candidates);
  if (best.empty() || text.size() > kLongest) return {};
  return 2 * edit_distance(text, best.substr(0, kLongest)) < std::max(text.size(), best.size()) ? best
                                                                                                : std::string_view{};
}

std::string did_you_mean(std::string_view text, const std::vector<std::string_view>& candidates) {
  const std::string_view meant = likely_meant(text, candidates);
  return meant.empty() ? std::string() : "; did you mean '" + std::string(meant) + "'?";
}

}  // namespace dperm
