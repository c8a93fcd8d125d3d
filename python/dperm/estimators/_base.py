# SPDX-License-Identifier: Apache-2.0
"""What all estimators share: from parameters and a table to a plan, from a plan to a model. No mathematics."""

from __future__ import annotations

import numbers
import warnings
import weakref
from collections.abc import Mapping
from typing import Any, Union

import numpy

try:
    from sklearn.base import BaseEstimator
    from sklearn.base import _clone_parametrized as clone_parametrized
    from sklearn.exceptions import NotFittedError
    from sklearn.utils.validation import column_or_1d
except ImportError as error:
    raise ImportError("dperm's estimators need scikit-learn 1.6 or later; run: pip install scikit-learn") from error

from dperm import _core, _inputs
from dperm._drafts import column_of
from dperm.errors import ArgumentError, NotPrivateWarning, SpendingWarning
from dperm.ledger import charge_for
from dperm.model import Dataset, Model, run, warn_of_persons
from dperm.planning import Plan, planned, question_of
from dperm.results import Certificate, Guarantee
from dperm.schema import Column, Schema, Target

# A pair (lower, upper), of numbers or with an entry per column; a dictionary by column; or a Schema.
Bounds = Union[Schema, Mapping[str, Any], tuple[Any, Any]]

# Clones of one estimator are meant for the same table: cross-validation, searches. How often any of them was fitted.
# A clone that is sent to another process (n_jobs) takes along which one it is.
_families: weakref.WeakKeyDictionary = weakref.WeakKeyDictionary()
_numbers: weakref.WeakKeyDictionary = weakref.WeakKeyDictionary()
_SENT = "_clone_number"


class _Family:
    def __init__(self, fits: int = 0):
        self.fits, self.clones = fits, fits


def keep(estimator, parameters: dict) -> None:
    """Parameters as they were given, nothing else: what scikit-learn asks of a constructor."""
    for name, value in parameters.items():
        if name not in ("self", "__class__"):
            setattr(estimator, name, value)


