// SPDX-License-Identifier: Apache-2.0
// Whether a part of a table comes again further down, as when a file was added twice: then a person whose row is
// protected has two. Exact, for the owner of the data. Internal to the room.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <unordered_set>
#include <vector>

namespace dperm::data {

class RepeatedBlock {
 public:
  // The next row's hash, in the order of the file.
  void add(std::uint64_t row);

  // Roughly how many rows stand where an earlier part comes again in the same order; 0 where chance, or a pattern of a
  // few rows, could do that.
  std::size_t rows() const;

 private:
  static constexpr std::size_t kLength = 20;  // rows that must come again one after the other; equal ones count once
  static constexpr std::uint64_t kKeptOneIn = 4;  // of such sequences, by their own bits: the same ones in either part
  static constexpr std::size_t kSample = std::size_t{1} << 16;  // rows by which chance is judged

  double chance_of_two_alike() const;

  std::size_t rows_ = 0, different_ = 0, repeated_ = 0;
  std::array<std::uint64_t, kLength> last_{};
  std::unordered_set<std::uint64_t> seen_;
  std::vector<std::uint64_t> sample_;
};

}  // namespace dperm::data
