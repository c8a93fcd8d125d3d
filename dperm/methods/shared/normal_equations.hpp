// SPDX-License-Identifier: Apache-2.0
// Dense symmetric algebra for linear regression and Newton's method, the only place that includes Eigen.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace dperm::methods {

// A symmetric matrix by its upper triangle, row by row.
struct SymmetricMatrix {
  std::size_t dimension;
  std::vector<double> upper;
};

// The smallest eigenvalue, to within eigenvalue_error(dimension, norm) for a matrix of spectral norm at most `norm`.
double smallest_eigenvalue(const SymmetricMatrix& matrix);
double eigenvalue_error(std::size_t dimension, double norm);

// (matrix + ridge I)^-1 right, through an eigendecomposition in which eigenvalues below `floor` count as `floor`.
std::vector<double> solve_ridge(const SymmetricMatrix& matrix, double ridge, double floor,
                                std::span<const double> right);

// Standard errors of that solution v by noise alone, to first order: the right side has noise `sigma` in every
// coordinate, the matrix `sigma` on its diagonal and sigma / sqrt 2 beside it, all independent.
std::vector<double> ridge_noise(const SymmetricMatrix& matrix, double ridge, double floor, std::span<const double> v,
                                double sigma);

// (matrix + damping I)^-1 right by Cholesky's method, for a matrix that is positive semidefinite up to rounding and a
// damping far above that.
std::vector<double> solve_damped(const SymmetricMatrix& matrix, double damping, std::span<const double> right);

}  // namespace dperm::methods
