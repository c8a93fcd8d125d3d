# SPDX-License-Identifier: Apache-2.0
"""Additive models: a curve per number column, an effect per value of a category, surfaces for pairs of a Schema."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from dperm.estimators._base import Bounds, keep
from dperm.estimators._kinds import PrivateClassifier, PrivateRegressor, WithProbabilities
from dperm.results import Curve, Surface


class WithCurves:
    """`shape`: that of number columns whose shape a Schema leaves open: "curve", "steps", "curve:8" with the pieces."""

    @property
    def curves_(self) -> list[Curve]:
        """What each column adds to the score, in its own units."""
        return self._fitted().curves

    @property
    def surfaces_(self) -> list[Surface]:
        """What each pair adds."""
        return self._fitted().surfaces


class AdditiveClassifier(WithCurves, WithProbabilities, PrivateClassifier):
    """Private additive logistic regression. Parameters: see `dperm.estimators.linear`; `shape`: see `WithCurves`."""

    def __init__(
        self,
        *,
        epsilon: float,
        delta: float,
        bounds: Bounds,
        classes: Sequence | None = None,
        shape: str = "curve",
        method: str = "auto",
        options: Mapping | None = None,
        l2_penalty: float = 0.0,
        radius: float | None = None,
        box: float | None = None,
        holdout: float = 0.0,
        time_limit: float | None = None,
        threads: int = 0,
        random_state: int | None = None,
        verbose: bool = False,
    ):
        keep(self, locals())


class AdditiveRegressor(WithCurves, PrivateRegressor):
    """Private additive least squares. Parameters: see `dperm.estimators.linear`; `shape`: see `WithCurves`."""

    _loss = "squared"

    def __init__(
        self,
        *,
        epsilon: float,
        delta: float,
        bounds: Bounds,
        target_bounds: tuple[float, float] | None = None,
        shape: str = "curve",
        method: str = "auto",
        options: Mapping | None = None,
        l2_penalty: float = 0.0,
        radius: float | None = None,
        box: float | None = None,
        holdout: float = 0.0,
        time_limit: float | None = None,
        threads: int = 0,
        random_state: int | None = None,
        verbose: bool = False,
    ):
        keep(self, locals())
