// SPDX-License-Identifier: Apache-2.0
#include "cli/alarm_text.hpp"

#include <fmt/format.h>

#include "cli/output_file.hpp"
#include "cli/text.hpp"

namespace dperm::cli {

namespace {

std::string one_class_text(const data::Inspection& found, const schema::Target& target) {
  const std::string what = fmt::format("the target '{}' is the same in every row", target.name);
  if (target.kind == schema::TargetKind::real) {
    return what + ". Are lower and upper in the unit of the file, and can its cells be read?";
  }
  if (target.kind == schema::TargetKind::binary && found.classes[1].rows == 0) {
    return target.threshold
               ? fmt::format("{}: no number is above the threshold {}", what, *target.threshold)
               : fmt::format(
                     "{}: no cell is {}. Write positive as the file does: in quotes it is compared as text "
                     "(\"1\" is not 1.0), without as a number",
                     what, found.classes[1].label);
  }
  return what + ": there is nothing to learn";
}

// What a missing target is taken for.
std::string instead_of_target(const schema::Target& target) {
  if (target.kind == schema::TargetKind::real) return "the middle of the bounds";
  return target.kind == schema::TargetKind::binary ? "negative" : fmt::format("'{}'", target.values.front());
}

std::string code_text(const std::string& column, const std::string& value, const std::string& share) {
  return fmt::format(
      "{} is {} in {}, far from its other values or beyond its bounds. A code for \"not known\"? Then add it "
      "to missing of [format]: the model takes it for a number",
      column, value, share);
}

std::string almost_listed_text(const std::string& column, const std::string& share, bool is_target) {
  return fmt::format(
      "{}{} is written otherwise than the schema lists it in {}: in upper or lower case, or as 1.0 for 1. Texts in "
      "quotes are compared as they stand, so these rows {}",
      is_target ? "the target, " : "", column, share, is_target ? "are of another class" : "hold no value of the list");
}

}  // namespace

std::string alarm_text(const data::Alarm& alarm, const data::Inspection& found, const schema::Schema& schema) {
  const std::size_t rows = found.report.rows;
  const std::string column = fmt::format("column '{}'", alarm.column);
  const std::string share = fmt::format("{} of {}", alarm.count, counted(rows, "row"));
  switch (alarm.kind) {
    case data::AlarmKind::one_class:
      return one_class_text(found, schema.target);
    case data::AlarmKind::unreadable:
      return fmt::format(
          "{} cannot be read as its kind in {}. Is the kind right? Numbers with separators or signs need "
          "thousands, decimal or strip, dates need format, and texts that mean no value belong into missing of "
          "[format]",
          column, share);
    case data::AlarmKind::unknown_values:
      return fmt::format(
          "{} holds values outside its list in {}. Compare the list with the code book: texts in quotes, "
          "numbers without",
          column, share);
    case data::AlarmKind::out_of_bounds:
      return fmt::format("{} is outside lower and upper in {}. Are the bounds in the unit of the file?", column, share);
    case data::AlarmKind::duplicate:
      return fmt::format("{} tells the same as '{}' in every row. Keep one: both cost accuracy", column, alarm.other);
    case data::AlarmKind::copy_of_target:
      return fmt::format(
          "{} alone gives the target '{}' away. Is it a copy, or known only afterwards? Then leave it out", column,
          schema.target.name);
    case data::AlarmKind::almost_listed:
      return almost_listed_text(column, share, alarm.column == schema.target.name);
    case data::AlarmKind::no_target:
      return fmt::format("the target '{}' has no known value in {}. They count as {}; leave such rows out of the file",
                         alarm.column, share, instead_of_target(schema.target));
    case data::AlarmKind::code:
      return code_text(column, alarm.value, share);
    case data::AlarmKind::too_wide:
      return fmt::format(
          "{} lies in a fiftieth of its bounds in nearly all rows, where the model can hardly tell them apart. "
          "Are lower and upper in the unit of the file? Over a range as wide as this scale = \"log\" gives small "
          "values room",
          column);
    case data::AlarmKind::not_utf8:
      return fmt::format(
          "{} holds texts that are not UTF-8 in {}: they equal no value of the list. Save the file as UTF-8", column,
          share);
    case data::AlarmKind::ambiguous_date:
      return fmt::format("{} holds dates that two of its formats read differently in {}: the first of them decides",
                         column, share);
    case data::AlarmKind::repeated_block:
      return fmt::format(
          "about {} repeat an earlier part of the table, one after the other. Was a file added twice? Then a "
          "person has several rows, and the guarantee is about one",
          share);
    case data::AlarmKind::repeated_identifier:
      return fmt::format(
          "{} names things that have several rows: {} are further ones. The guarantee is about one row; if "
          "a person has several, it is weaker for the person. [unit] in the schema protects persons (docs/unit.md)",
          column, share);
  }
  return column;
}

void note_alarms(const std::vector<data::Alarm>& alarms, const data::Inspection& found, const schema::Schema& schema) {
  for (const data::Alarm& alarm : alarms) {
    note(red_note(wrapped("WARNING: " + alarm_text(alarm, found, schema), 100, 9)));
  }
}

}  // namespace dperm::cli
