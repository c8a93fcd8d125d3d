# SPDX-License-Identifier: Apache-2.0
"""The peers: functions from a table, epsilon and a seed to test predictions. 'make bench-peers' installs their packages."""

import functools
import math
import warnings

import numpy

import optimum

RATES = (0.01, 0.03, 0.1, 0.3)  # of boosting; the first is the default of the package
SGD_RATES = (0.01, 0.03, 0.1, 0.3)
SGD_EPOCHS, SGD_CLIP = 20, 1.0


def constant(table, epsilon, seed):
    """The best one without privacy: base rate, mean or shares of the classes in the rows to learn from."""
    if table.kind == "class":
        return numpy.tile(
            numpy.bincount(table.y, minlength=len(table.schema["target"]["values"])) / len(table.y),
            (len(table.test_y), 1),
        )
    return numpy.full(len(table.test_y), table.y.mean())


def sigmoid(scores):
    return 1 / (1 + numpy.exp(-numpy.clip(scores, -50, 50)))


def softmax(scores):
    shares = numpy.exp(scores - scores.max(axis=1, keepdims=True))
    return shares / shares.sum(axis=1, keepdims=True)


def linear(table, epsilon, seed):
    """Without privacy."""
    if table.kind == "real":
        return table.test_x @ numpy.linalg.lstsq(table.x.astype(float), table.y, rcond=None)[0]
    if table.kind == "class":
        return softmax(table.test_x @ optimum.softmax_weights(table.x, table.y, int(table.y.max()) + 1))
    return sigmoid(table.test_x @ optimum.logistic_weights(table.x, 2.0 * table.y - 1))


def boosting(table, epsilon, seed):
    """Without privacy: gradient boosting with the defaults of scikit-learn."""
    from sklearn.ensemble import HistGradientBoostingClassifier, HistGradientBoostingRegressor

    train, test, kinds, _ = table.features
    codes = {
        name: {text: k for k, text in enumerate(sorted(set(train[name])))}
        for name, kind in kinds.items()
        if kind == "nominal"
    }

    def matrix(columns):
        return numpy.column_stack(
            [
                columns[name] if name not in codes else [codes[name].get(text, numpy.nan) for text in columns[name]]
                for name in kinds
            ]
        )

    model = (HistGradientBoostingRegressor if table.kind == "real" else HistGradientBoostingClassifier)(
        categorical_features=[name in codes for name in kinds], random_state=seed
    )
    model.fit(matrix(train), table.y)
    return predicted(model, matrix(test), table)


def predicted(model, x, table):
    if table.kind == "real":
        return model.predict(x)
    shares = model.predict_proba(x)
    if table.kind == "binary":
        return shares[:, 1] if shares.shape[1] == 2 else numpy.full(len(x), float(model.classes_[0]))
    result = numpy.zeros((len(x), len(table.schema["target"]["values"])))
    result[:, model.classes_] = shares
    return result


def boosted_additive(table, epsilon, seed, rate):
    """InterpretML's differentially private explainable boosting."""
    import pandas
    from interpret.privacy import DPExplainableBoostingClassifier, DPExplainableBoostingRegressor

    train, test, kinds, bounds = table.features
    options = {
        "epsilon": epsilon,
        "delta": table.problem.delta,
        "feature_types": list(kinds.values()),
        "privacy_bounds": bounds,
        "random_state": seed,
        "n_jobs": 1,
        "learning_rate": rate,
    }
    frames = [
        pandas.DataFrame(
            {name: columns[name] if kinds[name] == "continuous" else columns[name].astype(object) for name in kinds}
        )
        for columns in (train, test)
    ]
    if table.kind == "real":
        model = DPExplainableBoostingRegressor(privacy_target_min=-1.0, privacy_target_max=1.0, **options)
    else:
        model = DPExplainableBoostingClassifier(**options)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return predicted(model.fit(frames[0], table.y), frames[1], table)


