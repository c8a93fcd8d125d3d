// SPDX-License-Identifier: Apache-2.0
#include "dperm/model.hpp"

#include <fmt/format.h>

#include <filesystem>
#include <span>
#include <system_error>

#include "dperm/api/rows_for.hpp"
#include "dperm/api/uncounted.hpp"
#include "dperm/core/check.hpp"
#include "dperm/core/error.hpp"
#include "dperm/engine/dataset.hpp"
#include "dperm/methods/algorithms.hpp"
#include "dperm/methods/evaluation/row_predictions.hpp"
#include "dperm/model/atomic_file.hpp"
#include "dperm/model/coefficients.hpp"
#include "dperm/model/curves.hpp"
#include "dperm/model/model_json.hpp"
#include "dperm/model/trust.hpp"
#include "dperm/model/verify.hpp"
#include "dperm/random/bits_for.hpp"
#include "dperm/schema/encoding.hpp"
#include "dperm/schema/shapes.hpp"

namespace dperm {

namespace {

Model made(model::Model model) { return Model(std::make_shared<const model::Model>(std::move(model))); }

methods::ModelForm form_of(const model::Model& model) { return methods::model_form(model.plan.task.problem); }

// What `of` says about the weights of each score, one after the other; nothing for networks and rules.
template <class Part, class Of>
std::vector<Part> of_every_score(const model::Model& model, const Of& of) {
  std::vector<Part> result;
  const methods::ModelForm form = form_of(model);
  if (form != methods::ModelForm::linear && form != methods::ModelForm::multiclass) return result;
  const schema::Encoding encoding(model.schema);
  const std::size_t dimension = encoding.dimension();
  for (std::size_t first = 0; first < model.weights.size(); first += dimension) {
    const bool several = form == methods::ModelForm::multiclass;
    const std::string label = several ? model.schema.target.values.at(first / dimension) : std::string();
    for (Part& each : of(encoding, std::span(model.weights).subspan(first, dimension), label)) {
      result.push_back(std::move(each));
    }
  }
  return result;
}

}  // namespace

const Schema& Model::schema() const { return model_->schema; }
std::string_view Model::algorithm() const { return methods::algorithm_name(model_->plan.options); }
const Guarantee& Model::guarantee() const { return model_->guarantee; }
Guarantee Model::total_guarantee() const { return model::total_guarantee(*model_); }
const std::vector<PrivacyEvent>& Model::events() const { return model_->events; }
bool Model::is_private() const { return model_->is_private; }
const Problem& Model::problem() const { return model_->plan.task.problem; }
std::size_t Model::rows() const { return model_->plan.task.facts.rows; }
const std::vector<std::string>& Model::remarks() const { return model_->remarks; }
const std::vector<double>& Model::weights() const { return model_->weights; }
std::string Model::to_json() const { return model::to_json(*model_); }

std::vector<Coefficient> Model::coefficients() const {
  return of_every_score<Coefficient>(*model_, [](const auto& encoding, auto weights, const std::string& label) {
    std::vector<Coefficient> result;
    for (const model::Coefficient& each : model::coefficients(encoding, weights)) {
      result.push_back({each.name, each.original, each.per, label});
    }
    return result;
  });
}

std::vector<Curve> Model::curves() const {
  return of_every_score<Curve>(*model_, [](const auto& encoding, auto weights, const std::string& label) {
    std::vector<Curve> result = model::curves(encoding, weights);
    for (Curve& each : result) each.label = label;
    return result;
  });
}

std::vector<Surface> Model::surfaces() const {
  return of_every_score<Surface>(*model_, [](const auto& encoding, auto weights, const std::string& label) {
    std::vector<Surface> result = model::surfaces(encoding, weights);
    for (Surface& each : result) each.label = label;
    return result;
  });
}

std::optional<Interval> Model::interval() const {
  if (!model_->interval) return std::nullopt;
  const schema::TargetUnits units = schema::target_units(model_->schema.target);
  const auto own = [&](double encoded) { return units.middle + units.half_width * encoded; };
  return Interval{own(model_->interval->lower), own(model_->interval->upper), model_->interval->confidence};
}

std::string Model::rule() const {
  return form_of(*model_) == methods::ModelForm::rule ? model::rule_text(*model_) : std::string();
}

Model fit(const Plan& plan, const Dataset& dataset, const FitOptions& options) {
  api::refuse_uncounted(plan.schema().dataset);
  return api::fit_uncounted(plan, dataset, options);
}

Model api::fit_uncounted(const Plan& plan, const Dataset& dataset, const FitOptions& options) {
  require(schema::without_shapes(plan.schema()) == schema::without_shapes(dataset.schema()),
          "the plan was made for another schema than the data was read with");
  const data::Dataset rows = dataset.records().read_as(std::make_shared<const schema::Encoding>(plan.schema()));
  const auto bits = random::bits_for(options.seed);
  privacy::Curator curator(*bits, plan.guarantee().neighbours, methods::group_of(plan.details().task.facts));
  const methods::FitResult result =
      methods::fit(plan.details(), rows, curator, {{options.threads}, options.progress, options.unsafe});
  return made(model::make_model(plan.schema(), plan.details(), result));
}

void write_model(const Model& model, const std::string& path, bool overwrite) {
  std::error_code ignored;
  require(overwrite || !std::filesystem::exists(path, ignored), "path",
          path +
              " already exists, and a model file is the record of a budget that is spent; give another path, or "
              "`overwrite`");
  const std::string json = model.to_json();
  const std::string beside = model::ReservedFile(path, json.size()).write(json, overwrite);
  if (beside.empty()) return;
  throw DataError(
      fmt::format("{}: another program wrote a file of this name meanwhile; this model is {}", path, beside));
}
Model read_model(const std::string& path) { return made(model::read_model(path)); }
Model parse_model(std::string_view json) { return made(model::parse_model(json, "model")); }

data::Dataset api::rows_for(const Model& model, const Dataset& dataset) {
  return dataset.records().read_as(std::make_shared<const schema::Encoding>(model.schema()));
}

RowPredictions predict(const Model& model, const Dataset& dataset, int threads) {
  // The rows belong to whoever asks; what is said is about these rows, not about the training data.
  return DeclaredPublicAccess::open(
      methods::predict(api::rows_for(model, dataset), model::fitted(model.details()), Threads{threads}));
}

Verification verify(const Model& model) {
  const std::vector<model::Check> checks = model::verify(model.details());
  Verification result{model::all_passed(checks), {}, model::taken_on_trust(model.details())};
  for (const model::Check& each : checks) result.checks.push_back({each.what, each.passed, each.detail});
  return result;
}

}  // namespace dperm
