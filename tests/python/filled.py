# SPDX-License-Identifier: Apache-2.0
"""Estimators that fill bounds and classes from the data of a check, which no real one ever does."""

import numpy

import dperm
from dperm import estimators

EPSILON, DELTA = 200, 1e-3


def numbers(values):
    """As numbers, whatever they are; None where that cannot be."""
    values = values.toarray() if hasattr(values, "toarray") else values
    try:
        return numpy.asarray(values, dtype=float)
    except (TypeError, ValueError):
        return None


def ends(values):
    finite = None if values is None else numpy.where(numpy.isfinite(values), values, 0)
    if finite is None or finite.size == 0:
        return 0.0, 1.0
    lower, upper = finite.min(axis=0), finite.max(axis=0)
    return lower, numpy.maximum(upper, lower + 1e-3)


class FilledBounds:
    def fit(self, X, y=None):
        self._x, self._y = X, y
        try:
            return super().fit(X, y)
        finally:
            del self._x, self._y

    def _columns(self, names):
        values = numbers(self._x)
        lower, upper = ends(values if values is not None and values.ndim == 2 else None)
        lower, upper = (numpy.broadcast_to(each, len(names)) for each in (lower, upper))
        return [dperm.Column.number(name, *pair) for name, *pair in zip(names, lower, upper)]

    def _declared(self):
        known = self.classes
        self.classes = numpy.unique(numpy.asarray(self._y))
        try:
            return super()._declared()
        finally:
            self.classes = known

    def _of_schema(self, schema):
        return self._declared()

    def _target(self, name):
        if not hasattr(self, "target_bounds"):
            return super()._target(name)
        values = numbers(self._y)
        return dperm.Target.number(name, *map(float, ends(None if values is None else values.ravel())))


def filled(name: str, **parameters):
    """An instance of a subclass that has the estimator's own constructor."""
    kind = getattr(estimators, name)
    made = type(name, (FilledBounds, kind), {"__module__": __name__})
    globals()[name] = made  # where pickle looks for it
    return made(epsilon=EPSILON, delta=DELTA, bounds=None, **parameters)


ALL = [
    filled("LogisticRegression"),
    filled("SoftmaxRegression"),
    filled("LinearSVC"),
    filled("LinearRegression"),
    filled("QuantileRegressor"),
    filled("HuberRegressor"),
    filled("AdditiveClassifier"),
    filled("AdditiveRegressor"),
    filled("MLPClassifier", hidden=(8,), options={"steps": 30}),
    filled("MLPRegressor", hidden=(8,), options={"steps": 30}),
    filled("RuleClassifier"),
]
