# SPDX-License-Identifier: Apache-2.0
"""dperm on Apache Spark: models of DataFrames, the same bits as on one machine.

>>> with dperm.spark.read(frame, schema) as rows:                                                    # doctest: +SKIP
...     plan = dperm.plan(schema, rows=rows.rows, epsilon=1, delta=1e-6)
...     model = dperm.fit(plan, rows)

Needs pyspark, and dperm on every executor. docs/spark.md says what to set.
"""

from __future__ import annotations

from dperm import evaluation as _evaluation
from dperm import location as _location
from dperm.evaluation import Evaluation
from dperm.model import Model, model_of
from dperm.model import fit as _fit
from dperm.schema import Schema
from dperm.spark._rows import SourceChanged, SparkDataset

__all__ = ["SourceChanged", "SparkDataset", "evaluate", "fit", "mean", "median", "quantile", "read"]


def read(frame, schema: Schema, *, folder: str = "", depth: int = 1) -> SparkDataset:
    """The rows of a DataFrame, encoded into tiles on the executors' disks; for dperm.fit and dperm.evaluate.

    `folder` is where tiles are kept instead of Spark's own local folders. `depth` above 1 adds sums in a tree, for
    thousands of partitions.
    """
    return SparkDataset(frame, schema, folder=folder, depth=depth)


def fit(
    frame,
    schema: Schema,
    *,
    epsilon: float,
    delta: float,
    method: str = "auto",
    folder: str = "",
    random_state: int | None = None,
    verbose: bool = False,
    **task,
) -> Model:
    """Reads, plans, fits and cleans up. `task` as for dperm.plan. The number of rows becomes public."""
    with read(frame, schema, folder=folder) as rows:
        plan = rows.plan(epsilon=epsilon, delta=delta, method=method, **task)
        return _fit(plan, rows, random_state=random_state, verbose=verbose)


def evaluate(model, frame, *, epsilon: float, folder: str = "", **rest) -> Evaluation:
    """How good a model is on the rows of a DataFrame: one private release, as dperm.evaluate.

    `rest`: delta, groups, threshold, random_state. Several models are judged with one reading by dperm.spark.read and
    dperm.evaluate.
    """
    found = model_of(model)
    with read(frame, found.schema, folder=folder) as rows:
        return _evaluation.evaluate(found, rows, epsilon=epsilon, **rest)


def mean(frame, column: str, *, bounds: tuple[float, float], epsilon: float, delta: float, **rest):
    """The mean of a column of numbers between public bounds, as dperm.mean."""
    return _located(frame, column, "squared", {}, bounds, epsilon, delta, **rest)


def median(frame, column: str, *, bounds: tuple[float, float], epsilon: float, delta: float, **rest):
    """The median of a column, as dperm.median. The driver sorts the column: four bytes a row."""
    return _located(frame, column, "absolute", {}, bounds, epsilon, delta, **rest)


def quantile(frame, column: str, q: float, *, bounds: tuple[float, float], epsilon: float, delta: float, **rest):
    """A quantile of a column, as dperm.quantile. The driver sorts the column: four bytes a row."""
    return _located(frame, column, "pinball", {"quantile": q}, bounds, epsilon, delta, **rest)


def _located(frame, column, loss, parameters, bounds, epsilon, delta, **rest):
    named = frame.select(frame[column].alias(_location.NAME))
    with read(named, _location._schema(bounds)) as rows:
        return _location.located(rows._core, loss, parameters, bounds, epsilon, delta, **rest)
