// SPDX-License-Identifier: Apache-2.0
// What RowSums may be asked, with its own copies of everything it names: queries that travel to other machines. Each is
// a function of RowSums by the same name; the queries are those of engine/queries.hpp.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "dperm/engine/queries.hpp"
#include "dperm/engine/resolution.hpp"

namespace dperm::engine::remote {

using Numbers = std::vector<double>;

struct OwnLinear {
  Numbers weights;
  std::size_t outputs = 1;
};
struct OwnNetwork {
  network::Shape shape;
  Numbers weights;
};
using OwnModel = std::variant<OwnLinear, OwnNetwork, rules::Hypothesis>;
OwnModel own(const RowModel& model);
RowModel view(const OwnModel& model);  // valid while the model is

struct OwnScores {
  Numbers edges;
};
using OwnJudged = std::variant<OwnScores, AnswerCells, ResidualCells>;
struct OwnProjection {
  std::vector<std::int32_t> coefficients;
  std::size_t parts = 1;
};
using OwnCells = std::variant<RealCells, CategoryCells, PairCells, OwnProjection>;

struct AskGradient {
  loss::Loss loss;
  double slope_bound = 1;
  Numbers weights;
  Resolution resolution = Resolution::release;
};
struct AskSoftmax {
  std::size_t classes = 2;
  double value_bound = 1;
  Numbers weights;
  double steps = 1;
};
struct AskLoss {
  OwnModel model;
  loss::Loss loss;
  double value_bound = 1;
  double steps = 1;
};
struct AskMoments {
  std::int64_t row_limit = kWholeRows;
};
struct AskCurvature {
  Numbers weights;
  std::uint32_t largest = 1;
};
struct AskTargets {
  std::int32_t limit = 0;
};
struct AskErrors {
  OwnModel model;
};
struct AskJudged {
  OwnModel model;
  OwnJudged cells;
  std::optional<std::size_t> group;
};
struct AskRules {
  std::vector<rules::Hypothesis> rules;
};
struct AskConjunctions {
  std::vector<rules::LevelRule> literals;
  std::size_t most = 1;
};
struct AskLabels {
  OwnCells cells;
};
struct AskSortedTargets {};
// The sample is one of the whole table, as random/choice/coin_sample.hpp writes it: whoever answers tosses the coins of
// its own rows.
struct AskClipped {
  network::Shape shape;
  loss::Loss loss;
  Numbers weights;
  double clip = 1;
  std::vector<std::uint8_t> sample;
};
struct AskBatch {
  loss::Loss loss;
  double slope_bound = 1;
  std::size_t most_rows = 1;
  Numbers weights;
  std::vector<std::uint32_t> rows;  // of the whole table; as secret as who is in a sample
};
using Ask = std::variant<AskGradient, AskSoftmax, AskLoss, AskMoments, AskCurvature, AskTargets, AskErrors, AskJudged,
                         AskRules, AskConjunctions, AskLabels, AskSortedTargets, AskClipped, AskBatch>;

struct Query {
  std::uint64_t serial = 0;  // the answer has it too
  std::string schema;        // TOML: how cells are read as features; empty: as the rows were encoded
  Ask ask;
};

std::string to_bytes(Query query);
Query query_from(std::string_view bytes);  // InternalError

}  // namespace dperm::engine::remote
