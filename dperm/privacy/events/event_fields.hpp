// SPDX-License-Identifier: Apache-2.0
// What follows from the lists of fields for every kind of event: the kinds by their words, and their fields one by one.
#pragma once

#include <array>
#include <optional>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>

#include "dperm/core/fields.hpp"
#include "dperm/core/words.hpp"
#include "dperm/privacy/events/event.hpp"

namespace dperm::privacy {

namespace detail {

template <class... Events>
constexpr bool list_every_field(std::type_identity<std::variant<Events...>>) {
  return (lists_every_field<Events>() && ...);
}

template <class... Events>
constexpr auto words_of(std::type_identity<std::variant<Events...>>) {
  return std::array{Events::word...};
}

template <class... Events>
std::optional<Mechanism> empty_mechanism(std::string_view word, std::type_identity<std::variant<Events...>>) {
  std::optional<Mechanism> result;
  static_cast<void>(((Events::word == word && (result = Events{}, true)) || ...));
  return result;
}

}  // namespace detail

static_assert(detail::list_every_field(std::type_identity<Mechanism>()), "an event's fields() must name every member");
static_assert(lists_every_field<PrivacyEvent>() && lists_every_field<PerturbedObjective>() &&
              lists_every_field<PureObjective>());

// The words of all kinds, in the order of the variant.
inline constexpr auto kMechanismWords = detail::words_of(std::type_identity<Mechanism>());

// The kind with this word, every field zero or empty, to be filled; nothing where there is none.
inline std::optional<Mechanism> empty_mechanism(std::string_view word) {
  return detail::empty_mechanism(word, std::type_identity<Mechanism>());
}

// Calls visit(name, value, optional) for every field of an event, those of a perturbed objective in its place.
template <class Struct, class Visit>
void for_each_leaf(Struct& event, const Visit& visit) {
  for_each_field(event, [&](std::string_view name, auto& value) {
    if constexpr (HasFields<std::remove_cvref_t<decltype(value)>>) {
      for_each_leaf(value, visit);
    } else {
      visit(name, value, is_optional<std::remove_const_t<Struct>>(name));
    }
  });
}

}  // namespace dperm::privacy
