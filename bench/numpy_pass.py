# SPDX-License-Identifier: Apache-2.0
"""numpy's two matrix-vector products of one gradient pass (X @ w, X.T @ s) on the one-hot matrix of census shape.

Usage: numpy_pass.py [ROWS [REPETITIONS]]. Single-threaded; CPU time; prints rows per second for float32 and float64.
"""
import os

for variable in ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ[variable] = "1"

import sys
import time

import numpy as np

REALS = 6
LEVELS = (9, 16, 7, 15, 6, 5, 2, 42)
DIMENSION = 1 + REALS + sum(LEVELS)


def one_hot_matrix(rows, dtype, seed=1):
    """Rows as a dense matrix does hold them: intercept, reals in [-1, 1], one column per category; scaled to norm 1."""
    random = np.random.default_rng(seed)
    matrix = np.zeros((rows, DIMENSION), dtype=dtype)
    matrix[:, 0] = 1
    matrix[:, 1 : 1 + REALS] = random.uniform(-1, 1, (rows, REALS))
    first = 1 + REALS
    for levels in LEVELS:
        matrix[np.arange(rows), first + random.integers(0, levels, rows)] = 1
        first += levels
    matrix /= np.sqrt(1 + REALS + len(LEVELS))
    return matrix


class NumpyPass:
    """One matrix with its vectors; seconds() is the CPU time of the two products alone, without the slopes."""

    def __init__(self, rows, dtype):
        self.rows = rows
        self.matrix = one_hot_matrix(rows, dtype)
        self.weights = np.random.default_rng(2).normal(size=DIMENSION).astype(dtype)
        self.slopes = np.random.default_rng(3).uniform(-1, 1, rows).astype(dtype)

    def seconds(self):
        start = time.process_time()
        self.matrix @ self.weights
        self.matrix.T @ self.slopes
        return time.process_time() - start


def main():
    rows = int(sys.argv[1]) if len(sys.argv) > 1 else 1_000_000
    repetitions = int(sys.argv[2]) if len(sys.argv) > 2 else 9
    for dtype in (np.float32, np.float64):
        numpy_pass = NumpyPass(rows, dtype)
        seconds = np.median([numpy_pass.seconds() for _ in range(repetitions)])
        print(f"numpy {np.dtype(dtype).name}: {rows / seconds / 1e6:.2f} M rows/s")


if __name__ == "__main__":
    main()
