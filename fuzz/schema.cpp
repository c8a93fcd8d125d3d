// SPDX-License-Identifier: Apache-2.0
// Schemas: a text that is accepted has a canonical form that says the same.
#include "dperm/schema/draft.hpp"
#include "dperm/schema/encoding.hpp"
#include "fuzz/target.hpp"

// Further columns of a range are like the others, and take seconds under the sanitizers.
constexpr std::size_t kMostColumns = 50000;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace dperm;
  const std::string_view text = fuzz::text_of(data, size);
  fuzz::accepted([&] {
    const schema::Draft draft = schema::Draft::parse(std::string(text), "draft");
    draft.names();
    if (draft.blanks().empty()) draft.finish();
    draft.check();
  });
  schema::Schema parsed;
  if (!fuzz::accepted([&] { parsed = schema::parse_schema(text, "schema"); })) return 0;
  if (parsed.columns.size() > kMostColumns) return 0;
  fuzz::require_that(schema::parse_schema(schema::to_toml(parsed), "again") == parsed);
  fuzz::accepted([&] { schema::Encoding encoding(parsed); });
  return 0;
}
