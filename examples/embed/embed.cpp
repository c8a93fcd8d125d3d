// SPDX-License-Identifier: Apache-2.0
// A private model from a Parquet file: read, plan, fit, write, predict, verify.
// Usage: embed SCHEMA.toml DATA.parquet MODEL.json
#include <cstdio>
#include <dperm/dperm.hpp>

int main(int argc, char** argv) {
  if (argc != 4) return std::fprintf(stderr, "usage: embed SCHEMA.toml DATA.parquet MODEL.json\n"), 2;
  try {
    const dperm::Schema schema = dperm::read_schema(argv[1]);
    const dperm::Dataset people = dperm::read_dataset({argv[2]}, schema);

    // The task and its budget: public facts, decided before any record is looked at.
    dperm::Task task{.schema = schema, .rows = people.rows(), .budget = {.epsilon = 1, .delta = 1e-6}};
    task.problem.loss = dperm::default_loss(schema);
    const dperm::Plan plan = dperm::plan(task);
    std::printf("%s on %zu rows, epsilon %.4g\n", std::string(plan.algorithm()).c_str(), people.rows(),
                plan.guarantee().epsilon);
    if (plan.forecast() && plan.forecast()->accuracy_lost) {
      std::printf("expected to lose %.2g points of accuracy\n", 100 * *plan.forecast()->accuracy_lost);
    }

    const dperm::Model model = dperm::fit(plan, people);
    dperm::write_model(model, argv[3], true);
    for (const dperm::Coefficient& each : model.coefficients()) {
      std::printf("  %-12s %9.4f per %s\n", each.name.c_str(), each.value, each.per.c_str());
    }

    // Another program reads the file, checks it and uses it.
    const dperm::Model read = dperm::read_model(argv[3]);
    if (!dperm::verify(read).passed) return std::fprintf(stderr, "the model does not verify\n"), 3;
    const dperm::RowPredictions predicted = dperm::predict(read, people);
    std::printf("row 1: %s with probability %.3f\n", predicted.labels[predicted.label[0]].c_str(),
                predicted.probabilities_of(0)[predicted.label[0]]);
    const dperm::Evaluation score = dperm::evaluate(read, people, 0.5);
    std::printf("accuracy %.3f, noise within %.3f, at a further epsilon of %g\n", score.value, *score.noise_radius,
                score.guarantee->epsilon);
  } catch (const dperm::ArgumentError& error) {
    return std::fprintf(stderr, "%s\n", error.what()), 2;
  } catch (const std::exception& error) {
    return std::fprintf(stderr, "%s\n", error.what()), 3;
  }
}
