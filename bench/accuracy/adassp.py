# SPDX-License-Identifier: Apache-2.0
"""Linear regression beside the published AdaSSP [WANG18]: mean squared error of prediction by ten-fold cross-validation on
the six sets of its table that DPERM_DATA holds, prepared as there, delta 1e-6. Writes adassp.json and prints the table
of docs/regression.md.

    python bench/accuracy/adassp.py PROGRAM RESULTS [--repetitions 5] [--only NAME ...]
"""

import argparse
import json
import math
import pathlib
import statistics
import subprocess
import tarfile

import numpy

import sets

DELTA = 1e-6
EPSILONS = (0.1, 1)
FOLDS = 10
# name: (folder, target column, transformation of the target, published: trivial, without privacy, AdaSSP at 0.1, at 1)
SETS = {
    "concrete": ("concrete", -1, None, (0.1274, 0.0445, 0.1320, 0.0637)),
    "energy": ("energy", -1, None, (0.2352, 0.0232, 0.1477, 0.0429)),
    "housing": ("bostonHousing", -1, None, (0.1120, 0.0394, 0.0985, 0.0680)),
    "protein": ("protein-tertiary-structure", -1, numpy.log1p, (0.1671, 0.1189, 0.1259, 0.1199)),
    "wine": ("wine-quality-red", -2, None, (0.0566, 0.0202, 0.0627, 0.0326)),  # predicts alcohol, not quality
    "yacht": ("yacht", -1, numpy.log, (0.1053, 0.0176, 0.1177, 0.0628)),
}
# How the program is asked. After the preparation a row and its intercept have the squared norm 2: a public fact here.
UNIT_ROWS = ["--row-norm", "1.41422"]
VARIANTS = {
    "defaults": [],
    "unit rows": UNIT_ROWS,
    "unit rows, add-remove": [*UNIT_ROWS, "--neighbours", "add-remove"],
}


def prepared(data, name):
    """Columns to mean 0 and variance 1, rows to norm 1, target to mean 0 and largest size 1: none of it private."""
    folder, target, transform, _ = SETS[name]
    with tarfile.open(data / "uci_regression_splits" / "UCI_Datasets.tar.gz") as archive:
        text = archive.extractfile(f"UCI_Datasets/{folder}/data/data.txt").read().decode()
    table = numpy.array([[float(cell) for cell in line.split()] for line in text.splitlines() if line.strip()])
    y = table[:, target] if transform is None else transform(table[:, target])
    x = numpy.delete(table, target % table.shape[1], axis=1)
    x = (x - x.mean(axis=0)) / x.std(axis=0, ddof=1)
    y = y - y.mean()
    return x / numpy.linalg.norm(x, axis=1, keepdims=True), y / numpy.abs(y).max()


def published(x, y, epsilon, generator):
    """The algorithm as its authors' program has it, with its extra unit ridge: a third of epsilon for each release."""
    d, log_term = x.shape[1], math.log(6 / DELTA)
    noise = math.sqrt(log_term) / (epsilon / 3)
    moments = x.T @ x + numpy.eye(d)
    smallest = numpy.linalg.eigvalsh(moments)[0] + noise * generator.normal() - log_term / (epsilon / 3)
    wanted = math.sqrt(d * log_term * math.log(2 * d * d / 0.05)) / (epsilon / 3)
    z = generator.normal(size=(d, d))
    ridge = max(0.0, wanted - max(smallest, 0.0)) * numpy.eye(d)
    return numpy.linalg.solve(moments + noise * (z + z.T) / 2 + ridge, x.T @ y + noise * generator.normal(size=d))


