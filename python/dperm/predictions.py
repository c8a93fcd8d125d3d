# SPDX-License-Identifier: Apache-2.0
"""Predictions of any model for new rows. They are about the given rows, not private, and spend nothing."""

from __future__ import annotations

from collections.abc import Sequence

import numpy
import pyarrow

from dperm import _core, _inputs
from dperm.errors import ArgumentError
from dperm.ledger import charge_for
from dperm.model import Dataset, Model, model_of


def predict(
    model,
    data,
    *,
    labels: Sequence | None = None,
    threshold: float | None = None,
    interval: tuple | None = None,
    threads: int = 0,
) -> pyarrow.Table:
    """A table with a `prediction` for every row and, by the kind of model, `probability_LABEL`, `margin`, or `lower`, `upper`.

    `model` is a Model, a fitted estimator or the path of a model file. Classes have the schema's values; a binary target
    names its positive value alone, so the other is called "not VALUE" unless `labels` has both, the negative first.
    `threshold` calls a row of a logistic model positive above this probability. `interval` is a pair of quantile models of
    the same target; where they cross they change places.
    """
    model = model_of(model)
    kind = model.schema.target_kind
    names, places, probabilities, margins, numbers = _predicted(model, data, threads)
    columns: dict[str, object] = {}
    if kind == "real":
        columns["prediction"] = numbers
    else:
        names = _labels(model, names, labels)
        if threshold is not None:
            places = _above(probabilities, len(names), threshold)
        columns["prediction"] = pyarrow.array([names[place] for place in places.tolist()])
    if probabilities.size:
        shares = probabilities.reshape(-1, len(names))
        columns.update({f"probability_{name}": shares[:, k] for k, name in enumerate(names)})
    if margins.size:
        columns["margin"] = margins
    if interval is not None:
        columns["lower"], columns["upper"] = _interval(model, data, interval, threads)
    return pyarrow.table(columns)


def _predicted(model: Model, data, threads: int):
    threads = _inputs.threads_of(threads)
    if isinstance(data, Dataset):
        return _core.predict(model._core, data._core, threads, charge_for())
    schema = model._core.schema
    names = [name for name, _ in schema.columns]
    rows = _inputs.table_of(data).read(schema, names=names, threads=threads, target_required=False)
    return _core.predict(model._core, rows, threads, charge_for())


def _labels(model: Model, names: list[str], given: Sequence | None) -> list:
    if given is not None:
        if len(given) != len(names):
            raise ArgumentError(f"`labels` must name {len(names)} classes; got {len(given)}", "labels")
        return list(given)
    if model.schema.target_kind == "class":
        return names
    positive = "|".join(model.schema._core.target_positive)
    return [f"not {positive}", positive] if positive else names


def _above(probabilities: numpy.ndarray, classes: int, threshold: float) -> numpy.ndarray:
    if classes != 2 or not probabilities.size:
        raise ArgumentError("`threshold` is a probability, and this model gives none of two classes", "threshold")
    if not 0 < threshold < 1:
        raise ArgumentError(f"`threshold` must be a probability between 0 and 1; got {threshold!r}", "threshold")
    return (probabilities.reshape(-1, 2)[:, 1] > threshold).astype(numpy.int64)


def _interval(model: Model, data, given: tuple, threads: int) -> tuple[numpy.ndarray, numpy.ndarray]:
    if not isinstance(given, (tuple, list)) or len(given) != 2:
        raise ArgumentError("`interval` must be two quantile models, the lower one first", "interval")
    found = []
    for each in map(model_of, given):
        loss = each.details["plan"]["task"]["loss"]
        if "quantile" not in loss or each.schema.target != model.schema.target:
            raise ArgumentError("`interval` must be two quantile models of the model's target", "interval")
        found.append((loss["quantile"], _predicted(each, data, threads)[4]))
    (lower, low), (upper, high) = found
    if not lower < upper:
        raise ArgumentError(f"`interval`: the first quantile must be below the second; got {lower} and {upper}", "interval")
    return numpy.minimum(low, high), numpy.maximum(low, high)
