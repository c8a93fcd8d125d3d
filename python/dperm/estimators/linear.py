# SPDX-License-Identifier: Apache-2.0
"""Linear models: one weight per number column, one per value of a category.

Parameters that all of them have:

epsilon, delta: the privacy budget; delta=0 asks for pure epsilon. No default.
bounds: public knowledge about the columns: a pair (lower, upper), of numbers or with one entry per column; a dictionary
    {column: (lower, upper), a list of values, or a Column}; or a Schema. No default.
classes (classifiers): the labels there are; of two, the second is positive. May be left to a Schema with a target: one
    of two classes says which is positive and not what the other is called, so predictions are 0 and 1 then.
target_bounds (regressors): (lower, upper) of the target. May be left to a Schema with a target.
method, options: "auto" takes the best by public facts; `dperm.compare` lists the names, docs/methods.md their options.
l2_penalty, radius, box: penalty and feasible set, in encoded units; 0 and None: chosen from public facts.
holdout: share of the rows kept out, which judge the model within the same budget (`dperm.held_out`).
time_limit: seconds that a fit may take once the rows are read, by prediction from public facts: "auto" takes a method
    that keeps to it, and what would take longer is refused before anything is spent. A fit is never cut short.
threads: 0 uses all cores; no result depends on it. verbose: a progress bar.
random_state: makes the noise reproducible, for tests: the model is marked as NOT private.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from dperm.estimators._base import Bounds, keep
from dperm.estimators._kinds import PrivateClassifier, PrivateRegressor, WithCoefficients, WithProbabilities


class LinearClassifier(WithCoefficients, PrivateClassifier):
    @property
    def coef_(self):
        """Log-odds or margin per unit of a column; one row, or one per class."""
        return self._by_class(False)

    @property
    def intercept_(self):
        return self._by_class(True)[:, 0]


class LinearRegressor(WithCoefficients, PrivateRegressor):
    @property
    def coef_(self):
        """Change of the target per unit of a column."""
        return self._by_class(False)[0]

    @property
    def intercept_(self):
        return float(self._by_class(True)[0, 0])


class LogisticRegression(WithProbabilities, LinearClassifier):
    """Private logistic regression; softmax with more than two classes. Parameters: see `dperm.estimators.linear`."""

    def __init__(
        self,
        *,
        epsilon: float,
        delta: float,
        bounds: Bounds,
        classes: Sequence | None = None,
        method: str = "auto",
        options: Mapping | None = None,
        l2_penalty: float = 0.0,
        radius: float | None = None,
        box: float | None = None,
        shape: str = "linear",
        holdout: float = 0.0,
        time_limit: float | None = None,
        threads: int = 0,
        random_state: int | None = None,
        verbose: bool = False,
    ):
        keep(self, locals())

    def _loss_name(self) -> str:
        return ""  # by the target: logistic, or softmax


class SoftmaxRegression(WithProbabilities, LinearClassifier):
    """Private softmax regression: a score per class. Parameters: see `dperm.estimators.linear`."""

    _loss = "softmax"

    def __init__(
        self,
        *,
        epsilon: float,
        delta: float,
        bounds: Bounds,
        classes: Sequence | None = None,
        method: str = "auto",
        options: Mapping | None = None,
        l2_penalty: float = 0.0,
        radius: float | None = None,
        box: float | None = None,
        shape: str = "linear",
        holdout: float = 0.0,
        time_limit: float | None = None,
        threads: int = 0,
        random_state: int | None = None,
        verbose: bool = False,
    ):
        keep(self, locals())

    def _target(self, name):
        target = super()._target(name)
        if target.keys["kind"] == "binary":  # two classes have two scores here
            return type(target)(name, kind="class", values=self._declared())
        return target


class LinearSVC(LinearClassifier):
    """Private support vector machine; `loss` is "smoothed-hinge" (more methods apply to it) or "hinge".

    `margin` and `smoothing` are the smoothed hinge's. Other parameters: see `dperm.estimators.linear`.
    """

    _several = False

    def __init__(
        self,
        *,
        epsilon: float,
        delta: float,
        bounds: Bounds,
        classes: Sequence | None = None,
        loss: str = "smoothed-hinge",
        margin: float = 0.5,
        smoothing: float = 0.35,
        method: str = "auto",
        options: Mapping | None = None,
        l2_penalty: float = 0.0,
        radius: float | None = None,
        box: float | None = None,
        shape: str = "linear",
        holdout: float = 0.0,
        time_limit: float | None = None,
        threads: int = 0,
        random_state: int | None = None,
        verbose: bool = False,
    ):
        keep(self, locals())

    def _loss_name(self) -> str:
        return self.loss

    def _loss_parameters(self) -> dict:
        return {"margin": self.margin, "smoothing": self.smoothing} if self.loss == "smoothed-hinge" else {}

    def decision_function(self, X):
        """Margins: above 0 is the second class."""
        return self._predictions(X)[3]


class LinearRegression(LinearRegressor):
    """Private least squares. Parameters: see `dperm.estimators.linear`."""

    _loss = "squared"

    def __init__(
        self,
        *,
        epsilon: float,
        delta: float,
        bounds: Bounds,
        target_bounds: tuple[float, float] | None = None,
        method: str = "auto",
        options: Mapping | None = None,
        l2_penalty: float = 0.0,
        radius: float | None = None,
        box: float | None = None,
        shape: str = "linear",
        holdout: float = 0.0,
        time_limit: float | None = None,
        threads: int = 0,
        random_state: int | None = None,
        verbose: bool = False,
    ):
        keep(self, locals())


class QuantileRegressor(LinearRegressor):
    """Private regression of a `quantile` of the target, 0.5 its median. The rest: see `dperm.estimators.linear`."""

    _loss = "pinball"

    def __init__(
        self,
        *,
        epsilon: float,
        delta: float,
        bounds: Bounds,
        target_bounds: tuple[float, float] | None = None,
        quantile: float = 0.5,
        method: str = "auto",
        options: Mapping | None = None,
        l2_penalty: float = 0.0,
        radius: float | None = None,
        box: float | None = None,
        shape: str = "linear",
        holdout: float = 0.0,
        time_limit: float | None = None,
        threads: int = 0,
        random_state: int | None = None,
        verbose: bool = False,
    ):
        keep(self, locals())

    def _loss_parameters(self) -> dict:
        return {"quantile": self.quantile}


class HuberRegressor(LinearRegressor):
    """Private regression that outliers move little: squared up to `threshold` of half the target's range, then linear.

    Other parameters: see `dperm.estimators.linear`.
    """

    _loss = "huber"

    def __init__(
        self,
        *,
        epsilon: float,
        delta: float,
        bounds: Bounds,
        target_bounds: tuple[float, float] | None = None,
        threshold: float = 0.5,
        method: str = "auto",
        options: Mapping | None = None,
        l2_penalty: float = 0.0,
        radius: float | None = None,
        box: float | None = None,
        shape: str = "linear",
        holdout: float = 0.0,
        time_limit: float | None = None,
        threads: int = 0,
        random_state: int | None = None,
        verbose: bool = False,
    ):
        keep(self, locals())

    def _loss_parameters(self) -> dict:
        return {"threshold": self.threshold}
