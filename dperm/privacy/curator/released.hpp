// SPDX-License-Identifier: Apache-2.0
// Released<T>: a value that left through the curator's door, or was computed from such values alone. Only a Curator
// can make one, so a result of this type cannot be forged.
#pragma once

#include <concepts>
#include <type_traits>
#include <utility>

namespace dperm::privacy {

class Curator;

template <class T>
class Released {
 public:
  const T& get() const { return value_; }

  // Post-processing.
  template <std::invocable<const T&> F>
  [[nodiscard]] auto map(F&& f) const -> Released<std::remove_cvref_t<std::invoke_result_t<F, const T&>>> {
    return Released<std::remove_cvref_t<std::invoke_result_t<F, const T&>>>(std::forward<F>(f)(value_));
  }

 private:
  friend class Curator;
  template <class U>
  friend class Released;
  explicit Released(T value) : value_(std::move(value)) {}
  T value_;
};

}  // namespace dperm::privacy