class PrivateEstimator(BaseEstimator):
    """Fits a private model. Parameters are checked by the library when a fit is planned, before a record is read."""

    _loss = ""  # by its name; a method where it depends on parameters
    _shape = "linear"
    _target_name = "target"  # the parameter that describes the target

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True  # missing cells become something by the schema's rule
        tags.input_tags.sparse = True
        tags.input_tags.string = True
        tags.input_tags.categorical = True
        tags.target_tags.required = True
        return tags

    def __sklearn_clone__(self):
        made = clone_parametrized(self)
        family = _families[made] = _families.setdefault(self, _Family())
        family.clones += 1
        _numbers[made] = family.clones
        return made

    def __getstate__(self):
        state = super().__getstate__()
        return {**state, _SENT: _numbers[self]} if self in _numbers else state

    def __setstate__(self, state):
        state = dict(state)
        number = state.pop(_SENT, None)
        super().__setstate__(state)
        if number is not None:
            _families[self], _numbers[self] = _Family(number - 1), number

    # --- what kinds of estimators add ---

    def _target(self, name: str) -> Target:
        raise NotImplementedError

    def _loss_name(self) -> str:
        return self._loss

    def _loss_parameters(self) -> dict:
        return {}

    def _task(self) -> dict:
        """Further parts of the task by their names."""
        return {}

    # --- schema and plan ---

    def _schema(self, names: list[str], target: str) -> Schema:
        bounds = self.bounds
        try:
            if isinstance(bounds, Schema):
                self._check_target(bounds)
                return bounds if bounds.target else bounds.with_target(self._target(target))
            return Schema(self._columns(names), self._target(target))
        except ArgumentError as error:
            name = {"columns": "bounds", "target": self._target_name}.get(error.field)
            if name is None:
                raise
            raise ArgumentError(f"`{name}`: {error}", name) from None

    def _check_target(self, schema: Schema) -> None:
        """That a schema with a target and what the estimator says about it agree."""

    def _columns(self, names: list[str]) -> list[Column]:
        bounds = self.bounds
        if isinstance(bounds, dict):
            return [column_of(name, given) for name, given in bounds.items()]
        if not isinstance(bounds, (tuple, list)) or len(bounds) != 2:
            raise ArgumentError(
                "`bounds` must be a pair (lower, upper) of numbers or of arrays, a dictionary by column, or a Schema: "
                "public knowledge about the columns, never read off these records",
                "bounds",
            )
        ends = [self._end(each, len(names)) for each in bounds]
        return [
            Column(name, kind="real", lower=lower, upper=upper) for name, lower, upper in zip(names, *ends, strict=True)
        ]

    @staticmethod
    def _end(given, count: int) -> list[float]:
        if isinstance(given, (int, float)):
            return [float(given)] * count
        try:
            return numpy.broadcast_to(numpy.asarray(given, dtype=float), (count,)).tolist()
        except (TypeError, ValueError):
            raise ArgumentError(f"`bounds` must be numbers, or one for each of the {count} columns", "bounds") from None

    def plan(self, rows: int, columns: list[str] | int | None = None) -> Plan:
        """The plan of a fit on `rows` rows: what it will cost and is expected to reach. Reads no record.

        `columns` names the columns (or says how many) where `bounds` does not.
        """
        names = [f"x{place}" for place in range(columns)] if isinstance(columns, int) else columns
        return self._plan(self._shaped(self._schema(names or [], "target")), rows)

    def _shaped(self, schema: Schema) -> Schema:
        return schema.with_shape(getattr(self, "shape", self._shape))

    def _plan(self, schema: Schema, rows: int) -> Plan:
        return planned(
            question_of(
                schema.to_toml(),
                rows,
                self.epsilon,
                self.delta,
                method=self.method,
                options=self.options,
                loss=self._loss_name(),
                loss_parameters=self._loss_parameters(),
                cores=float(_inputs.threads_of(self.threads)),
                **{
                    name: getattr(self, name)
                    for name in ("l2_penalty", "radius", "box", "holdout", "time_limit")
                    if hasattr(self, name)
                },
                **self._task(),
            )
        )

    # --- fit ---

    def fit(self, X, y=None):
        """Fits on any table (docs/python.md). `y`: targets, a column of X by name, or None where `bounds` has it."""
        seed = self._seed()
        if isinstance(X, Dataset):
            return self._fit_read(X, y, seed)
        table = _inputs.table_of(X)
        labels, target = self._labels(table, y)
        schema = self._shaped(self._schema(self._names(table, target if labels is None else None), target))
        self._check_width(table, schema)
        plan = self._plan(schema, table.rows) if table.rows is not None else None
        dataset = table.read(
            schema._core, names=schema.columns, target=schema.target, labels=labels, threads=self.threads
        )
        plan = plan or self._plan(schema, dataset.rows)
        warn_of_persons(table.persons(schema._core, dataset.rows))
        return self._run(schema, plan, dataset, seed, by_name=table.names is not None)

    def _fit_read(self, X: Dataset, y, seed):
        """Records that were read before, by the schema that `bounds` is."""
        if y is not None or not isinstance(self.bounds, Schema) or self.bounds != X.schema:
            raise ArgumentError("a Dataset is fitted alone, with the Schema it was read by as `bounds`", "bounds")
        schema = self._shaped(self.bounds)
        plan = self._plan(schema, X.rows)
        X._refuse(plan)
        warn_of_persons(X._persons, stacklevel=4)
        return self._run(schema, plan, X._core, seed, by_name=True)

    def _run(self, schema: Schema, plan: Plan, dataset, seed, *, by_name: bool):
        self._count_fit(plan)
        model = run(plan, dataset, threads=self.threads, seed=seed, verbose=self.verbose)
        self._remember(by_name, schema, plan, Model(model))
        return self

    def _remember(self, by_name: bool, schema: Schema, plan: Plan, model: Model) -> None:
        self.model_ = model
        self.plan_ = plan
        self.n_features_in_ = len(schema.columns)
        if by_name:
            self.feature_names_in_ = numpy.asarray(schema.columns, dtype=object)
        elif hasattr(self, "feature_names_in_"):
            del self.feature_names_in_

    def _seed(self) -> int | None:
        seed = self.random_state
        if seed is None:
            return None
        if not isinstance(seed, numbers.Integral) or isinstance(seed, bool) or seed < 0:
            raise ArgumentError(f"`random_state` must be None or a whole number; got {seed!r}", "random_state")
        return int(seed)

    def _labels(self, table, y):
        """The targets where they come apart, and the name of their column."""
        declared = self.bounds.target if isinstance(self.bounds, Schema) else None
        if y is None:
            if declared is None or table.names is None and table.kind != "files":
                raise ArgumentError(
                    f"{type(self).__name__} requires y to be passed, but the target y is None; name a column of X, or "
                    "give the targets",
                    "y",
                )
            return None, declared
        if isinstance(y, str):
            if declared is not None and declared != y:
                raise ArgumentError(f"`y` is '{y}', but the schema's target is '{declared}'", "y")
            return None, y
        if isinstance(y, (list, numpy.ndarray)) and getattr(y, "ndim", 1) == 2:
            y = column_or_1d(y, warn=True)
        name = declared or "target"
        while declared is None and name in (table.names or ()):
            name += "_"
        return _inputs.labels_of(y, table.rows), name

    def _names(self, table, target: str | None) -> list[str]:
        if table.names is not None:
            return [name for name in table.names if name != target]
        if table.width is None and not isinstance(self.bounds, (Schema, dict)):
            raise ArgumentError("`bounds` of files go by column: a dictionary or a Schema", "bounds")
        return [f"x{place}" for place in range(table.width or 0)]

    def _check_width(self, table, schema: Schema) -> None:
        if table.names is None and table.width is not None and table.width != len(schema.columns):
            raise ArgumentError(f"X has {table.width} features, but `bounds` describes {len(schema.columns)}", "bounds")

    def _count_fit(self, plan: Plan) -> None:
        """The second fit of a family, from public facts: most likely the same rows pay again."""
        family = _families.get(self)
        if family is None:
            return
        family.fits += 1
        if family.fits > 1:
            warnings.warn(
                f"fit number {family.fits} of clones of one {type(self).__name__}: a row that is in all of them has "
                f"spent up to epsilon {family.fits * float(self.epsilon):g}, delta "
                f"{family.fits * float(self.delta):g}. Cross-validation with k folds fits each row k-1 times and tells "
                "exact scores besides; `holdout` stays inside one budget",
                SpendingWarning,
                stacklevel=3,
            )

    # --- after a fit ---

    def _fitted(self) -> Model:
        model = self.__dict__.get("model_")
        if model is None:
            raise NotFittedError(f"This {type(self).__name__} instance is not fitted yet. Call 'fit' first.")
        return model

    @property
    def guarantee_(self) -> Guarantee:
        """What the fit cost, computed from what was released."""
        return self._fitted().guarantee

    @property
    def total_guarantee_(self) -> Guarantee:
        """With what was asked of the records for the schema before."""
        return self._fitted().total_guarantee

    @property
    def certificate_(self) -> Certificate:
        """The guarantee, recomputed from the model's public parts."""
        return self._fitted().certificate

    def _predictions(self, X):
        model = self._fitted()
        if isinstance(X, Dataset):
            return _core.predict(model._core, X._core, _inputs.threads_of(self.threads), charge_for())
        table = _inputs.table_of(X)
        if table.kind != "files" and table.names is None and table.width != self.n_features_in_:
            raise ArgumentError(
                f"X has {table.width} features, but {type(self).__name__} is expecting {self.n_features_in_} features "
                "as input.",
                "X",
            )
        schema = model._core.schema
        names = [name for name, _ in schema.columns]
        dataset = table.read(schema, names=names, threads=self.threads, target_required=False)
        return _core.predict(model._core, dataset, _inputs.threads_of(self.threads), charge_for())

    def _warn_of_exact_score(self, y) -> None:
        if y is None:
            raise ArgumentError(f"{type(self).__name__}.score requires y to be passed, but the target y is None", "y")
        warnings.warn(
            "score tells the exact number on these rows, without noise; for rows that must be protected use "
            "dperm.evaluate(model, X, y, epsilon=...)",
            NotPrivateWarning,
            stacklevel=3,
        )

    def _repr_html_(self):
        model = self.__dict__.get("model_")
        return model._repr_html_() if model is not None else f"<code>{self!r}</code>"

    def _repr_mimebundle_(self, **kwargs):
        return {"text/plain": repr(self), "text/html": self._repr_html_()}
