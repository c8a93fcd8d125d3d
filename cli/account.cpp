// SPDX-License-Identifier: Apache-2.0
// dperm account: what a list of releases costs, under every accountant, and what an attacker gains from it.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cmath>
#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>

#include "cli/account_models.hpp"
#include "cli/commands.hpp"
#include "cli/event_text.hpp"
#include "cli/json_text.hpp"
#include "cli/numbers.hpp"
#include "cli/progress.hpp"
#include "dperm/core/check.hpp"
#include "dperm/core/error.hpp"
#include "dperm/privacy/composition/account_report.hpp"

namespace dperm::cli {
namespace {

struct AccountFlags {
  std::vector<std::string> events;
  std::string file;
  std::string neighbours = "replace-one";
  std::optional<double> delta, epsilon;
  double width = privacy::kDefaultWidth;
  std::size_t group = 1;
  bool json = false;
  std::string currency = "basic";
  bool fixed_beforehand = false;
};

bool is_file(const std::string& text) {
  std::error_code ignored;
  return text.ends_with(".json") || std::filesystem::is_regular_file(text, ignored);
}

// The arguments that are model files.
std::vector<std::string> models_in(const AccountFlags& flags) {
  std::vector<std::string> paths;
  std::copy_if(flags.events.begin(), flags.events.end(), std::back_inserter(paths), is_file);
  return paths;
}

FileEvents events_from(const AccountFlags& flags) {
  FileEvents listed = events_of_files(models_in(flags), flags.file);
  for (const std::string& text : flags.events) {
    if (is_file(text)) continue;
    listed.events.push_back(event_of(parse_event_text(text), parse_neighbours(flags.neighbours)));
  }
  if (listed.events.empty()) throw ArgumentError("name at least one event, or a file with --file");
  return listed;
}

std::vector<std::pair<const char*, std::optional<double>>> rows(const privacy::Comparison& c) {
  return {{"gaussian-dp", c.gaussian_dp}, {"pure", c.pure}, {"zcdp", c.zcdp}, {"renyi", c.renyi}, {"basic", c.basic},
          {"advanced", c.advanced}};
}

// Bounds are printed rounded outwards, so that what is read is still true: to six decimals, or to four digits.
double above(double value) { return std::ceil(value * 1e6) / 1e6; }
double below(double value) { return std::floor(value * 1e6) / 1e6; }

double unit_of_last_digit(double value) { return std::pow(10, std::floor(std::log10(value)) - 3); }
double above_digits(double value) {
  return value > 0 ? std::ceil(value / unit_of_last_digit(value)) * unit_of_last_digit(value) : value;
}
double below_digits(double value) {
  return value > 0 ? std::floor(value / unit_of_last_digit(value)) * unit_of_last_digit(value) : value;
}

std::string interval_text(const privacy::Interval& interval, bool partial) {
  const std::string upper = fmt::format("{:.6f}", above(interval.upper));
  if (partial && interval.lower > 0) {
    return fmt::format("{} (at least {:.6f}; what some release costs at least is not known)", upper,
                       below(interval.lower));
  }
  if (partial) return upper + " (what it costs at least is not known)";
  return fmt::format("{:.6f} to {} (contains the exact value)", below(interval.lower), upper);
}

void print_accountants(const privacy::Comparison& comparison) {
  if (const auto& exact = comparison.privacy_loss) {
    fmt::print("  {:<13} {}\n", "privacy-loss", interval_text(*exact, comparison.lower_is_partial));
  }
  for (const auto& [name, epsilon] : rows(comparison)) {
    fmt::print("  {:<13} {}\n", name, epsilon ? fmt::format("{:.6f}", above(*epsilon)) : "does not apply");
  }
}

void print_attack(const privacy::Attack& attack) {
  fmt::print("\nAn attacker who knows all other records and must say which of two datasets was used\n");
  fmt::print("  is right at most {:.4g}% of the time (guessing: 50%)\n",
             std::min(100.0, above_digits(100 * attack.success)));
  for (const auto& [wrong, right] : attack.rates) {
    fmt::print("  at {:g}% false alarms finds the record at most {:.4g}% of the time\n", 100 * wrong,
               std::min(100.0, above_digits(100 * right)));
  }
}

void print_text(const AccountFlags& flags, const FileEvents& listed, const privacy::AccountReport& report) {
  for (const privacy::PrivacyEvent& event : listed.events) {
    fmt::print("{:>10} x {}\n", event.repetitions, privacy::to_string(event.mechanism));
  }
  fmt::print("neighbours: {}\n\n", word(listed.events.front().neighbours));
  for (const std::string& why : listed.not_private) fmt::print("NOT private: {}\n", why);
  if (!listed.not_private.empty())
    fmt::print("What follows holds for the recorded releases alone, with secret noise.\n\n");
  if (const auto& guarantee = report.guarantee) {
    fmt::print("epsilon {:.6f} at delta {:g} ({})\n", above(guarantee->epsilon), guarantee->delta,
               guarantee->accountant);
  }
  if (report.comparison) print_accountants(*report.comparison);
  if (report.delta) {
    fmt::print("delta {:.4g} at epsilon {:g} (at least {:.4g}{})\n", above_digits(report.delta->upper), *flags.epsilon,
               below_digits(report.delta->lower), report.lower_is_partial ? ", as far as is known" : "");
  }
  if (report.group_delta) {
    fmt::print("delta {:.4g} at epsilon {:g} for someone with {} records\n", above_digits(*report.group_delta),
               *flags.epsilon, flags.group);
  }
  // About the files as they are: no such bound holds for one that is not private.
  if (report.attack && listed.not_private.empty()) print_attack(*report.attack);
}

using Json = nlohmann::ordered_json;

Json number(std::optional<double> value) { return value && std::isfinite(*value) ? Json(*value) : Json(nullptr); }

// The lower end is null where nothing is known of it.
Json interval_json(const privacy::Interval& interval, bool partial) {
  return {{"lower", partial && interval.lower == 0 ? Json(nullptr) : Json(interval.lower)},
          {"upper", number(interval.upper)},
          {"lower_is_partial", partial}};
}

void print_json(const AccountFlags& flags, const FileEvents& listed, const privacy::AccountReport& report) {
  Json result{{"neighbours", word(listed.events.front().neighbours)}, {"events", Json::array()}};
  for (const privacy::PrivacyEvent& event : listed.events) {
    result["events"].push_back(
        {{"what", event.what}, {"mechanism", privacy::to_string(event.mechanism)}, {"repetitions", event.repetitions}});
  }
  if (report.guarantee) {
    result["delta"] = report.guarantee->delta;
    result["epsilon"] = number(report.guarantee->epsilon);
    result["accountant"] = report.guarantee->accountant;
  }
  if (report.comparison) {
    Json& each = result["accountants"];
    if (report.comparison->privacy_loss)
      each["privacy-loss"] = interval_json(*report.comparison->privacy_loss, report.comparison->lower_is_partial);
    for (const auto& [name, epsilon] : rows(*report.comparison)) each[name] = number(epsilon);
  }
  if (report.delta) {
    result["delta_at"] = interval_json(*report.delta, report.lower_is_partial);
    result["delta_at"]["epsilon"] = *flags.epsilon;
  }
  if (report.group_delta) result["group"] = {{"size", flags.group}, {"delta", *report.group_delta}};
  // Releases that are only named are a question; a model is private or not.
  if (listed.of_models) result["private"] = listed.not_private.empty();
  if (!listed.not_private.empty()) result["why"] = listed.not_private;
  if (report.attack && listed.not_private.empty()) {
    Json& attack = result["attacker"];
    attack["advantage"] = report.attack->advantage;
    for (const auto& [wrong, right] : report.attack->rates) {
      attack["rates"].push_back({{"false_positive_rate", wrong}, {"true_positive_rate", right}});
    }
  }
  fmt::print("{}\n", json_text(result));
}

void run(const AccountFlags& flags) {
  const std::vector<std::string> models = models_in(flags);
  if (!models.empty() && !flags.fixed_beforehand) {
    require(models.size() == flags.events.size() && flags.file.empty(),
            "models and events add up only if all were fixed beforehand: say --fixed-beforehand");
    return print_models_total({models, flags.currency, flags.delta, flags.json});
  }
  const FileEvents listed = events_from(flags);
  require(flags.group <= std::uint64_t{1} << 62, "--group is too large");
  const SlowNote slow("still computing; many different or very many releases can take a minute");
  const privacy::AccountReport report =
      privacy::report(listed.events, {flags.delta, flags.epsilon, flags.width, static_cast<std::int64_t>(flags.group)});
  (flags.json ? print_json : print_text)(flags, listed, report);
}

}  // namespace

void add_account(CLI::App& app) {
  CLI::App* command = app.add_subcommand("account", "Show what a list of private releases costs");
  auto flags = std::make_shared<AccountFlags>();
  command
      ->add_option("EVENT", flags->events,
                   "a release, for example gaussian:sigma=5,sensitivity=1,count=100; or model\n"
                   "files, which are added up")
      ->type_name("TEXT");
  command->add_option("--file", flags->file, "JSON with a list of events: a model file, or {\"events\": [...]}")
      ->type_name("FILE");
  command->add_option("--neighbours", flags->neighbours, "replace-one (default) or add-remove, for EVENT")
      ->type_name("TEXT");
  add_number(*command, "--delta", flags->delta, "show epsilon at this delta");
  add_number(*command, "--epsilon", flags->epsilon, "show delta at this epsilon");
  add_number(*command, "--width", flags->width, "largest width of the interval around epsilon (default 0.001)");
  add_integer(*command, "--group", flags->group, "with --epsilon: also for someone with this many records");
  command->add_option("--currency", flags->currency, "models: what adds up: basic, gaussian or renyi (docs/ledger.md)")
      ->type_name("WORD")
      ->capture_default_str();
  command->add_flag("--fixed-beforehand", flags->fixed_beforehand,
                    "models: all were decided before the first was made, so that they compose\ntightly");
  command->add_flag("--json", flags->json, "print JSON");
  command->footer(event_help() + "\n\n" + app.get_footer());
  command->callback([flags] { run(*flags); });
}

}  // namespace dperm::cli
