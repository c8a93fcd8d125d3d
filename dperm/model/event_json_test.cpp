// SPDX-License-Identifier: Apache-2.0
#include "dperm/model/event_json.hpp"

#include <gtest/gtest.h>

#include <limits>

#include "dperm/model/version_1.hpp"
#include "dperm/privacy/events/event_fields.hpp"

namespace dperm::model {
namespace {

using nlohmann::json;
using privacy::PrivacyEvent;

std::vector<PrivacyEvent> read(json events) {
  return events_of(JsonReader(json{{"events", std::move(events)}}, "x.json", ""));
}

// Sets field after field to something else; a visitor that does not know a type does not compile.
struct Change {
  double next = 1;
  void operator()(std::string_view, double& value, bool) { value = next += 0.25; }
  void operator()(std::string_view, std::uint64_t& value, bool) { value = static_cast<std::uint64_t>(next += 1); }
  void operator()(std::string_view, privacy::GradientSign& value, bool) { value = privacy::GradientSign::multinomial; }
  void operator()(std::string_view, privacy::Sampling& value, bool) { value = privacy::Sampling::fixed_size; }
  void operator()(std::string_view, privacy::RepetitionDistribution& value, bool) {
    value = privacy::RepetitionDistribution::poisson;
  }
  void operator()(std::string_view, std::vector<std::vector<PrivacyEvent>>& value, bool) {
    const PrivacyEvent inner{"step", privacy::GaussianEvent{1, next += 1}, privacy::Neighbours::add_remove, 7};
    value = {{inner}, {inner, inner}};
  }
};

// One of every kind, no two fields alike.
std::vector<PrivacyEvent> one_of_each() {
  std::vector<PrivacyEvent> events;
  Change change;
  for (const std::string_view word : privacy::kMechanismWords) {
    privacy::Mechanism mechanism = privacy::empty_mechanism(word).value();
    std::visit(
        [&](auto& event) {
          privacy::for_each_leaf(
              event, [&](std::string_view name, auto& value, bool optional) { change(name, value, optional); });
        },
        mechanism);
    events.push_back({"release", mechanism, privacy::Neighbours::add_remove, 5});
  }
  return events;
}

TEST(EventJson, EveryKindComesBackAsItWas) {
  const std::vector<PrivacyEvent> events = one_of_each();
  EXPECT_EQ(read(json(events_json(events))), events);
}

TEST(EventJson, KeysAreThoseOfTheDocumentation) {
  const auto keys = [](const PrivacyEvent& event) {
    std::string result;
    const nlohmann::ordered_json written = events_json({event});
    for (const auto& [key, value] : written[0].items()) result += key + ' ';
    return result;
  };
  const privacy::PerturbedObjective objective{privacy::GradientSign::monotone, 1, 1, 2, 3};
  EXPECT_EQ(keys({"x", privacy::ObjectivePerturbationEvent{objective, 1e-9}}),
            "what mechanism sign gradient curvature penalty sigma slack_delta neighbours repetitions ");
  EXPECT_EQ(keys({"x", privacy::SelectionEvent{privacy::RepetitionDistribution::poisson, 0, 10, 0, 0.5}}),
            "what mechanism repetition_distribution shape parameter base_epsilon base_mu neighbours repetitions ");
  EXPECT_EQ(keys({"x", privacy::DiscreteLaplaceEvent{1, 2, 3}}),
            "what mechanism l1_sensitivity scale_numerator scale_denominator neighbours repetitions ");
}

TEST(EventJson, AMissingKeyIsNamedAndAnUnknownWordRefused) {
  for (const nlohmann::ordered_json& written : events_json(one_of_each())) {
    for (const auto& [key, value] : written.items()) {
      if (key == "classes" || key == "alternatives" || key == "group") continue;  // optional
      json without = json(written);
      without.erase(key);
      try {
        read({without});
        FAIL() << key;
      } catch (const DataError& error) {
        EXPECT_NE(std::string(error.what()).find(key), std::string::npos) << error.what();
      }
      if (!value.is_string() || key == "what") continue;
      json other = json(written);
      other[key] = "another";
      EXPECT_THROW(read({other}), DataError) << key;
    }
  }
}

TEST(EventJson, AGuaranteeComesBackAsItWas) {
  privacy::Guarantee guarantee{1.5, 1e-6, privacy::Neighbours::add_remove, "gaussian-dp", 0.5, 0.25, false};
  const auto again = [](const privacy::Guarantee& each) {
    const json written = json(guarantee_json(each, 0));
    return guarantee_of(JsonReader(written, "x.json", ""), 0);
  };
  EXPECT_EQ(again(guarantee), guarantee);
  guarantee.mu.reset();
  EXPECT_EQ(again(guarantee), guarantee);
}

TEST(EventJson, AGuaranteeIsForItsUnit) {
  const privacy::Guarantee guarantee{1.5, 1e-6, privacy::Neighbours::add_remove, "gaussian-dp", 0.5, 0.25, false};
  const json row = json(guarantee_json(guarantee, 0)), person = json(guarantee_json(guarantee, 5));
  EXPECT_EQ(row["unit"], "one row");
  EXPECT_EQ(person["unit"], "one person, at most 5 rows");
  EXPECT_EQ(guarantee_of(JsonReader(person, "x.json", ""), 5), guarantee);
  for (const std::size_t other : {0u, 4u})
    EXPECT_THROW(guarantee_of(JsonReader(person, "x.json", ""), other), DataError);
  EXPECT_THROW(guarantee_of(JsonReader(row, "x.json", ""), 5), DataError);
}

TEST(EventJson, VersionOneHasItsOwnWords) {
  const json old = {
      {"events",
       {{{"mechanism", "laplace"}},
        {{"mechanism", "exponential"}, {"oscillation", 3}},
        {{"mechanism", "selection"},
         {"repetition_law", "poisson"},
         {"alternatives", {{{"events", {{{"mechanism", "permute-and-flip"}, {"oscillation", 4}}}}}}}}}},
      {"plan", {{"question", {{"rows", 5}}}, {"options", {{"law", "geometric"}}}, {"events", json::array()}}}};
  const json now = from_version_1(old);
  EXPECT_EQ(now["events"][0]["mechanism"], "discrete-laplace");
  EXPECT_EQ(now["events"][1], (json{{"mechanism", "exponential"}, {"range", 3}}));
  EXPECT_EQ(now["events"][2]["repetition_distribution"], "poisson");
  EXPECT_EQ(now["events"][2]["alternatives"][0]["events"][0]["range"], 4);
  EXPECT_EQ(now["plan"]["task"]["rows"], 5);
  EXPECT_EQ(now["plan"]["options"], (json{{"distribution", "geometric"}}));
  for (const json& odd : {json(), json(3), json{{"events", 4}, {"plan", 5}}, json{{"events", {1}}, {"plan", {1}}}}) {
    EXPECT_EQ(from_version_1(odd), odd);
  }
}

TEST(EventJson, OldWordsAreRefusedInNewFiles) {
  json event = json(events_json({{"x", privacy::DiscreteLaplaceEvent{1, 2, 3}}}))[0];
  event["mechanism"] = "laplace";
  EXPECT_THROW(read({event}), DataError);
  event = json(events_json({{"x", privacy::ExponentialEvent{1, 2, 3}}}))[0];
  event["oscillation"] = event["range"];
  event.erase("range");
  EXPECT_THROW(read({event}), DataError);
}

}  // namespace
}  // namespace dperm::model
