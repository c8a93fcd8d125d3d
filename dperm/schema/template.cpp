// SPDX-License-Identifier: Apache-2.0
#include "dperm/schema/template.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "dperm/schema/toml_table.hpp"
#include "dperm/schema/toml_text.hpp"

namespace dperm::schema {

namespace {

constexpr const char* kPreamble = R"(# The public description of the table. docs/schema.md explains every key.
#
# Every "FILL IN" is yours to replace. Take bounds and value lists from documentation: a code book, the form the data
# was collected with, the law, physics. Do NOT look at the records to find them. The privacy guarantee covers what is
# computed from the records; this file is published with the model as it stands, so a largest income or a rare
# diagnosis copied from the records into it is given away without any protection. Wide bounds are safe and cost
# some accuracy; values outside the bounds are moved to the nearest bound.
#
# What is filled in already depends on records and is NOT private: kinds, number styles and date formats were judged by
# the first records of the file (in LIBSVM files the list of columns too). Show this template to the owner of the data
# only, and compare it with documentation before the schema is published.
)";

std::string date_template(const TemplateColumn& column) {
  std::string text = fmt::format(
      "kind = \"date\"  # or \"ignore\"; parts = [\"month\", \"weekday\", \"hour\"] adds categories\n"
      "lower = \"{0}\"  # the first day possible by documentation, such as 2000-01-01\n"
      "upper = \"{0}\"  # the last day possible by documentation\n",
      kFillIn);
  if (column.date_formats.size() == 1) text += fmt::format("format = {}\n", toml_string(column.date_formats[0]));
  if (column.date_formats.size() > 1) {
    text += fmt::format("format = \"{}\"  # several fit: {}\n", kFillIn, fmt::join(column.date_formats, ", "));
  }
  return text;
}

std::string column_template(const TemplateColumn& column) {
  std::string text = fmt::format("\n[[column]]\nname = {}\n", toml_string(column.name));
  if (column.identifier) {
    return text +
           "kind = \"identifier\"  # it seems to name persons or records: left out, and schema check looks for "
           "repeats\n";
  }
  if (column.type == "date") return text + date_template(column);
  if (column.type == "number") {
    return text +
           fmt::format(
               "kind = \"real\"  # or \"integer\", \"category\", \"ignore\"\n"
               "lower = \"{0}\"  # the smallest value possible by documentation, not in the records\n"
               "upper = \"{0}\"  # the largest value possible by documentation, not in the records\n",
               kFillIn) +
           style_toml(column.style);
  }
  if (column.type == "boolean") return text + "kind = \"boolean\"  # or \"category\", \"ignore\"\n";
  if (column.type == "text") {
    return text + fmt::format(
                      "kind = \"category\"  # or \"ignore\"\n"
                      "values = [\"{}\"]  # all values listed in documentation, not found in the records\n"
                      "other = true  # values outside the list share one category\n",
                      kFillIn);
  }
  return text + "kind = \"ignore\"  # a type dperm does not read\n";
}

}  // namespace

std::string schema_template(const std::vector<TemplateColumn>& columns, const TextFormat& format,
                            const std::string& target, const std::string& remark) {
  std::string text = kPreamble;
  text += "\nversion = 1\n" + (remark.empty() ? "" : "\n# " + remark) + format_toml(format);
  text += target.empty()
              ? fmt::format(
                    "\n[target]\ncolumn = \"{}\"  # the column to predict; then delete its [[column]] entry below\n",
                    kFillIn)
              : fmt::format("\n[target]\ncolumn = {}\n", toml_string(target));
  text += fmt::format(
      "kind = \"{}\"  # \"binary\" (give positive = \"x\", or 1 without quotes to compare as a number, or threshold = "
      "1.5),\n"
      "# \"real\" (give lower and upper) or \"class\" (give values)\n",
      kFillIn);
  for (const TemplateColumn& column : columns) {
    if (column.name != target) text += column_template(column);
  }
  return text;
}

}  // namespace dperm::schema
