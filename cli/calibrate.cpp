// SPDX-License-Identifier: Apache-2.0
// dperm calibrate: the noise, steps or sampling rate that keeps a promise, on the safe side.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <memory>
#include <nlohmann/json.hpp>

#include "cli/commands.hpp"
#include "cli/event_text.hpp"
#include "cli/json_text.hpp"
#include "cli/numbers.hpp"
#include "cli/progress.hpp"
#include "dperm/core/error.hpp"
#include "dperm/privacy/calibration/find.hpp"
#include "dperm/privacy/events/event_fields.hpp"

namespace dperm::cli {
namespace {

struct CalibrateFlags {
  std::string what, event;
  std::string neighbours = "replace-one";
  double epsilon = 0, delta = 0;
  bool json = false;
};

struct Found {
  std::string name;
  nlohmann::ordered_json value;
  privacy::PrivacyEvent event;
};

// One field of the event, as it is.
nlohmann::ordered_json value_of(const privacy::Mechanism& mechanism, std::string_view field) {
  nlohmann::ordered_json result;
  const auto look = [&]<class Value>(std::string_view name, const Value& value, bool) {
    if constexpr (std::is_same_v<Value, double>) {
      if (name == field) result = value;
    }
  };
  std::visit([&](const auto& event) { privacy::for_each_leaf(event, look); }, mechanism);
  return result;
}

Found find(const CalibrateFlags& flags) {
  const EventText text = parse_event_text(flags.event);
  const privacy::Neighbours neighbours = parse_neighbours(flags.neighbours);
  if (flags.what == "steps") {
    if (text.values.contains("count")) throw ArgumentError("leave count out: it is what is asked for");
    const auto event = privacy::find_steps(event_of(text, neighbours), flags.epsilon, flags.delta);
    return {"count", event.repetitions, event};
  }
  const bool noise = flags.what == "noise";
  if (!noise && flags.what != "rate") throw ArgumentError("say noise, steps or rate; got '" + flags.what + "'");
  const privacy::Mechanism kind = kind_of(text);
  const auto field = noise ? privacy::noise_field(kind) : privacy::rate_field(kind);
  const auto search = noise ? privacy::find_noise : privacy::find_rate;
  // An event without such a field is refused by the search, whatever its other values.
  const auto event = field ? event_of(text, neighbours, *field) : privacy::PrivacyEvent{text.kind, kind, neighbours};
  const auto found = search(event, flags.epsilon, flags.delta);
  return {std::string(field.value()), value_of(found.mechanism, *field), found};
}

void run(const CalibrateFlags& flags) {
  const SlowNote slow("still computing; each of some 30 settings is accounted for, which can take a minute");
  const Found found = find(flags);
  if (flags.json) {
    nlohmann::ordered_json result{{found.name, found.value},
                                  {"epsilon", flags.epsilon},
                                  {"delta", flags.delta},
                                  {"neighbours", flags.neighbours},
                                  {"mechanism", privacy::to_string(found.event.mechanism)},
                                  {"repetitions", found.event.repetitions}};
    fmt::print("{}\n", json_text(result));
    return;
  }
  fmt::print("{} = {}\n  {} x {}\n  keeps epsilon {:g} at delta {:g}, {} neighbours\n", found.name,
             json_text(found.value, -1), found.event.repetitions, privacy::to_string(found.event.mechanism),
             flags.epsilon, flags.delta, flags.neighbours);
}

}  // namespace

void add_calibrate(CLI::App& app) {
  CLI::App* command = app.add_subcommand("calibrate", "Find the noise, steps or sampling rate that keeps a promise");
  auto flags = std::make_shared<CalibrateFlags>();
  command->add_option("WHAT", flags->what, "noise, steps or rate")->type_name("TEXT")->required();
  command
      ->add_option("EVENT", flags->event, "the release without it, for example sampled-gaussian:rate=0.01,count=1000")
      ->type_name("TEXT")
      ->required();
  command->add_option("--neighbours", flags->neighbours, "replace-one (default) or add-remove")->type_name("TEXT");
  add_number(*command, "--epsilon", flags->epsilon, "the epsilon to keep")->required();
  add_number(*command, "--delta", flags->delta, "at this delta; 0 for a pure promise")->required();
  command->add_flag("--json", flags->json, "print JSON");
  command->footer(event_help() + "\n\n" + app.get_footer());
  command->callback([flags] { run(*flags); });
}

}  // namespace dperm::cli
