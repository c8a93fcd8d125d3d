// SPDX-License-Identifier: Apache-2.0
// Model files. The digest is put right first, or no change would get past it. What is accepted can be used.
#include "dperm/model/model.hpp"

#include <nlohmann/json.hpp>
#include <set>

#include "dperm/core/digest.hpp"
#include "dperm/engine/dataset.hpp"
#include "dperm/methods/evaluation/row_predictions.hpp"
#include "dperm/model/model_json.hpp"
#include "dperm/model/one_answer.hpp"
#include "dperm/model/strict_json.hpp"
#include "fuzz/target.hpp"

namespace {

using namespace dperm;

// Predictions for two rows without a cell, whatever the model's columns are called.
void predict(const model::Model& model) {
  std::set<std::string> names;
  for (const schema::Column& column : model.schema.columns) {
    names.insert(column.source.empty() ? column.name : column.source);
    if (!column.since.empty()) names.insert(column.since);
  }
  if (names.size() > 64) return;
  schema::Schema plain = model.schema;
  plain.format = {.header = false, .column_names = {names.begin(), names.end()}};
  const std::string row = std::string(std::max<std::size_t>(names.size(), 1) - 1, ',') + "\n";
  const fuzz::MemoryFile file(row + row);
  data::ReadOptions read;
  read.format = "csv";
  read.threads = 1;
  read.target_required = read.by_unit = false;
  const auto encoding = std::make_shared<const schema::Encoding>(plain);
  methods::predict(data::read_dataset({file.path()}, encoding, read), model::fitted(model), {1});
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text = fuzz::text_of(data, size);
  fuzz::accepted([&] { model::parse_model(text, "model"); });
  nlohmann::json json;
  fuzz::accepted([&] { json = model::parse_strictly(text, "model", "a model"); });
  if (!json.is_object()) return 0;
  json.erase("digest");
  const auto replace = nlohmann::json::error_handler_t::replace;
  json["digest"] = digest(json.dump(-1, ' ', false, replace));
  fuzz::accepted([&] {
    const model::Model model = model::parse_model(json.dump(-1, ' ', false, replace), "model");
    model::parse_model(model::to_json(model), "again");
    model::one_answer(model);
    predict(model);
  });
  return 0;
}
