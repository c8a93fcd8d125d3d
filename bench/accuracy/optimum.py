# SPDX-License-Identifier: Apache-2.0
"""What can be reached without privacy, computed apart from dperm: the schema's encoding and plain solvers in numpy."""

import functools
import tomllib

import numpy
import pyarrow.csv
import pyarrow.parquet

RIDGE = 1e-4
SOFTMAX_STEPS = 300
NEWTON_STEPS = 50


@functools.lru_cache(maxsize=2)
def read_table(path, schema_path):
    if path.suffix == ".parquet":
        return pyarrow.parquet.read_table(path)
    form = tomllib.loads(schema_path.read_text()).get("format", {})
    names = None if form.get("header", True) else form["column_names"]
    return pyarrow.csv.read_csv(
        path,
        read_options=pyarrow.csv.ReadOptions(column_names=names),
        parse_options=pyarrow.csv.ParseOptions(delimiter=form.get("delimiter", ",")),
        convert_options=pyarrow.csv.ConvertOptions(column_types={}, strings_can_be_null=False),
    )


@functools.lru_cache(maxsize=4)
def row_count(path):
    if path.suffix == ".parquet":
        return pyarrow.parquet.ParquetFile(path).metadata.num_rows
    text = path.read_text()
    lines = sum(1 for line in text.split("\n") if line)
    first = text.split("\n", 1)[0]
    return lines - (1 if not any(cell.strip('" ').lstrip("-")[:1].isdigit() for cell in first.replace(";", ",").split(",")) else 0)


def texts(column):
    return numpy.array([str(value).strip() for value in column.to_pylist()])


def numbers(column):
    try:
        return column.to_numpy().astype(float)
    except ValueError:
        return numpy.array([float(text) if text.replace(".", "").lstrip("-").isdigit() else numpy.nan for text in texts(column)])


def columns_of(schema):
    for entry in schema["column"]:
        names = entry.get("names") or ([entry["name"]] if "name" in entry else None)
        if names is None:
            first, last = entry["range"]
            names = [str(i) for i in range(first, last + 1)]
        for name in names:
            yield name, entry


def encoded_number(values, entry):
    lower, upper = entry["lower"], entry["upper"]
    values = numpy.clip(values, lower, upper)
    if entry.get("scale") == "log":
        values, lower, upper = numpy.log1p(values - entry["lower"]), 0, numpy.log1p(upper - lower)
    share = (values - lower) / (upper - lower)
    return numpy.nan_to_num(share if entry.get("zero") == "lower" else 2 * share - 1)


def knots(values, entry):
    """Shares of the knots of a curve, or of its steps, for encoded values; none for a linear column."""
    pieces = entry.get("pieces", 0) if entry.get("shape") in ("curve", "steps") else 0
    if pieces == 0:
        return []
    along = numpy.clip(values if entry.get("zero") == "lower" else (values + 1) / 2, 0, 1) * pieces
    piece = numpy.minimum(along.astype(int), pieces - 1)
    if entry["shape"] == "steps":
        return [(piece == k).astype(numpy.float32) for k in range(pieces)]
    return [numpy.maximum(0, 1 - abs(along - k)).astype(numpy.float32) for k in range(pieces + 1)]


def encode(path, schema_path):
    """Features with an intercept, unscaled, and the target: +-1, class number, or real in [-1, 1]. Shapes as the schema
    gives them; what it leaves open is linear."""
    schema = tomllib.loads(schema_path.read_text())
    table = read_table(path, schema_path)
    parts = [numpy.ones(table.num_rows, dtype=numpy.float32)]
    for name, entry in columns_of(schema):
        if entry["kind"] in ("real", "integer"):
            values = encoded_number(numbers(table[name]), entry)
            parts += [] if entry.get("shape") == "steps" else [values.astype(numpy.float32)]
            parts += knots(values, entry)
        elif entry["kind"] == "category":
            cells, values = texts(table[name]), entry["values"]
            parts += [(cells == value).astype(numpy.float32) for value in values]
            if entry.get("other"):
                parts.append((~numpy.isin(cells, values)).astype(numpy.float32))
            if entry.get("missing") == "category":
                parts.append((cells == "?").astype(numpy.float32))
        elif entry["kind"] == "boolean":
            parts.append(numpy.isin(texts(table[name]), ["1", "true", "True", "yes"]).astype(numpy.float32))
    target = schema["target"]
    column = table[target["column"]]
    if target["kind"] == "real":
        return numpy.stack(parts, axis=1), encoded_number(numbers(column), target)
    if target["kind"] == "class":
        return numpy.stack(parts, axis=1), numpy.searchsorted(target["values"], texts(column))
    if "threshold" in target:
        return numpy.stack(parts, axis=1), numpy.where(numbers(column) > target["threshold"], 1.0, -1.0)
    positive = target["positive"] if isinstance(target["positive"], list) else [target["positive"]]
    return numpy.stack(parts, axis=1), numpy.where(numpy.isin(texts(column), positive), 1.0, -1.0)


