# SPDX-License-Identifier: Apache-2.0
"""dperm: models of sensitive tables with a guarantee that holds for the machine code.

>>> import dperm                                                                                     # doctest: +SKIP
>>> model = dperm.LogisticRegression(epsilon=1, delta=1e-6, bounds=(0, 100), classes=[0, 1]).fit(X, y)

The estimators need scikit-learn; everything else needs NumPy and pyarrow alone. docs/python.md is the place to start.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from dperm import _arrow

_arrow.load()

from dperm import accounting, plots  # noqa: E402
from dperm._build import VERSION as __version__  # noqa: E402
from dperm._drafts import InferredSchema, SchemaDraft  # noqa: E402
from dperm._drafts import infer as infer_schema  # noqa: E402
from dperm.errors import (  # noqa: E402
    ArgumentError,
    BudgetError,
    DataError,
    FitInterrupted,
    InternalError,
    NotPrivateWarning,
    PrivacyWarning,
    SpendingWarning,
)
from dperm.evaluation import Evaluation, evaluate, held_out  # noqa: E402
from dperm.ledger import Ledger  # noqa: E402
from dperm.location import Location, mean, median, quantile  # noqa: E402
from dperm.model import Dataset, Model, fit, protect_process, read, read_model, verify  # noqa: E402
from dperm.planning import Plan, budget_warnings, compare, plan  # noqa: E402
from dperm.predictions import predict  # noqa: E402
from dperm.reporting import Report, report  # noqa: E402
from dperm.results import Certificate, Coefficient, Curve, Guarantee, Surface  # noqa: E402
from dperm.schema import Column, Schema, Target  # noqa: E402

if TYPE_CHECKING:  # loaded when they are asked for
    from dperm.estimators import (
        AdditiveClassifier,
        AdditiveRegressor,
        HuberRegressor,
        LinearRegression,
        LinearSVC,
        LogisticRegression,
        MLPClassifier,
        MLPRegressor,
        QuantileRegressor,
        RuleClassifier,
        SoftmaxRegression,
    )

_ESTIMATORS = (
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
)

__all__ = [
    "ArgumentError",
    "BudgetError",
    "Certificate",
    "Coefficient",
    "Column",
    "Curve",
    "DataError",
    "Dataset",
    "Evaluation",
    "FitInterrupted",
    "Guarantee",
    "InferredSchema",
    "InternalError",
    "Ledger",
    "Location",
    "Model",
    "NotPrivateWarning",
    "Plan",
    "PrivacyWarning",
    "Report",
    "Schema",
    "SchemaDraft",
    "SpendingWarning",
    "Surface",
    "Target",
    "__version__",
    "accounting",
    "budget_warnings",
    "compare",
    "evaluate",
    "fit",
    "held_out",
    "infer_schema",
    "mean",
    "median",
    "plan",
    "plots",
    "predict",
    "protect_process",
    "quantile",
    "read",
    "read_model",
    "report",
    "verify",
    *_ESTIMATORS,
]


def __getattr__(name: str):
    if name not in _ESTIMATORS:
        raise AttributeError(f"module 'dperm' has no attribute '{name}'")
    from dperm import estimators

    return getattr(estimators, name)


def __dir__() -> list[str]:
    return sorted(__all__)
