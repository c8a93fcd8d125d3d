// SPDX-License-Identifier: Apache-2.0
#include "dperm/schema.hpp"

#include <fmt/format.h>

#include <utility>

#include "dperm/api/uncounted.hpp"
#include "dperm/core/check.hpp"
#include "dperm/data/identifiers.hpp"
#include "dperm/infer/fill.hpp"
#include "dperm/infer/known.hpp"
#include "dperm/random/bits_for.hpp"
#include "dperm/schema/shapes.hpp"

namespace dperm {

Schema with_shape(const Schema& schema, std::string_view shape) { return schema::with_shape_text(schema, shape); }

void api::refuse_uncounted(const std::string& dataset) {
  require(dataset.empty(), fmt::format("what is spent on the dataset '{}' is counted by a ledger, as the schema says; "
                                       "name the ledger, or take [ledger] out of the schema",
                                       dataset));
}

schema::Draft api::draft_of(std::string_view text, const InferOptions& options) {
  schema::Draft draft = schema::Draft::parse(text, "draft");
  infer::describe(
      draft, {options.target, options.target_kind, options.positive, options.ignored, options.unit, options.codebook});
  return draft;
}

InferredSchema api::filled(const std::vector<std::string>& files, schema::Draft draft, const InferOptions& options,
                           random::BitSource& bits) {
  const data::RawTable table{files, draft.format(), options.threads, {}, draft.unit()};
  infer::Filled filled = infer::fill(std::move(draft), table, {options.epsilon, options.delta}, bits);
  return {std::move(filled.schema), std::move(filled.inferred), std::move(filled.left_out),
          std::move(filled.identifiers)};
}

InferredSchema infer_schema(const std::vector<std::string>& files, std::string_view text, const InferOptions& options) {
  schema::Draft draft = api::draft_of(text, options);
  if (draft.blanks().empty()) return {draft.finish(), {}, {}};
  api::refuse_uncounted(draft.dataset());
  const auto bits = random::bits_for(options.seed);
  return api::filled(files, std::move(draft), options, *bits);
}

std::vector<std::string> column_names(const std::vector<std::string>& files, const Schema& schema,
                                      const std::string& format) {
  return data::column_names(files, schema.format, format);
}

std::vector<std::string> persons_without_unit(const Schema& schema, const std::vector<std::string>& names,
                                              std::size_t rows) {
  if (schema.unit) return {};
  std::vector<std::string> found = schema.identifiers;
  const std::vector<std::string> more = data::undeclared_identifiers(names, schema, rows);
  found.insert(found.end(), more.begin(), more.end());
  return found;
}

}  // namespace dperm
