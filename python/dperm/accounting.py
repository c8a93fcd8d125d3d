# SPDX-License-Identifier: Apache-2.0
"""What releases cost, and the noise that keeps a promise. Events are plain data, as in model files.

>>> account([event("gaussian", l2_sensitivity=1, sigma=5)], delta=1e-6)    # doctest: +SKIP
"""

from __future__ import annotations

import json
from collections.abc import Iterable

from dperm import _core
from dperm.results import Guarantee


class Event(dict):
    """A release as the accountant sees it: mechanism, its numbers, how often, and for which neighbours."""

    def __repr__(self) -> str:
        known = ("what", "mechanism", "neighbours", "repetitions")
        numbers = ", ".join(f"{name}={value!r}" for name, value in self.items() if name not in known)
        times = f", {self['repetitions']} times" if self.get("repetitions", 1) != 1 else ""
        return f"Event({self['mechanism']}: {numbers}{times}, {self['neighbours']})"


def event(
    mechanism: str, *, repetitions: int = 1, neighbours: str = "replace-one", what: str = "release", **numbers
) -> Event:
    """An event by the words of the model file (docs/accounting.md): event("gaussian", l2_sensitivity=1, sigma=5)."""
    return Event(what=what, mechanism=mechanism, **numbers, neighbours=neighbours, repetitions=repetitions)


def _text(events) -> str:
    events = [events] if isinstance(events, dict) else list(events)
    return json.dumps({"events": events})


def account(events: Iterable[dict] | dict, *, delta: float) -> Guarantee:
    """The guarantee of all events together, each chosen with knowledge of the earlier results.

    To add up what several models cost the same rows: account(first.events + second.events, delta=1e-6).
    """
    epsilon, found, pure, neighbours, accountant, mu, rho = _core.account(_text(events), delta)
    return Guarantee(epsilon, found, pure, neighbours, accountant, "one row", mu, rho)


def delta_at(events: Iterable[dict] | dict, *, epsilon: float, group: int = 1) -> float:
    """The smallest proved delta at this epsilon, for one record or for someone with `group` of them."""
    return _core.delta_at(_text(events), epsilon, group)


def _found(text: str) -> Event:
    return Event(json.loads(text)["events"][0])


def find_noise(of: dict, *, epsilon: float, delta: float) -> Event:
    """The event with the noise that keeps (epsilon, delta); what it has for it is not read."""
    return _found(_core.find_noise(_text(of), epsilon, delta))


def find_steps(of: dict, *, epsilon: float, delta: float) -> Event:
    """The event with as many repetitions as keep (epsilon, delta)."""
    return _found(_core.find_steps(_text(of), epsilon, delta))


def find_rate(of: dict, *, epsilon: float, delta: float) -> Event:
    """The event with the sampling rate that keeps (epsilon, delta)."""
    return _found(_core.find_rate(_text(of), epsilon, delta))
