# SPDX-License-Identifier: Apache-2.0
"""dperm's gradient pass and numpy's two matrix-vector products, interleaved in one run; prints the ratios.

Usage: compare_pass.py PATH_OF_gradient_pass [ROWS [REPETITIONS]]. One thread, CPU time, medians; two threads by wall
time (best of all repetitions, for a machine with other work). JSON is the last line.
"""
import os

for variable in ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ[variable] = "1"

import json
import subprocess
import sys

import numpy as np

from numpy_pass import NumpyPass


class Engine:
    """A gradient_pass process that measures one pass for each line it reads."""

    def __init__(self, program, rows):
        self.process = subprocess.Popen(
            [program, str(rows), "1", "serve"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )
        self.rows = int(self.process.stdout.readline())

    def seconds(self, what):
        self.process.stdin.write(what + "\n")
        self.process.stdin.flush()
        return float(self.process.stdout.readline())

    def close(self):
        self.process.stdin.close()
        self.process.wait()


def main():
    program = sys.argv[1]
    rows = int(sys.argv[2]) if len(sys.argv) > 2 else 8_000_000
    repetitions = int(sys.argv[3]) if len(sys.argv) > 3 else 15
    engine = Engine(program, rows)
    matrix_rows = min(rows, 1_000_000)
    single, double = NumpyPass(matrix_rows, np.float32), NumpyPass(matrix_rows, np.float64)
    kinds = ("release", "solver", "float32", "float64", "one", "two")
    times = {kind: [] for kind in kinds}
    for _ in range(repetitions):
        times["release"].append(engine.seconds("release") / engine.rows)
        times["float32"].append(single.seconds() / matrix_rows)
        times["solver"].append(engine.seconds("solver") / engine.rows)
        times["float64"].append(double.seconds() / matrix_rows)
        times["one"].append(engine.seconds("one") / engine.rows)
        times["two"].append(engine.seconds("two") / engine.rows)
    engine.close()
    rate = {kind: 1 / float(np.median(times[kind])) for kind in kinds}
    result = {
        "rows": engine.rows,
        "numpy_rows": matrix_rows,
        "rows_per_s": rate,
        "release_over_numpy_float32": rate["release"] / rate["float32"],
        "release_over_numpy_float64": rate["release"] / rate["float64"],
        "solver_over_numpy_float64": rate["solver"] / rate["float64"],
        "two_threads_over_one": min(times["one"]) / min(times["two"]),
    }
    for kind in ("release", "solver", "float32", "float64"):
        print(f"{'numpy ' + kind if kind[0] == 'f' else 'dperm ' + kind:16} {rate[kind] / 1e6:8.1f} M rows/s")
    print(f"release / numpy float32   {result['release_over_numpy_float32']:.1f}")
    print(f"release / numpy float64   {result['release_over_numpy_float64']:.1f}")
    print(f"solver / numpy float64    {result['solver_over_numpy_float64']:.1f}")
    print(f"2 threads / 1 thread      {result['two_threads_over_one']:.2f}")
    print(json.dumps(result))


if __name__ == "__main__":
    main()
