# SPDX-License-Identifier: Apache-2.0
"""The best rule of a finite class, chosen privately."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from dperm.estimators._base import Bounds, keep
from dperm.estimators._kinds import PrivateClassifier


class RuleClassifier(PrivateClassifier):
    """One rule that people can read, such as "age >= 37", the best of the class `rules` up to the price of privacy.

    `rules`: "stumps", "intervals(column)", "thresholds(column, parts=N)", "conjunctions(literals=2)",
    "rectangles(column, column)" or "halfspaces(coefficients=1)" (docs/methods.md). The choice is pure: delta=0 will do.
    Other parameters: see `dperm.estimators.linear`.
    """

    _loss = "zero-one"
    _several = False

    def __init__(
        self,
        *,
        epsilon: float,
        delta: float,
        bounds: Bounds,
        classes: Sequence | None = None,
        rules: str = "stumps",
        method: str = "auto",
        options: Mapping | None = None,
        holdout: float = 0.0,
        time_limit: float | None = None,
        threads: int = 0,
        random_state: int | None = None,
        verbose: bool = False,
    ):
        keep(self, locals())

    def _task(self) -> dict:
        return {"rules": self.rules}

    @property
    def rule_(self) -> str:
        """The rule in the table's own units: rows that keep it are of the second class."""
        return self._fitted().rule
