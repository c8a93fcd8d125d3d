// SPDX-License-Identifier: Apache-2.0
// dperm calibrate: the noise, steps or sampling rate that keeps a promise, on the safe side.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <memory>
#include <nlohmann/json.hpp>

#include "cli/commands.hpp"
#include "cli/event_text.hpp"
#include "cli/numbers.hpp"
#include "dperm/core/error.hpp"
#include "dperm/privacy/calibration/search.hpp"

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
  double value;
  privacy::PrivacyEvent event;
};

Found find(const CalibrateFlags& flags) {
  const EventText text = parse_event_text(flags.event);
  const privacy::Neighbours neighbours = parse_neighbours(flags.neighbours);
  const auto with = [&](const char* key, double value) {
    EventText complete = text;
    complete.values[key] = fmt::format("{}", value);
    return event_of(complete, neighbours);
  };
  const auto require_free = [&](const char* key) {
    if (text.values.contains(key)) throw ArgumentError(fmt::format("leave {} out: it is what you ask for", key));
  };
  if (flags.what == "steps") {
    require_free("count");
    const privacy::PrivacyEvent one = event_of(text, neighbours);
    const std::int64_t steps = privacy::most_steps(one, flags.epsilon, flags.delta, std::int64_t{1} << 40);
    if (steps == 0) throw ArgumentError(fmt::format("even one release exceeds epsilon {:g}", flags.epsilon));
    privacy::PrivacyEvent event = one;
    event.repetitions = steps;
    return {"count", static_cast<double>(steps), event};
  }
  const bool noise = flags.what == "noise";
  if (!noise && flags.what != "rate") throw ArgumentError("say noise, steps or rate; got '" + flags.what + "'");
  const bool sampled = text.kind.starts_with("sampled-");
  if (noise && !sampled && text.kind != "gaussian" && text.kind != "laplace" && text.kind != "k-norm") {
    throw ArgumentError(
        fmt::format("noise is found for gaussian, laplace, k-norm, sampled-gaussian and "
                    "sampled-laplace; got '{}'",
                    text.kind));
  }
  if (!noise && !sampled) {
    throw ArgumentError(fmt::format("a rate is found for sampled-gaussian and sampled-laplace; got '{}'", text.kind));
  }
  const char* key = !noise ? "rate" : text.kind.ends_with("gaussian") ? "sigma" : "scale";
  require_free(key);
  const privacy::EventsAt events = [&](double x) { return std::vector{with(key, x)}; };
  // Noise is searched in units of the sensitivity.
  const EventText& t = text;
  const char* unit = sampled ? "contribution" : "sensitivity";
  const double size = t.values.contains(unit) ? parse_number(unit, t.values.at(unit)) : 1;
  const double value = noise ? privacy::smallest_noise(events, flags.epsilon, flags.delta, 0.03 * size, 1e7 * size)
                             : privacy::largest_rate(events, flags.epsilon, flags.delta, 1e-9, 1);
  return {key, value, with(key, value)};
}

void run(const CalibrateFlags& flags) {
  const Found found = find(flags);
  if (flags.json) {
    nlohmann::ordered_json result{{found.name, found.value},
                                  {"epsilon", flags.epsilon},
                                  {"delta", flags.delta},
                                  {"neighbours", flags.neighbours},
                                  {"mechanism", privacy::to_string(found.event.mechanism)},
                                  {"repetitions", found.event.repetitions}};
    fmt::print("{}\n", result.dump(2));
    return;
  }
  fmt::print("{} = {}\n  {} x {}\n  keeps epsilon {:g} at delta {:g}, {} neighbours\n", found.name, found.value,
             found.event.repetitions, privacy::to_string(found.event.mechanism), flags.epsilon, flags.delta,
             flags.neighbours);
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
