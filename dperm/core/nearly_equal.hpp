// SPDX-License-Identifier: Apache-2.0
// Equality up to the last digits, for numbers and for everything made of them.
#pragma once

#include <algorithm>
#include <cmath>
#include <concepts>
#include <optional>
#include <variant>
#include <vector>

#include "dperm/core/fields.hpp"

namespace dperm {

// Real numbers may differ by `relative` times the larger one; an infinite one equals only itself, NaN nothing.
// Everything else (integers, words, lengths of lists, kinds of a variant) must be the same.
inline bool nearly_equal(double a, double b, double relative) {
  if (!std::isfinite(a) || !std::isfinite(b)) return a == b;
  return a == b || std::abs(a - b) <= relative * std::max(std::abs(a), std::abs(b));
}

template <std::equality_comparable Value>
  requires(!HasFields<Value>)
bool nearly_equal(const Value& a, const Value& b, double) {
  return a == b;
}

template <class Value>
bool nearly_equal(const std::optional<Value>& a, const std::optional<Value>& b, double relative);
template <class Value>
bool nearly_equal(const std::vector<Value>& a, const std::vector<Value>& b, double relative);
template <class... Values>
bool nearly_equal(const std::variant<Values...>& a, const std::variant<Values...>& b, double relative);

template <HasFields Struct>
bool nearly_equal(const Struct& a, const Struct& b, double relative) {
  bool equal = true;
  for_each_field(
      a, b, [&](std::string_view, const auto& x, const auto& y) { equal = equal && nearly_equal(x, y, relative); });
  return equal;
}

template <class Value>
bool nearly_equal(const std::optional<Value>& a, const std::optional<Value>& b, double relative) {
  return a.has_value() == b.has_value() && (!a || nearly_equal(*a, *b, relative));
}

template <class Value>
bool nearly_equal(const std::vector<Value>& a, const std::vector<Value>& b, double relative) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [&](const Value& x, const Value& y) { return nearly_equal(x, y, relative); });
}

template <class... Values>
bool nearly_equal(const std::variant<Values...>& a, const std::variant<Values...>& b, double relative) {
  if (a.index() != b.index()) return false;
  return std::visit([&]<class Value>(const Value& x) { return nearly_equal(x, std::get<Value>(b), relative); }, a);
}

}  // namespace dperm
