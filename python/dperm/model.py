# SPDX-License-Identifier: Apache-2.0
"""Records, fits and models: the same functions as the command line has."""

from __future__ import annotations

import json
import os
import warnings

from dperm import _core, _inputs, _progress
from dperm import ledger as _ledger
from dperm.errors import ArgumentError, FitInterrupted, PrivacyWarning
from dperm.planning import Plan
from dperm.results import Certificate, Check, Coefficient, Curve, Guarantee, Surface
from dperm.schema import Schema


class Dataset:
    """Records behind a door: their number and their schema are all that they tell."""

    def __init__(self, core: _core.Dataset, persons: list[str] | None = None):
        self._core = core
        self._persons = persons or []  # columns that seem to tell persons apart, although rows are protected

    @property
    def rows(self) -> int:
        return self._core.rows

    @property
    def schema(self) -> Schema:
        return Schema._of(self._core.schema)

    def __len__(self) -> int:
        return self._core.rows

    def __reduce__(self):
        raise TypeError("records are not pickled; read them where they are needed")

    def _refuse(self, plan: Plan) -> None:
        """Raises where these rows cannot serve a plan, before anything is spent."""

    def _refuse_public(self) -> None:
        """Raises where these rows cannot be judged one by one."""

    def __repr__(self) -> str:
        return f"Dataset({self.rows} rows, {len(self._core.schema.columns)} columns)"


def read(
    data,
    schema: Schema,
    y=None,
    *,
    tiles: str | os.PathLike = "",
    threads: int = 0,
    strict: bool = False,
    format: str = "",
    target_required: bool = True,
) -> Dataset:
    """Reads records: files by path, NumPy, pandas, Polars, pyarrow, DuckDB, or any Arrow C stream.

    `y` holds the targets where they are not a column of `data`. `tiles` keeps encoded rows of files in that file, for
    data larger than memory. `strict` refuses records that do not fit; the refusal itself reveals something.
    """
    table = _inputs.table_of(data)
    labels = None if y is None else _inputs.labels_of(y, table.rows)
    names = schema.columns
    if table.names is None and table.width is not None and table.width != len(names):
        raise ArgumentError(f"X has {table.width} columns, and the schema describes {len(names)}", "X")
    if labels is not None and schema.target is None:
        raise ArgumentError("`y` is given, but the schema has no target", "y")
    if strict:
        _ledger.look("read with strict", schema._core.dataset)
    needs_target = target_required and schema.target is not None
    found = table.read(
        schema._core,
        names=names,
        target=schema.target or "",
        labels=labels,
        threads=threads,
        target_required=needs_target,
        tiles=tiles,
        strict=strict,
        format=format,
    )
    return Dataset(found, table.persons(schema._core, found.rows, format))


def protect_process() -> None:
    """Forbids core dumps of this process and debuggers that attach to it. Call it before you read records.

    The library leaves this to the owner of the process; the command line does it by itself. It cannot be undone.
    """
    _core.protect_process()


def warn_of_persons(names: list[str], stacklevel: int = 3) -> None:
    """That one row is protected although the table tells persons apart: the way to promise people too little."""
    if names:
        warnings.warn(
            f"{', '.join(names)} {'names' if len(names) == 1 else 'name'} persons or records, it seems, and the schema "
            "has no unit: one row is protected. Where a person has several rows, protect the person (docs/unit.md)",
            PrivacyWarning,
            stacklevel=stacklevel,
        )


