// SPDX-License-Identifier: Apache-2.0
#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "dperm/core/digest.hpp"
#include "dperm/core/error.hpp"
#include "dperm/infer/fill.hpp"
#include "dperm/methods/method.hpp"
#include "dperm/model/atomic_file.hpp"
#include "dperm/model/coefficients.hpp"
#include "dperm/model/evaluated_json.hpp"
#include "dperm/model/event_json.hpp"
#include "dperm/model/json_reader.hpp"
#include "dperm/model/model_json.hpp"
#include "dperm/model/strict_json.hpp"
#include "dperm/model/version_1.hpp"
#include "dperm/model/version_2.hpp"
#include "dperm/model/version_3.hpp"

namespace dperm::model {

namespace {

using Json = nlohmann::json;

using Reader = JsonReader;

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
  task.facts.unit_rows = in.find<std::size_t>("unit_rows").value_or(0);
  task.budget = {in.bound("epsilon"), in.get<double>("delta")};
  return task;
}

// Version 1 named the method and gave the options of all its algorithms.
methods::AlgorithmOptions options_of_version_1(const Reader& in, const methods::Task& task) {
  methods::Texts texts;
  for (auto& [name, text] : in.get<methods::Texts>("options")) {
    std::string now = name;
    std::replace(now.begin(), now.end(), '-', '_');
    texts[now] = text;
  }
  const auto method = in.get<std::string>("method");
  if (method == "tuned") return methods::options_named(method, texts);
  return methods::method_named(method).resolve(task, texts);
}

methods::AlgorithmOptions options_of(const Reader& in) {
  const auto options = methods::options_named(in.get<std::string>("algorithm"), in.get<methods::Texts>("options"));
  if (in.get<std::string>("method") != methods::method_name(options)) in.fail("'method' is not the algorithm's");
  return options;
}

methods::Plan plan_of(const Reader& in, int version) {
  methods::Plan plan;
  plan.task = task_of(in.object("task"));
  plan.options = version == 1 ? options_of_version_1(in, plan.task) : options_of(in);
  plan.events = events_of(in);
  if (version <= 2) plan.options = with_settings_of_version_2(std::move(plan.options), plan.task, plan.events);
  if (version <= 3) plan.options = with_settings_of_version_3(std::move(plan.options), plan.task, plan.events);
  plan.guarantee = guarantee_of(in.object("guarantee"), plan.task.facts.unit_rows);
  const Reader utility = in.object("utility");
  plan.utility = {utility.bound("excess_risk"), utility.get<std::string>("theorem"),
                  utility.find<double>("probability"), utility.find<double>("if_rows_within")};
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
    if (encoding.reals()[r].pieces > 0) continue;  // moves no intercept
    scale += std::abs(expected[encoding.reals()[r].weight].original * encoding.real_center(r));
  }
  return scale + std::abs(expected[0].encoded);
}

