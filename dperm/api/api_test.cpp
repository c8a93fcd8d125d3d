// SPDX-License-Identifier: Apache-2.0
// The public API as a program uses it: these headers alone.
#include <gtest/gtest.h>

#include <cstdio>

#include "dperm/api/people_fixture.hpp"

namespace dperm {
namespace {

using Api = api::PeopleFixture;

TEST_F(Api, ReadsPlansFitsWritesAndVerifies) {
  const Dataset data = people();
  EXPECT_EQ(data.rows(), 2000u);
  EXPECT_EQ(data.schema(), schema_);
  const Plan planned = plan(task());
  const Model made = fit(planned, data);
  EXPECT_TRUE(made.is_private());
  EXPECT_EQ(made.events(), planned.events());
  EXPECT_EQ(made.guarantee(), planned.guarantee());
  EXPECT_LE(made.guarantee().epsilon, 1);
  const std::string path = testing::TempDir() + "dperm_api_model.json";
  write_model(made, path);
  EXPECT_THROW(write_model(made, path), ArgumentError) << "a model is the record of a budget that is spent";
  write_model(made, path, true);
  const Model read = read_model(path);
  std::remove(path.c_str());
  EXPECT_EQ(read.to_json(), made.to_json());
  EXPECT_TRUE(verify(read).passed);
  EXPECT_EQ(read.coefficients().size(), 13u) << "an intercept, a line and 9 knots of age, two cities";
  EXPECT_EQ(read.coefficients().at(1).name, "age");
  EXPECT_EQ(read.rule(), "");
}

TEST_F(Api, CallsCanBeEndedInTheMiddle) {
  struct Enough : std::exception {};
  const Dataset data = people();
  const Plan planned = plan(task());
  const Model made = fit(planned, data);
  const InterruptScope scope([] { throw Enough(); });
  EXPECT_THROW(people(), Enough);
  EXPECT_THROW(fit(planned, data), Enough);
  EXPECT_THROW(predict(made, data), Enough);
  EXPECT_THROW(report(made, data, 1), Enough);
}

TEST_F(Api, AsksForBoundsAndAddsThemUp) {
  const char* const draft =
      "version = 1\n[[column]]\nname = \"age\"\n[[column]]\nname = \"city\"\n[[column]]\nname = \"sick\"\n";
  const InferOptions options{.epsilon = 4, .delta = 1e-6, .target = "sick"};
  const InferredSchema asked = infer_schema({path_}, draft, options);
  EXPECT_EQ(asked.inferred, (std::vector<std::string>{"age", "city", "sick"}));
  EXPECT_TRUE(asked.left_out.empty());
  EXPECT_EQ(asked.schema.columns.at(1).values, (std::vector<std::string>{"north", "south"}));
  EXPECT_EQ(asked.schema.target.kind, TargetKind::binary);
  Task wanted{.schema = asked.schema, .rows = 2000, .budget = {1, 1e-6}};
  wanted.problem.loss = default_loss(asked.schema);
  const Model made = fit(plan(wanted), read_dataset({path_}, asked.schema));
  EXPECT_NEAR(made.total_guarantee().epsilon, made.guarantee().epsilon + 4, 1e-12);
  EXPECT_DOUBLE_EQ(made.total_guarantee().delta, 2e-6);
  EXPECT_TRUE(verify(made).passed);
  EXPECT_THROW(infer_schema({path_}, draft, {.epsilon = 0.1, .target = "sick"}), ArgumentError);  // too few rows
  EXPECT_THROW(infer_schema({path_}, draft, {.epsilon = 4, .target = "sik"}), ArgumentError);
}

TEST_F(Api, EveryAlgorithmIsAnOptionsStruct) {
  const Dataset data = people();
  for (const AlgorithmOptions& options : std::initializer_list<AlgorithmOptions>{
           ObjectivePerturbationOptions{}, GradientDescentOptions{.steps = 5}, NewtonOptions{.steps = 3},
           OutputCertifiedOptions{.noise = methods::OutputNoise::gaussian}, OutputDescentOptions{},
           OutputSgdOptions{.batch = 100}, SgdOptions{.steps = 10}}) {
    const Plan planned = plan(task(), options);
    const FitOptions seeded{.threads = 1, .progress = nullptr, .seed = 7};
    EXPECT_EQ(fit(planned, data, seeded).weights(), fit(planned, data, seeded).weights()) << planned.algorithm();
    EXPECT_FALSE(fit(planned, data, seeded).is_private());
    EXPECT_FALSE(verify(fit(planned, data, seeded)).passed) << "a seeded model is not private";
  }
}

TEST_F(Api, PredictsAndEvaluates) {
  const Model made = fit(plan(task(3)), people());
  const RowPredictions predicted = predict(made, people());
  ASSERT_EQ(predicted.rows, 2000u);
  EXPECT_EQ(predicted.labels, (std::vector<std::string>{"0", "1"}));
  EXPECT_EQ(predicted.probabilities_of(0).size(), 2u);
  const Evaluation exact = evaluate_public(made, people());
  EXPECT_GT(exact.value, 0.9);
  EXPECT_FALSE(exact.guarantee);
  const Evaluation noisy = evaluate(made, people(), 1);
  EXPECT_NEAR(noisy.value, exact.value, 0.05);
  EXPECT_EQ(noisy.guarantee->epsilon, 1);
  EXPECT_THROW(evaluate(made, people(), 0), ArgumentError);
}

TEST_F(Api, ShowsCurvesInTheUnitsOfTheirColumns) {
  Task asked = task(3);
  asked.schema.columns[0].shape = ColumnShape::curve;
  asked.schema.columns[0].pieces = 5;
  asked.schema.columns[0].monotone = Monotone::up;
  const Model made = fit(plan(asked, ObjectivePerturbationOptions{}), people());
  ASSERT_EQ(made.curves().size(), 1u);
  const Curve age = made.curves()[0];
  EXPECT_EQ(age.along.name, "age");
  EXPECT_EQ(age.along.values, (std::vector<double>{0, 20, 40, 60, 80, 100}));
  EXPECT_EQ(age.kind, CurveKind::lines);
  EXPECT_EQ(age.label, "");
  ASSERT_EQ(age.effects.size(), 6u);
  for (std::size_t j = 1; j < 6; ++j) EXPECT_GE(age.effects[j], age.effects[j - 1] - 1e-12) << "monotone = up";
  EXPECT_GT(age.effects[5], age.effects[0] + 1) << "those above 40 are sick";
  EXPECT_TRUE(made.surfaces().empty());
  EXPECT_EQ(made.coefficients().at(0).name, "intercept");
  EXPECT_TRUE(verify(parse_model(made.to_json())).passed) << "a direction is imposed on what was released";
  asked.problem.feasible_set = {SetKind::box, 1};
  EXPECT_THROW(plan(asked, ObjectivePerturbationOptions{}), ArgumentError) << "a box and a direction";
}

TEST_F(Api, KeepsToALimitOfTime) {
  Task large = task(1, 1e-9);
  large.rows = 50'000'000;
  const Plan free = plan(large);
  EXPECT_GT(free.cost().core_seconds, 5);
  EXPECT_GT(free.cost().rounds, free.cost().passes) << "samples";
  large.time_limit = TimeLimit{.seconds = 0.8 * free.cost().core_seconds, .cores = 1};
  EXPECT_LE(plan(large).cost().core_seconds, large.time_limit->seconds);
  EXPECT_NE(plan(large).method(), free.method());
  EXPECT_THROW(plan(large, SgdOptions{}), ArgumentError) << "by its name it would take longer";
  large.time_limit->cores = 4;
  EXPECT_EQ(plan(large, SgdOptions{}).method(), "sgd");
  EXPECT_EQ(with_holdout(large, {.share = 0.1}).method(), "sgd");
  large.time_limit->seconds = 0;
  EXPECT_THROW(plan(large), ArgumentError);
}

TEST_F(Api, ComparesAndInverts) {
  const std::vector<Alternative> all = compare(task());
  ASSERT_TRUE(all.front().plan);
  EXPECT_EQ(all.front().plan->algorithm(), plan(task()).algorithm());
  EXPECT_TRUE(std::any_of(all.begin(), all.end(), [](const Alternative& each) { return !each.refusal.empty(); }));
  const double promised = plan(task(), GradientDescentOptions{}).utility().excess_risk;
  EXPECT_NEAR(static_cast<double>(*rows_needed(task(), GradientDescentOptions{}, promised)), 2000, 40);
  EXPECT_NEAR(*epsilon_needed(task(), GradientDescentOptions{}, promised), 1, 0.02);
}

TEST_F(Api, NothingIsLearnedFromRowsWithoutLabelsOrOfAnotherSchema) {
  const Dataset unlabelled = read_dataset({path_}, schema_, {.target_required = false});
  const Model made = fit(plan(task()), people());
  EXPECT_NO_THROW(predict(made, unlabelled));
  EXPECT_THROW(fit(plan(task()), unlabelled), ArgumentError);
  EXPECT_THROW(evaluate(made, unlabelled, 1), ArgumentError);
  EXPECT_THROW(evaluate_public(made, unlabelled), ArgumentError);
  Task other = task();
  other.schema.columns[0].upper = 120;
  EXPECT_THROW(fit(plan(other), people()), ArgumentError);
}

TEST_F(Api, ASeededEvaluationClaimsNothing) {
  const Model made = fit(plan(task()), people());
  const Evaluation seeded = evaluate(made, people(), 1, {.metric = {}, .threads = 0, .seed = 3});
  EXPECT_FALSE(seeded.is_private);
  EXPECT_FALSE(seeded.guarantee);
  EXPECT_TRUE(evaluate(made, people(), 1).is_private);
}

TEST_F(Api, KeepsRowsOutThatJudgeTheModel) {
  const Plan planned = with_holdout(task(), GradientDescentOptions{.steps = 20}, {.share = 0.25});
  EXPECT_EQ(planned.rows(), 1500u);
  EXPECT_LE(planned.guarantee().epsilon, 1);
  const Model made = fit(planned, people());
  EXPECT_TRUE(verify(parse_model(made.to_json())).passed);
  const auto told = held_out_report(made);
  ASSERT_TRUE(told);
  EXPECT_EQ(told->all.rows, 500);
  const EvaluationReport exact = report_public(made, people()), noisy = report(made, people(), 1);
  EXPECT_NEAR(told->all.find("auc")->value, exact.all.find("auc")->value, 0.2);
  EXPECT_NEAR(noisy.all.find("accuracy")->value, exact.all.find("accuracy")->value, 0.1);
  EXPECT_EQ(noisy.events.size(), 1u);
  EXPECT_EQ(noisy.guarantee->epsilon, 1);
  EXPECT_FALSE(exact.is_private);
  EXPECT_FALSE(held_out_report(fit(plan(task(), GradientDescentOptions{.steps = 20}), people())));
  EXPECT_THROW(with_holdout(task(), {.share = 1}), ArgumentError);
}

TEST_F(Api, WritesAPageForPeople) {
  const Model made = fit(plan(task(), GradientDescentOptions{.steps = 5}), people());
  const std::string one = report_html(std::vector{made}, {.title = "A <title>", .names = {"people.json"}});
  EXPECT_TRUE(one.starts_with("<!DOCTYPE html>"));
  EXPECT_NE(one.find("A &lt;title&gt;"), std::string::npos);
  EXPECT_NE(one.find("dperm verify people.json"), std::string::npos);
  EXPECT_NE(report_html(std::vector{made, made}).find("together they cost"), std::string::npos);
  EXPECT_THROW(report_html({}), ArgumentError);
  EXPECT_THROW(report_html(std::vector{made}, {.names = {"a", "b"}}), ArgumentError);
}

TEST_F(Api, TunesInsideTheBudget) {
  const Plan planned = plan(task(3), tuned("gradient-descent", "steps=5,20"));
  EXPECT_EQ(planned.algorithm(), "tuned");
  EXPECT_TRUE(verify(fit(planned, people())).passed);
  EXPECT_THROW(tuned("gradient-descent", "steps=5"), ArgumentError);
}

TEST_F(Api, MethodsLossesAndShapesGoByTheirNamesToo) {
  const NamedMethod descent{"gradient-descent", {{"steps", "5"}}};
  EXPECT_EQ(plan(task(), descent).to_json(), plan(task(), GradientDescentOptions{.steps = 5}).to_json());
  EXPECT_EQ(plan(task(), NamedMethod{}).to_json(), plan(task()).to_json());
  EXPECT_EQ(with_holdout(task(), descent, {.share = 0.25}).rows(), 1500u);
  EXPECT_THROW(plan(task(), NamedMethod{"magic", {}}), ArgumentError);
  EXPECT_THROW(plan(task(), NamedMethod{"gradient-descent", {{"stepz", "5"}}}), ArgumentError);
  EXPECT_EQ(loss_named("pinball", {{"quantile", 0.9}}).quantile, 0.9);
  EXPECT_THROW(loss_named("pinball", {{"margin", 0.9}}), ArgumentError);
  const Schema curved = with_shape(schema_, "curve:8");
  EXPECT_EQ(curved.columns[0].shape, ColumnShape::curve);
  EXPECT_EQ(curved.columns[0].pieces, 8u);
  EXPECT_EQ(curved.columns[1], schema_.columns[1]);
  EXPECT_EQ(with_shape(curved, "linear"), curved) << "what the schema says stays";
  for (const char* wrong : {"round", "curve:", "curve:0", "curve:64", "linear:3", "curve:8x"}) {
    EXPECT_THROW(with_shape(schema_, wrong), ArgumentError) << wrong;
  }
}

TEST_F(Api, EventsGoThroughJson) {
  const std::vector<PrivacyEvent> events = plan(task()).events();
  EXPECT_EQ(parse_events(to_json(events)), events);
  EXPECT_THROW(parse_events("{}"), DataError);
}

TEST_F(Api, AMeanHasAnIntervalInItsOwnUnit) {
  Task asked{.schema = {}, .rows = 2000, .budget = {.epsilon = 2, .delta = 0}};
  asked.schema.target = {.kind = TargetKind::real, .name = "age", .lower = 0, .upper = 100};
  asked.problem.loss = {.kind = LossKind::squared};
  const auto interval = fit(plan(asked), read_dataset({path_}, asked.schema)).interval();
  ASSERT_TRUE(interval);
  EXPECT_EQ(interval->confidence, 0.95);
  EXPECT_LT(interval->lower, 50);
  EXPECT_GT(interval->upper, 50);
  EXPECT_LT(interval->upper - interval->lower, 6);
}

TEST_F(Api, ALossThatDoesNotFitTheTargetIsRefused) {
  Task squared = task();
  squared.problem.loss = {.kind = LossKind::squared};
  EXPECT_THROW(plan(squared), ArgumentError);
  EXPECT_THROW(plan(squared, GradientDescentOptions{}), ArgumentError);
}

TEST_F(Api, ErrorsNameTheField) {
  const auto field = [&](const auto& make) -> std::string {
    try {
      make();
    } catch (const ArgumentError& error) {
      return error.field();
    }
    return "accepted";
  };
  EXPECT_EQ(field([&] { plan(task(), GradientDescentOptions{.momentum = 2}); }), "momentum");
  EXPECT_EQ(field([&] { plan(task(0)); }), "epsilon");
  Task negative = task();
  negative.problem.l2_penalty = -1;
  EXPECT_EQ(field([&] { plan(negative); }), "l2_penalty");
  EXPECT_THROW(read_dataset({"no_such_file.csv"}, schema_), ArgumentError);
  EXPECT_THROW(parse_model("{}"), DataError);
}

// The tight Gaussian calibration [BW18] at sensitivity 1, sigma 1, delta 1e-5.
TEST(Accounting, OneReleaseCostsWhatIsKnown) {
  const PrivacyEvent event{"sum", GaussianEvent{1, 1}};
  EXPECT_NEAR(account({&event, 1}, 1e-5).epsilon, 4.3766, 1e-3);
  const PrivacyEvent found = find_noise(event, 1, 1e-5);
  EXPECT_LE(account({&found, 1}, 1e-5).epsilon, 1);
  EXPECT_GT(account({&found, 1}, 1e-5).epsilon, 0.999);
  EXPECT_GE(find_steps(event, 20, 1e-5).repetitions, 8);
  const double epsilon = account({&event, 1}, 1e-5).epsilon;
  EXPECT_NEAR(delta_at({&event, 1}, epsilon), 1e-5, 1e-7);
  EXPECT_GT(delta_at({&event, 1}, epsilon, 2), 1e-4);
}

}  // namespace
}  // namespace dperm
