// SPDX-License-Identifier: Apache-2.0
#include "dperm/audit/membership/membership.hpp"

#include <tbb/parallel_for.h>
#include <tbb/task_arena.h>

#include <algorithm>
#include <numeric>

#include "dperm/audit/membership/statistic.hpp"
#include "dperm/core/check.hpp"
#include "dperm/core/fork_join.hpp"
#include "dperm/random/bernoulli.hpp"

namespace dperm::audit {

namespace {

std::vector<std::size_t> random_half(std::size_t rows, std::size_t size, random::BitSource& bits) {
  std::vector<std::size_t> order(rows);
  std::iota(order.begin(), order.end(), std::size_t{0});
  for (std::size_t i = 0; i < size; ++i) std::swap(order[i], order[i + random::uniform_below(bits, rows - i)]);
  order.resize(size);
  std::sort(order.begin(), order.end());
  return order;
}

struct OneModel {
  RowStatistics said = {};
  std::vector<bool> trained = {};
};

OneModel train_one(const data::Dataset& dataset, const engine::RowSums& sums, const methods::Plan& plan,
                   std::uint64_t seed) {
  random::SeededBits bits(seed);
  const std::vector<std::size_t> chosen = random_half(sums.rows(), plan.task.facts.rows, bits);
  const data::Dataset half(dataset.shared_encoding(), engine::SharedSums(sums.select(chosen)));
  privacy::Curator curator(bits, plan.guarantee.neighbours, methods::group_of(plan.task.facts));
  const methods::FitResult fitted = methods::fit(plan, half, curator, {{1}, {}, true});
  OneModel result{statistics_of(sums, {plan.task, fitted.weights.get()}, {1}), std::vector<bool>(sums.rows(), false)};
  for (const std::size_t row : chosen) result.trained[row] = true;
  return result;
}

// Scores of all models' rows, apart by membership and by the half of the rows they belong to.
struct Split {
  std::vector<double> members, strangers;
  std::vector<double>& of(bool member) { return member ? members : strangers; }
};

Split joined(Split a, const Split& b) {
  a.members.insert(a.members.end(), b.members.begin(), b.members.end());
  a.strangers.insert(a.strangers.end(), b.strangers.begin(), b.strangers.end());
  return a;
}

// The smallest score such that at most this share of strangers lies above.
double threshold_for(std::vector<double> strangers, double share) {
  std::sort(strangers.rbegin(), strangers.rend());
  return strangers[std::min(strangers.size() - 1,
                            static_cast<std::size_t>(share * static_cast<double>(strangers.size())))];
}

AttackOutcome outcome_of(MembershipAttack attack, const ShadowModels& models, double error) {
  std::array<Split, 2> halves;  // even rows choose thresholds, odd ones are counted
  for (std::size_t m = 0; m < models.sureness.size(); ++m) {
    const std::vector<double> scores = membership_scores(attack, models, m);
    for (std::size_t i = 0; i < scores.size(); ++i) halves[i % 2].of(models.trained[m][i]).push_back(scores[i]);
  }
  const Split all = joined(halves[0], halves[1]);
  AttackOutcome result{.name = name_of(attack), .curve = roc(all.members, all.strangers)};
  result.area = area(result.curve);
  for (std::size_t k = 0; k < kFalsePositives.size(); ++k) {
    AtFalsePositives& at = result.at[k];
    at.false_positives = kFalsePositives[k];
    at.true_positives = true_positives_at(result.curve, kFalsePositives[k]);
    at.guesses =
        guesses_above(threshold_for(halves[0].strangers, kFalsePositives[k]), halves[1].members, halves[1].strangers);
    at.bounds = rates(at.guesses, error);
  }
  return result;
}

}  // namespace

std::size_t training_rows(const data::Dataset& dataset) { return dataset.rows() / 2; }

Membership attack_membership(const ShadowModels& models, double confidence) {
  Membership result{.rows = models.kind.size(), .models = models.sureness.size()};
  for (const MembershipAttack attack : kMembershipAttacks) {
    result.attacks.push_back(outcome_of(attack, models, 1 - confidence));
  }
  return result;
}

Membership attack_membership(const data::Dataset& dataset, const methods::Plan& plan,
                             const MembershipOptions& options) {
  require(plan.task.facts.rows == training_rows(dataset) && plan.task.facts.rows >= 2,
          "a model of a membership attack is trained on half of the rows; there must be some");
  const engine::RowSums& sums = DeclaredPublicAccess::open(dataset.sums());
  std::vector<OneModel> trained(options.models);
  tbb::task_arena arena(options.threads.count > 0 ? options.threads.count : tbb::task_arena::automatic);
  const auto one = [&](std::size_t m) { trained[m] = train_one(dataset, sums, plan, options.seed * 1000003 + m); };
  const ForkJoin loop(one);
  arena.execute([&] { tbb::parallel_for(std::size_t{0}, options.models, loop.task()); });
  loop.join();
  ShadowModels models;
  double right[2] = {0, 0}, count[2] = {0, 0};
  for (const OneModel& each : trained) {
    models.sureness.push_back(each.said.sureness);
    models.trained.push_back(each.trained);
    models.kind = each.said.kind;
    for (std::size_t i = 0; i < each.trained.size(); ++i) {
      ++count[each.trained[i] ? 1 : 0];
      right[each.trained[i] ? 1 : 0] += each.said.right[i] ? 1 : 0;
    }
  }
  Membership result = attack_membership(models, options.confidence);
  result.trained_on = plan.task.facts.rows;
  result.accuracy_members = right[1] / count[1];
  result.accuracy_strangers = right[0] / count[0];
  return result;
}

}  // namespace dperm::audit
