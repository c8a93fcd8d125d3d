// SPDX-License-Identifier: Apache-2.0
// What a curator draws about rows and keeps: parts, batches, coins, samples. Note: secret_draws.md.
#include <algorithm>
#include <memory>
#include <span>
#include <utility>

#include "dperm/core/check.hpp"
#include "dperm/privacy/composition/sampling.hpp"
#include "dperm/privacy/curator/curator.hpp"
#include "dperm/random/bernoulli.hpp"
#include "dperm/random/choice/coin_sample.hpp"
#include "dperm/random/choice/permutation.hpp"
#include "dperm/random/choice/subset.hpp"

namespace dperm::privacy {

template <class Number>
void Curator::follow_records(std::vector<Number>& numbers, std::size_t rows) const {
  if (witness_ == nullptr) return;
  const std::span<const std::uint32_t> places = witness_->places(rows);
  if (places.empty()) return;
  for (Number& number : numbers) number = places[number];
}

// [proof privacy_secret_draws.draw]
Sensitive<std::vector<std::size_t>> Curator::draw_subset(std::size_t rows, std::size_t size) {
  std::vector<std::size_t> chosen = random::fixed_subset(bits_, rows, size);
  follow_records(chosen, rows);
  std::ranges::sort(chosen);
  return Sensitive<std::vector<std::size_t>>(std::move(chosen));
}

Sensitive<std::vector<std::uint32_t>> Curator::draw_batches(std::size_t rows, std::size_t size) {
  require(size >= 1, "a batch has at least one row");
  std::vector<std::uint32_t> order = random::permutation(bits_, rows);
  follow_records(order, rows);
  for (std::size_t first = 0; first < rows; first += size) {
    std::ranges::sort(std::span(order).subspan(first, std::min(size, rows - first)));
  }
  return Sensitive<std::vector<std::uint32_t>>(std::move(order));
}

Sensitive<std::vector<bool>> Curator::draw_coins(const Sensitive<std::size_t>& persons, double probability) {
  require(probability > 0 && probability < 1, "a coin's probability must be strictly between 0 and 1");
  constexpr std::uint64_t kOne = std::uint64_t{1} << 53;
  const auto heads = static_cast<std::uint64_t>(probability * static_cast<double>(kOne));
  std::vector<bool> coins(persons.value_);
  for (auto coin : coins) coin = random::bernoulli(bits_, heads, kOne);
  return Sensitive<std::vector<bool>>(std::move(coins));
}

SharedSample Curator::draw_sample(const SampledGaussianEvent& mechanism, std::size_t rows) {
  std::shared_ptr<const RowSample> sample;
  if (mechanism.sampling == Sampling::poisson) {
    sample = random::draw_sample(bits_, rows, mechanism.rate);
  } else {
    sample =
        std::make_shared<const ListedRows>(random::fixed_subset(bits_, rows, size_of_rate(mechanism.rate, rows)), rows);
  }
  if (witness_ != nullptr && !witness_->places(rows).empty()) {
    std::vector<std::size_t> numbers = rows_in(*sample, 0, rows);
    follow_records(numbers, rows);
    std::ranges::sort(numbers);
    sample = std::make_shared<const ListedRows>(std::move(numbers), rows);
  }
  return {std::move(sample)};
}
// [/proof]

}  // namespace dperm::privacy
