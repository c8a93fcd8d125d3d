# SPDX-License-Identifier: Apache-2.0
"""Neural networks by noisy steps on clipped gradients (DP-SGD)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from dperm.estimators._base import Bounds, keep
from dperm.estimators._kinds import PrivateClassifier, PrivateRegressor, WithProbabilities


class WithLayers:
    hidden: Sequence[int]
    activation: str

    def _task(self) -> dict:
        return {"hidden": self.hidden, "activation": self.activation}


class MLPClassifier(WithLayers, WithProbabilities, PrivateClassifier):
    """Private multilayer perceptron with `hidden` layers of these widths; `activation` is "tanh" or "relu".

    Other parameters: see `dperm.estimators.linear`; of the method sgd, `options`: batch, epochs, steps, clip,
    learning_rate, optimiser, init_seed (of the public starting weights).
    """

    def __init__(
        self,
        *,
        epsilon: float,
        delta: float,
        bounds: Bounds,
        classes: Sequence | None = None,
        hidden: Sequence[int] = (32,),
        activation: str = "tanh",
        method: str = "auto",
        options: Mapping | None = None,
        l2_penalty: float = 0.0,
        holdout: float = 0.0,
        time_limit: float | None = None,
        threads: int = 0,
        random_state: int | None = None,
        verbose: bool = False,
    ):
        keep(self, locals())


class MLPRegressor(WithLayers, PrivateRegressor):
    """Private multilayer perceptron for numbers; parameters as `MLPClassifier`."""

    _loss = "squared"

    def __init__(
        self,
        *,
        epsilon: float,
        delta: float,
        bounds: Bounds,
        target_bounds: tuple[float, float] | None = None,
        hidden: Sequence[int] = (32,),
        activation: str = "tanh",
        method: str = "auto",
        options: Mapping | None = None,
        l2_penalty: float = 0.0,
        holdout: float = 0.0,
        time_limit: float | None = None,
        threads: int = 0,
        random_state: int | None = None,
        verbose: bool = False,
    ):
        keep(self, locals())
