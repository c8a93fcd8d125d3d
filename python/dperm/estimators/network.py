# SPDX-License-Identifier: Apache-2.0
"""Neural networks by noisy steps on clipped gradients (DP-SGD)."""

from __future__ import annotations

from dperm.estimators._base import keep
from dperm.estimators._kinds import PrivateClassifier, PrivateRegressor, WithProbabilities


class WithLayers:
    def _task(self) -> dict:
        return {"hidden": self.hidden, "activation": self.activation}


class MLPClassifier(WithLayers, WithProbabilities, PrivateClassifier):
    """Private multilayer perceptron with `hidden` layers of these widths; `activation` is "relu" or "tanh".

    Other parameters: see `dperm.estimators.linear`; of the method sgd, `options`: batch, epochs, steps, clip,
    learning_rate, optimiser, init_seed (of the public starting weights).
    """

    def __init__(
        self,
        *,
        epsilon,
        delta,
        bounds,
        classes=None,
        hidden=(32,),
        activation="relu",
        method="auto",
        options=None,
        l2_penalty=0.0,
        holdout=0.0,
        threads=0,
        random_state=None,
        verbose=False,
    ):
        keep(self, locals())


class MLPRegressor(WithLayers, PrivateRegressor):
    """Private multilayer perceptron for numbers; parameters as `MLPClassifier`."""

    _loss = "squared"

    def __init__(
        self,
        *,
        epsilon,
        delta,
        bounds,
        target_bounds=None,
        hidden=(32,),
        activation="relu",
        method="auto",
        options=None,
        l2_penalty=0.0,
        holdout=0.0,
        threads=0,
        random_state=None,
        verbose=False,
    ):
        keep(self, locals())
