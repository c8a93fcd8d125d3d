// SPDX-License-Identifier: Apache-2.0
// The privacy profile of releasing the exact minimiser of a perturbed objective
//     J(w) = sum_i l(w; z_i) + (penalty/2) ||w||^2 + <b, w>,   b ~ N(0, sigma^2 I),
// under replace-one neighbours, for a linear score (with softmax one per class) and ||x|| <= 1. Proof note:
// objective_profile.md.
#pragma once

#include <cstddef>

#include "dperm/core/fields.hpp"
#include "dperm/core/words.hpp"

namespace dperm::privacy {

enum class GradientSign {
  monotone,     // slope -a y with a in [0, 1] and curvature at most a (1 - a) curvature: logistic, smoothed hinge
  two_sided,    // slope in [-gradient, gradient], curvature at most `curvature`
  multinomial,  // softmax: slopes p - [class of the record], p the shares of `classes` classes
};
// The gradient bound of softmax, sqrt(2) rounded up; its curvature is 1.
inline constexpr double kMultinomialGradient = 0x1.6a09e667f3bcdp+0;

struct PerturbedObjective {
  GradientSign sign;
  double gradient = 0;   // bound on one record's gradient; 1 for monotone losses
  double curvature = 0;  // monotone: 1/h; two-sided: largest second derivative; multinomial: 1
  double penalty = 0;    // strong convexity of the summed objective: n times l2_penalty
  double sigma = 0;
  std::size_t classes = 0;  // multinomial
  static constexpr auto fields() {
    using P = PerturbedObjective;
    return std::tuple(field("sign", &P::sign), field("gradient", &P::gradient), field("curvature", &P::curvature),
                      field("penalty", &P::penalty), optional_field("classes", &P::classes), field("sigma", &P::sigma));
  }
  bool operator==(const PerturbedObjective&) const = default;
};

// The same objective with b of density proportional to exp(-||b||/scale), for pure epsilon.
struct PureObjective {
  GradientSign sign;
  double gradient, curvature, penalty;  // as above
  double scale;
  std::size_t classes = 0;
  static constexpr auto fields() {
    using P = PureObjective;
    return std::tuple(field("sign", &P::sign), field("gradient", &P::gradient), field("curvature", &P::curvature),
                      field("penalty", &P::penalty), optional_field("classes", &P::classes), field("scale", &P::scale));
  }
  bool operator==(const PureObjective&) const = default;
};

// Throw ArgumentError unless all numbers are positive and finite, gradient is 1 for monotone losses, and multinomial
// ones have their constants and two classes.
void validate(const PerturbedObjective& mechanism);
void validate(const PureObjective& mechanism);

// The smallest epsilon from which the profile is proved.
double least_epsilon(const PerturbedObjective& mechanism);

// An upper bound of delta at epsilon; 1 below least_epsilon.
double delta_objective(double epsilon, const PerturbedObjective& mechanism);
// The same, a hundred times faster and up to one part in 10^9 larger where delta exceeds 1e-30.
double delta_objective_quick(double epsilon, const PerturbedObjective& mechanism);

// The smallest epsilon with delta_objective(epsilon) <= delta, rounded up; infinity when none is proved.
double epsilon_objective(const PerturbedObjective& mechanism, double delta);

// When the mechanism is mu-GDP, its mu (rounded up), else 0: monotone losses with penalty * h >= 2 sigma^2.
double mu_objective(const PerturbedObjective& mechanism);

// The smallest sigma (to one part in 10^9, rounded up) with epsilon_objective <= epsilon. The mechanism's own sigma is
// not read. Throws ArgumentError when the penalty is too small for this epsilon; the text says how large it must be.
double sigma_for_objective(PerturbedObjective mechanism, double epsilon, double delta);

// The epsilon of the pure variant, rounded up.
double epsilon_pure_objective(const PureObjective& mechanism);

// Below about this penalty no scale gives that epsilon. Scale and penalty of the mechanism are not read.
double least_pure_penalty(const PureObjective& mechanism, double epsilon);

// The smallest scale (to one part in 10^9, rounded up) with epsilon_pure_objective <= epsilon. The mechanism's own
// scale is not read. Throws ArgumentError when the penalty is too small for this epsilon.
double scale_for_pure_objective(PureObjective mechanism, double epsilon);

}  // namespace dperm::privacy

template <>
struct dperm::Words<dperm::privacy::GradientSign> {
  using enum privacy::GradientSign;
  static constexpr std::array table = {std::pair{monotone, std::string_view("monotone")},
                                       std::pair{two_sided, std::string_view("two-sided")},
                                       std::pair{multinomial, std::string_view("multinomial")}};
};
