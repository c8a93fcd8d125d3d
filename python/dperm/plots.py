# SPDX-License-Identifier: Apache-2.0
"""Pictures by matplotlib, where it is installed: of released numbers and public facts alone."""

from __future__ import annotations

import numpy

from dperm.errors import ArgumentError
from dperm.evaluation import Evaluation
from dperm.model import model_of


def _axes(count: int):
    try:
        from matplotlib import pyplot
    except ImportError as error:
        raise ImportError("plots need matplotlib; run: pip install matplotlib") from error
    columns = min(count, 3)
    figure, axes = pyplot.subplots(
        -(-count // columns),
        columns,
        figsize=(4 * columns, 3 * -(-count // columns)),
        squeeze=False,
        layout="constrained",
    )
    for unused in axes.flat[count:]:
        unused.remove()
    return figure, list(axes.flat[:count])


def curves(model):
    """What every column with a curve adds to the score, in its own units. Takes a model or a fitted estimator."""
    found = model_of(model).curves
    if not found:
        raise ArgumentError("the model has no curves; AdditiveClassifier and AdditiveRegressor have", "model")
    figure, axes = _axes(len(found))
    for curve, axis in zip(found, axes, strict=True):
        if curve.kind == "labels":
            axis.bar(curve.labels, curve.effects)
        elif curve.kind == "steps":
            axis.stairs(curve.effects, _places(curve))
        else:
            axis.plot(_places(curve), curve.effects)
        if curve.log:
            _show_as_log(axis, curve.values[0])
        if curve.date:
            axis.tick_params(axis="x", labelrotation=30)
        axis.axhline(0, color="0.7", linewidth=0.8)
        axis.set_xlabel(curve.name + (f" ({curve.label})" if curve.label else ""))
        axis.set_ylabel("adds to the score")
    return figure


def _places(curve) -> numpy.ndarray:
    values = numpy.asarray(curve.values, dtype=float)
    return values.astype("datetime64[D]") if curve.date else values  # days since 1970


def _show_as_log(axis, first: float) -> None:
    """Effects are straight in log(1 + value - first), and so they are drawn."""
    axis.set_xscale(
        "function",
        functions=(
            lambda value: numpy.log1p(numpy.maximum(value - first, -0.5)),
            lambda place: numpy.expm1(place) + first,
        ),
    )


def coefficients(model):
    """Weights of a linear model, in the units of their columns."""
    found = [each for each in model_of(model).coefficients if each.name != "intercept"]
    if not found:
        raise ArgumentError("the model has no coefficients", "model")
    figure, (axis,) = _axes(1)
    axis.barh([f"{each.name} {each.label}".strip() for each in found][::-1], [each.value for each in found][::-1])
    axis.axvline(0, color="0.7", linewidth=0.8)
    return figure


def evaluation(told: Evaluation):
    """ROC and calibration of a classifier, or the residuals of a regression, with their error bars."""
    pictures = [part for part in ("roc", "calibration", "residuals") if getattr(told.all, part)]
    if not pictures:
        raise ArgumentError("this evaluation has neither a ROC curve nor calibration nor residuals", "told")
    figure, axes = _axes(len(pictures))
    for part, axis in zip(pictures, axes, strict=True):
        rows = getattr(told.all, part)
        if part == "roc":
            axis.plot([row[1] for row in rows], [row[2] for row in rows])
            axis.set(xlabel="false positive rate", ylabel="true positive rate")
        elif part == "calibration":
            axis.errorbar([row[3] for row in rows], [row[4] for row in rows], yerr=[row[6] for row in rows], fmt="o")
            axis.plot([0, 1], [0, 1], color="0.7", linewidth=0.8)
            axis.set(xlabel="predicted", ylabel="observed")
        else:
            axis.errorbar(
                [(row[0] + row[1]) / 2 for row in rows],
                [row[3] for row in rows],
                yerr=[row[5] for row in rows],
                fmt="o",
            )
            axis.set(xlabel="prediction", ylabel="target minus prediction")
    return figure
