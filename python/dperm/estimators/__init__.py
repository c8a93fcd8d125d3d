# SPDX-License-Identifier: Apache-2.0
"""Private models with the manners of scikit-learn. They hold no mathematics: the library plans, fits and predicts."""

from dperm.estimators.additive import AdditiveClassifier, AdditiveRegressor
from dperm.estimators.linear import (
    HuberRegressor,
    LinearRegression,
    LinearSVC,
    LogisticRegression,
    QuantileRegressor,
    SoftmaxRegression,
)
from dperm.estimators.network import MLPClassifier, MLPRegressor
from dperm.estimators.rules import RuleClassifier

__all__ = [
    "AdditiveClassifier",
    "AdditiveRegressor",
    "HuberRegressor",
    "LinearRegression",
    "LinearSVC",
    "LogisticRegression",
    "MLPClassifier",
    "MLPRegressor",
    "QuantileRegressor",
    "RuleClassifier",
    "SoftmaxRegression",
]
