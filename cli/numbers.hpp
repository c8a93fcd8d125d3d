// SPDX-License-Identifier: Apache-2.0
// Options that hold numbers, read strictly: an empty text, a stray letter or a value beyond double precision is refused
// instead of becoming 0.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace CLI {
class App;
class Option;
}  // namespace CLI

namespace dperm::cli {

// Throws ArgumentError naming the option. "nan" and "inf" are numbers here: whoever uses the value refuses them.
double parse_number(std::string_view option, std::string_view text);
// Digits only, from 0 to 2^64 - 1.
std::uint64_t parse_integer(std::string_view option, std::string_view text);

// `value` must live as long as the command.
CLI::Option* add_number(CLI::App& command, const std::string& name, double& value, const std::string& help);
CLI::Option* add_number(CLI::App& command, const std::string& name, std::optional<double>& value,
                        const std::string& help);
CLI::Option* add_integer(CLI::App& command, const std::string& name, std::size_t& value, const std::string& help);
CLI::Option* add_integer(CLI::App& command, const std::string& name, std::optional<std::uint64_t>& value,
                         const std::string& help);

}  // namespace dperm::cli
