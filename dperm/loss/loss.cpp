// SPDX-License-Identifier: Apache-2.0
// Looks losses up in the list of losses/all.hpp.
#include "dperm/loss/loss.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "dperm/core/check.hpp"
#include "dperm/core/error.hpp"
#include "dperm/core/nearest.hpp"
#include "dperm/loss/losses/all.hpp"

namespace dperm::loss {
namespace {

template <class... One, class... Other>
constexpr auto infos(LossList<One...>, LossList<Other...>) {
  return std::array{One::info..., Other::info...};
}

template <class... One>
constexpr auto kinds(LossList<One...>) {
  return std::array{One::info.kind...};
}

constexpr std::array kInfos = infos(OneScoreLosses{}, OtherLosses{});
constexpr std::array kOneScore = kinds(OneScoreLosses{});

// "a, b or c"
std::string listed(const std::vector<LossKind>& kinds, std::string_view last) {
  std::string text;
  for (std::size_t i = 0; i < kinds.size(); ++i) {
    text += fmt::format("{}{}", i == 0 ? "" : i + 1 < kinds.size() ? ", " : last, name(kinds[i]));
  }
  return text;
}

const LossParameter* find_parameter(const LossInfo& loss, std::string_view name) {
  const auto found = std::find_if(loss.parameters.begin(), loss.parameters.end(),
                                  [&](const LossParameter& each) { return each.name == name; });
  return found == loss.parameters.end() ? nullptr : &*found;
}

// What other programs call losses.
constexpr std::array<std::pair<std::string_view, std::string_view>, 22> kUsualNames = {{
    {"median", "'absolute' (or 'pinball' with its quantile)"},
    {"quantile", "'pinball'"},
    {"mae", "'absolute'"},
    {"l1", "'absolute'"},
    {"mean", "'squared'"},
    {"mse", "'squared'"},
    {"rmse", "'squared'"},
    {"l2", "'squared'"},
    {"ols", "'squared'"},
    {"linear", "'squared'"},
    {"least-squares", "'squared'"},
    {"least_squares", "'squared'"},
    {"regression", "'squared'"},
    {"svm", "'hinge'"},
    {"logit", "'logistic'"},
    {"log", "'logistic'"},
    {"log-loss", "'logistic'"},
    {"log_loss", "'logistic'"},
    {"cross-entropy", "'logistic' (or 'softmax' for a target of kind class)"},
    {"cross_entropy", "'logistic' (or 'softmax' for a target of kind class)"},
    {"multinomial", "'softmax'"},
    {"0-1", "'zero-one'"},
}};

std::string or_point(std::string text) { return text.empty() ? "." : text; }

}  // namespace

constinit const std::span<const LossKind> kAllLosses = kOneScore;

std::span<const LossInfo> all_losses() { return kInfos; }

const LossInfo& info(LossKind kind) {
  for (const LossInfo& each : kInfos) {
    if (each.kind == kind) return each;
  }
  throw ArgumentError("unknown loss kind");
}

std::string_view name(LossKind kind) { return info(kind).name; }

LossKind loss_from_name(std::string_view wanted) {
  std::vector<LossKind> known;
  std::vector<std::string_view> names;
  for (const LossInfo& each : kInfos) {
    if (each.name == wanted) return each.kind;
    known.push_back(each.kind);
    names.push_back(each.name);
  }
  const auto usual =
      std::find_if(kUsualNames.begin(), kUsualNames.end(), [&](const auto& each) { return each.first == wanted; });
  throw ArgumentError(fmt::format("`loss` '{}' is unknown{} Choose one of: {}", wanted,
                                  usual != kUsualNames.end() ? fmt::format("; did you mean {}?", usual->second)
                                                             : or_point(did_you_mean(wanted, names)),
                                  listed(known, ", ")));
}

bool has_one_score(LossKind kind) { return std::find(kOneScore.begin(), kOneScore.end(), kind) != kOneScore.end(); }

bool is_classification(LossKind kind) { return info(kind).target != schema::TargetKind::real; }

std::vector<LossKind> losses_for(schema::TargetKind target) {
  std::vector<LossKind> out;
  for (const LossInfo& each : kInfos) {
    if (each.target == target) out.push_back(each.kind);
  }
  return out;
}

std::string loss_names(schema::TargetKind target) { return listed(losses_for(target), " or "); }

std::string describe(const Loss& loss) {
  std::string text = fmt::format("{} loss", name(loss.kind));
  for (const LossParameter& each : info(loss.kind).parameters) {
    if (each.is_asked_for) text += fmt::format(" of {} {:.4g}", each.name, loss.*each.member);
  }
  return text;
}

std::string constant_answer(const Loss& loss) {
  const LossInfo& about = info(loss.kind);
  if (about.constant_name.empty()) return fmt::format("best constant for the {} loss", about.name);
  std::string text(about.constant_name);
  for (const LossParameter& each : about.parameters) {
    if (each.is_asked_for) text += fmt::format(" {:.4g}", loss.*each.member);
  }
  return text;
}

void set_parameter(Loss& loss, std::string_view name, double value) {
  const LossParameter* own = find_parameter(info(loss.kind), name);
  if (own != nullptr) {
    loss.*own->member = value;
    return;
  }
  for (const LossInfo& each : kInfos) {
    if (find_parameter(each, name) == nullptr) continue;
    throw ArgumentError(
        name, fmt::format("belongs to `loss = {0}`, and the loss here is {1}; add `loss = {0}` or leave `{2}` out",
                          each.name, info(loss.kind).name, name));
  }
  throw ArgumentError(fmt::format("no loss has a parameter '{}'", name));
}

void validate(const Loss& loss) {
  require(!loss.positive || (*loss.positive >= 0 && *loss.positive <= 1 << 24), "positive",
          "must be the number of a class, at most 2^24");  // floats hold it exactly
  for (const LossParameter& each : info(loss.kind).parameters) {
    const auto check = each.bounds_allowed ? require_in_closed_range : require_in_open_range;
    check(each.name, loss.*each.member, each.lower, each.upper);
  }
}

double value(const Loss& loss, double score, double target) {
  return visit_one_score(loss.kind, [&](auto each) { return each.value(loss, score, target); });
}

double slope(const Loss& loss, double score, double target) {
  return visit_one_score(loss.kind, [&](auto each) { return each.slope(loss, score, target); });
}

LossConstants constants(const Loss& loss, double score_bound, std::size_t classes) {
  validate(loss);
  require(score_bound >= 0, "score_bound", "must be at least 0 (or infinite)");
  if (loss.kind == LossKind::softmax) return Softmax::constants(classes, score_bound);
  return visit_one_score(loss.kind, [&](auto each) { return each.constants(loss, score_bound); });
}

double slope_rounding(const Loss& loss, double unit, double score_error) {
  return visit_one_score(loss.kind, [&](auto each) { return each.slope_rounding(loss, unit, score_error); });
}

double loss_of_zero(const Loss& loss, std::size_t classes) {
  if (loss.kind == LossKind::softmax) return std::log(static_cast<double>(classes));
  return std::max(value(loss, 0, 1), value(loss, 0, -1));
}

}  // namespace dperm::loss
