// SPDX-License-Identifier: Apache-2.0
#include "dperm/model/version_1.hpp"

#include <nlohmann/json.hpp>
#include <string>
#include <utility>

namespace dperm::model {

namespace {

using Json = nlohmann::json;

void rename(Json& object, const char* before, const char* now) {
  if (!object.is_object() || !object.contains(before) || object.contains(now)) return;
  object[now] = std::move(object[before]);
  object.erase(before);
}

// Version 1 had one level of events inside events.
void rename_in_events(Json& object, bool inner) {
  if (!object.is_object() || !object.contains("events") || !object["events"].is_array()) return;
  for (Json& event : object["events"]) {
    if (!event.is_object()) continue;
    rename(event, "oscillation", "range");
    rename(event, "repetition_law", "repetition_distribution");
    if (event.value("mechanism", Json()) == "laplace") event["mechanism"] = "discrete-laplace";
    if (inner || !event.contains("alternatives") || !event["alternatives"].is_array()) continue;
    for (Json& alternative : event["alternatives"]) rename_in_events(alternative, true);
  }
}

}  // namespace

Json from_version_1(Json file) {
  if (!file.is_object()) return file;
  rename_in_events(file, false);
  if (!file.contains("plan") || !file["plan"].is_object()) return file;
  Json& plan = file["plan"];
  rename_in_events(plan, false);
  rename(plan, "question", "task");
  if (plan.contains("options")) rename(plan["options"], "law", "distribution");
  return file;
}

}  // namespace dperm::model
