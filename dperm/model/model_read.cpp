// SPDX-License-Identifier: Apache-2.0
#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>
#include <optional>

#include "dperm/core/error.hpp"
#include "dperm/methods/method.hpp"
#include "dperm/model/atomic_file.hpp"
#include "dperm/model/coefficients.hpp"
#include "dperm/model/digest.hpp"
#include "dperm/model/model_json.hpp"

namespace dperm::model {

namespace {

using Json = nlohmann::json;

// Words that files of format version 1 have for the same things.
std::string name_in_version_1(std::string_view key) {
  static constexpr std::array<std::pair<std::string_view, std::string_view>, 3> kOldNames = {
      {{"task", "question"}, {"range", "oscillation"}, {"repetition_distribution", "repetition_law"}}};
  for (const auto& [now, before] : kOldNames) {
    if (key == now) return std::string(before);
  }
  return std::string(key);
}

// One object of the file with the path to it, so that every message says where.
class Reader {
 public:
  Reader(const Json& json, std::string origin, std::string path)
      : json_(json), origin_(std::move(origin)), path_(std::move(path)) {
    if (!json_.is_object()) fail("must be an object");
  }

  Reader object(const char* key) const { return Reader(at(key), origin_, path_ + key + "."); }

  template <class T>
  T get(const char* key) const {
    try {
      return at(key).template get<T>();
    } catch (const Json::exception&) {
      fail(fmt::format("'{}{}' has the wrong type", path_, key));
    }
  }

  // JSON has no infinity; a bound that promises nothing is written as null.
  double bound(const char* key) const {
    return at(key).is_null() ? std::numeric_limits<double>::infinity() : get<double>(key);
  }

  template <class T>
  std::optional<T> find(const char* key) const {
    return json_.contains(key) ? std::optional<T>(get<T>(key)) : std::nullopt;
  }

  bool has(const char* key) const { return json_.contains(key); }

  std::vector<Reader> objects(const char* key) const {
    std::vector<Reader> result;
    if (!at(key).is_array()) fail(fmt::format("'{}{}' must be a list", path_, key));
    for (const Json& each : at(key)) result.emplace_back(each, origin_, path_ + key + "[].");
    return result;
  }

  [[noreturn]] void fail(const std::string& what) const {
    throw DataError(
        fmt::format("{}: not a usable dperm model: {}; fit it again or restore the original", origin_, what));
  }

 private:
  const Json& at(const char* key) const {
    auto found = json_.find(key);
    if (found == json_.end()) found = json_.find(name_in_version_1(key));
    if (found == json_.end()) fail(fmt::format("'{}{}' is missing", path_, key));
    return *found;
  }

