// SPDX-License-Identifier: Apache-2.0
#include "dperm/methods/objective_perturbation/objective_release.hpp"

#include <variant>

namespace dperm::methods {

namespace {

constexpr const char* kObjective = "perturbed objective";
constexpr const char* kWhat = "weights";

privacy::Released<std::vector<std::int64_t>> release(const ObjectiveSettings& s, const ObjectiveTerm& minimiser,
                                                     privacy::Curator& curator) {
  if (const auto* k_norm = std::get_if<privacy::KNormEvent>(&s.output)) {
    return curator.release(minimiser, *k_norm, kWhat);
  }
  return curator.release(minimiser, std::get<privacy::GaussianEvent>(s.output), kWhat);
}

}  // namespace

ObjectiveTerm draw_term(const ObjectiveSettings& s, privacy::Curator& curator) {
  const std::size_t dimension = weight_count(s.task);
  if (const auto* pure = std::get_if<privacy::PureObjectiveEvent>(&s.term)) {
    return curator.draw_objective_term(*pure, dimension, s.term_step, kObjective);
  }
  return curator.draw_objective_term(std::get<privacy::ObjectivePerturbationEvent>(s.term), dimension, s.term_step,
                                     kObjective);
}

privacy::Released<std::vector<double>> release_minimiser(const ObjectiveSettings& s,
                                                         const Sensitive<engine::SharedSums>& sums,
                                                         const ObjectiveTerm& term, privacy::Curator& curator,
                                                         Threads threads) {
  const auto minimiser = sums.with(term, [&](const engine::RowSums& rows, const std::vector<std::int64_t>& b) {
    return perturbed_minimiser(s, rows, b, threads);
  });
  return release(s, minimiser, curator).map([&](const std::vector<std::int64_t>& lattice) {
    std::vector<double> result(lattice.size());
    for (std::size_t j = 0; j < lattice.size(); ++j) result[j] = static_cast<double>(lattice[j]) * s.lattice_step;
    return result;
  });
}

std::vector<privacy::PrivacyEvent> objective_events(const ObjectiveSettings& s) {
  return {{kObjective, s.term, privacy::Neighbours::replace_one, 1},
          {kWhat, s.output, privacy::Neighbours::replace_one, 1}};
}

}  // namespace dperm::methods
