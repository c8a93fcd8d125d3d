// SPDX-License-Identifier: Apache-2.0
// dperm audit membership: can anyone tell who trained a model?
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <cmath>
#include <memory>
#include <nlohmann/json.hpp>

#include "cli/audit_flags.hpp"
#include "cli/commands.hpp"
#include "cli/json_text.hpp"
#include "cli/numbers.hpp"
#include "cli/output_file.hpp"
#include "cli/text.hpp"
#include "dperm/audit/log_picture.hpp"
#include "dperm/audit/membership/membership.hpp"
#include "dperm/core/check.hpp"
#include "dperm/core/error.hpp"
#include "dperm/model/atomic_file.hpp"
#include "dperm/planner/compare.hpp"

namespace dperm::cli {

namespace {

constexpr std::size_t kRows = 1000;

struct MembershipFlags {
  AuditFlags audit;
  std::size_t models = 16;
  std::string picture;
};

struct Attacked {
  std::string name;  // "without privacy", "epsilon 2"
  audit::Membership result;
};

// Method options are those of the private method; without privacy a model is trained as anyone would.
planner::Alternative planned(const MembershipFlags& flags, const schema::Encoding& encoding, std::size_t rows,
                             bool bare) {
  TaskFlags task = *flags.audit.task;
  if (bare) {
    task.method = kNonPrivate;
    task.method_options.clear();
    task.epsilon = task.delta = 0;
  }
  task.shape = "linear";
  const planner::Question question = make_question(task, encoding, rows);
  return planner::choose(question, methods::planners(task.method, task.method_options));
}

std::string table_text(const Attacked& each) {
  const audit::Membership& m = each.result;
  std::string text = fmt::format(
      "{}: {} models, each trained on {} of {} rows; right answers {:.1f}% on those, {:.1f}% on the others\n"
      "  {:<16}{:>7}{:>21}{:>19}{:>35}\n",
      each.name, m.models, m.trained_on, m.rows, 100 * m.accuracy_members, 100 * m.accuracy_strangers, "attack", "area",
      "found at 0.1% wrong", "found at 1% wrong", "for sure, on rows not tuned to");
  for (const audit::AttackOutcome& attack : m.attacks) {
    text += fmt::format("  {:<16}{:>7.3f}{:>20.2f}%{:>18.2f}%{:>35}\n", attack.name, attack.area,
                        100 * attack.at[0].true_positives, 100 * attack.at[1].true_positives,
                        fmt::format("{:.2f}% found, {:.2f}% wrong", 100 * attack.at[1].bounds.hits_at_least,
                                    100 * attack.at[1].bounds.alarms_at_most));
  }
  return text;
}

double best_at_one_percent(const audit::Membership& m) {
  double best = 0;
  for (const audit::AttackOutcome& each : m.attacks) best = std::max(best, each.at[1].true_positives);
  return best;
}

std::string sentence(const std::vector<Attacked>& all) {
  std::string text;
  for (const Attacked& each : all) {
    const double found = best_at_one_percent(each.result);
    text += fmt::format(
        "{}{}: of 100 people who trained the model the best attack names {:.1f}, while accusing 1 of "
        "100 who did not{}",
        text.empty() ? "" : " ", each.name, 100 * found, found < 0.02 ? "; guessing does as well." : ".");
  }
  return text;
}

nlohmann::ordered_json json_of(const Attacked& each) {
  nlohmann::ordered_json attacks = nlohmann::ordered_json::array();
  for (const audit::AttackOutcome& attack : each.result.attacks) {
    nlohmann::ordered_json entry{{"attack", attack.name}, {"area", attack.area}};
    for (const audit::AtFalsePositives& at : attack.at) {
      entry["at"].push_back({{"false_positive_rate", at.false_positives},
                             {"true_positive_rate", at.true_positives},
                             {"true_positive_rate_at_least", at.bounds.hits_at_least},
                             {"false_positive_rate_at_most", at.bounds.alarms_at_most}});
    }
    attacks.push_back(std::move(entry));
  }
  return {{"model", each.name},
          {"rows", each.result.rows},
          {"trained_on", each.result.trained_on},
          {"models", each.result.models},
          {"accuracy_members", each.result.accuracy_members},
          {"accuracy_strangers", each.result.accuracy_strangers},
          {"attacks", attacks}};
}

std::string picture_of(const std::vector<Attacked>& all) {
  constexpr double kLeast = 1e-4;
  audit::LogPicture picture;
  picture.title = "Who trained the model?";
  picture.across = {"wrongly accused (false positives)", kLeast, 1};
  picture.up = {"found (true positives)", kLeast, 1};
  for (const Attacked& each : all) {
    for (const audit::AttackOutcome& attack : each.result.attacks) {
      if (attack.name != "LiRA online" && attack.name != "loss threshold") continue;
      audit::LogLine line{fmt::format("{}: {}", attack.name, each.name), {}, attack.name == "loss threshold"};
      double last = 0;
      for (const audit::RocPoint& point : attack.curve) {
        // Points closer than the eye can tell are left out.
        if (point.false_positives < kLeast || point.false_positives < last * 1.02) continue;
        last = point.false_positives;
        line.points.emplace_back(point.false_positives, point.true_positives);
      }
      picture.lines.push_back(std::move(line));
    }
  }
  picture.lines.push_back({"", {{kLeast, kLeast}, {1, 1}}, true});
  return audit::svg_of(picture);
}

void run(const MembershipFlags& flags) {
  check_audit_flags(flags.audit);
  check_picture("--picture", flags.picture, flags.audit.data.paths);
  const AuditFlags& audit = flags.audit;
  require(!audit.task->schema_path.empty(), "--schema says what rows look like; made-up ones follow it");
  require(audit.task->method != kNonPrivate, "the model without privacy is attacked in any case; name the private one");
  const auto encoding = load_encoding(audit.task->schema_path);
  const data::Dataset table = audit_dataset(audit, encoding, "audit membership", kRows);
  const std::size_t half = audit::training_rows(table);
  const planner::Alternative bare = planned(flags, *encoding, half, true);
  const data::Dataset dataset = table.read_as(bare.asked->encoding);
  const audit::MembershipOptions options{flags.models, audit.confidence, audit.seed, {audit.data.read.threads}};
  std::vector<Attacked> all;
  all.push_back({"Without privacy", audit::attack_membership(dataset, *bare.plan, options)});
  if (audit.task->epsilon > 0) {
    const planner::Alternative noisy = planned(flags, *encoding, half, false);
    all.push_back({fmt::format("With epsilon {:g}", audit.task->epsilon),
                   audit::attack_membership(dataset, *noisy.plan, options)});
  }
  if (!flags.picture.empty()) model::write_file_atomically(flags.picture, picture_of(all));
  if (audit.json) {
    nlohmann::ordered_json list = nlohmann::ordered_json::array();
    for (const Attacked& each : all) list.push_back(json_of(each));
    fmt::print("{}\n", json_text(list));
    return;
  }
  for (const Attacked& each : all) fmt::print("{}\n", table_text(each));
  fmt::print("{}\n{}\n", wrapped(sentence(all), 100), audit_release_text(audit));
  if (all.size() == 1) note("Name --epsilon and --delta to attack a private model beside it.");
}

}  // namespace

void add_audit_membership(CLI::App& audit) {
  CLI::App* command = audit.add_subcommand("membership", "Find out who trained a model, without and with privacy");
  auto flags = std::make_shared<MembershipFlags>();
  add_audit_flags(*command, flags->audit);
  add_integer(*command, "--models", flags->models, "trained on random halves of the rows; default 16");
  command->add_option("--picture", flags->picture, "also draw both rates, on log scales")->type_name("FILE.svg");
  command->callback([flags] { run(*flags); });
}

}  // namespace dperm::cli
