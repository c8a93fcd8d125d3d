// SPDX-License-Identifier: Apache-2.0
#include "dperm/schema/toml_text.hpp"

#include <fmt/format.h>

namespace dperm::schema {

std::string toml_string(std::string_view text) {
  std::string quoted = "\"";
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\') {
      quoted += '\\';
      quoted += c;
    } else if (c == '\t') {
      quoted += "\\t";
    } else if (byte < 0x20 || byte == 0x7f) {
      quoted += fmt::format("\\u{:04X}", byte);
    } else {
      quoted += c;
    }
  }
  return quoted + '"';
}

std::string toml_strings(const std::vector<std::string>& texts) {
  std::string list = "[";
  for (const std::string& text : texts) list += (list.size() > 1 ? ", " : "") + toml_string(text);
  return list + "]";
}

std::string style_toml(const NumberStyle& style) {
  std::string text;
  if (style.decimal != '.') text += fmt::format("decimal = \"{}\"\n", style.decimal);
  if (!style.thousands.empty()) text += fmt::format("thousands = {}\n", toml_string(style.thousands));
  if (!style.strip.empty()) text += fmt::format("strip = {}\n", toml_strings(style.strip));
  return text;
}

std::string format_toml(const TextFormat& format) {
  std::string text = "\n[format]\n";
  if (!format.file.empty()) text += fmt::format("file = {}\n", toml_string(format.file));
  text += fmt::format("delimiter = {}\nheader = {}\nskip_rows = {}\n", toml_string(std::string(1, format.delimiter)),
                      format.header, format.skip_rows);
  if (format.skip_last_rows != 0) text += fmt::format("skip_last_rows = {}\n", format.skip_last_rows);
  if (format.multi_line) text += "multi_line = true\n";
  if (format.line_end == '\r') text += "line_end = \"\\r\"\n";
  if (!format.column_names.empty()) text += fmt::format("column_names = {}\n", toml_strings(format.column_names));
  return text + fmt::format("missing = {}\n", toml_strings(format.missing));
}

}  // namespace dperm::schema
