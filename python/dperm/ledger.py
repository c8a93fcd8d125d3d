# SPDX-License-Identifier: Apache-2.0
"""The file that counts what is spent on tables and refuses more than their caps (docs/ledger.md)."""

from __future__ import annotations

import contextlib
import json
import os
import threading
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from dperm import _core
from dperm.errors import ArgumentError


@dataclass(frozen=True)
class Spent:
    """An epsilon and a delta of everything together. Both are infinite or 1 once something unprotected was published."""

    epsilon: float
    delta: float


class Ledger:
    """One file a data owner. `counting` makes everything that runs inside it count.

    >>> ledger = dperm.Ledger("clinic.db")                                                           # doctest: +SKIP
    >>> with ledger.counting("patients"):                                                            # doctest: +SKIP
    ...     model = dperm.LogisticRegression(epsilon=1, delta=1e-6, bounds=schema).fit(table)
    """

    def __init__(self, path: str | os.PathLike):
        self.path = os.path.abspath(os.fspath(path))
        self.id = _core.ledger_id(self.path)

    @classmethod
    def create(cls, path: str | os.PathLike) -> Ledger:
        """A new file, readable by its owner only."""
        _core.ledger_create(os.fspath(path))
        return cls(path)

    def register(
        self,
        dataset: str,
        *,
        epsilon: float,
        delta: float,
        currency: str = "basic",
        unit: str = "",
        missing: Sequence[str] | None = None,
        neighbours: str = "replace-one",
    ) -> None:
        """Adds a table with the cap on what may be spent on it. It cannot be changed later.

        `unit` names the column that tells persons apart, and `missing` the texts in it that name nobody: by default
        those of a schema that says nothing in [format].
        """
        nobody = None if missing is None else list(missing)
        _core.ledger_register(self.path, dataset, float(epsilon), float(delta), currency, unit, nobody, neighbours)

    def enter(self, dataset: str, model=None, *, epsilon: float = 0.0, delta: float = 0.0, note: str = "") -> None:
        """Counts what was published before the ledger: a model, or an epsilon and a delta with a note."""
        from dperm.model import model_of

        if (model is None) == (epsilon == 0 and delta == 0):
            raise ArgumentError("give a model, or the epsilon and delta of what was published", "model")
        found = None if model is None else model_of(model)._core
        words = note or ("a model entered from Python" if model is not None else "")
        _core.ledger_enter(self.path, dataset, found, float(epsilon), float(delta), words)

    def publish(self, entry: int) -> None:
        """Declares that the result of a look without protection was published: no epsilon is true any more."""
        _core.ledger_publish(self.path, int(entry))

    def spent(self, dataset: str) -> Spent:
        return Spent(*_core.ledger_state(self.path, dataset)[0])

    def remaining(self, dataset: str) -> Spent:
        """What a request may ask for of which only epsilon and delta are known."""
        return Spent(*_core.ledger_state(self.path, dataset)[1])

    def cap(self, dataset: str) -> Spent:
        return Spent(*_core.ledger_state(self.path, dataset)[2])

    def history(self, dataset: str = "") -> list[dict]:
        """Every entry, oldest first."""
        return [
            {"number": number, "kind": kind, "dataset": name, "date": date, **json.loads(body)}
            for number, kind, name, date, body in _core.ledger_entries(self.path)
            if not dataset or name == dataset
        ]

    def problems(self) -> list[str]:
        """What is wrong with the file; empty where nothing is."""
        return _core.ledger_problems(self.path)

    def keep_fingerprints(self) -> None:
        """Makes LEDGER.fingerprints, in which fits leave exact digests of their rows from now on.

        NOT private: who has the file and all records of a table but one can find out that one by trying.
        """
        _core.ledger_keep_fingerprints(self.path)

    def same_tables(self) -> list[str]:
        """Names under which the same rows were fitted, in words. For the owner: it depends on the records, and is known
        only where fingerprints are kept.
        """
        return _core.ledger_same_tables(self.path)

    @contextlib.contextmanager
    def counting(self, dataset: str, *, request_id: str = "") -> Iterator[Ledger]:
        """Everything inside that opens records is charged to `dataset`, or written down as a look.

        It holds for all threads of this process, so that no two of them count for different datasets at a time. Other
        processes (joblib's, executors') need DPERM_LEDGER and DPERM_DATASET in their environment. With a `request_id` a
        fit that came to its end earlier is answered from the ledger at no cost.
        """
        _core.ledger_state(self.path, dataset)  # an unknown name is refused before anything else
        charge = _core.Charge(self.path, dataset, request_id)
        opened = (threading.get_ident(), (self.path, dataset), charge)
        with _lock:
            for thread, counted, _ in _counting:
                if thread != opened[0] and counted != opened[1]:
                    raise ArgumentError(
                        f"another thread counts for the dataset '{counted[1]}' of {counted[0]}, and counting holds for all "
                        "threads; wait for its end, or use processes"
                    )
            _counting.append(opened)
        try:
            yield self
        finally:
            with _lock:
                _counting.remove(opened)

    def __repr__(self) -> str:
        return f"Ledger({self.path!r})"


_counting: list[tuple[int, tuple[str, str], _core.Charge]] = []  # thread, ledger and dataset, charge
_lock = threading.Lock()


def charge_for(dataset: str = "", other_rows: bool = False) -> _core.Charge | None:
    """Who counts now: the innermost `counting`, else the environment. `dataset` is the schema's own word. A ledger that
    is named alone does not count `other_rows`; one that is named with a dataset contradicts them, which the library says.
    """
    with _lock:
        if _counting:
            return _counting[-1][2]
    path, name = os.environ.get("DPERM_LEDGER", ""), os.environ.get("DPERM_DATASET", "") or dataset
    if other_rows and not name:
        return None
    if not path:
        if not name:
            return None
        raise ArgumentError(
            f"what is spent on the dataset '{name}' is counted by a ledger; run this inside "
            "dperm.Ledger(...).counting(...), or name the file in the environment as DPERM_LEDGER"
        )
    if not name:
        raise ArgumentError(
            f"the ledger {path} counts by dataset; name the one that these records belong to in the environment as "
            "DPERM_DATASET or in the schema as [ledger] dataset, or run this inside dperm.Ledger(...).counting(...)"
        )
    return _core.Charge(path, name, "")


def look(what: str, dataset: str = "") -> None:
    """Writes down, before a record is used, that `what` uses records without protection."""
    charge = charge_for(dataset)
    if charge is not None:
        _core.ledger_look(charge, what)