def diffprivlib(table, epsilon, seed):
    """Pure epsilon: it does not use delta. Bounds are those of the encoding, rows are at most sqrt(columns) long."""
    from diffprivlib.models import LinearRegression, LogisticRegression

    x, test_x = table.x[:, 1:].astype(float), table.test_x[:, 1:].astype(float)  # it adds the intercept itself
    if table.kind == "real":
        model = LinearRegression(
            epsilon=epsilon, bounds_X=encoded_bounds(table), bounds_y=(-1.0, 1.0), random_state=seed
        )
    else:
        model = LogisticRegression(
            epsilon=epsilon, data_norm=math.sqrt(table.columns), max_iter=1000, random_state=seed
        )
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return predicted(model.fit(x, table.y), test_x, table)


def encoded_bounds(table):
    """A number may lie anywhere in its range, an indicator is 0 or 1."""
    lower = []
    for _, entry in optimum.columns_of(table.schema):
        if entry["kind"] in ("real", "integer"):
            lower.append(0.0 if entry.get("zero") == "lower" else -1.0)
        elif entry["kind"] == "boolean":
            lower.append(0.0)
        elif entry["kind"] == "category":
            lower += [0.0] * (len(entry["values"]) + bool(entry.get("other")) + (entry.get("missing") == "category"))
    return numpy.array(lower), numpy.ones(len(lower))


@functools.lru_cache(maxsize=None)
def noise_multiplier(epsilon, delta, rate, steps):
    """As Opacus calibrates it: a record more or less, privacy-loss accounting of Poisson samples."""
    import dp_accounting
    from dp_accounting.pld import PLDAccountant

    def event(sigma):
        return dp_accounting.SelfComposedDpEvent(
            dp_accounting.PoissonSampledDpEvent(rate, dp_accounting.GaussianDpEvent(sigma)), steps
        )

    return dp_accounting.calibrate_dp_mechanism(
        lambda: PLDAccountant(value_discretization_interval=1e-3),
        event,
        epsilon,
        delta,
        bracket_interval=dp_accounting.LowerEndpointAndGuess(0.3, 3.0),
        tol=1e-3,
    )


def clipped_descent(table, epsilon, seed, rate):
    """What users of Opacus do for a linear model: Poisson batches, gradients clipped to 1 a row, Gaussian noise, Adam;
    written out here, so that a comparison needs no deep learning framework. Twenty passes; a batch is 1/32 of the rows,
    but 32 to 1024 of them."""
    rows = len(table.y)
    batch = min(1024, max(32, rows / 32), rows)
    share, steps = batch / rows, math.ceil(SGD_EPOCHS * rows / batch)
    noise = SGD_CLIP * noise_multiplier(epsilon, table.problem.delta, share, steps)
    generator = numpy.random.default_rng(seed)
    targets = (
        numpy.eye(len(table.schema["target"]["values"]))[table.y]
        if table.kind == "class"
        else table.y[:, None].astype(float)
    )
    answer = {"binary": sigmoid, "class": softmax, "real": lambda scores: scores}[table.kind]
    lengths = numpy.linalg.norm(table.x, axis=1)
    weights = numpy.zeros((table.x.shape[1], targets.shape[1]))
    first, second = numpy.zeros_like(weights), numpy.zeros_like(weights)
    for step in range(1, steps + 1):
        chosen = numpy.flatnonzero(generator.random(rows) < share)
        x = table.x[chosen]
        residual = answer(x @ weights) - targets[chosen]
        residual *= numpy.minimum(
            1, SGD_CLIP / numpy.maximum(numpy.linalg.norm(residual, axis=1) * lengths[chosen], 1e-12)
        )[:, None]
        gradient = (x.T @ residual + noise * generator.normal(size=weights.shape)) / batch
        first, second = 0.9 * first + 0.1 * gradient, 0.999 * second + 0.001 * gradient**2
        weights -= rate * (first / (1 - 0.9**step)) / (numpy.sqrt(second / (1 - 0.999**step)) + 1e-8)
    scores = answer(table.test_x @ weights)
    return scores if table.kind == "class" else scores[:, 0]


# name: (function, learning rates, what it can learn). Without rates: no such setting.
WITHOUT_PRIVACY = {"constant": constant, "linear": linear, "boosting": boosting}
PRIVATE = {
    "dp-ebm": (boosted_additive, RATES, ("binary", "real")),
    "diffprivlib": (diffprivlib, (None,), ("binary", "real", "class")),
    "dp-sgd": (clipped_descent, SGD_RATES, ("binary", "real", "class")),
}
