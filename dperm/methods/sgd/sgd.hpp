// SPDX-License-Identifier: Apache-2.0
// DP-SGD: noisy sums of clipped gradients over random samples of the rows, for linear models, softmax regression and
// multilayer perceptrons. Proof note: sgd.md.
#pragma once

#include "dperm/methods/method.hpp"

namespace dperm::methods {

class Sgd final : public Method {
 public:
  std::string_view name() const override { return "sgd"; }
  std::string_view summary() const override {
    return "noisy steps on random samples of the rows, gradients clipped; also neural networks";
  }
  std::span<const OptionSpec> options() const override;
  Plan plan(const Task& task, const std::map<std::string, std::string>& options) const override;
  FitResult fit(const Plan& plan, const data::Dataset& dataset, privacy::Curator& curator,
                const FitOptions& options) const override;
};

}  // namespace dperm::methods
