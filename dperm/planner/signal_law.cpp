// SPDX-License-Identifier: Apache-2.0
#include "dperm/planner/signal_law.hpp"

#include <cmath>

namespace dperm::planner {

namespace {

// Chosen on adult, bank, credit, covertype, california, power and parts of them, and on no other table.
// A table so small that nothing is learned loses all that a model knows more than a constant; from kHalfShare on that
// falls like the noise. The upper end is one and a half times what the table that lost most did.
constexpr double kMostShare = 0.45, kHalfShare = 20, kShareFall = 0.9;
constexpr double kShareSpread = 5.7;  // upper end over lower end ...
constexpr double kSmallSignal = 8;    // ... and more below: what there is to lose differs from table to table

// Networks of 32 hidden units on adult, bank, credit and covertype: it falls more slowly and differs more, because what
// a network can learn beyond lines does.
constexpr double kLayersMost = 0.2, kLayersHalf = 12, kLayersFall = 0.5;
constexpr double kLayersBelow = 8, kLayersAbove = 4.5;

// The same with 16 hidden units and real targets on california, power, protein, kin8nm, naval and concrete.
constexpr double kLayersMove = 0.7, kLayersMoveFall = 0.2, kLayersMoveBelow = 3.5, kLayersMoveAbove = 2.7;

constexpr double kMostLoss = 0.16;
constexpr double kHalfLoss = 25, kLossFall = 0.9, kHalfCurvedLoss = 40, kCurvedLossFall = 0.75;
constexpr double kLossBelow = 4, kLossAbove = 2.5;

// The square falls a little more slowly than the noise and grows with the number of blocks. The upper end is twice what
// the worse of two tables had, and clipping moves predictions of skewed targets towards their median whatever the
// noise.
constexpr double kMoveSquare = 0.32, kMoveFall = 0.8, kMoveSpread = 5.7;
constexpr double kClipMove = 0.1;

}  // namespace

Range share_lost(double signal) {
  const double upper = kMostShare / (1 + std::pow(signal / kHalfShare, kShareFall));
  const double lower = upper / (kShareSpread * (1 + kSmallSignal / signal));
  return {upper / std::sqrt(kShareSpread), lower, upper};
}

Range layers_share_lost(double signal) {
  const double expected = kLayersMost / (1 + std::pow(signal / kLayersHalf, kLayersFall));
  return {expected, expected / kLayersBelow, expected * kLayersAbove};
}

Range layers_moved(double signal) {
  const double expected = kLayersMove * std::pow(signal, -kLayersMoveFall);
  return {expected, expected / kLayersMoveBelow, expected * kLayersMoveAbove};
}

Range log_loss_added(double signal, bool curved) {
  const double half = curved ? kHalfCurvedLoss : kHalfLoss;
  const double expected = kMostLoss / (1 + std::pow(signal / half, curved ? kCurvedLossFall : kLossFall));
  return {expected, expected / kLossBelow, expected * kLossAbove};
}

Range scores_moved(double signal, double blocks) {
  const double most = std::sqrt(kMoveSquare * blocks * std::pow(signal, -kMoveFall));
  return {most / std::sqrt(kMoveSpread), most / kMoveSpread, std::hypot(most, kClipMove)};
}

}  // namespace dperm::planner
