// SPDX-License-Identifier: Apache-2.0
#include "dperm/privacy/event.hpp"

#include <fmt/core.h>

#include "dperm/core/check.hpp"
#include "dperm/core/error.hpp"

namespace dperm::privacy {
namespace {

struct Describe {
  std::string operator()(const GaussianEvent& e) const {
    return fmt::format("Gaussian, sigma {}, L2 sensitivity {}", e.sigma, e.l2_sensitivity);
  }
  std::string operator()(const LaplaceEvent& e) const {
    return fmt::format("discrete Laplace, scale {}/{}, L1 sensitivity {}", e.scale_numerator, e.scale_denominator,
                       e.l1_sensitivity);
  }
  std::string operator()(const KNormEvent& e) const {
    return fmt::format("K-norm, scale {}, L2 sensitivity {}", e.scale, e.l2_sensitivity);
  }
  std::string operator()(const ObjectivePerturbationEvent& e) const {
    return fmt::format("objective perturbation, sigma {}, gradient bound {}, penalty {}", e.objective.sigma,
                       e.objective.gradient, e.objective.penalty);
  }
  std::string operator()(const ExponentialEvent& e) const {
    return fmt::format("exponential mechanism, scale {}/{}, oscillation {}", e.scale_numerator, e.scale_denominator,
                       e.oscillation);
  }
  std::string operator()(const PermuteAndFlipEvent& e) const {
    return fmt::format("permute-and-flip, scale {}/{}, oscillation {}", e.scale_numerator, e.scale_denominator,
                       e.oscillation);
  }
};

struct Validate {
  void operator()(const GaussianEvent& e) const {
    require_positive_finite("l2_sensitivity", e.l2_sensitivity);
    require_positive_finite("sigma", e.sigma);
  }
  void operator()(const LaplaceEvent& e) const {
    require(e.l1_sensitivity > 0, "l1_sensitivity must be at least 1; got 0");
    require(e.scale_numerator > 0 && e.scale_denominator > 0,
            fmt::format("the Laplace scale must be a positive fraction; got {}/{}", e.scale_numerator,
                        e.scale_denominator));
  }
  void operator()(const KNormEvent& e) const {
    require_positive_finite("l2_sensitivity", e.l2_sensitivity);
    require_positive_finite("scale", e.scale);
  }
  void operator()(const ObjectivePerturbationEvent& e) const {
    validate(e.objective);
    require_in_closed_range("slack_delta", e.slack_delta, 0, 1);
  }
  void operator()(const ExponentialEvent& e) const { choice(e); }
  void operator()(const PermuteAndFlipEvent& e) const { choice(e); }

 private:
  template <class Choice>
  static void choice(const Choice& e) {
    require(e.oscillation > 0, "oscillation must be at least 1; got 0");
    require(e.scale_numerator > 0 && e.scale_denominator > 0,
            fmt::format("the scale of a choice must be a positive fraction; got {}/{}", e.scale_numerator,
                        e.scale_denominator));
  }
};

bool same_release(const PrivacyEvent& a, const PrivacyEvent& b) {
  return a.what == b.what && a.mechanism == b.mechanism && a.neighbours == b.neighbours;
}

}  // namespace

std::string to_string(Neighbours neighbours) {
  switch (neighbours) {
    case Neighbours::replace_one:
      return "replace-one";
    case Neighbours::add_remove:
      return "add-remove";
  }
  throw InternalError("unknown neighbouring relation");
}

std::string to_string(const Mechanism& mechanism) { return std::visit(Describe{}, mechanism); }

void validate(const Mechanism& mechanism) { std::visit(Validate{}, mechanism); }

void validate(const PrivacyEvent& event) {
  validate(event.mechanism);
  require(event.repetitions >= 1, fmt::format("repetitions must be at least 1; got {}", event.repetitions));
}

std::vector<PrivacyEvent> compressed(const std::vector<PrivacyEvent>& events) {
  std::vector<PrivacyEvent> joined;
  for (const PrivacyEvent& event : events) {
    std::int64_t total = 0;
    // A count that does not fit stays in two entries: a wrapped sum would understate what was released.
    if (!joined.empty() && same_release(joined.back(), event) &&
        !__builtin_add_overflow(joined.back().repetitions, event.repetitions, &total)) {
      joined.back().repetitions = total;
    } else {
      joined.push_back(event);
    }
  }
  return joined;
}

}  // namespace dperm::privacy
