// SPDX-License-Identifier: Apache-2.0
// A schema with blanks: which entries lack their kind, bounds or values, and filling them in. Made from a file that may
// still say "FILL IN", or from the names of columns alone.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "dperm/schema/schema.hpp"

namespace dperm::schema {

// What a template has where something is to be filled in.
inline constexpr std::string_view kTemplateBlank = "FILL IN";

struct Blank {
  enum class Lacks { kind, bounds, values };
  std::string name;
  Lacks lacks = Lacks::kind;
  bool is_target = false;
  NumberStyle style = {};  // how its numbers are written
};

class Draft {
 public:
  // Throw DataError naming line or column.
  static Draft parse(std::string_view toml_text, std::string_view origin);
  static Draft of_columns(const std::vector<std::string>& names, const TextFormat& format);
  Draft(Draft&&) noexcept;
  Draft& operator=(Draft&&) noexcept;
  ~Draft();

  const TextFormat& format() const;
  const std::optional<Unit>& unit() const;
  const std::string& dataset() const;  // of a ledger; empty: none is named
  // Every column and the target, in the order of the file.
  std::vector<std::string> names() const;
  std::vector<Blank> blanks() const;

  // Whether the target's column still says "FILL IN".
  bool lacks_target() const;

  // Makes a column the target; `kind` as in the schema, or empty where it is to be found out. Throws ArgumentError for
  // a name that is not there.
  void set_target(const std::string& name, const std::string& kind);
  void ignore(const std::string& name);
  void identify(const std::string& name);  // it tells persons or records apart: left out, and checked for repeats
  // The column becomes an identifier.
  void set_unit(const Unit& unit);

  // Fill in what an entry lacks; what is there stays.
  void set_description(const std::string& name, const std::string& description);
  void set_bounds(const std::string& name, double lower, double upper, Scale scale, const std::string& kind);
  void set_values(const std::string& name, const std::vector<std::string>& values);
  // A target of two classes.
  void set_positive(const std::string& name, const std::string& value);
  void set_threshold(const std::string& name, double threshold);

  // All that it says by now, to be compared with another.
  std::string text() const;
  // Throws DataError where something is wrong that does not depend on what the blanks will be.
  void check() const;
  // Throws DataError where something is still missing or wrong.
  Schema finish() const;

 private:
  struct Parts;
  explicit Draft(std::unique_ptr<Parts> parts);
  std::unique_ptr<Parts> parts_;
};

}  // namespace dperm::schema
