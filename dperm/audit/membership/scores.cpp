// SPDX-License-Identifier: Apache-2.0
#include "dperm/audit/membership/scores.hpp"

#include <algorithm>
#include <cmath>

#include "dperm/core/check.hpp"
#include "dperm/core/error.hpp"

namespace dperm::audit {

namespace {

// With fewer models a row's own variance is a worse guess than that of all rows together [CCNSTT22, sec. VI].
constexpr std::size_t kModelsForOwnVariance = 64;
constexpr double kLeastVariance = 1e-9;

struct Moments {
  double count = 0, sum = 0, square = 0;

  void add(double x) {
    ++count;
    sum += x;
    square += x * x;
  }
  double mean() const { return count > 0 ? sum / count : 0; }
  double variance() const {
    if (count < 2) return 0;
    return std::max(0.0, (square - sum * sum / count) / (count - 1));
  }
};

double log_density(double x, double mean, double variance) {
  const double wide = std::max(variance, kLeastVariance);
  return -0.5 * (std::log(wide) + (x - mean) * (x - mean) / wide);
}

// With and without something.
struct Pair {
  Moments with, without;
  Moments& of(bool in) { return in ? with : without; }
};

// Of every row, over all models but the attacked one.
std::vector<Pair> per_row(const ShadowModels& models, std::size_t attacked) {
  std::vector<Pair> rows(models.kind.size());
  for (std::size_t m = 0; m < models.sureness.size(); ++m) {
    if (m == attacked) continue;
    for (std::size_t i = 0; i < rows.size(); ++i) rows[i].of(models.trained[m][i]).add(models.sureness[m][i]);
  }
  return rows;
}

double mean_variance(const std::vector<Pair>& rows, bool in) {
  double sum = 0, count = 0;
  for (Pair each : rows) {
    const Moments& side = each.of(in);
    if (side.count < 2) continue;
    sum += side.variance();
    ++count;
  }
  return count > 0 ? sum / count : 1;
}

std::vector<double> shadow_scores(const ShadowModels& models, std::size_t attacked) {
  std::vector<Pair> kinds(1 + *std::max_element(models.kind.begin(), models.kind.end()));
  for (std::size_t m = 0; m < models.sureness.size(); ++m) {
    if (m == attacked) continue;
    for (std::size_t i = 0; i < models.kind.size(); ++i) {
      kinds[models.kind[i]].of(models.trained[m][i]).add(models.sureness[m][i]);
    }
  }
  std::vector<double> scores;
  for (std::size_t i = 0; i < models.kind.size(); ++i) {
    const Pair& kind = kinds[models.kind[i]];
    const double x = models.sureness[attacked][i];
    scores.push_back(log_density(x, kind.with.mean(), kind.with.variance()) -
                     log_density(x, kind.without.mean(), kind.without.variance()));
  }
  return scores;
}

std::vector<double> lira_scores(const ShadowModels& models, std::size_t attacked, bool online) {
  const std::vector<Pair> rows = per_row(models, attacked);
  const bool own = models.sureness.size() >= kModelsForOwnVariance;
  const double with = mean_variance(rows, true), without = mean_variance(rows, false);
  std::vector<double> scores;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const double x = models.sureness[attacked][i];
    const Pair& row = rows[i];
    // A row that all shadow models had, or none, tells nothing.
    if (row.without.count == 0 || (online && row.with.count == 0)) {
      scores.push_back(0);
      continue;
    }
    const double spread = std::max(own ? row.without.variance() : without, kLeastVariance);
    if (!online) {
      scores.push_back((x - row.without.mean()) / std::sqrt(spread));
      continue;
    }
    scores.push_back(log_density(x, row.with.mean(), own ? row.with.variance() : with) -
                     log_density(x, row.without.mean(), spread));
  }
  return scores;
}

}  // namespace

std::string name_of(MembershipAttack attack) {
  switch (attack) {
    case MembershipAttack::loss_threshold:
      return "loss threshold";
    case MembershipAttack::shadow:
      return "shadow models";
    case MembershipAttack::lira_offline:
      return "LiRA offline";
    case MembershipAttack::lira_online:
      return "LiRA online";
  }
  throw InternalError("an attack without a name");
}

std::vector<double> membership_scores(MembershipAttack attack, const ShadowModels& models, std::size_t attacked) {
  require(models.sureness.size() >= 3 && models.trained.size() == models.sureness.size() && !models.kind.empty(),
          "membership is attacked with at least three models and some rows");
  for (std::size_t m = 0; m < models.sureness.size(); ++m) {
    require(models.sureness[m].size() == models.kind.size() && models.trained[m].size() == models.kind.size(),
            "all models are asked about the same rows");
  }
  switch (attack) {
    case MembershipAttack::loss_threshold:
      return models.sureness.at(attacked);
    case MembershipAttack::shadow:
      return shadow_scores(models, attacked);
    case MembershipAttack::lira_offline:
      return lira_scores(models, attacked, false);
    case MembershipAttack::lira_online:
      return lira_scores(models, attacked, true);
  }
  throw InternalError("an attack without scores");
}

}  // namespace dperm::audit
