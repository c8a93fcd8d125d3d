// SPDX-License-Identifier: Apache-2.0
// What is asked, in public facts alone: the problem, the size of the data and the privacy budget. No record is in here.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "dperm/engine/network/shape.hpp"
#include "dperm/loss/feasible_set.hpp"
#include "dperm/loss/loss.hpp"
#include "dperm/privacy/events/event.hpp"
#include "dperm/schema/encoding.hpp"

namespace dperm::methods {

// Minimise (1/n) sum_i loss(model(w; x_i), y_i) + (l2_penalty / 2) ||w||^2 over the feasible set. A linear model's
// score is <w, x_i> in encoded units (||x_i|| <= 1), with softmax one such score per class. l2_penalty is the modulus
// of strong convexity; the intercept is penalised like every weight.
struct Problem {
  loss::Loss loss;
  double l2_penalty = 0;
  loss::FeasibleSet feasible_set;
  std::vector<std::size_t> hidden = {};  // widths of hidden layers; empty: a linear model
  network::Activation activation = network::Activation::tanh;
  std::string rules = {};  // zero-one loss: the finite class to choose from, as class_spec.hpp reads it
};

struct PublicFacts {
  std::size_t rows = 0;       // n, public: neighbours replace a record
  std::size_t dimension = 0;  // number of encoded features, the intercept among them
  std::size_t columns = 0;    // m, the intercept among them: features are scaled by 1/sqrt(m)
  std::size_t classes = 0;    // of a target of kind class, else 0
  std::uint64_t rules = 0;    // in the problem's finite class, else 0
  // Typical squared norm of a row's unscaled features, as schema::Encoding says; 0: not known, as `columns`.
  double row_square = 0;
  bool knots = false;  // rows have features of curves, steps or pairs
  // As the schema declares it; not set in facts made without a schema, whose loss is then not held against it.
  std::optional<schema::TargetKind> target = {};
  // Rows of one person that count, where the schema has a unit; 0: every row is somebody's only one.
  std::size_t unit_rows = 0;
  bool operator==(const PublicFacts&) const = default;
};

// How many rows neighbours differ in.
inline std::size_t group_of(const PublicFacts& facts) { return facts.unit_rows > 1 ? facts.unit_rows : 1; }

struct Budget {
  double epsilon = 0;
  double delta = 0;  // 0 asks for pure epsilon
  bool operator==(const Budget&) const = default;
};

// What a model without privacy is asked for with: no promise at all. Algorithms that protect refuse it.
inline constexpr Budget kNoPrivacy{std::numeric_limits<double>::infinity(), 0};
inline bool asks_for_privacy(const Budget& budget) { return budget != kNoPrivacy; }

struct Task {
  Problem problem;
  PublicFacts facts;
  Budget budget;
};

// What the parameters of a fitted model are: one weight per feature; one weight per class and feature, class by class;
// the layers of a network; the number of a rule.
enum class ModelForm { linear, multiclass, network, rule };
ModelForm model_form(const Problem& problem);
std::size_t weight_count(const Task& task);
// network form only
network::Shape network_shape(const Task& task);

// The loss to take where none is named.
loss::LossKind default_loss(schema::TargetKind target, bool chooses_a_rule);

// The facts that follow from a schema. Throws ArgumentError for a finite class that the schema does not allow, and for
// columns with a direction where the model cannot keep it.
PublicFacts facts_of(const schema::Encoding& encoding, const Problem& problem, std::size_t rows);

// Throws ArgumentError naming the field, its rule and its value, also where the loss is not one for the target.
void validate(const Task& task);
// The same without a look at the budget.
void validate_problem(const Task& task);
// What planning starts from: a task as above, or one that asks for no privacy.
void validate_asked(const Task& task);
// What is unwise about a budget, by public facts alone; empty when nothing is.
struct BudgetWarning {
  std::string text;
  bool loud;  // the result would protect hardly anybody
};
std::vector<BudgetWarning> budget_warnings(const Budget& budget, std::size_t rows);
// The same, and that the model is linear with one score; `method` is named in the message.
void validate_linear(const Task& task, std::string_view method);
// The same, but one score per class will do as well.
void validate_linear_or_softmax(const Task& task, std::string_view method);

}  // namespace dperm::methods