class Dperm:
    def __init__(self, program, folder):
        self.program, self.folder = program, folder

    def load(self, x, y):
        """Columns and target lie in [-1, 1] by the preparation."""
        names = [f"x{j}" for j in range(x.shape[1])]
        schema = 'version = 1\n[target]\ncolumn = "y"\nkind = "real"\nlower = -1\nupper = 1\n'
        schema += f'[[column]]\nnames = {json.dumps(names)}\nkind = "real"\nlower = -1\nupper = 1\n'
        (self.folder / "schema.toml").write_text(schema)
        rows = numpy.column_stack([x, y])
        numpy.savetxt(self.folder / "train.csv", rows, "%.9g", ",", header=",".join([*names, "y"]), comments="")

    def weights(self, epsilon, arguments, seed):
        """Of the intercept and the columns, for features as they are."""
        command = [self.program, "fit", self.folder / "train.csv", "--schema", self.folder / "schema.toml", "--epsilon", epsilon,
                   "--delta", DELTA, "--loss", "squared", "--method", "sufficient-statistics", "--seed", seed, "--threads", 1,
                   "--quiet", "-o", self.folder / "model.json", *arguments]
        (self.folder / "model.json").unlink(missing_ok=True)  # a fit does not replace a model
        subprocess.run(list(map(str, command)), check=True, capture_output=True)
        coefficients = json.loads((self.folder / "model.json").read_text())["coefficients"]
        return numpy.array([each["encoded"] for each in coefficients]) / math.sqrt(len(coefficients))


def folds(rows, generator):
    parts = numpy.array_split(generator.permutation(rows), FOLDS)
    for k in range(FOLDS):
        yield numpy.concatenate(parts[:k] + parts[k + 1 :]), parts[k]


def with_intercept(x):
    return numpy.column_stack([numpy.ones(len(x)), x])


def measure(dperm, x, y, repetitions):
    errors, generator, seed = {}, numpy.random.default_rng(1), 0

    def note(name, epsilon, difference):
        errors.setdefault((name, epsilon), []).append(float(numpy.mean(difference**2)))

    bounds_norm = math.sqrt(x.shape[1] + 1)  # of a row with its intercept, if all that is known is |x_j| <= 1
    for _ in range(repetitions):
        for train, test in folds(len(y), generator):
            plain = numpy.linalg.solve(x[train].T @ x[train] + numpy.eye(x.shape[1]), x[train].T @ y[train])
            note("without privacy", None, x[test] @ plain - y[test])
            full = with_intercept(x) / bounds_norm
            dperm.load(x[train], y[train])
            for epsilon in EPSILONS:
                seed += 1
                note("published, here", epsilon, x[test] @ published(x[train], y[train], epsilon, generator) - y[test])
                note("published, our encoding", epsilon, full[test] @ published(full[train], y[train], epsilon, generator) - y[test])
                for name, arguments in VARIANTS.items():
                    weights = dperm.weights(epsilon, arguments, seed)
                    note(name, epsilon, with_intercept(x[test]) @ weights - y[test])
    return errors


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("program", type=pathlib.Path)
    parser.add_argument("results", type=pathlib.Path)
    parser.add_argument("--repetitions", type=int, default=5)
    parser.add_argument("--only", nargs="*", default=list(SETS), choices=list(SETS))
    flags = parser.parse_args()
    data = sets.data_folder("adassp")
    if not data:
        return
    folder = flags.results / "adassp"
    folder.mkdir(parents=True, exist_ok=True)
    dperm = Dperm(flags.program.resolve(), folder)
    columns = ["published, here", "published, our encoding", *VARIANTS]
    print("| set | epsilon | without privacy | published | " + " | ".join(columns) + " |")
    print("| --- " * (4 + len(columns)) + "|")
    results = []
    for name in flags.only:
        x, y = prepared(data, name)
        errors = measure(dperm, x, y, flags.repetitions if len(y) < 10000 else max(1, flags.repetitions // 5))
        plain = statistics.mean(errors["without privacy", None])
        for epsilon, printed in zip(EPSILONS, SETS[name][3][2:]):
            means = {column: statistics.mean(errors[column, epsilon]) for column in columns}
            results.append({"set": name, "rows": len(y), "columns": x.shape[1], "epsilon": epsilon, "trivial": float(numpy.mean(y**2)),
                            "without privacy": plain, "published": printed, **means})
            print(f"| {name} | {epsilon:g} | {plain:.4f} | {printed:.4f} | " + " | ".join(f"{means[c]:.4f}" for c in columns) + " |",
                  flush=True)
        (flags.results / "adassp.json").write_text(json.dumps(results, indent=2) + "\n")


if __name__ == "__main__":
    main()
