// SPDX-License-Identifier: Apache-2.0
// The planner's answers for the page in this folder, on a grid of questions: every number on the page comes from here,
// and so from dperm/planner alone. Usage: planner_grid FOLDER [KIND ...]
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cmath>
#include <cstdio>
#include <exception>
#include <limits>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "dperm/core/error.hpp"
#include "dperm/methods/method.hpp"
#include "dperm/model/atomic_file.hpp"
#include "dperm/planner/compare.hpp"
#include "dperm/planner/forecast.hpp"
#include "dperm/privacy/composition/attacker.hpp"

namespace dperm {

namespace {

// What the page can show of an answer. All but these are in `dperm plan --json`: mean_error, which its text tells, and
// right_guesses, which its text tells in percent.
enum class Field {
  told,
  told_lower,
  told_upper,
  risk,
  risk_lower,
  risk_upper,
  bound,
  best_bound,
  mean_error,
  worth_rows,
  worth_epsilon,
  right_guesses
};
constexpr std::array kFieldNames = {"told",       "told_lower", "told_upper",    "risk",
                                    "risk_lower", "risk_upper", "bound",         "best_bound",
                                    "mean_error", "worth_rows", "worth_epsilon", "right_guesses"};

// One kind of question, the values that its sliders take, and what is told of an answer.
struct Kind {
  std::string name;
  schema::TargetKind target;
  loss::LossKind loss;
  std::vector<std::size_t> numbers, categories, classes;  // columns; classes of the target
  std::vector<double> deltas;
  std::vector<std::size_t> rows;
  std::vector<Field> fields;
  std::vector<double> epsilons = {0.05, 0.1, 0.2, 0.3, 0.5, 0.7, 1, 1.5, 2, 3, 5, 10};

