// SPDX-License-Identifier: Apache-2.0
#include "dperm/methods/shared/normal_equations.hpp"

#include <Eigen/Dense>
#include <algorithm>
#include <cmath>

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

// Bisection on the tridiagonal form: it ends for every matrix, while an iteration that may give up would make a refusal
// depend on the records.
double smallest_eigenvalue(const SymmetricMatrix& matrix) {
  if (matrix.dimension == 1) return matrix.upper.at(0);
  const Eigen::Tridiagonalization<Eigen::MatrixXd> form(dense(matrix));
  const Eigen::VectorXd diagonal = form.diagonal(), beside = form.subDiagonal();
  const Eigen::Index d = diagonal.size();
  double low = diagonal(0), high = diagonal(0);
  for (Eigen::Index k = 0; k < d; ++k) {
    const double reach = (k > 0 ? std::abs(beside(k - 1)) : 0) + (k + 1 < d ? std::abs(beside(k)) : 0);
    low = std::min(low, diagonal(k) - reach);
    high = std::min(high, diagonal(k));
  }
  // Sylvester's law of inertia: the pivots of T - x I have a negative one exactly when an eigenvalue lies below x.
  const auto all_above = [&](double x) {
    double pivot = diagonal(0) - x;
    for (Eigen::Index k = 1; k < d && pivot > 0; ++k) {
      pivot = diagonal(k) - x - beside(k - 1) * beside(k - 1) / pivot;
    }
    return pivot > 0;
  };
  for (int step = 0; step < 1100; ++step) {
    const double middle = low + (high - low) / 2;
    if (!(middle > low && middle < high)) break;
    (all_above(middle) ? low : high) = middle;
  }
  return low;
}

double eigenvalue_error(std::size_t dimension, double norm) {
  // Tridiagonalisation and bisection are backward stable: the error is a modest multiple of d^2 units in the last place
  // of the norm. 64 d^2 is generous; the result only has to be small beside one record's influence.
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

// The error is M^-1 (n - N v), M being the matrix with its ridge; n - N v has covariance
// sigma^2 ((1 + |v|^2 / 2) I + v v^T / 2).
std::vector<double> ridge_noise(const SymmetricMatrix& matrix, double ridge, double floor, std::span<const double> v,
                                double sigma) {
  const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> solver(dense(matrix));
  const Eigen::Map<const Eigen::VectorXd> solution(v.data(), static_cast<Eigen::Index>(v.size()));
  Eigen::VectorXd inverse = solver.eigenvalues();
  for (Eigen::Index k = 0; k < inverse.size(); ++k) inverse(k) = 1 / std::max(inverse(k) + ridge, floor);
  const Eigen::MatrixXd& basis = solver.eigenvectors();
  const Eigen::VectorXd along = basis * inverse.asDiagonal() * (basis.transpose() * solution);
  const Eigen::VectorXd squares = basis.cwiseAbs2() * inverse.cwiseAbs2();
  std::vector<double> errors;
  for (Eigen::Index j = 0; j < squares.size(); ++j) {
    errors.push_back(sigma * std::sqrt((1 + solution.squaredNorm() / 2) * squares(j) + along(j) * along(j) / 2));
  }
  return errors;
}

std::vector<double> solve_damped(const SymmetricMatrix& matrix, double damping, std::span<const double> right) {
  Eigen::MatrixXd full = dense(matrix);
  full.diagonal().array() += damping;
  const Eigen::Map<const Eigen::VectorXd> b(right.data(), static_cast<Eigen::Index>(right.size()));
  const Eigen::VectorXd solution = full.llt().solve(b);
  return {solution.data(), solution.data() + solution.size()};
}

}  // namespace dperm::methods
