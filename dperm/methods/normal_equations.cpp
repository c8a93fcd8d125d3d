// SPDX-License-Identifier: Apache-2.0
#include "dperm/methods/normal_equations.hpp"

#include <Eigen/Dense>
#include <algorithm>

#include "dperm/core/check.hpp"

namespace dperm::methods {

namespace {

Eigen::MatrixXd dense(const SymmetricMatrix& matrix) {
  const auto d = static_cast<Eigen::Index>(matrix.dimension);
  ensure(matrix.upper.size() == matrix.dimension * (matrix.dimension + 1) / 2, "not an upper triangle");
  Eigen::MatrixXd full(d, d);
  std::size_t next = 0;
  for (Eigen::Index a = 0; a < d; ++a) {
    for (Eigen::Index b = a; b < d; ++b) full(a, b) = full(b, a) = matrix.upper[next++];
  }
  return full;
}

}  // namespace

double smallest_eigenvalue(const SymmetricMatrix& matrix) {
  const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> solver(dense(matrix), Eigen::EigenvaluesOnly);
  ensure(solver.info() == Eigen::Success, "the eigenvalue iteration did not end");
  return solver.eigenvalues()(0);
}

double eigenvalue_error(std::size_t dimension, double norm) {
  // Tridiagonalisation and implicit QR are backward stable: the error is a modest multiple of d^2 units in the last
  // place of the norm. 64 d^2 is generous; the result only has to be small beside one record's influence.
  return 64 * static_cast<double>(dimension * dimension) * 0x1p-53 * norm;
}

std::vector<double> solve_ridge(const SymmetricMatrix& matrix, double ridge, double floor,
                                std::span<const double> right) {
  const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> solver(dense(matrix));
  const Eigen::Map<const Eigen::VectorXd> b(right.data(), static_cast<Eigen::Index>(right.size()));
  Eigen::VectorXd rotated = solver.eigenvectors().transpose() * b;
  for (Eigen::Index k = 0; k < rotated.size(); ++k) rotated(k) /= std::max(solver.eigenvalues()(k) + ridge, floor);
  const Eigen::VectorXd solution = solver.eigenvectors() * rotated;
  return {solution.data(), solution.data() + solution.size()};
}

}  // namespace dperm::methods
