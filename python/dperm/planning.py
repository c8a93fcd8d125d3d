# SPDX-License-Identifier: Apache-2.0
"""Everything that is decided before a record is read. It needs public facts alone, so it costs nothing."""

from __future__ import annotations

import functools
import json
import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from dperm import _core
from dperm.errors import ArgumentError, SpendingWarning
from dperm.results import Guarantee
from dperm.schema import Schema


@dataclass(frozen=True)
class Forecast:
    """The accuracy to expect on a typical table with these columns: realistic, not guaranteed."""

    excess_risk: float
    lower: float
    upper: float
    accuracy_lost: float | None = None
    accuracy_lost_lower: float = 0.0
    accuracy_lost_upper: float = 0.0

    def __repr__(self) -> str:
        if self.accuracy_lost is None:
            return f"Forecast(excess risk {self.excess_risk:.3g}, most often {self.lower:.3g} to {self.upper:.3g})"
        points = [100 * each for each in (self.accuracy_lost, self.accuracy_lost_lower, self.accuracy_lost_upper)]
        return f"Forecast({points[0]:.2g} points of accuracy lost, most often {points[1]:.2g} to {points[2]:.2g})"


@dataclass(frozen=True)
class Cost:
    """What a fit is predicted to take once the rows are read, from public facts; machines differ by a factor of two."""

    core_seconds: float  # of one core
    bytes: float  # of encoded rows and what is computed from them; mapped files count
    passes: float  # over all rows, or as many rows of samples
    rounds: float  # how often the rows are asked: jobs, where they lie on other machines

    def __repr__(self) -> str:
        return f"Cost({self.core_seconds:.2g} s of one core, {self.bytes / 1e6:.2g} MB, {self.passes:.4g} passes)"


class Plan:
    """What a fit will do and cost. `details` is the plan of the model file as a dictionary."""

    def __init__(
        self,
        core: _core.Plan | None,
        text: str | None = None,
        forecast: Forecast | None = None,
        cost: Cost | None = None,
    ):
        self._core = core
        self._text = text
        self._details: dict | None = None
        told = core.forecast if core is not None else None
        self.forecast = Forecast(*told) if told is not None else forecast
        self.cost = Cost(*core.cost) if core is not None else cost

    @property
    def details(self) -> dict:
        if self._details is None:
            self._details = json.loads(self.to_json())
        return self._details

    @property
    def algorithm(self) -> str:
        return self.details["algorithm"]

    @property
    def method(self) -> str:
        return self.details["method"]

    @property
    def rows(self) -> int:
        return self.details["task"]["rows"]

    @property
    def guarantee(self) -> Guarantee:
        return Guarantee.of(self.details["guarantee"])

    @property
    def events(self) -> list[dict]:
        """What a fit releases, as the accountant sees it."""
        return self.details["events"]

    @property
    def derivation(self) -> list[dict]:
        """How epsilon follows, from bounds to sensitivity to noise."""
        return self.details["derivation"]

    @property
    def utility(self) -> dict:
        """What a theorem promises about the excess risk."""
        return self.details["utility"]

    def to_json(self) -> str:
        if self._text is None and self._core is not None:
            self._text = self._core.to_json()
        return self._text or ""

    def __reduce__(self):
        # A plan that was written down can be looked at but not run, as one in a model file.
        return Plan, (None, self.to_json(), self.forecast, self.cost)

    def __repr__(self) -> str:
        return f"Plan({self.algorithm} on {self.rows} rows, {self.guarantee!r}, {self.forecast!r})"

    def _repr_html_(self) -> str:
        from dperm._html import plan_card

        return plan_card(self)


@dataclass(frozen=True)
class Alternative:
    """A method in a comparison: its plan, or why it has none."""

    method: str
    plan: Plan | None
    refusal: str = ""

    def __repr__(self) -> str:
        return f"{self.method}: {self.plan.forecast!r}" if self.plan else f"{self.method}: refused, {self.refusal}"


class Comparison(list):
    """The alternatives, the one that "auto" takes first."""

    def __repr__(self) -> str:
        return "\n".join(map(repr, self))

    def _repr_html_(self) -> str:
        from dperm._html import comparison_card

        return comparison_card(self)


def _number_text(value) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    return value if isinstance(value, str) else repr(value)


