// SPDX-License-Identifier: Apache-2.0
#include "dperm/methods/method.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "dperm/core/check.hpp"
#include "dperm/core/error.hpp"
#include "dperm/core/nearest.hpp"
#include "dperm/methods/exponential_ball/exponential_ball.hpp"
#include "dperm/methods/option_tables.hpp"

namespace dperm::methods {

namespace {

constexpr std::string_view kAuto = "auto";

// One algorithm of a method: its options, and how it is asked for.
struct Member {
  std::vector<OptionSpec> options;
  std::string asked_by;  // "`order = second`"
};

template <class Options>
Member member(std::string asked_by) {
  return {option_specs<Options>(), std::move(asked_by)};
}

bool has(const std::vector<OptionSpec>& options, std::string_view name) {
  return std::any_of(options.begin(), options.end(), [&](const OptionSpec& spec) { return spec.name == name; });
}

// The members' options and the selectors, each once.
class Family : public Method {
 public:
  Family(std::string_view name, std::string_view summary, std::vector<OptionSpec> selectors,
         std::vector<Member> members)
      : name_(name), summary_(summary), selectors_(std::move(selectors)), members_(std::move(members)) {
    for (const Member& each : members_) {
      for (const OptionSpec& spec : each.options) {
        if (!has(options_, spec.name)) options_.push_back(spec);
      }
    }
    options_.insert(options_.end(), selectors_.begin(), selectors_.end());
  }

  std::string_view name() const override { return name_; }
  std::string_view summary() const override { return summary_; }
  std::span<const OptionSpec> options() const override { return options_; }

 protected:
  // The text of an option, its default where it is not given.
  std::string text(const Texts& given, std::string_view name) const {
    const auto found = given.find(std::string(name));
    return found == given.end() ? spec(name).default_value : found->second;
  }
  // The same for a selector, which must be one of its choices.
  std::string selected(const Texts& given, std::string_view name) const {
    const std::string value = text(given, name);
    const auto& choices = spec(name).choices;
    if (std::find(choices.begin(), choices.end(), value) != choices.end()) return value;
    throw ArgumentError(name, fmt::format("must be one of {}; got '{}'", fmt::join(choices, ", "), value));
  }

  // The options of this algorithm: those of its siblings must be at their defaults.
  template <class Options>
  Options as(const Texts& given) const {
    const std::vector<OptionSpec> own = option_specs<Options>();
    Texts kept;
    for (const auto& [name, value] : given) {
      if (has(own, name)) {
        kept[name] = value;
      } else if (!has(selectors_, name) && value != spec(name).default_value) {
        refuse_sibling_option(name);
      }
    }
    return options_from<Options>(kept);
  }

  bool is_given(const Texts& given, std::string_view name) const {
    return text(given, name) != spec(name).default_value;
  }

 private:
  const OptionSpec& spec(std::string_view name) const {
    const auto found = std::find_if(options_.begin(), options_.end(), [&](const auto& s) { return s.name == name; });
    if (found != options_.end()) return *found;
    std::vector<std::string> known;
    for (const OptionSpec& each : options_) known.push_back(fmt::format("`{}`", each.name));
    throw ArgumentError(fmt::format("method {} has no option `{}`; it has: {}", name_, name, fmt::join(known, ", ")));
  }

  [[noreturn]] void refuse_sibling_option(std::string_view name) const {
    std::vector<std::string_view> owners;
    for (const Member& each : members_) {
      if (has(each.options, name)) owners.push_back(each.asked_by);
    }
    throw ArgumentError(fmt::format("`{}` is an option of {}; leave it out", name, fmt::join(owners, " or of ")));
  }

  std::string_view name_, summary_;
  std::vector<OptionSpec> selectors_;
  std::vector<Member> members_;
  std::vector<OptionSpec> options_;
};

// A method that is one algorithm.
template <class Options>
class Single final : public Family {
 public:
  Single() : Family(OptionTable<Options>::method, OptionTable<Options>::summary, {}, {member<Options>("")}) {}
  AlgorithmOptions resolve(const Task&, const Texts& given) const override { return as<Options>(given); }
  bool takes_curves() const override { return std::is_same_v<Options, SgdOptions>; }
};

class GradientDescentFamily final : public Family {
 public:
  GradientDescentFamily()
      : Family("gradient-descent", OptionTable<GradientDescentOptions>::summary,
               {{"order",
                 "first",
                 "first: gradient steps; second: damped Newton steps with noise of their own (logistic loss; no bound "
                 "is proved)",
                 {"first", "second"}}},
               {member<GradientDescentOptions>("`order = first`"), member<NewtonOptions>("`order = second`")}) {}
  AlgorithmOptions resolve(const Task&, const Texts& given) const override {
    if (selected(given, "order") == "second") return as<NewtonOptions>(given);
    return as<GradientDescentOptions>(given);
  }
};

class ObjectiveFamily final : public Family {
 public:
  ObjectiveFamily()
      : Family("objective-perturbation", OptionTable<ObjectivePerturbationOptions>::summary,
               {{"classes",
                 "joint",
                 "softmax: joint, or one-vs-rest: a binary model per class, the budget divided among them",
                 {"joint", "one-vs-rest"}}},
               {member<ObjectivePerturbationOptions>("`classes = joint`"),
                member<OneVsRestOptions>("`classes = one-vs-rest`")}) {}
  AlgorithmOptions resolve(const Task&, const Texts& given) const override {
    if (selected(given, "classes") == "one-vs-rest") return as<OneVsRestOptions>(given);
    return as<ObjectivePerturbationOptions>(given);
  }
};

class OutputFamily final : public Family {
 public:
  OutputFamily()
      : Family("output-perturbation", "minimiser, or point of a fixed number of steps, plus noise; pure epsilon too",
               {{"solver",
                 "auto",
                 "certified (the minimiser, to a residual), gradient-descent or permutation-sgd (a fixed number of "
                 "steps; no penalty needed); auto: certified or gradient-descent, the smaller bound",
                 {"auto", "certified", "gradient-descent", "permutation-sgd"}}},
               {member<OutputCertifiedOptions>("`solver = certified`"),
                member<OutputDescentOptions>("`solver = gradient-descent`"),
                member<OutputSgdOptions>("`solver = permutation-sgd`")}) {}
  AlgorithmOptions resolve(const Task& task, const Texts& given) const override {
    const std::string solver = selected(given, "solver");
    if (solver == "certified") return as<OutputCertifiedOptions>(given);
    if (solver == "permutation-sgd" || (solver == kAuto && is_given(given, "batch")))
      return as<OutputSgdOptions>(given);
    if (is_open(given)) return smaller_bound(task, given).options;
    return as<OutputDescentOptions>(given);
  }
  Plan plan(const Task& task, const Texts& given) const override {
    return is_open(given) ? smaller_bound(task, given) : Family::plan(task, given);
  }

