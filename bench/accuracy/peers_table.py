# SPDX-License-Identifier: Apache-2.0
"""One table as every program of the comparison gets it, and the scores of its predictions.

Numbers are clipped to the schema's bounds, put on its scale and into [-1, 1] (or [0, 1]); a category is a text of the
schema's list (for additive models) or one indicator each (for linear ones). So none learns bounds from the records."""

import functools
import tomllib

import numpy

import optimum

BINS = 15
SMALLEST = 1e-6  # of a probability: what a file with six decimals can tell from 0


class Table:
    def __init__(self, problem):
        self.problem, self.name = problem, problem.name
        self.schema = tomllib.loads(problem.schema.read_text())
        self.kind = self.schema["target"]["kind"]  # binary, real or class
        self.x, self.y = self.encoded(problem.train)
        self.test_x, self.test_y = self.encoded(problem.test)
        self.columns = len([1 for _, entry in optimum.columns_of(self.schema) if entry["kind"] != "ignore"])

    def encoded(self, path):
        """The first feature is the constant 1; a binary target is 0 or 1."""
        x, y = optimum.encode(path, self.problem.schema)
        return x, (y > 0).astype(int) if self.kind == "binary" else y

    @functools.cached_property
    def features(self):
        """By name: training columns, test columns, 'continuous' or 'nominal' of each, bounds of the continuous ones."""
        parts = [self.plain_columns(path) for path in (self.problem.train, self.problem.test)]
        kinds, bounds = {}, {}
        for name, entry in optimum.columns_of(self.schema):
            if entry["kind"] in ("real", "integer"):
                kinds[name], bounds[name] = "continuous", (0.0 if entry.get("zero") == "lower" else -1.0, 1.0)
            elif entry["kind"] != "ignore":
                kinds[name] = "nominal"
        return *parts, kinds, bounds

    def plain_columns(self, path):
        table, result = optimum.read_table(path, self.problem.schema), {}
        for name, entry in optimum.columns_of(self.schema):
            if entry["kind"] in ("real", "integer"):
                result[name] = optimum.encoded_number(optimum.numbers(table[name]), entry)
            elif entry["kind"] == "boolean":
                result[name] = (
                    numpy.isin(optimum.texts(table[name]), ["1", "true", "True", "yes"]).astype(int).astype(str)
                )
            elif entry["kind"] == "category":
                cells = optimum.texts(table[name])
                known = numpy.isin(cells, entry["values"]) | (cells == "?")
                result[name] = numpy.where(known, cells, "other")
        return result

    def score(self, prediction):
        """Of test predictions: a probability of class 1, a number in [-1, 1], or a probability of every class."""
        if self.kind == "binary":
            return binary_scores(numpy.asarray(prediction, float), self.test_y)
        if self.kind == "real":
            error = numpy.mean((numpy.clip(prediction, -1, 1) - self.test_y) ** 2)
            return {"r2": float(1 - error / numpy.var(self.test_y))}
        shares = numpy.clip(prediction, SMALLEST, 1)
        own = shares[numpy.arange(len(self.test_y)), self.test_y]
        return {
            "accuracy": float(numpy.mean(numpy.argmax(prediction, axis=1) == self.test_y)),
            "log_loss": float(-numpy.log(own).mean()),
        }


def binary_scores(share, y):
    share = numpy.clip(share, SMALLEST, 1 - SMALLEST)
    return {
        "accuracy": float(numpy.mean((share > 0.5) == y)),
        "log_loss": float(-numpy.log(numpy.where(y, share, 1 - share)).mean()),
        "auc": area(share, y),
        "ece": calibration_error(share, y),
    }


def area(share, y):
    """Chance that a row of class 1 has the larger share; equal ones count half."""
    _, place, counts = numpy.unique(share, return_inverse=True, return_counts=True)
    ranks = (numpy.cumsum(counts) - (counts - 1) / 2)[place]
    positive = int(y.sum())
    if positive in (0, len(y)):
        return float("nan")
    return float((ranks[y == 1].sum() - positive * (positive + 1) / 2) / (positive * (len(y) - positive)))


def calibration_error(share, y):
    """Expected calibration error: bins of equal width of the probability of class 1, weighted by their rows."""
    place = numpy.minimum((share * BINS).astype(int), BINS - 1)
    sums = numpy.bincount(place, weights=share - y, minlength=BINS)
    return float(numpy.abs(sums).sum() / len(y))
