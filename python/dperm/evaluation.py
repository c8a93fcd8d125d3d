# SPDX-License-Identifier: Apache-2.0
"""How good a model is on labelled rows: as a private release, or in the open for rows that are public."""

from __future__ import annotations

from dataclasses import dataclass, field

from dperm import _core, _inputs
from dperm.errors import ArgumentError, FitInterrupted
from dperm.ledger import charge_for
from dperm.model import Dataset, Model, model_of, read
from dperm.results import Guarantee


@dataclass(frozen=True)
class Measure:
    """A number with 95% error bars: `radius` by noise and bins, `total_radius` with sampling too."""

    value: float
    radius: float
    total_radius: float

    def __float__(self) -> float:
        return self.value

    def __repr__(self) -> str:
        return f"{self.value:.4g} +- {self.total_radius:.2g}"


@dataclass(frozen=True)
class Measures:
    rows: float
    rows_radius: float
    values: dict[str, Measure]
    labels: list[str] = field(default_factory=list)
    confusion: list[float] = field(default_factory=list)
    confusion_radius: float = 0.0
    roc: list[tuple] = field(default_factory=list)
    calibration: list[tuple] = field(default_factory=list)
    residuals: list[tuple] = field(default_factory=list)

    @classmethod
    def of(cls, told: dict) -> Measures:
        values = {name: Measure(*each) for name, each in told["values"].items()}
        return cls(**{**told, "values": values})

    def __getitem__(self, name: str) -> Measure:
        return self.values[name]


@dataclass(frozen=True)
class Evaluation:
    """All measures of one release, and its cost. `private` is False for exact numbers about public rows."""

    all: Measures
    groups: dict[str, Measures]
    private: bool
    guarantee: Guarantee | None = None

    @classmethod
    def of(cls, told: dict) -> Evaluation:
        groups = {name: Measures.of(each) for name, each in told["groups"].items()}
        guarantee = Guarantee(*told["guarantee"]) if "guarantee" in told else None
        return cls(Measures.of(told["all"]), groups, told["private"], guarantee)

    def __getitem__(self, name: str) -> Measure:
        return self.all[name]

    def __repr__(self) -> str:
        values = ", ".join(f"{name} {each!r}" for name, each in self.all.values.items())
        cost = repr(self.guarantee) if self.guarantee else "NOT private: exact, or noise that can be made again"
        return f"Evaluation({values}; {cost})"

    def _repr_html_(self) -> str:
        from dperm._html import evaluation_card

        return evaluation_card(self)


def evaluate(
    model,
    data,
    y=None,
    *,
    epsilon: float | None = None,
    public: bool = False,
    delta: float = 0.0,
    groups: str = "",
    threshold: float = 0.5,
    threads: int = 0,
    random_state: int | None = None,
    other_rows: bool = False,
) -> Evaluation:
    """Accuracy, AUC, calibration and more from one private release at `epsilon`, or exactly where rows are `public`.

    `model` is a Model, a fitted estimator or a model file; `data` as for a fit, or a Dataset. Where the model names the
    dataset that it was learned from, a private release needs to know whose rows these are: run it inside
    `ledger.counting(NAME)`, or say `other_rows` where they belong to no dataset that a ledger counts.
    """
    if (epsilon is None) == (not public):
        raise ArgumentError(
            "give `epsilon` for a private release, or public=True for rows that you declare public", "epsilon"
        )
    if public and other_rows:
        raise ArgumentError("`other_rows` goes with `epsilon`", "other_rows")
    found = model_of(model)
    charge = charge_for(other_rows=other_rows)
    if not public:
        _core.require_origin(found._core, charge.dataset if charge else "", bool(other_rows))
    if public and isinstance(data, Dataset):
        data._refuse_public()
    rows = data._core if isinstance(data, Dataset) else read_for(found, data, y, threads)
    threads = _inputs.threads_of(threads)
    asked = (epsilon, delta, groups, threshold, threads, random_state, bool(other_rows))
    try:
        told = _core.evaluate(found._core, rows, *asked, charge)
    except KeyboardInterrupt:
        if epsilon is None:
            raise
        raise FitInterrupted(Guarantee(epsilon, delta, delta == 0), "evaluation") from None
    return Evaluation.of(told)


def read_for(model: Model, data, y, threads: int) -> _core.Dataset:
    """Labelled rows as the model's schema reads them."""
    if isinstance(y, str):
        if y != model.schema.target:
            raise ArgumentError(f"the model's target is the column '{model.schema.target}'", "y")
        y = None
    return read(data, model.schema, y, threads=threads)._core


def held_out(model) -> Evaluation | None:
    """What rows kept out of the fit (`holdout`) say about it: part of what it released. None where it kept none out."""
    told = _core.held_out(model_of(model)._core)
    return Evaluation.of(told) if told is not None else None