  std::size_t tables() const { return classes.size() * numbers.size() * categories.size(); }
  std::size_t budgets() const { return deltas.size() * epsilons.size(); }
};

constexpr std::size_t kValues = 10;  // of every category column

// From `low` to `high` (powers of ten) in these steps of every decade.
std::vector<std::size_t> decades(std::size_t low, std::size_t high, const std::vector<std::size_t>& tenths) {
  std::vector<std::size_t> result;
  for (std::size_t decade = low; decade < high; decade *= 10) {
    for (const std::size_t tenth : tenths) result.push_back(decade / 10 * tenth);
  }
  result.push_back(high);
  return result;
}

std::vector<Kind> kinds() {
  using enum Field;
  using loss::LossKind;
  using schema::TargetKind;
  const auto rows = decades(100, 10'000'000, {10, 20, 30, 50});
  const auto fine = decades(100, 10'000'000, {10, 12, 15, 20, 25, 30, 40, 50, 60, 80});
  const std::vector<std::size_t> none = {0}, numbers = {0, 2, 5, 10, 20, 50}, categories = {0, 2, 5, 10, 20};
  const std::vector<double> deltas = {1e-6, 1e-9}, with_pure = {1e-6, 1e-9, 0};
  const std::vector<Field> model = {told,  told_lower, told_upper,    risk,       risk_lower,   risk_upper,
                                    bound, best_bound, right_guesses, worth_rows, worth_epsilon};
  return {{"classify", TargetKind::binary, LossKind::logistic, numbers, categories, none, with_pure, rows, model},
          {"number", TargetKind::real, LossKind::squared, numbers, categories, none, deltas, rows, model},
          {"classes", TargetKind::classes, LossKind::softmax, {2, 10, 50}, {0, 5, 20}, {3, 10}, deltas, rows, model},
          {"mean",
           TargetKind::real,
           LossKind::squared,
           none,
           none,
           none,
           with_pure,
           fine,
           {mean_error, bound, best_bound, right_guesses}},
          {"median",
           TargetKind::real,
           LossKind::absolute,
           none,
           none,
           none,
           with_pure,
           fine,
           {bound, best_bound, right_guesses}}};
}

schema::Schema schema_of(const Kind& kind, std::size_t numbers, std::size_t categories, std::size_t classes) {
  schema::Schema schema;
  const auto named_values = [](std::size_t count) {
    std::vector<std::string> values;
    for (std::size_t i = 1; i <= count; ++i) values.push_back(fmt::format("value {}", i));
    return values;
  };
  schema.target.kind = kind.target;
  schema.target.name = "target";
  if (kind.target == schema::TargetKind::binary) schema.target.positive = {"yes"};
  if (kind.target == schema::TargetKind::real) schema.target.upper = 1;
  if (kind.target == schema::TargetKind::classes) schema.target.values = named_values(classes);
  for (std::size_t i = 1; i <= numbers; ++i) {
    schema.columns.push_back({.name = fmt::format("number {}", i), .upper = 1});
  }
  for (std::size_t i = 1; i <= categories; ++i) {
    schema.columns.push_back({.name = fmt::format("category {}", i),
                              .kind = schema::ColumnKind::category,
                              .values = named_values(kValues),
                              .missing = schema::MissingRule::none});
  }
  return schema;
}

// --- numbers as three characters: four digits and a power of ten ---

constexpr std::string_view kAlphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
constexpr int kLeastPower = -20, kPowers = 29, kDigits = 9000;
constexpr int kZero = kPowers * kDigits, kInfinity = kZero + 1, kNothing = kZero + 2;

enum class Round { nearest, up };

int code_of(std::optional<double> value, Round round) {
  if (!value) return kNothing;
  if (*value == 0) return kZero;
  if (std::isinf(*value)) return kInfinity;
  int power = static_cast<int>(std::floor(std::log10(*value)));
  const double scaled = *value / std::pow(10.0, power - 3);
  auto digits = static_cast<int>(round == Round::up ? std::ceil(scaled - 1e-9) : std::round(scaled));
  if (digits >= 10'000) digits = 1000, ++power;
  if (digits < 1000 || power < kLeastPower || power >= kLeastPower + kPowers) {
    throw std::logic_error(fmt::format("{} does not fit the grid's numbers", *value));
  }
  return (power - kLeastPower) * kDigits + digits - 1000;
}

void append(std::string& text, std::optional<double> value, Round round = Round::nearest) {
  const int code = code_of(value, round);
  for (const int shift : {12, 6, 0}) text += kAlphabet[static_cast<std::size_t>((code >> shift) & 63)];
}

// --- one answer ---

char method_letter(const std::vector<std::string>& methods, const std::string& method) {
  const auto place = std::find(methods.begin(), methods.end(), method);
  return kAlphabet[static_cast<std::size_t>(place - methods.begin())];
}

// Infinite where nothing is promised. The page says of every bound that it holds on average and for every table.
double bound_of(const planner::Alternative& each) {
  if (!each.plan) return std::numeric_limits<double>::infinity();
  const methods::UtilityBound& bound = each.plan->utility;
  if (std::isfinite(bound.excess_risk) && (bound.probability || bound.if_rows_within)) {
    throw std::logic_error(fmt::format("{} promises something that the page has no words for", each.method));
  }
  return bound.excess_risk;
}

// The method with the smallest bound that is proved for every table.
const planner::Alternative& best_proven(const std::vector<planner::Alternative>& all) {
  return *std::min_element(all.begin(), all.end(), [](const planner::Alternative& a, const planner::Alternative& b) {
    return bound_of(a) < bound_of(b);
  });
}

std::optional<double> value_of(Field field, const planner::Alternative& chosen, const planner::Alternative& proven) {
  const auto predicted = [&](auto member) {
    return chosen.predicted ? std::optional(member(*chosen.predicted)) : std::nullopt;
  };
  const auto& worth = chosen.worth_from;
  switch (field) {
    case Field::told:
      return predicted([](const auto& f) { return f.told.expected; });
    case Field::told_lower:
      return predicted([](const auto& f) { return f.told.lower; });
    case Field::told_upper:
      return predicted([](const auto& f) { return f.told.upper; });
    case Field::risk:
      return predicted([](const auto& f) { return f.excess_risk; });
    case Field::risk_lower:
      return predicted([](const auto& f) { return f.lower; });
    case Field::risk_upper:
      return predicted([](const auto& f) { return f.upper; });
    case Field::bound:
      return bound_of(chosen);
    case Field::best_bound:
      return bound_of(proven);
    case Field::mean_error:
      return planner::proven_mean_error(*chosen.plan);
    case Field::worth_rows:
      return worth ? std::optional(static_cast<double>(worth->rows)) : std::nullopt;
    case Field::worth_epsilon:
      return worth ? worth->epsilon : std::nullopt;
    case Field::right_guesses:
      return privacy::right_guesses(privacy::advantage(chosen.plan->events, chosen.plan->guarantee));
  }
  throw std::logic_error("a field without a value");
}

// Forecasts are rounded to the nearest, what is promised or needed to the safe side.
Round rounding_of(Field field) { return field < Field::bound ? Round::nearest : Round::up; }

// Two letters for the method that auto takes and the one with the best bound, then the fields: of fixed width, so that
// the page can find it.
std::string answer(const planner::Question& question, const std::vector<Field>& fields,
                   const std::vector<std::string>& methods) {
  const auto all = planner::compare(question, methods::planners("auto", {}));
  const planner::Alternative& chosen = all.front();
  if (!chosen.plan) planner::choose(question, methods::planners("auto", {}));  // says why
  const planner::Alternative& proven = best_proven(all);
  std::string text = {method_letter(methods, chosen.method), method_letter(methods, proven.method)};
  for (const Field field : fields) append(text, value_of(field, chosen, proven), rounding_of(field));
  return text;
}

// All rows for one table and budget: a line of the picture.
std::string answers(const Kind& kind, std::size_t table, std::size_t budget, const std::vector<std::string>& methods) {
  const std::size_t categories = kind.categories[table % kind.categories.size()];
  const std::size_t numbers = kind.numbers[table / kind.categories.size() % kind.numbers.size()];
  const std::size_t classes = kind.classes[table / kind.categories.size() / kind.numbers.size()];
  planner::Question question;
  question.schema = schema_of(kind, numbers, categories, classes);
  question.problem.loss.kind = kind.loss;
  question.budget = {kind.epsilons[budget % kind.epsilons.size()], kind.deltas[budget / kind.epsilons.size()]};
  std::string text;
  for (const std::size_t rows : kind.rows) {
    question.rows = rows;
    text += answer(question, kind.fields, methods);
  }
  return text;
}

// Tables without any column have nothing to learn from; only numbers of their own ("mean") are asked without.
bool is_asked(const Kind& kind, std::size_t table) {
  const bool columns = kind.categories[table % kind.categories.size()] > 0 ||
                       kind.numbers[table / kind.categories.size() % kind.numbers.size()] > 0;
  return columns || kind.tables() == 1;
}

std::vector<std::string> all_answers(const Kind& kind, const std::vector<std::string>& methods) {
  std::vector<std::string> lines(kind.tables() * kind.budgets());
  std::atomic<std::size_t> next = 0;
  std::exception_ptr failure;
  std::atomic_flag failed;
  const auto work = [&] {
    for (std::size_t i = next++; i < lines.size(); i = next++) {
      try {
        if (is_asked(kind, i / kind.budgets())) {
          lines[i] = answers(kind, i / kind.budgets(), i % kind.budgets(), methods);
        }
      } catch (...) {
        if (!failed.test_and_set()) failure = std::current_exception();
        next = lines.size();
      }
    }
  };
  std::vector<std::jthread> threads;
  for (unsigned i = 0; i < std::max(1u, std::thread::hardware_concurrency()); ++i) threads.emplace_back(work);
  threads.clear();  // waits
  if (failure) std::rethrow_exception(failure);
  return lines;
}

// What the library warns of at this budget; of tables it looks at the number of rows alone.
nlohmann::ordered_json warnings(double epsilon, double delta, std::size_t rows) {
  auto list = nlohmann::ordered_json::array();
  for (const auto& each : methods::budget_warnings({epsilon, delta}, rows)) {
    list.push_back({{"text", each.text}, {"loud", each.loud}});
  }
  return list;
}

// Every warning is about epsilon alone or about delta and the rows.
nlohmann::ordered_json warnings_of(const Kind& kind) {
  nlohmann::ordered_json by_epsilon, by_delta;
  for (const double epsilon : kind.epsilons) by_epsilon.push_back(warnings(epsilon, 0, 1));
  for (const double delta : kind.deltas) {
    auto& sizes = by_delta.emplace_back();
    for (const std::size_t rows : kind.rows) sizes.push_back(warnings(kind.epsilons.front(), delta, rows));
  }
  return {{"epsilon", by_epsilon}, {"delta", by_delta}};
}

std::string grid_text(const Kind& kind) {
  std::vector<std::string> methods, fields;
  std::vector<double> loss_of_zero;
  for (const std::size_t classes : kind.classes) loss_of_zero.push_back(loss::loss_of_zero({kind.loss}, classes));
  for (const methods::NamedPlanner& each : methods::planners("auto", {})) methods.push_back(each.method);
  for (const Field field : kind.fields) fields.push_back(kFieldNames[static_cast<std::size_t>(field)]);
  const nlohmann::ordered_json head = {{"kind", kind.name},
                                       {"loss", loss::name(kind.loss)},
                                       {"alphabet", kAlphabet},
                                       {"methods", methods},
                                       {"fields", fields},
                                       {"values_of_a_category", kValues},
                                       {"loss_of_zero", loss_of_zero},
                                       {"warnings", warnings_of(kind)},
                                       {"axes",
                                        {{"classes", kind.classes},
                                         {"numbers", kind.numbers},
                                         {"categories", kind.categories},
                                         {"delta", kind.deltas},
                                         {"epsilon", kind.epsilons},
                                         {"rows", kind.rows}}}};
  std::string text = fmt::format(
      "// Answers of the planner, made by `make planner-data`; docs/planner.md says how they are written.\n"
      "(window.GRIDS = window.GRIDS || []).push({{...{}, lines: [\n",
      head.dump());
  for (const std::string& line : all_answers(kind, methods)) text += fmt::format("\"{}\",\n", line);
  return text + "]});\n";
}

// Without names: all of them.
void write_grids(const std::string& folder, const std::vector<std::string>& names) {
  for (const Kind& kind : kinds()) {
    if (!names.empty() && std::find(names.begin(), names.end(), kind.name) == names.end()) continue;
    const std::string path = fmt::format("{}/{}.js", folder, kind.name);
    model::write_file_atomically(path, grid_text(kind));
    fmt::print(stderr, "{}: {} tables, {} budgets, {} sizes\n", path, kind.tables(), kind.budgets(), kind.rows.size());
  }
}

}  // namespace

}  // namespace dperm

int main(int count, char** arguments) {
  const std::vector<std::string> given(arguments + 1, arguments + count);
  try {
    if (given.empty()) throw std::invalid_argument("usage: planner_grid FOLDER [KIND ...]");
    dperm::write_grids(given.front(), {given.begin() + 1, given.end()});
  } catch (const std::exception& error) {
    fmt::print(stderr, "planner_grid: {}\n", error.what());
    return 1;
  }
}