  const Json& json_;
  std::string origin_, path_;
};

privacy::Neighbours neighbours_of(const Reader& in) {
  const auto text = in.get<std::string>("neighbours");
  for (const auto each : {privacy::Neighbours::replace_one, privacy::Neighbours::add_remove}) {
    if (privacy::to_string(each) == text) return each;
  }
  in.fail("unknown neighbour relation");
}

template <class Choice>
Choice choice_of(const Reader& in) {
  return {in.get<std::uint64_t>("range"), in.get<std::uint64_t>("scale_numerator"),
          in.get<std::uint64_t>("scale_denominator")};
}

privacy::Sampling sampling_of(const Reader& in) {
  const auto text = in.get<std::string>("sampling");
  for (const auto each : {privacy::Sampling::poisson, privacy::Sampling::fixed_size}) {
    if (privacy::to_string(each) == text) return each;
  }
  in.fail("unknown sampling");
}

std::vector<privacy::PrivacyEvent> events_of(const Reader& in);

privacy::SelectionEvent selection_of(const Reader& in) {
  const auto distribution = in.get<std::string>("repetition_distribution");
  if (distribution != "poisson" && distribution != "truncated-negative-binomial")
    in.fail("unknown repetition distribution");
  privacy::SelectionEvent event{
      distribution == "poisson" ? privacy::RepetitionDistribution::poisson
                                : privacy::RepetitionDistribution::truncated_negative_binomial,
      in.get<double>("shape"), in.get<double>("parameter"), in.get<double>("base_epsilon"), in.get<double>("base_mu")};
  if (in.has("alternatives")) {
    for (const Reader& each : in.objects("alternatives")) {
      for (const Reader& inner : each.objects("events")) {
        if (inner.get<std::string>("mechanism") == "selection") in.fail("a selection is no base of another");
      }
      event.alternatives.push_back(events_of(each));
    }
  }
  return event;
}

// Either kind of perturbed objective; `noise` names its last number.
template <class Objective>
Objective objective_of(const Reader& in, const char* noise) {
  const auto sign = in.get<std::string>("sign");
  Objective objective{privacy::GradientSign::two_sided, in.get<double>("gradient"), in.get<double>("curvature"),
                      in.get<double>("penalty"),        in.get<double>(noise),      0};
  if (sign == "monotone") {
    objective.sign = privacy::GradientSign::monotone;
  } else if (sign == "multinomial") {
    objective.sign = privacy::GradientSign::multinomial;
    objective.classes = in.get<std::size_t>("classes");
  } else if (sign != "two-sided") {
    in.fail("unknown sign of a gradient");
  }
  return objective;
}

privacy::Mechanism mechanism_of(const Reader& in) {
  const auto name = in.get<std::string>("mechanism");
  if (name == "gaussian") return privacy::GaussianEvent{in.get<double>("l2_sensitivity"), in.get<double>("sigma")};
  if (name == "k-norm") return privacy::KNormEvent{in.get<double>("l2_sensitivity"), in.get<double>("scale")};
  if (name == "laplace") {
    return privacy::LaplaceEvent{in.get<std::uint64_t>("l1_sensitivity"), in.get<std::uint64_t>("scale_numerator"),
                                 in.get<std::uint64_t>("scale_denominator")};
  }
  if (name == "exponential") return choice_of<privacy::ExponentialEvent>(in);
  if (name == "permute-and-flip") return choice_of<privacy::PermuteAndFlipEvent>(in);
  if (name == "objective-perturbation") {
    return privacy::ObjectivePerturbationEvent{objective_of<privacy::PerturbedObjective>(in, "sigma"),
                                               in.get<double>("slack_delta")};
  }
  if (name == "pure-objective-perturbation") {
    return privacy::PureObjectiveEvent{objective_of<privacy::PureObjective>(in, "scale")};
  }
  if (name == "sampled-gaussian") {
    return privacy::SampledGaussianEvent{in.get<double>("contribution"), in.get<double>("sigma"),
                                         in.get<double>("rate"), sampling_of(in)};
  }
  if (name == "sampled-laplace") {
    return privacy::SampledLaplaceEvent{in.get<double>("contribution"), in.get<double>("scale"), in.get<double>("rate"),
                                        sampling_of(in)};
  }
  if (name == "randomised-response") return privacy::RandomisedResponseEvent{in.get<double>("epsilon")};
  if (name == "selection") return selection_of(in);
  if (name == "regularised-exponential") {
    return privacy::RegularisedExponentialEvent{in.get<double>("gradient_difference"),
                                                in.get<double>("inverse_temperature"), in.get<double>("penalty"),
                                                in.get<double>("log_error"), in.get<double>("total_variation")};
  }
  in.fail("unknown mechanism");
}

std::vector<privacy::PrivacyEvent> events_of(const Reader& in) {
  std::vector<privacy::PrivacyEvent> events;
  for (const Reader& each : in.objects("events")) {
    events.push_back({each.get<std::string>("what"), mechanism_of(each), neighbours_of(each),
                      each.get<std::int64_t>("repetitions")});
  }
  return events;
}

privacy::Guarantee guarantee_of(const Reader& in) {
  if (in.get<std::string>("unit") != kUnit) in.fail("no guarantee is made for another unit than one row");
  return {in.get<double>("epsilon"), in.get<double>("delta"), neighbours_of(in),   in.get<std::string>("accountant"),
          in.find<double>("mu"),     in.find<double>("rho"),  in.get<bool>("pure")};
}

loss::Loss loss_of(const Reader& in) {
  loss::Loss loss;
  loss.kind = loss::loss_from_name(in.get<std::string>("name"));
  for (const loss::LossParameter& each : loss::info(loss.kind).parameters) {
    const auto written = in.find<double>(std::string(each.name).c_str());
    loss.*each.member = written.value_or(each.before_it_was_written.value_or(loss.*each.member));
  }
  return loss;
}

loss::FeasibleSet set_of(const Reader& in) {
  const auto kind = in.get<std::string>("kind");
  if (kind == "unconstrained") return {};
  if (kind == "ball") return {loss::SetKind::ball, in.get<double>("radius")};
  if (kind == "box") return {loss::SetKind::box, in.get<double>("radius")};
  in.fail("unknown feasible set");
}

methods::Task task_of(const Reader& in) {
  methods::Task task;
  task.problem = {loss_of(in.object("loss")), in.get<double>("l2_penalty"), set_of(in.object("feasible_set"))};
  task.problem.hidden = in.find<std::vector<std::size_t>>("hidden").value_or(task.problem.hidden);
  if (const auto name = in.find<std::string>("activation")) {
    task.problem.activation = network::activation_from_name(*name);
  }
  task.problem.rules = in.find<std::string>("rules").value_or("");
  task.facts = {in.get<std::size_t>("rows"), in.get<std::size_t>("weights"), in.get<std::size_t>("columns"),
                in.find<std::size_t>("classes").value_or(0), in.find<std::uint64_t>("rule_count").value_or(0)};
  task.budget = {in.get<double>("epsilon"), in.get<double>("delta")};
  return task;
}

// Version 1 named the method and gave the options of all its algorithms.
methods::AlgorithmOptions options_of_version_1(const Reader& in, const methods::Task& task) {
  methods::Texts texts;
  for (auto& [name, text] : in.get<methods::Texts>("options")) {
    std::string now = name == "law" ? "distribution" : name;
    std::replace(now.begin(), now.end(), '-', '_');
    texts[now] = text;
  }
  const auto method = in.get<std::string>("method");
  if (method == "tuned") return methods::options_named(method, texts);
  return methods::method_named(method).resolve(task, texts);
}

methods::Plan plan_of(const Reader& in) {
  methods::Plan plan;
  plan.task = task_of(in.object("task"));
  plan.options = in.has("algorithm")
                     ? methods::options_named(in.get<std::string>("algorithm"), in.get<methods::Texts>("options"))
                     : options_of_version_1(in, plan.task);
  plan.events = events_of(in);
  plan.guarantee = guarantee_of(in.object("guarantee"));
  plan.utility = {in.object("utility").bound("excess_risk"), in.object("utility").get<std::string>("theorem")};
  for (const Reader& step : in.objects("derivation")) {
    plan.derivation.push_back(
        {step.get<std::string>("quantity"), step.get<double>("value"), step.get<std::string>("reason")});
  }
  return plan;
}

void check_digest(const Reader& in, Json content) {
  const auto claimed = in.get<std::string>("digest");
  content.erase("digest");
  if (digest(content.dump()) != claimed) in.fail("its content does not match its digest, so it was changed");
}

// On which scale an intercept can cancel: centre times coefficient of every column, and the target's own middle.
double largest(const schema::Encoding& encoding, const std::vector<Coefficient>& expected) {
  double scale = std::abs(schema::target_units(encoding.schema().target).middle) + std::abs(expected[0].original);
  for (std::size_t r = 0; r < encoding.reals().size(); ++r) {
    scale += std::abs(expected[encoding.reals()[r].weight].original * encoding.real_center(r));
  }
  return scale + std::abs(expected[0].encoded);
}

// The words and values that people read must follow from the weights and the schema, so that neither can be edited
// alone.
void check_coefficients(const Reader& in, const Model& model) {
  const schema::Encoding encoding(model.schema);
  const std::vector<Reader> entries = in.objects("coefficients");
  const std::size_t dimension = encoding.dimension();
  if (entries.size() != methods::weight_count(model.plan.task) || entries.size() % dimension != 0) {
    in.fail("it has another number of coefficients than its schema");
  }
  const bool multiclass = methods::model_form(model.plan.task.problem) == methods::ModelForm::multiclass;
  if (multiclass && entries.size() / dimension != model.schema.target.values.size()) {
    in.fail("it has another number of classes than its schema");
  }
  std::vector<Coefficient> expected;
  for (std::size_t j = 0; j < entries.size(); ++j) {
    if (j % dimension == 0) expected = coefficients(encoding, std::span(model.weights).subspan(j, dimension));
    const Coefficient& each = expected[j % dimension];
    const double value = entries[j].get<double>("value");
    const double size = std::max(std::abs(value), std::abs(each.original));
    // An intercept is a sum whose terms may cancel, so it is compared on the scale of the largest coefficient.
    const double scale = j % dimension == 0 ? largest(encoding, expected) : size;
    const bool same_words =
        entries[j].get<std::string>("name") == each.name && entries[j].get<std::string>("per") == each.per &&
        (!multiclass || entries[j].get<std::string>("class") == model.schema.target.values.at(j / dimension));
    if (!same_words || !(std::abs(value - each.original) <= 1e-9 * scale)) {
      in.fail(fmt::format("coefficient {} does not follow from the weights and the schema", j + 1));
    }
  }
}

void read_parameters(const Reader& in, Model& model) {
  switch (methods::model_form(model.plan.task.problem)) {
    case methods::ModelForm::linear:
    case methods::ModelForm::multiclass:
      for (const Reader& each : in.objects("coefficients")) model.weights.push_back(each.get<double>("encoded"));
      check_coefficients(in, model);
      return;
    case methods::ModelForm::network:
      model.weights = in.get<std::vector<double>>("network_weights");
      return;
    case methods::ModelForm::rule:
      model.weights = {in.object("rule").get<double>("number")};
      if (in.object("rule").get<std::string>("text") != rule_text(model))
        in.fail("the rule's text is not its number's");
      return;
  }
}

Model model_of(const Json& json, const std::string& origin) {
  const Reader in(json, origin, "");
  if (in.find<std::string>("format") != "dperm-model") in.fail("'format' is not dperm-model");
  const int version = in.get<int>("format_version");
  if (version < 1 || version > kModelFormatVersion) {
    in.fail(fmt::format("format_version must be 1 to {}", kModelFormatVersion));
  }
  check_digest(in, json);
  Model model;
  model.is_private = in.get<bool>("private");
  model.remarks = in.get<std::vector<std::string>>("remarks");
  model.guarantee = guarantee_of(in.object("guarantee"));
  model.events = events_of(in);
  model.plan = plan_of(in.object("plan"));
  model.schema = schema::parse_schema(in.get<std::string>("schema"), origin);
  model.plan.task.facts.target = model.schema.target.kind;
  read_parameters(in, model);
  if (json.contains("tuning")) {
    const Reader tuning = in.object("tuning");
    model.tuning = {tuning.get<std::string>("candidate"), tuning.get<double>("score"),
                    tuning.get<double>("score_noise")};
  }
  return model;
}

}  // namespace

Model parse_model(std::string_view text, const std::string& origin) {
  const Json json = Json::parse(text, nullptr, false);
  if (json.is_discarded()) {
    throw DataError(fmt::format("{}: not JSON, or cut short; expected a model written by dperm fit", origin));
  }
  try {
    return model_of(json, origin);
  } catch (const ArgumentError& error) {
    throw DataError(fmt::format("{}: not a usable dperm model: {}", origin, error.what()));
  }
}

std::vector<privacy::PrivacyEvent> read_events(const std::string& path) {
  const Json json = Json::parse(read_file(path), nullptr, false);
  if (json.is_discarded()) throw DataError(fmt::format("{}: not JSON", path));
  return events_of(Reader(json, path, ""));
}

Model read_model(const std::string& path) { return parse_model(read_file(path), path); }

}  // namespace dperm::model
