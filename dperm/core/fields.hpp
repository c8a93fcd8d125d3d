// SPDX-License-Identifier: Apache-2.0
// A struct that lists its fields once. Writing, reading, comparing and describing it follow from the list, and the
// compiler refuses a list that leaves a field out.
//
//   struct GaussianEvent {
//     double l2_sensitivity, sigma;
//     static constexpr auto fields() {
//       return std::tuple(field("l2_sensitivity", &GaussianEvent::l2_sensitivity), field("sigma",
//       &GaussianEvent::sigma));
//     }
//   };
#pragma once

#include <cstddef>
#include <string_view>
#include <tuple>
#include <type_traits>

namespace dperm {

template <class Struct, class Value>
struct Field {
  std::string_view name;
  Value Struct::* member;
  bool optional = false;  // says nothing, and may be left out of text, where it is Value{}
};

template <class Struct, class Value>
constexpr Field<Struct, Value> field(std::string_view name, Value Struct::* member) {
  return {name, member};
}

template <class Struct, class Value>
constexpr Field<Struct, Value> optional_field(std::string_view name, Value Struct::* member) {
  return {name, member, true};
}

template <class Struct>
concept HasFields = requires { Struct::fields(); };

namespace detail {

struct AnyValue {
  template <class T>
  operator T() const;
};

template <class Aggregate, class... Values>
constexpr std::size_t aggregate_size() {
  if constexpr (requires { Aggregate{Values{}..., AnyValue{}}; }) {
    return aggregate_size<Aggregate, Values..., AnyValue>();
  } else {
    return sizeof...(Values);
  }
}

}  // namespace detail

// True when the list has as many entries as the aggregate has members.
template <class Struct>
constexpr bool lists_every_field() {
  return std::tuple_size_v<decltype(Struct::fields())> == detail::aggregate_size<Struct>();
}

// Calls visit(name, value) for every field in the order of the list.
template <class Struct, class Visit>
constexpr void for_each_field(Struct& value, Visit&& visit) {
  using Plain = std::remove_const_t<Struct>;
  static_assert(lists_every_field<Plain>(), "fields() must name every member of the struct");
  std::apply([&](const auto&... each) { (visit(each.name, value.*(each.member)), ...); }, Plain::fields());
}

// The same for two values side by side: visit(name, first's, second's).
template <class Struct, class Visit>
constexpr void for_each_field(const Struct& first, const Struct& second, Visit&& visit) {
  static_assert(lists_every_field<Struct>(), "fields() must name every member of the struct");
  std::apply([&](const auto&... each) { (visit(each.name, first.*(each.member), second.*(each.member)), ...); },
             Struct::fields());
}

// True for a field that the list calls optional.
template <HasFields Struct>
constexpr bool is_optional(std::string_view name) {
  return std::apply([&](const auto&... each) { return ((each.name == name && each.optional) || ...); },
                    Struct::fields());
}

}  // namespace dperm
