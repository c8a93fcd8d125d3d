// SPDX-License-Identifier: Apache-2.0
// dperm account: what a list of releases costs, under every accountant, and what an attacker gains from it.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <cmath>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>

#include "cli/commands.hpp"
#include "cli/event_text.hpp"
#include "cli/numbers.hpp"
#include "dperm/core/check.hpp"
#include "dperm/core/error.hpp"
#include "dperm/model/model_json.hpp"
#include "dperm/privacy/calibration/calibration.hpp"
#include "dperm/privacy/composition/accountant.hpp"
#include "dperm/privacy/composition/comparison.hpp"
#include "dperm/privacy/distributions/event_distribution.hpp"

namespace dperm::cli {
namespace {

struct AccountFlags {
  std::vector<std::string> events;
  std::string file;
  std::string neighbours = "replace-one";
  std::optional<double> delta, epsilon;
  double width = 1e-3;
  std::size_t group = 1;
  bool json = false;
};

struct Attack {
  double advantage;
  std::vector<std::pair<double, double>> rates;  // false and true positive rate
};

struct Answer {
  std::vector<privacy::PrivacyEvent> events;
  std::optional<privacy::Guarantee> guarantee;  // at --delta
  std::optional<privacy::Comparison> comparison;
  std::optional<privacy::Interval> delta;  // at --epsilon
  bool lower_is_partial = false;           // of it
  std::optional<double> group_delta;
  std::optional<Attack> attack;
};

std::vector<privacy::PrivacyEvent> events_from(const AccountFlags& flags) {
  std::vector<privacy::PrivacyEvent> events;
  if (!flags.file.empty()) events = model::read_events(flags.file);
  for (const std::string& text : flags.events) {
    events.push_back(event_of(parse_event_text(text), parse_neighbours(flags.neighbours)));
  }
  if (events.empty()) throw ArgumentError("name at least one event, or a file with --file");
  return events;
}

Answer answer_of(const AccountFlags& flags) {
  if (!flags.delta && !flags.epsilon) throw ArgumentError("say --delta for an epsilon, --epsilon for a delta, or both");
  require_positive_finite("width", flags.width);
  require(flags.group >= 1, "--group must be at least 1 record; got 0");
  require(flags.group == 1 || flags.epsilon, "--group needs --epsilon: its delta is shown at that epsilon");
  if (flags.epsilon) require_in_closed_range("epsilon", *flags.epsilon, 0, privacy::kMaximumEpsilon);
  Answer answer;
  answer.events = events_from(flags);
  if (flags.delta) {
    answer.guarantee = privacy::account(answer.events, *flags.delta);
    if (*flags.delta > 0) answer.comparison = privacy::compare_accountants(answer.events, *flags.delta, flags.width);
  }
  if (!privacy::has_loss_distributions(answer.events)) {
    if (flags.epsilon) throw ArgumentError("delta at an epsilon is not known for private selection; ask with --delta");
    return answer;
  }
  const privacy::PrivacyCurve curve(answer.events);
  answer.lower_is_partial = curve.lower_is_partial();
  if (flags.epsilon) {
    answer.delta = curve.delta(*flags.epsilon);
    if (flags.group > 1) answer.group_delta = curve.group_delta(static_cast<std::int64_t>(flags.group), *flags.epsilon);
  }
  Attack attack{curve.advantage(), {}};
  const std::vector<double> wrong{0.001, 0.01, 0.1}, right = curve.true_positive_rates(wrong);
  for (std::size_t i = 0; i < wrong.size(); ++i) attack.rates.emplace_back(wrong[i], right[i]);
  answer.attack = attack;
  return answer;
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

// The best proved epsilon of all accountants at the delta asked for.
double best_epsilon(const Answer& answer) {
  double best = answer.guarantee->epsilon;
  if (!answer.comparison) return best;
  if (answer.comparison->privacy_loss) best = std::min(best, answer.comparison->privacy_loss->upper);
  for (const auto& [name, epsilon] : rows(*answer.comparison)) best = std::min(best, epsilon.value_or(best));
  return best;
}

void print_text(const AccountFlags& flags, const Answer& answer) {
  for (const privacy::PrivacyEvent& event : answer.events) {
    fmt::print("{:>10} x {}\n", event.repetitions, privacy::to_string(event.mechanism));
  }
  fmt::print("neighbours: {}\n\n", privacy::to_string(answer.events.front().neighbours));
  if (answer.guarantee) {
    fmt::print("epsilon {:.6f} at delta {:g}\n", above(best_epsilon(answer)), *flags.delta);
  }
  if (answer.comparison) {
    if (const auto& exact = answer.comparison->privacy_loss) {
      fmt::print("  {:<13} {}\n", "privacy-loss", interval_text(*exact, answer.comparison->lower_is_partial));
    }
    for (const auto& [name, epsilon] : rows(*answer.comparison)) {
      fmt::print("  {:<13} {}\n", name, epsilon ? fmt::format("{:.6f}", above(*epsilon)) : "does not apply");
    }
  }
  if (answer.delta) {
    fmt::print("delta {:.4g} at epsilon {:g} (at least {:.4g}{})\n", above_digits(answer.delta->upper), *flags.epsilon,
               below_digits(answer.delta->lower), answer.lower_is_partial ? ", as far as is known" : "");
  }
  if (answer.group_delta) {
    fmt::print("delta {:.4g} at epsilon {:g} for someone with {} records\n", above_digits(*answer.group_delta),
               *flags.epsilon, flags.group);
  }
  if (!answer.attack) return;
  fmt::print("\nAn attacker who knows all other records and must say which of two datasets was used\n");
  fmt::print("  is right at most {:.4g}% of the time (guessing: 50%)\n",
             above_digits(50 * (1 + answer.attack->advantage)));
  for (const auto& [wrong, right] : answer.attack->rates) {
    fmt::print("  at {:g}% false alarms finds the record at most {:.4g}% of the time\n", 100 * wrong,
               above_digits(100 * right));
  }
}

using Json = nlohmann::ordered_json;

Json number(std::optional<double> value) { return value && std::isfinite(*value) ? Json(*value) : Json(nullptr); }

// The lower end is null where nothing is known of it.
Json interval_json(const privacy::Interval& interval, bool partial) {
  return {{"lower", partial && interval.lower == 0 ? Json(nullptr) : Json(interval.lower)},
          {"upper", number(interval.upper)},
          {"lower_is_partial", partial}};
}

void print_json(const AccountFlags& flags, const Answer& answer) {
  Json result{{"neighbours", privacy::to_string(answer.events.front().neighbours)}, {"events", Json::array()}};
  for (const privacy::PrivacyEvent& event : answer.events) {
    result["events"].push_back(
        {{"what", event.what}, {"mechanism", privacy::to_string(event.mechanism)}, {"repetitions", event.repetitions}});
  }
  if (answer.guarantee) {
    result["delta"] = *flags.delta;
    result["epsilon"] = number(best_epsilon(answer));
  }
  if (answer.comparison) {
    Json& each = result["accountants"];
    if (answer.comparison->privacy_loss)
      each["privacy-loss"] = interval_json(*answer.comparison->privacy_loss, answer.comparison->lower_is_partial);
    for (const auto& [name, epsilon] : rows(*answer.comparison)) each[name] = number(epsilon);
  }
  if (answer.delta) {
    result["delta_at"] = interval_json(*answer.delta, answer.lower_is_partial);
    result["delta_at"]["epsilon"] = *flags.epsilon;
  }
  if (answer.group_delta) result["group"] = {{"size", flags.group}, {"delta", *answer.group_delta}};
  if (answer.attack) {
    Json& attack = result["attacker"];
    attack["advantage"] = answer.attack->advantage;
    for (const auto& [wrong, right] : answer.attack->rates) {
      attack["rates"].push_back({{"false_positive_rate", wrong}, {"true_positive_rate", right}});
    }
  }
  fmt::print("{}\n", result.dump(2));
}

void run(const AccountFlags& flags) {
  const Answer answer = answer_of(flags);
  if (flags.json) {
    print_json(flags, answer);
  } else {
    print_text(flags, answer);
  }
}

}  // namespace

void add_account(CLI::App& app) {
  CLI::App* command = app.add_subcommand("account", "Show what a list of private releases costs");
  auto flags = std::make_shared<AccountFlags>();
  command->add_option("EVENT", flags->events, "a release, for example gaussian:sigma=5,sensitivity=1,count=100")
      ->type_name("TEXT");
  command->add_option("--file", flags->file, "JSON with a list of events: a model file, or {\"events\": [...]}")
      ->type_name("FILE");
  command->add_option("--neighbours", flags->neighbours, "replace-one (default) or add-remove, for EVENT")
      ->type_name("TEXT");
  add_number(*command, "--delta", flags->delta, "show epsilon at this delta");
  add_number(*command, "--epsilon", flags->epsilon, "show delta at this epsilon");
  add_number(*command, "--width", flags->width, "largest width of the interval around epsilon (default 0.001)");
  add_integer(*command, "--group", flags->group, "with --epsilon: also for someone with this many records");
  command->add_flag("--json", flags->json, "print JSON");
  command->footer(event_help() + "\n\n" + app.get_footer());
  command->callback([flags] { run(*flags); });
}

}  // namespace dperm::cli
