// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "dperm/methods/evaluation/cell_measures.hpp"

namespace dperm::methods {

namespace {

// Rows of one class, or of one answer.
struct Part {
  double right = 0, wrong = 0;
  double wrong_cells = 0;
};

class Matrix {
 public:
  Matrix(const AnswerCounts& counts, const NoiseModel& noise)
      : c_(counts), noise_(noise), classes_(counts.labels.size()), width_(counts.whole ? classes_ : 2) {}

  Measures measures() const {
    Measures result;
    const double classes = static_cast<double>(classes_), cells = classes * static_cast<double>(width_);
    double right = 0;
    for (const double each : c_.counts) result.rows += each;
    for (std::size_t k = 0; k < classes_; ++k) right += of_class(k).right;
    Spread all, one;
    all.add(1, cells);
    one.add(1);
    result.rows_radius = noise_.radius(all);
    result.values.push_back(share_measure("accuracy", right, classes, result.rows - right, cells - classes, noise_));
    for (std::size_t k = 0; k < classes_; ++k) {
      result.values.push_back(share("recall:" + c_.labels[k], of_class(k)));
      if (c_.whole) result.values.push_back(share("precision:" + c_.labels[k], of_answer(k)));
    }
    if (c_.whole) result.confusion = {c_.labels, {c_.counts.begin(), c_.counts.end()}, noise_.radius(one)};
    return result;
  }

 private:
  Measure share(std::string name, const Part& part) const {
    return share_measure(std::move(name), part.right, 1, part.wrong, part.wrong_cells, noise_);
  }
  Part of_class(std::size_t k) const {
    if (!c_.whole) return {c_.counts[2 * k + 1], c_.counts[2 * k], 1};
    Part part{c_.counts[k * classes_ + k], 0, static_cast<double>(classes_ - 1)};
    for (std::size_t j = 0; j < classes_; ++j) part.wrong += j == k ? 0 : c_.counts[k * classes_ + j];
    return part;
  }
  Part of_answer(std::size_t k) const {
    Part part{c_.counts[k * classes_ + k], 0, static_cast<double>(classes_ - 1)};
    for (std::size_t j = 0; j < classes_; ++j) part.wrong += j == k ? 0 : c_.counts[j * classes_ + k];
    return part;
  }

  const AnswerCounts& c_;
  const NoiseModel& noise_;
  std::size_t classes_, width_;
};

}  // namespace

Measures answer_measures(const AnswerCounts& counts, const NoiseModel& noise) {
  return Matrix(counts, noise).measures();
}

}  // namespace dperm::methods
