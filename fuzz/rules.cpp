// SPDX-License-Identifier: Apache-2.0
// The language of rules: what is accepted says the same when it is written again.
#include "dperm/rules/rule_text.hpp"
#include "fuzz/tables.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace dperm;
  static const auto encoding = fuzz::table("");
  fuzz::accepted([&] {
    const rules::Hypothesis rule = rules::parse_rule(fuzz::text_of(data, size), *encoding);
    const std::string text = rules::describe(rule, *encoding);
    fuzz::require_that(rules::describe(rules::parse_rule(text, *encoding), *encoding) == text);
  });
  return 0;
}
