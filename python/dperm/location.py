# SPDX-License-Identifier: Apache-2.0
"""Private mean, median and quantiles of one column."""

from __future__ import annotations

from dataclasses import dataclass

from dperm import _core, _inputs
from dperm.errors import ArgumentError
from dperm.model import Model, run
from dperm.planning import planned, question_of
from dperm.results import Guarantee
from dperm.schema import Schema, Target

NAME = "value"


@dataclass(frozen=True)
class Location:
    """A released number. `interval` holds the population's with its confidence, where one was asked for."""

    value: float
    guarantee: Guarantee
    model: Model
    interval: tuple[float, float] | None = None
    confidence: float | None = None

    def __float__(self) -> float:
        return self.value

    def __repr__(self) -> str:
        bars = (
            f", {100 * self.confidence:g}% interval {self.interval[0]:.6g} to {self.interval[1]:.6g}"
            if self.interval
            else ""
        )
        return f"Location({self.value:.6g}{bars}, {self.guarantee!r})"

    def _repr_html_(self) -> str:
        from dperm._html import location_card

        return location_card(self)


def mean(values, *, bounds: tuple[float, float], epsilon: float, delta: float, **rest) -> Location:
    """The mean of numbers between public bounds; delta=0 asks for pure epsilon.

    `rest`: method, options, interval (a confidence), threads, random_state.
    """
    return _location(values, "squared", {}, bounds, epsilon, delta, **rest)


def median(values, *, bounds: tuple[float, float], epsilon: float, delta: float, **rest) -> Location:
    """The median of numbers between public bounds."""
    return _location(values, "absolute", {}, bounds, epsilon, delta, **rest)


def quantile(values, q: float, *, bounds: tuple[float, float], epsilon: float, delta: float, **rest) -> Location:
    """A quantile of numbers between public bounds: q = 0.9 has nine tenths of them below."""
    return _location(values, "pinball", {"quantile": q}, bounds, epsilon, delta, **rest)


def _schema(bounds) -> Schema:
    try:
        lower, upper = bounds
        return Schema((), Target.number(NAME, lower, upper))
    except ArgumentError as error:
        raise ArgumentError(f"`bounds`: {error}", "bounds") from None
    except (TypeError, ValueError):
        raise ArgumentError(f"`bounds` must be a pair (lower, upper) of numbers; got {bounds!r}", "bounds") from None


def _location(values, loss, parameters, bounds, epsilon, delta, *, threads: int = 0, **rest) -> Location:
    labels = _inputs.labels_of(values, None)
    table = _inputs.Table("named", _inputs.column(NAME, labels), names=[NAME], width=1, rows=len(labels))
    dataset = table.read(_schema(bounds)._core, threads=threads)
    return located(dataset, loss, parameters, bounds, epsilon, delta, threads=threads, **rest)


def located(
    dataset: _core.Dataset,
    loss,
    parameters,
    bounds,
    epsilon,
    delta,
    *,
    method: str = "auto",
    options=None,
    interval: float | None = None,
    threads: int = 0,
    random_state: int | None = None,
) -> Location:
    """Of rows whose target is called NAME, wherever they are."""
    schema = _schema(bounds)
    given = dict(options or {}, **({"interval": interval} if interval is not None else {}))
    plan = planned(
        question_of(
            schema.to_toml(),
            dataset.rows,
            epsilon,
            delta,
            loss=loss,
            loss_parameters=parameters,
            method=method,
            options=given,
        )
    )
    model = Model(run(plan, dataset, threads=threads, seed=random_state))
    told = model._core.interval
    return Location(model.coefficients[0].value, model.guarantee, model, *((told[:2], told[2]) if told else ()))