 private:
  // Nothing given says which solver is meant.
  bool is_open(const Texts& given) const {
    return selected(given, "solver") == kAuto && !is_given(given, "batch") && !is_given(given, "passes") &&
           !is_given(given, "step_size");
  }
  Plan smaller_bound(const Task& task, const Texts& given) const {
    Plan descent = plan_for(task, AlgorithmOptions(as<OutputDescentOptions>(given)));
    try {
      Plan certified = plan_for(task, AlgorithmOptions(as<OutputCertifiedOptions>(given)));
      return descent.utility.excess_risk < certified.utility.excess_risk ? descent : certified;
    } catch (const ArgumentError&) {
      return descent;  // a penalty too small for the certificate
    }
  }
};

class ExponentialFamily final : public Family {
 public:
  ExponentialFamily()
      : Family("exponential",
               "mean, median or quantile without feature columns, the best rule of a finite class, or a linear model; "
               "exact and pure epsilon up to 4 weights",
               {{"regularised",
                 "auto",
                 "yes: draw from the penalised density by the proximal sampler (needs delta > 0); no: exact, up to 4 "
                 "weights; auto: no where it can",
                 {"auto", "yes", "no"}}},
               {member<ExponentialLocationOptions>("a mean, median or quantile without feature columns"),
                member<ExponentialBallOptions>("`regularised = no`"),
                member<ExponentialRegularisedOptions>("`regularised = yes`"),
                member<ExponentialRulesOptions>("`loss = zero-one`")}) {}
  AlgorithmOptions resolve(const Task& task, const Texts& given) const override {
    const std::string regularised = selected(given, "regularised");
    if (model_form(task.problem) == ModelForm::rule) return as<ExponentialRulesOptions>(given);
    if (task.facts.dimension == 1 && is_location_loss(task.problem.loss.kind)) {
      return as<ExponentialLocationOptions>(given);
    }
    if (regularised == "no" || (regularised == kAuto && task.facts.dimension <= kMostExactWeights)) {
      return as<ExponentialBallOptions>(given);
    }
    return as<ExponentialRegularisedOptions>(given);
  }

 private:
  static bool is_location_loss(loss::LossKind kind) {
    return kind == loss::LossKind::squared || kind == loss::LossKind::absolute || kind == loss::LossKind::pinball;
  }
};

}  // namespace

std::span<const Method* const> all_methods() {
  static const ObjectiveFamily objective_perturbation;
  static const Single<SufficientStatisticsOptions> sufficient_statistics;
  static const ExponentialFamily exponential;
  static const GradientDescentFamily gradient_descent;
  static const OutputFamily output_perturbation;
  static const Single<SgdOptions> sgd;
  static const Single<ConstantOptions> constant;
  static const std::array<const Method*, 7> methods = {&objective_perturbation,
                                                       &sufficient_statistics,
                                                       &exponential,
                                                       &gradient_descent,
                                                       &output_perturbation,
                                                       &sgd,
                                                       &constant};
  return methods;
}

const Method& method_named(std::string_view name) {
  static const Single<NonPrivateOptions> non_private;
  if (name == non_private.name()) return non_private;
  std::vector<std::string_view> names;
  for (const Method* method : all_methods()) {
    if (method->name() == name) return *method;
    names.push_back(method->name());
  }
  const std::string meant = did_you_mean(name, names);
  throw ArgumentError(fmt::format("there is no method '{}'{} Choose auto, {}", name, meant.empty() ? "." : meant,
                                  fmt::join(names, ", ")));
}

std::vector<NamedPlanner> planners(std::string_view name, const Texts& given) {
  std::vector<NamedPlanner> result;
  const auto add = [&](const Method& method) {
    result.push_back({std::string(method.name()),
                      [&method, given](const Task& task) { return method.plan(task, given); }, method.takes_curves()});
  };
  if (name != kAuto) {
    add(method_named(name));
    return result;
  }
  for (const auto& [option, text] : given) {
    const auto all = all_methods();
    if (std::none_of(all.begin(), all.end(), [&](const Method* each) {
          return std::any_of(each->options().begin(), each->options().end(),
                             [&](const OptionSpec& spec) { return spec.name == option; });
        })) {
      throw ArgumentError(fmt::format("no method has an option `{}`", option));
    }
  }
  for (const Method* method : all_methods()) add(*method);
  return result;
}

}  // namespace dperm::methods