def log_loss(scores, y):
    return float(numpy.mean(numpy.logaddexp(0, -y * scores)))


def logistic_weights(x, y, ridge=RIDGE):
    """Newton's steps, halved where they would not lower the penalised loss."""
    x = x.astype(float)
    weights = numpy.zeros(x.shape[1])

    def risk(at):
        return log_loss(x @ at, y) + ridge / 2 * at @ at

    now = risk(weights)
    for _ in range(NEWTON_STEPS):
        share = 1 / (1 + numpy.exp(numpy.clip(y * (x @ weights), -700, 700)))
        gradient = -(x.T @ (y * share)) / len(y) + ridge * weights
        hessian = (x.T * (share * (1 - share))) @ x / len(y) + ridge * numpy.eye(x.shape[1])
        step = numpy.linalg.solve(hessian, gradient)
        while risk(weights - step) > now and numpy.abs(step).max() > 1e-9:
            step /= 2
        weights, before, now = weights - step, now, risk(weights - step)
        if before - now < 1e-12:
            break
    return weights


def squared_weights(x, y, ridge):
    x = x.astype(float)
    return numpy.linalg.solve(x.T @ x / len(y) + ridge * numpy.eye(x.shape[1]), x.T @ y / len(y))


def softmax_weights(x, y, classes):
    """Accelerated gradient steps; the step is one over a bound of the curvature."""
    labels = numpy.eye(classes, dtype=numpy.float32)[y]
    step = 2 * len(y) / numpy.linalg.norm(x, 2) ** 2
    weights = previous = numpy.zeros((x.shape[1], classes), dtype=numpy.float32)
    for t in range(SOFTMAX_STEPS):
        ahead = weights + t / (t + 3) * (weights - previous)
        scores = x @ ahead
        shares = numpy.exp(scores - scores.max(axis=1, keepdims=True))
        shares /= shares.sum(axis=1, keepdims=True)
        previous, weights = weights, ahead - step * (x.T @ (shares - labels)) / len(y)
    return weights


def score(problem):
    """None where no plain solver finds the optimum (networks)."""
    if "--hidden" in problem.arguments:
        return None
    x, y = encode(problem.train, problem.schema)
    test_x, test_y = encode(problem.test, problem.schema)
    if problem.metric == "r2":
        weights = numpy.linalg.lstsq(x.astype(float), y, rcond=None)[0]
        return float(1 - numpy.mean((test_y - test_x @ weights) ** 2) / numpy.var(test_y))
    if "softmax" in problem.arguments:
        weights = softmax_weights(x, y, int(y.max()) + 1)
        return float(numpy.mean(numpy.argmax(test_x @ weights, axis=1) == test_y))
    return float(numpy.mean(numpy.where(test_x @ logistic_weights(x, y) > 0, 1, -1) == test_y))


def trivial(problem):
    """The score of the best constant answer."""
    if problem.metric == "r2":
        return 0.0
    values, counts = numpy.unique(encode(problem.test, problem.schema)[1], return_counts=True)
    return float(counts.max() / counts.sum())


@functools.lru_cache(maxsize=1)
def variance(test, schema):
    target = tomllib.loads(schema.read_text())["target"]
    return float(numpy.var(encode(test, schema)[1])) * ((target["upper"] - target["lower"]) / 2) ** 2


def target_variance(problem):
    """In the target's own unit squared."""
    return variance(problem.test, problem.schema)
