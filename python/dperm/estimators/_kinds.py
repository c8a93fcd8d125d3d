# SPDX-License-Identifier: Apache-2.0
"""Classifiers and regressors, and what models with probabilities or coefficients add."""

from __future__ import annotations

import numpy
from sklearn.base import ClassifierMixin, RegressorMixin

from dperm.errors import ArgumentError
from dperm.estimators._base import PrivateEstimator
from dperm.schema import Column, Schema, Target


class PrivateClassifier(ClassifierMixin, PrivateEstimator):
    """Classes are declared, never discovered from labels; of two, the second is the positive one."""

    _several = True  # more than two classes
    _target_name = "classes"

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_class = self._several
        return tags

    def _declared(self) -> list:
        classes = self.classes
        if classes is None:
            raise ArgumentError("`classes` must be declared: the labels there are, from public knowledge", "classes")
        if isinstance(classes, (str, bytes)) or not hasattr(classes, "__iter__"):
            raise ArgumentError(f"`classes` must be a list of labels; got {classes!r}", "classes")
        classes = classes.tolist() if hasattr(classes, "tolist") else list(classes)
        if len(classes) < 2 or len(set(classes)) != len(classes):
            raise ArgumentError(
                f"`classes` must be two or more different labels; got {len(set(classes))} class", "classes"
            )
        if len(classes) > 2 and not self._several:
            raise ArgumentError(
                "Only binary classification is supported. The type of the target is multiclass: `classes` has "
                f"{len(classes)}",
                "classes",
            )
        return classes

    def _target(self, name: str) -> Target:
        return Target.classes(name, self._declared())

    def _check_target(self, schema: Schema) -> None:
        if schema.target is None or self.classes is None:
            return
        as_classes = Target(schema.target, kind="class", values=self._declared())
        declared = Schema(
            [Column.number(schema.target + "_", 0, 1)], as_classes
        )._core.target_values  # as the library writes them
        known = schema._core.target_values if schema.target_kind == "class" else schema._core.target_positive
        same = known == declared if schema.target_kind == "class" else declared[1] in known and declared[0] not in known
        if not same and (schema.target_kind == "class" or known):
            raise ArgumentError(
                f"`classes` differ from the target '{schema.target}' of the schema, or stand in another order",
                "classes",
            )

    def _remember(self, by_name, schema, plan, model) -> None:
        super()._remember(by_name, schema, plan, model)
        self.classes_ = numpy.asarray(self._declared() if self.classes is not None else self._of_schema(schema))

    @staticmethod
    def _of_schema(schema: Schema) -> list:
        return schema._core.target_values if schema.target_kind == "class" else [0, 1]

    def score(self, X, y=None):
        """The exact share of right answers on these rows: NOT private. See `dperm.evaluate`."""
        self._warn_of_exact_score(y)
        self._fitted()
        if not numpy.isin(numpy.asarray(y).ravel(), self.classes_).any():
            raise ArgumentError(
                f"`y` holds none of the classes {self.classes_.tolist()} that predictions have; give the labels as "
                "`classes`, the negative one first",
                "y",
            )
        return super().score(X, y)

    def predict(self, X):
        """The most likely of the declared classes, row by row."""
        _, label, _, _, _ = self._predictions(X)
        return self.classes_[label]


class PrivateRegressor(RegressorMixin, PrivateEstimator):
    """Targets lie between declared bounds."""

    _target_name = "target_bounds"

    def _target(self, name: str) -> Target:
        bounds = self.target_bounds
        if not isinstance(bounds, (tuple, list)) or len(bounds) != 2:
            raise ArgumentError(
                "`target_bounds` must be a pair (lower, upper): public knowledge about the target, never read off "
                "these records",
                "target_bounds",
            )
        return Target.number(name, *bounds)

    def score(self, X, y=None):
        """The exact R2 on these rows: NOT private. See `dperm.evaluate`."""
        self._warn_of_exact_score(y)
        return super().score(X, y)

    def predict(self, X):
        """Numbers in the target's own unit, within its bounds."""
        return self._predictions(X)[4]


class WithProbabilities:
    """Models whose scores mean probabilities."""

    def predict_proba(self, X):
        """Probabilities of `classes_`, one row each."""
        labels, _, probabilities, _, _ = self._predictions(X)
        return probabilities.reshape(-1, len(labels))

    def predict_log_proba(self, X):
        with numpy.errstate(divide="ignore"):
            return numpy.log(self.predict_proba(X))


class WithCoefficients:
    """Linear models: weights in the units of their columns."""

    def _coefficients(self):
        return self._fitted().coefficients

    @property
    def coef_names_(self) -> list[str]:
        """What the columns of `coef_` are: a column of the table, or one of its values."""
        found = self._coefficients()
        return [each.name for each in found if each.label == found[0].label and each.name != "intercept"]

    def _by_class(self, wanted: bool):
        found: dict[str, list[float]] = {}
        for each in self._coefficients():
            if (each.name == "intercept") == wanted:
                found.setdefault(each.label, []).append(each.value)
        return numpy.asarray(list(found.values()))