class Model:
    """A released model: public numbers, the releases they came from, and what those cost."""

    def __init__(self, core: _core.Model):
        self._core = core
        self._details: dict | None = None

    @classmethod
    def from_json(cls, text: str) -> Model:
        return cls(_core.Model.parse(text))

    def to_json(self) -> str:
        """The model file."""
        return self._core.to_json()

    def save(self, path: str | os.PathLike, *, overwrite: bool = False) -> None:
        """Writes the model file. An older file is the record of a budget that is spent: it is kept unless asked."""
        self._core.write(os.fspath(path), overwrite)

    @property
    def details(self) -> dict:
        """The model file as a dictionary; docs/model_file.md describes every key."""
        if self._details is None:
            self._details = json.loads(self.to_json())
        return self._details

    @property
    def guarantee(self) -> Guarantee:
        return Guarantee.of(self.details["guarantee"])

    @property
    def total_guarantee(self) -> Guarantee:
        """With what was asked for the schema before."""
        return Guarantee.of({**self.details["guarantee"], **self.details.get("total_guarantee", {})})

    @property
    def events(self) -> list[dict]:
        return self.details["events"]

    @property
    def plan(self) -> Plan:
        """As the model file tells it: to look at, not to run."""
        return Plan(None, json.dumps(self.details["plan"]))

    @property
    def certificate(self) -> Certificate:
        return verify(self)

    @property
    def schema(self) -> Schema:
        return Schema._of(self._core.schema)

    @property
    def algorithm(self) -> str:
        return self._core.algorithm

    @property
    def rows(self) -> int:
        return self._core.rows

    @property
    def is_private(self) -> bool:
        return self._core.is_private

    @property
    def remarks(self) -> list[str]:
        return self._core.remarks

    @property
    def rule(self) -> str:
        return self._core.rule

    @property
    def weights(self):
        """As released, in encoded units; of a rule, its number."""
        return self._core.weights

    @property
    def coefficients(self) -> list[Coefficient]:
        return [Coefficient(*each) for each in self._core.coefficients]

    @property
    def curves(self) -> list[Curve]:
        return [Curve(*each) for each in self._core.curves]

    @property
    def surfaces(self) -> list[Surface]:
        return [Surface(*each) for each in self._core.surfaces]

    def __reduce__(self):
        return Model.from_json, (self.to_json(),)

    def __eq__(self, other) -> bool:
        return isinstance(other, Model) and self.to_json() == other.to_json()

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        private = "" if self.is_private else ", NOT private"
        return f"Model({self.algorithm} on {self.rows} rows, {self.guarantee!r}{private})"

    def _repr_html_(self) -> str:
        from dperm._html import model_card

        return model_card(self)


def run(
    plan: Plan,
    dataset: _core.Dataset,
    *,
    threads: int = 0,
    seed: int | None = None,
    verbose: bool = False,
    unsafe: bool = False,
) -> _core.Model:
    """Runs a plan; Ctrl-C ends it with the budget spent."""
    if plan._core is None:
        raise ArgumentError("this plan was read from a file or unpickled; it can be looked at but not run", "plan")
    try:
        with _progress.bar(verbose) as told:
            charge = _ledger.charge_for(plan._core.schema.dataset)
            return _core.fit(plan._core, dataset, _inputs.threads_of(threads), seed, told, bool(unsafe), charge)
    except KeyboardInterrupt:
        raise FitInterrupted(plan.guarantee) from None


def fit(
    plan: Plan,
    data: Dataset,
    *,
    threads: int = 0,
    random_state: int | None = None,
    verbose: bool = False,
    unsafe: bool = False,
) -> Model:
    """Runs a plan on the data it was made for. With a `random_state` the noise can be made again: NOT private.

    `unsafe` lets a plan of the method "non-private" run (epsilon infinity, delta 0), which adds no noise at all.
    """
    data._refuse(plan)
    warn_of_persons(data._persons)
    return Model(run(plan, data._core, threads=threads, seed=random_state, verbose=verbose, unsafe=unsafe))


def read_model(path: str | os.PathLike) -> Model:
    """A model file. A model that can be read is not yet verified."""
    return Model(_core.Model.read(os.fspath(path)))


def verify(model) -> Certificate:
    """Recomputes a model's guarantee from its public parts alone."""
    model = model_of(model)
    passed, checks, on_trust = _core.verify(model._core)
    return Certificate(passed, [Check(*each) for each in checks], model.guarantee, list(model.remarks), on_trust)


def model_of(given) -> Model:
    """A model, or that of a fitted estimator, or of a file."""
    if isinstance(given, Model):
        return given
    if isinstance(given, (str, os.PathLike)):
        return read_model(given)
    made = getattr(given, "model_", None)
    if isinstance(made, Model):
        return made
    raise ArgumentError("`model` must be a Model, a fitted estimator or the path of a model file", "model")
