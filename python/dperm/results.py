# SPDX-License-Identifier: Apache-2.0
"""What the library tells, as small read-only objects: guarantees, coefficients, curves, checks."""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass(frozen=True)
class Guarantee:
    """An upper bound on what anyone can learn about a single row (or person) from what was released."""

    epsilon: float
    delta: float
    pure: bool
    neighbours: str = "replace-one"
    accountant: str = ""
    unit: str = "one row"
    mu: float | None = None
    rho: float | None = None

    @classmethod
    def of(cls, json: dict) -> Guarantee:
        known = {name: json[name] for name in cls.__dataclass_fields__ if name in json}
        return cls(**known)

    def __repr__(self) -> str:
        delta = "pure" if self.pure else f"delta {self.delta:g}"
        return f"Guarantee(epsilon {self.epsilon:.6g}, {delta}, {self.neighbours}, {self.unit})"

    def _repr_html_(self) -> str:
        from dperm._html import guarantee_card

        return guarantee_card(self)


@dataclass(frozen=True)
class Coefficient:
    """A weight in the units of its column. `per` says of what; `label` names the class where there are several."""

    name: str
    value: float
    per: str
    label: str = ""

    def __repr__(self) -> str:
        label = f" [{self.label}]" if self.label else ""
        return f"{self.name}{label}: {self.value:.6g} per {self.per}"


@dataclass(frozen=True)
class Curve:
    """What a column adds to the score. `kind`: "lines" between values, "steps" from one to the next, or "labels"."""

    name: str
    values: list[float]
    labels: list[str]
    effects: list[float]
    kind: str
    log: bool = False
    date: bool = False
    label: str = ""

    def __repr__(self) -> str:
        return f"Curve({self.name}: {len(self.effects)} effects, {min(self.effects):.4g} to {max(self.effects):.4g})"


@dataclass(frozen=True)
class Surface:
    """What a pair of columns adds to the score: an effect per value of the first and of the second, by the first."""

    first: str
    first_values: list[float]
    second: str
    second_values: list[float]
    effects: list[float]
    label: str = ""


@dataclass(frozen=True)
class Check:
    what: str
    passed: bool
    detail: str = ""


@dataclass(frozen=True)
class Certificate:
    """The guarantee recomputed from a model's public parts alone. It does not pass for a model that is not private."""

    passed: bool
    checks: list[Check]
    guarantee: Guarantee
    remarks: list[str] = field(default_factory=list)
    taken_on_trust: list[str] = field(default_factory=list)  # what no file can show

    def __bool__(self) -> bool:
        return self.passed

    def __repr__(self) -> str:
        lines = [f"  {'passed' if each.passed else 'FAILED'}  {each.what}" for each in self.checks]
        lines += [f"          {each.detail}" for each in self.checks if each.detail and not each.passed]
        lines += [f"  taken on trust: {each}" for each in self.taken_on_trust]
        return "\n".join([f"Certificate({'passed' if self.passed else 'FAILED'}, {self.guarantee!r})", *lines])

    def _repr_html_(self) -> str:
        from dperm._html import certificate_card

        return certificate_card(self)
