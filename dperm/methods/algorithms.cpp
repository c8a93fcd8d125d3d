// SPDX-License-Identifier: Apache-2.0
#include "dperm/methods/algorithms.hpp"

#include <fmt/format.h>

#include <optional>
#include <utility>

#include "dperm/core/error.hpp"
#include "dperm/methods/option_tables.hpp"
#include "dperm/methods/shared/unit_plan.hpp"
#include "dperm/methods/tuned/candidates.hpp"

namespace dperm::methods {

namespace {

// Calls visit(options struct) for every algorithm.
template <class Visit, std::size_t... I>
void for_each_algorithm(Visit&& visit, std::index_sequence<I...>) {
  (visit(std::variant_alternative_t<I, AlgorithmOptions>{}), ...);
}
template <class Visit>
void for_each_algorithm(Visit&& visit) {
  for_each_algorithm(std::forward<Visit>(visit), std::make_index_sequence<std::variant_size_v<AlgorithmOptions>>{});
}

}  // namespace

Plan plan_for(const Task& task, const AlgorithmOptions& options) {
  const auto one_row = [&](const Task& asked) {
    return std::visit([&](const auto& each) { return plan_for(asked, each); }, options);
  };
  const bool plain = task.facts.unit_rows == 0 || std::holds_alternative<NonPrivateOptions>(options);
  return plain ? one_row(task) : plan_for_unit(task, options, one_row);
}

std::string_view algorithm_name(const AlgorithmOptions& options) {
  return std::visit([]<class Options>(const Options&) { return OptionTable<Options>::algorithm; }, options);
}

std::string_view method_name(const AlgorithmOptions& options) {
  return std::visit([]<class Options>(const Options&) { return OptionTable<Options>::method; }, options);
}

std::vector<AlgorithmOptions> all_algorithms() {
  std::vector<AlgorithmOptions> result;
  for_each_algorithm([&]<class Options>(const Options& options) {
    if constexpr (!std::is_same_v<Options, TunedOptions> && !std::is_same_v<Options, NonPrivateOptions>)
      result.emplace_back(options);
  });
  return result;
}

Texts option_texts(const AlgorithmOptions& options) {
  if (const auto* tuned = std::get_if<TunedOptions>(&options)) return tuned_texts(*tuned);
  return std::visit([](const auto& each) { return texts_of(each); }, options);
}

AlgorithmOptions options_named(std::string_view algorithm, const Texts& texts) {
  if (algorithm == OptionTable<TunedOptions>::algorithm) return tuned_options(texts);
  std::optional<AlgorithmOptions> result;
  for_each_algorithm([&]<class Options>(const Options&) {
    if (OptionTable<Options>::algorithm == algorithm) result = options_from<Options>(texts);
  });
  if (!result) throw ArgumentError(fmt::format("there is no algorithm '{}'", algorithm));
  return *result;
}

}  // namespace dperm::methods
