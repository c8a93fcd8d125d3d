// SPDX-License-Identifier: Apache-2.0
// Values as little-endian bytes and back. A type says its members once, in a function `members(archive, value)`, for
// both directions. Reading never goes past the end: bytes that are not what was written are an InternalError.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "dperm/core/check.hpp"
#include "dperm/engine/resolution.hpp"

namespace dperm::engine::remote {

static_assert(std::endian::native == std::endian::little && sizeof(std::size_t) == 8);

template <class T>
inline constexpr bool kIsNumber = std::is_arithmetic_v<T> || std::is_enum_v<T> || std::is_same_v<T, WideSum>;

// Values are not changed; they are taken by reference as the reader takes them.
class ByteWriter {
 public:
  template <class... Values>
  void operator()(Values&... values) {
    (put(values), ...);
  }
  std::string take() { return std::move(bytes_); }

 private:
  template <class T>
  void put(T& value) {
    if constexpr (kIsNumber<T>) {
      bytes_.append(reinterpret_cast<const char*>(&value), sizeof value);
    } else {
      members(*this, value);
    }
  }
  template <class T>
  void put(std::vector<T>& values) {
    std::uint64_t count = values.size();
    put(count);
    if constexpr (kIsNumber<T>) {
      if (count > 0) bytes_.append(reinterpret_cast<const char*>(values.data()), count * sizeof(T));
    } else {
      for (T& value : values) put(value);
    }
  }
  void put(std::string& text) {
    std::uint64_t count = text.size();
    put(count);
    bytes_ += text;
  }
  template <class T>
  void put(std::optional<T>& value) {
    bool is_there = value.has_value();
    put(is_there);
    if (is_there) put(*value);
  }
  template <class... Ts>
  void put(std::variant<Ts...>& value) {
    auto which = static_cast<std::uint8_t>(value.index());
    put(which);
    std::visit([this](auto& held) { this->put(held); }, value);
  }

  std::string bytes_;
};

class ByteReader {
 public:
  explicit ByteReader(std::string_view bytes) : bytes_(bytes) {}
  template <class... Values>
  void operator()(Values&... values) {
    (get(values), ...);
  }
  void end() const { ensure(bytes_.empty(), "bytes from another machine are longer than they should be"); }

 private:
  std::string_view take(std::size_t count) {
    ensure(count <= bytes_.size(), "bytes from another machine are cut short");
    const std::string_view taken = bytes_.substr(0, count);
    bytes_.remove_prefix(count);
    return taken;
  }
  // A count of things that are at least `size` bytes each: no more than there are bytes for.
  std::size_t count_of(std::size_t size) {
    std::uint64_t count = 0;
    get(count);
    ensure(count <= bytes_.size() / size, "bytes from another machine are cut short");
    return count;
  }
  template <class T>
  void get(T& value) {
    if constexpr (std::is_same_v<T, bool>) {
      value = take(1)[0] != 0;
    } else if constexpr (kIsNumber<T>) {
      std::memcpy(&value, take(sizeof value).data(), sizeof value);
    } else {
      members(*this, value);
    }
  }
  template <class T>
  void get(std::vector<T>& values) {
    const std::size_t count = count_of(kIsNumber<T> ? sizeof(T) : 1);
    if constexpr (kIsNumber<T>) {
      values.resize(count);
      if (count > 0) std::memcpy(values.data(), take(count * sizeof(T)).data(), count * sizeof(T));
    } else {
      values.clear();
      for (std::size_t i = 0; i < count; ++i) get(values.emplace_back());
    }
  }
  void get(std::string& text) { text = std::string(take(count_of(1))); }
  template <class T>
  void get(std::optional<T>& value) {
    bool is_there = false;
    get(is_there);
    value.reset();
    if (is_there) get(value.emplace());
  }
  template <class... Ts>
  void get(std::variant<Ts...>& value) {
    std::uint8_t which = 0;
    get(which);
    std::uint8_t index = 0;
    const bool found = ((index++ == which ? (get(value.template emplace<Ts>()), true) : false) || ...);
    ensure(found, "bytes from another machine hold something unknown");
  }

  std::string_view bytes_;
};

}  // namespace dperm::engine::remote
