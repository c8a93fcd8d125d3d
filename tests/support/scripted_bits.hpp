// SPDX-License-Identifier: Apache-2.0
// A BitSource that plays back given words, to lead a sampler into the cases that chance almost never finds.
#pragma once

#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <utility>
#include <vector>

#include "dperm/random/bits.hpp"

namespace dperm::testing {

class ScriptedBits final : public random::BitSource {
 public:
  explicit ScriptedBits(std::vector<std::uint64_t> words) : words_(std::move(words)) {}

  std::uint64_t next() override {
    if (used_ == words_.size()) throw std::out_of_range("the script has no more bits");
    return words_[used_++];
  }
  bool secure() const override { return false; }
  std::size_t used() const { return used_; }

 private:
  std::vector<std::uint64_t> words_;
  std::size_t used_ = 0;
};

}  // namespace dperm::testing
