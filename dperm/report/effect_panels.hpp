// SPDX-License-Identifier: Apache-2.0
// One panel of the picture of a model's effects.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "dperm/model/curves.hpp"
#include "dperm/report/effect_text.hpp"

namespace dperm::report {

inline constexpr double kPanelWidth = 190, kPanelHeight = 120;
inline constexpr std::size_t kEffectColours = 6;

// The curve or category of one column, for every class where there are several; or one surface.
struct EffectPanel {
  std::vector<model::Curve> curves = {};
  std::optional<model::Surface> surface = {};
  bool by_size = false;   // a category without an order: levels from the highest effect to the lowest
  bool has_bars() const;  // with names below that need room
  double lowest() const;
  double highest() const;
  double spread() const { return highest() - lowest(); }
};

// The effects that all panels share, with round numbers beside them.
class EffectScale {
 public:
  explicit EffectScale(const std::vector<EffectPanel>& panels);
  double top(double effect) const;  // from the panel's upper edge
  const std::vector<double>& ticks() const { return ticks_; }
  double largest() const;

 private:
  double low_ = 0, high_ = 0;
  std::vector<double> ticks_;
};

struct PanelPlace {
  double x, y;
  bool has_scale;  // numbers at its left
};

std::string drawn(const EffectPanel& panel, const EffectScale& scale, const PanelPlace& place);

}  // namespace dperm::report
