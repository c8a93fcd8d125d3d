// SPDX-License-Identifier: Apache-2.0
// Model files. The digest is put right first, or no change would get past it.
#include <nlohmann/json.hpp>

#include "dperm/core/digest.hpp"
#include "dperm/model/model_json.hpp"
#include "dperm/model/one_answer.hpp"
#include "dperm/model/strict_json.hpp"
#include "fuzz/target.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace dperm;
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
  });
  return 0;
}
