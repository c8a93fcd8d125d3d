// SPDX-License-Identifier: Apache-2.0
#include "dperm/engine/split.hpp"

#include <algorithm>
#include <functional>
#include <span>
#include <utility>

#include "dperm/core/check.hpp"

namespace dperm::data {

namespace {

std::vector<std::size_t> all_others(std::span<const std::size_t> chosen, std::size_t rows) {
  std::vector<std::size_t> others;
  others.reserve(rows - chosen.size());
  std::size_t next = 0;
  for (std::size_t row = 0; row < rows; ++row) {
    if (next < chosen.size() && chosen[next] == row) {
      ++next;
    } else {
      others.push_back(row);
    }
  }
  return others;
}

}  // namespace

Split split(const Dataset& dataset, const Sensitive<std::vector<std::size_t>>& chosen, std::size_t size) {
  const std::size_t rows = dataset.rows();
  require(size >= 1 && size < rows, "a split needs at least one row in either part");
  const auto part = [&](bool wanted, std::size_t expected) {
    auto sums = dataset.sums().with(chosen, [&](const engine::RowSums& all, const std::vector<std::size_t>& numbers) {
      ensure(numbers.size() == size && numbers.back() < rows &&
                 std::ranges::adjacent_find(numbers, std::greater_equal<>()) == numbers.end(),
             "a split by other numbers than strictly increasing row numbers");
      return engine::SharedSums(all.select(wanted ? numbers : all_others(numbers, rows)));
    });
    return Dataset(dataset.shared_encoding(), expected, std::move(sums));
  };
  return {part(true, size), part(false, rows - size)};
}

namespace {

void require_persons(const Dataset& dataset) {
  require(dataset.encoding().schema().unit && dataset.is_by_unit(),
          "rows can be divided by persons only where the schema has a [unit] and they were read with it");
}

}  // namespace

Sensitive<std::size_t> persons_of(const Dataset& dataset) {
  require_persons(dataset);
  return dataset.sums().map([](const engine::RowSums& sums) { return sums.persons(); });
}

Split split_persons(const Dataset& dataset, const Sensitive<std::vector<bool>>& chosen) {
  require_persons(dataset);
  const auto part = [&](bool wanted) {
    auto sums = dataset.sums().with(chosen, [&](const engine::RowSums& all, const std::vector<bool>& of) {
      ensure(of.size() == all.persons(), "a division of other persons than those of the table");
      return engine::SharedSums(all.of_persons(of, wanted));
    });
    return Dataset(dataset.shared_encoding(), dataset.rows(), std::move(sums));
  };
  return {part(true), part(false)};
}

}  // namespace dperm::data
