// SPDX-License-Identifier: Apache-2.0
// Sensitive<T>: a value computed from records. It can be transformed (the result stays sensitive) but not read,
// printed or compared. Only privacy::Curator opens it, adding noise and recording the event.
#pragma once

#include <concepts>
#include <type_traits>
#include <utility>

namespace dperm {

namespace privacy {
class Curator;
}
// Names the two deliberate exceptions; the first is defined in tests/support only, the second is what
// --unsafe-diagnostics and evaluation on data declared public use, and its callers mark what they show.
struct SensitiveTestAccess;
struct DeclaredPublicAccess;

template <class T>
class Sensitive {
 public:
  explicit Sensitive(T value) : value_(std::move(value)) {}

  // f must be a pure function of its argument: what it computes stays inside the result.
  template <std::invocable<const T&> F>
  [[nodiscard]] auto map(F&& f) const -> Sensitive<std::remove_cvref_t<std::invoke_result_t<F, const T&>>> {
    using Result = std::remove_cvref_t<std::invoke_result_t<F, const T&>>;
    return Sensitive<Result>(std::forward<F>(f)(value_));
  }

  // f of two sensitive values; the result is sensitive.
  template <class U, std::invocable<const T&, const U&> F>
  [[nodiscard]] auto with(const Sensitive<U>& other, F&& f) const
      -> Sensitive<std::remove_cvref_t<std::invoke_result_t<F, const T&, const U&>>> {
    using Result = std::remove_cvref_t<std::invoke_result_t<F, const T&, const U&>>;
    return Sensitive<Result>(std::forward<F>(f)(value_, other.value_));
  }

  bool operator==(const Sensitive&) const = delete;

 private:
  friend class privacy::Curator;
  template <class U>
  friend class Sensitive;
  friend struct SensitiveTestAccess;
  friend struct DeclaredPublicAccess;
  T value_;
};

// Opens a value whose records the data owner has declared public (dperm evaluate --public, --unsafe-diagnostics).
struct DeclaredPublicAccess {
  template <class T>
  static const T& open(const Sensitive<T>& sensitive) {
    return sensitive.value_;
  }
};

}  // namespace dperm