@dataclass(frozen=True)
class Question:
    """A task and how to go about it, hashable: equal questions have the same plan."""

    schema: str
    rows: int
    epsilon: float
    delta: float
    loss: str = ""
    loss_parameters: tuple[tuple[str, float], ...] = ()
    l2_penalty: float = 0.0
    radius: float | None = None
    box: float | None = None
    hidden: tuple[int, ...] = ()
    activation: str = "tanh"
    rules: str = ""
    method: str = "auto"
    options: tuple[tuple[str, str], ...] = ()
    holdout: float = 0.0
    holdout_groups: str = ""
    holdout_threshold: float = 0.5
    tune: str = ""
    time_limit: float | None = None
    cores: float = 0.0
    pass_overhead: float = 0.0

    def task(self, schema: _core.Schema) -> _core.Task:
        return _core.make_task(
            schema,
            self.rows,
            self.epsilon,
            self.delta,
            self.loss,
            dict(self.loss_parameters),
            self.l2_penalty,
            self.radius,
            self.box,
            list(self.hidden),
            self.activation,
            self.rules,
            None if self.time_limit is None else (self.time_limit, self.cores, self.pass_overhead),
        )


def planned(question: Question) -> Plan:
    """The plan of a question; asked again, it is the same one. Warns of budgets that protect little."""
    for text in _core.budget_warnings(question.rows, question.epsilon, question.delta):
        warnings.warn(text, SpendingWarning, stacklevel=3)
    return _planned(question)


@functools.lru_cache(maxsize=64)
def _planned(question: Question) -> Plan:
    task = question.task(_core.Schema.parse(question.schema, "schema"))
    if question.tune:
        if question.holdout:
            raise ArgumentError("`tune` keeps rows out by itself; leave `holdout` away", "holdout")
        return Plan(_core.plan_tuned(task, question.method, question.tune))
    return Plan(
        _core.plan(
            task,
            question.method,
            dict(question.options),
            question.holdout,
            question.holdout_groups,
            question.holdout_threshold,
        )
    )


def question_of(
    schema: str,
    rows: int,
    epsilon,
    delta,
    *,
    options: Mapping | None = None,
    loss_parameters: Mapping | None = None,
    hidden: Sequence[int] = (),
    **rest,
) -> Question:
    """Numbers of any kind in, plain ones out; None is refused by its name."""
    numbers = {"epsilon": epsilon, "delta": delta, "l2_penalty": rest.pop("l2_penalty", 0.0)}
    if rest.get("time_limit") is not None:
        numbers["time_limit"] = rest.pop("time_limit")
    for name, value in numbers.items():
        try:
            numbers[name] = float(value)
        except (TypeError, ValueError):
            raise ArgumentError(f"`{name}` must be a number; got {value!r}", name) from None
    given = {} if options is None else dict(options)
    return Question(
        schema=schema,
        rows=int(rows),
        **numbers,
        **rest,
        hidden=tuple(int(each) for each in hidden),
        options=tuple(sorted((str(name), _number_text(value)) for name, value in given.items())),
        loss_parameters=tuple(sorted((name, float(value)) for name, value in (loss_parameters or {}).items())),
    )


def plan(schema: Schema, *, rows: int, epsilon: float, delta: float, method: str = "auto", **task) -> Plan:
    """The plan for a table of `rows` rows: what `dperm plan` shows. Reads no record and costs nothing.

    `task`: loss, loss_parameters, l2_penalty, radius, box, hidden, activation, rules, options, holdout, tune, time_limit.
    `time_limit` refuses what is predicted to take longer, in seconds on all cores (or on `cores`) once the rows are
    read: "auto" then takes what keeps to it. A fit is never cut short: its budget would be spent.
    """
    return planned(question_of(schema.to_toml(), rows, epsilon, delta, method=method, **task))


def compare(schema: Schema, *, rows: int, epsilon: float, delta: float, **task) -> Comparison:
    """Every method side by side, the one that "auto" takes first, refusals last."""
    question = question_of(schema.to_toml(), rows, epsilon, delta, **task)
    found = _core.compare(question.task(schema._core), dict(question.options))
    return Comparison(
        Alternative(method, Plan(each) if each is not None else None, refusal) for method, each, refusal in found
    )


def budget_warnings(*, rows: int, epsilon: float, delta: float) -> list[str]:
    """What is unwise about a budget, by public facts alone."""
    return _core.budget_warnings(rows, epsilon, delta)
