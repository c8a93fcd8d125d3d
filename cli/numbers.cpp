// SPDX-License-Identifier: Apache-2.0
#include "cli/numbers.hpp"

#include <fmt/core.h>

#include <CLI/CLI.hpp>
#include <charconv>
#include <limits>
#include <optional>

#include "dperm/core/error.hpp"

namespace dperm::cli {

namespace {

template <class Store>
CLI::Option* add(CLI::App& command, const std::string& name, const char* type, const std::string& help, Store store) {
  return command
      .add_option_function<std::string>(
          name, [name, store](const std::string& text) { store(name, text); }, help)
      ->type_name(type);
}

}  // namespace

double parse_number(std::string_view option, std::string_view text) {
  const std::string_view digits = text.starts_with('+') ? text.substr(1) : text;
  double value = 0;
  const auto [end, status] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
  if (status == std::errc::result_out_of_range) {
    throw ArgumentError(fmt::format("{} must be a number within double precision; got '{}'", option, text));
  }
  if (status != std::errc() || end != digits.data() + digits.size()) {
    throw ArgumentError(fmt::format("{} must be a number such as 0.5 or 1e-6; got '{}'", option, text));
  }
  return value;
}

namespace {

// Digits, and perhaps zeros after an e: 30000 or 3e4.
std::optional<std::uint64_t> integer_in(std::string_view text) {
  std::uint64_t value = 0, zeros = 0;
  const char* const last = text.data() + text.size();
  auto [end, status] = std::from_chars(text.data(), last, value);
  if (status != std::errc()) return std::nullopt;
  if (end == last) return value;
  if (*end != 'e' && *end != 'E') return std::nullopt;
  const auto [after, exponent] = std::from_chars(end + 1, last, zeros);
  if (exponent != std::errc() || after != last || zeros > 19) return std::nullopt;
  for (; zeros > 0; --zeros) {
    if (value > std::numeric_limits<std::uint64_t>::max() / 10) return std::nullopt;
    value *= 10;
  }
  return value;
}

}  // namespace

std::uint64_t parse_integer(std::string_view option, std::string_view text) {
  const auto value = integer_in(text);
  if (value) return *value;
  throw ArgumentError(fmt::format("{} must be an integer, such as 30000 or 3e4; got '{}'", option, text));
}

CLI::Option* add_number(CLI::App& command, const std::string& name, double& value, const std::string& help) {
  return add(command, name, "NUMBER", help,
             [&value](const auto& option, const auto& text) { value = parse_number(option, text); });
}

CLI::Option* add_number(CLI::App& command, const std::string& name, std::optional<double>& value,
                        const std::string& help) {
  return add(command, name, "NUMBER", help,
             [&value](const auto& option, const auto& text) { value = parse_number(option, text); });
}

CLI::Option* add_integer(CLI::App& command, const std::string& name, std::size_t& value, const std::string& help) {
  return add(command, name, "INTEGER", help,
             [&value](const auto& option, const auto& text) { value = parse_integer(option, text); });
}

CLI::Option* add_integer(CLI::App& command, const std::string& name, std::optional<std::uint64_t>& value,
                         const std::string& help) {
  return add(command, name, "INTEGER", help,
             [&value](const auto& option, const auto& text) { value = parse_integer(option, text); });
}

}  // namespace dperm::cli