// Numbers up to their last digits, everything else as it is.
bool nearly_same(const Json& a, const Json& b) {
  if (a.is_number() && b.is_number()) {
    const double x = a.get<double>(), y = b.get<double>();
    return std::abs(x - y) <= 1e-9 * std::max({std::abs(x), std::abs(y), 1e-3});
  }
  if (a.is_structured() && a.type() == b.type() && a.size() == b.size()) {
    const auto x = a.items(), y = b.items();
    return std::equal(x.begin(), x.end(), y.begin(), [](const auto& one, const auto& other) {
      return one.key() == other.key() && nearly_same(one.value(), other.value());
    });
  }
  return a == b;
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

void check_noise(const Reader& in, const Model& model) {
  const std::vector<double>& noise = model.weight_noise;
  if (noise.empty()) return;
  const bool fine = noise.size() == model.weights.size() && std::all_of(noise.begin(), noise.end(), [](double each) {
                      return std::isfinite(each) && each >= 0;
                    });
  if (!fine) in.fail("'encoded_noise' must be a number of at least 0 beside every coefficient, or beside none");
}

void read_parameters(const Reader& in, Model& model) {
  switch (methods::model_form(model.plan.task.problem)) {
    case methods::ModelForm::linear:
    case methods::ModelForm::multiclass:
      for (const Reader& each : in.objects("coefficients")) {
        model.weights.push_back(each.get<double>("encoded"));
        if (each.has("encoded_noise")) model.weight_noise.push_back(each.get<double>("encoded_noise"));
      }
      check_noise(in, model);
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

// A network or rule whose dimensions are not its schema's would be read beyond its end.
void check_dimensions(const Reader& in, const Model& model, const schema::Encoding& encoding) {
  const methods::Task& task = model.plan.task;
  if (methods::facts_of(encoding, task.problem, task.facts.rows) != task.facts ||
      model.weights.size() != methods::weight_count(task)) {
    in.fail("its numbers of weights, columns and classes are not those of its schema");
  }
}

// Rows kept out, as the plan says, and what was released about them. What people read of it must follow.
void read_evaluation(const Reader& in, const Json& json, const schema::Encoding& encoding, Model& model) {
  if (in.object("plan").has("holdout")) {
    const Reader holdout = in.object("plan").object("holdout");
    const methods::HoldoutOptions options{
        holdout.get<double>("share"),
        {holdout.find<std::string>("groups").value_or(""), holdout.get<double>("threshold")}};
    const auto rows = holdout.get<std::size_t>("rows");
    model.plan.holdout = std::make_shared<const methods::HoldoutPlan>(methods::HoldoutPlan{
        options, methods::plan_judgement(model.plan.task, encoding, rows, model.plan.task.budget, options.judged,
                                         encoding.schema().unit ? options.share : 1)});
  }
  if (json.contains("evaluation") != (model.plan.holdout != nullptr)) {
    in.fail("it has an evaluation without a plan for it, or a plan without one");
  }
  if (!model.plan.holdout) return;
  const Reader evaluation = in.object("evaluation");
  model.judgement = methods::Judgement{model.plan.holdout->judgement, evaluation.get<std::vector<double>>("edges"),
                                       evaluation.get<std::vector<std::int64_t>>("released")};
  Json expected = Json::parse(evaluated_json(*model::evaluation(model)).dump()), told = json.at("evaluation");
  told.erase("edges");
  told.erase("released");
  if (!nearly_same(told, expected)) in.fail("its evaluation does not follow from the released counts");
}

// The format version, having checked that this is a model of one that is known and as it was written.
int checked_version(const Json& json, const std::string& origin) {
  const Reader in(json, origin, "");
  if (in.find<std::string>("format") != "dperm-model") in.fail("'format' is not dperm-model");
  const int version = in.get<int>("format_version");
  if (version < 1 || version > kModelFormatVersion) {
    in.fail(fmt::format("format_version must be 1 to {}", kModelFormatVersion));
  }
  check_digest(in, json);
  return version;
}

// What the file says that bounds and model cost together.
void check_total(const Reader& in, const Model& model) {
  if (model.schema.inferred.empty()) return;
  const Reader claimed = in.object("total_guarantee");
  const infer::Total total = infer::total(model.schema, model.guarantee);
  if (claimed.get<double>("epsilon") != total.epsilon || claimed.get<double>("delta") != total.delta) {
    in.fail("'total_guarantee' is not the sum of the guarantee and of what was inferred before");
  }
}

Model model_of(const Json& json, const std::string& origin, int version) {
  const Reader in(json, origin, "");
  Model model;
  model.is_private = in.get<bool>("private");
  model.remarks = in.get<std::vector<std::string>>("remarks");
  model.events = events_of(in);
  model.plan = plan_of(in.object("plan"), version);
  if (model.is_private && (privacy::is_unprotected(model.events) || privacy::is_unprotected(model.plan.events))) {
    in.fail("it calls itself private, and its weights left without noise");
  }
  model.guarantee = guarantee_of(in.object("guarantee"), model.plan.task.facts.unit_rows);
  model.schema = schema::parse_schema(in.get<std::string>("schema"), origin);
  check_total(in, model);
  model.plan.task.facts.target = model.schema.target.kind;
  const schema::Encoding encoding(model.schema);
  model.plan.task.facts.row_square = encoding.typical_square();
  model.plan.task.facts.knots = encoding.has_knots();
  read_parameters(in, model);
  check_dimensions(in, model, encoding);
  read_evaluation(in, json, encoding, model);
  if (json.contains("tuning")) {
    const Reader tuning = in.object("tuning");
    model.tuning = {tuning.get<std::string>("candidate"), tuning.get<double>("score"),
                    tuning.get<double>("score_noise")};
  }
  if (json.contains("interval")) {
    const Reader interval = in.object("interval");
    model.interval = {interval.get<double>("lower"), interval.get<double>("upper"), interval.get<double>("confidence")};
  }
  if (json.contains("ledger")) {
    const Reader ledger = in.object("ledger");
    model.ledger = {ledger.get<std::string>("id"), ledger.get<std::string>("dataset"),
                    ledger.get<std::uint64_t>("entry"), ledger.get<std::string>("head")};
  }
  return model;
}

// What we would not write ourselves says nothing that was checked: someone could take it for part of the model. What we
// would write and is not there was taken out.
void check_keys(const Json& json, const std::string& origin, const Model& model) {
  const Json ours = Json::parse(to_json(model));
  const std::string unknown = unknown_key(json, ours), missing = unknown_key(ours, json);
  if (!unknown.empty()) Reader(json, origin, "").fail(fmt::format("it has the unknown key '{}'", unknown));
  if (!missing.empty()) Reader(json, origin, "").fail(fmt::format("the key '{}' is missing", missing));
}

}  // namespace

Model parse_model(std::string_view text, const std::string& origin) {
  Json json = parse_strictly(text, origin, "a model written by dperm fit");
  try {
    const int version = checked_version(json, origin);
    if (version == 1) json = from_version_1(std::move(json));
    Model model = model_of(json, origin, version);
    if (version >= 3) check_keys(json, origin, model);  // the words of 3 and 4 are the same
    return model;
  } catch (const ArgumentError& error) {
    throw DataError(fmt::format("{}: not a usable dperm model: {}", origin, plain(error.what())));
  }
}

bool is_model_text(std::string_view text, const std::string& origin) {
  const Json json = parse_strictly(text, origin, "a list of events");
  return json.is_object() && json.value("format", Json()) == "dperm-model";
}

std::vector<privacy::PrivacyEvent> parse_events(std::string_view text, const std::string& origin) {
  Json json = parse_strictly(text, origin, "a list of events");
  if (json.is_object() && json.value("format_version", Json()) == 1) json = from_version_1(std::move(json));
  return events_of(Reader(json, origin, ""));
}

std::vector<privacy::PrivacyEvent> read_events(const std::string& path) { return parse_events(read_file(path), path); }

Model read_model(const std::string& path) { return parse_model(read_file(path), path); }

}  // namespace dperm::model
