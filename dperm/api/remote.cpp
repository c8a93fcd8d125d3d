// SPDX-License-Identifier: Apache-2.0
#include "dperm/remote.hpp"

#include "dperm/core/check.hpp"
#include "dperm/core/error.hpp"
#include "dperm/data/part_tiles.hpp"
#include "dperm/engine/dataset.hpp"
#include "dperm/engine/remote/part_file.hpp"
#include "dperm/engine/remote/remote_sums.hpp"

namespace dperm {

namespace {

std::shared_ptr<const schema::Encoding> encoding_of(const Schema& schema) {
  schema::validate(schema);
  require(!schema.unit, "schema",
          "has a [unit], which needs all rows of a person in one place; read them on one machine");
  return std::make_shared<const schema::Encoding>(schema);
}

}  // namespace

PartFacts write_part(ArrowArrayStream* stream, const Schema& schema, const std::string& name, const std::string& path,
                     int threads) {
  const engine::remote::PartFile written =
      engine::remote::write_part(stream, *encoding_of(schema), name, path, threads);
  return {written.rows, written.digest};
}

std::vector<std::string> part_columns(const Schema& schema) { return data::part_columns(*encoding_of(schema)); }

PartRows::PartRows(const Schema& schema, const std::string& name, const std::string& path, const PartFacts& facts,
                   std::size_t first)
    : part_(engine::remote::open_part(encoding_of(schema), name, path, {facts.rows, facts.digest}, first)) {}

std::string PartRows::answer(std::string_view question, int threads) const {
  return part_->answer(question, {threads});
}

std::string add_answers(std::string_view a, std::string_view b) { return engine::remote::add(a, b); }

Dataset remote_dataset(const Schema& schema, std::size_t rows, std::function<std::string(const std::string&)> ask) {
  auto encoding = encoding_of(schema);
  auto sums = std::make_shared<const engine::remote::RemoteSums>(encoding, rows, std::move(ask));
  return Dataset(std::make_shared<const data::Dataset>(std::move(encoding), engine::SharedSums(std::move(sums))));
}

}  // namespace dperm
