# SPDX-License-Identifier: Apache-2.0
"""Neighbouring tables in every form: what a record becomes depends on that record alone.

Usage: neighbours.py [--minutes M] [--cases N] [--seed S]. A case is a table in a container with declared types. It is
read as it is, with one record changed, and in other orders; every code must be the one that the record has in a table
of its own. docs/privacy_model.md says why.
"""

from __future__ import annotations

import argparse
import collections
import sys
import tempfile
import time

import numpy

from cases import Case, draw_case, expected_codes, plain
from reading import BLANK
from values import told


class Findings:
    """What was read differently, each kind of difference once."""

    def __init__(self):
        self.counts = collections.Counter()
        self.first = {}

    def add(self, key: tuple, text: str) -> None:
        self.counts[key] += 1
        self.first.setdefault(key, text)


class Harness:
    def __init__(self, seed: int):
        self.draw = numpy.random.default_rng(seed)
        self.findings = Findings()
        self.tables = collections.Counter()  # by container
        self.orders = collections.Counter()
        self.combinations = set()  # of kind, type and value
        self.refused = set()  # types that are refused whatever they hold
        self.cells = 0

    # --- one table ---

    def attempt(self, case: Case, seed=None):
        try:
            return case.read(seed), ""
        except Exception as error:  # every one is a finding, or is the type's
            return None, f"{type(error).__name__}: {error}"

    def check(self, case: Case, what: str):
        """Reads a table and compares every code with the record's own."""
        found, error = self.attempt(case)
        self.tables[case.container.name] += 1
        self.orders[what] += 1
        if error:
            _, other = self.attempt(plain(case))
            if other != error:
                self._raised(case, error, other)
            else:
                self.refused.add((case.container.name, error[:120]))
            return None
        wanted = expected_codes(case)
        if found.rows != case.rows:
            self.findings.add(("rows", case.container.name), f"{found.rows} rows of {case.rows}\n{case.told()}")
            return None
        for place in range(case.rows):
            self._compare(case, place, found.codes[place].tolist(), wanted[place])
        return found

    def _compare(self, case: Case, place: int, codes: list, wanted: list) -> None:
        start = 0
        for kind, name, expected in wanted:
            got = tuple(codes[start : start + kind.codes])
            start += kind.codes
            columns = [each for each in case.every() if each.name in kind.columns(name)]
            values = [each.values[place] for each in columns]
            self.cells += 1
            for column, value in zip(columns, values, strict=True):
                self.combinations.add((kind.name, column.cells.name, told(value)))
            if expected == got or expected == (None,):
                continue
            if BLANK in (got[0], expected[0]) and got[0] != expected[0]:
                person = next(each for each in case.every() if each.name == "person")
                told_ids = ", ".join(sorted({told(each) for each in person.values}))
                self.findings.add(("unit", case.container.name, person.cells.name, case.missing), f"row {place} of {told(person.values[place])} is {'' if got[0] == BLANK else 'not '}blank\nidentifiers: {told_ids}\n{case.told()}")
            else:
                cells = " and ".join(each.cells.name for each in columns)
                key = ("code", case.container.name, cells, kind.name, case.missing, ", ".join(map(told, values)))
                self.findings.add(key, f"{got} in this table, {expected} alone\n{case.told()}")

    def _raised(self, case: Case, error: str, other: str) -> None:
        guilty = self._guilty(case, other)
        key = ("raises", case.container.name, guilty, error[:60])
        self.findings.add(key, f"{error[:300]} (and with plain cells: {other[:100] or 'nothing'})\n{case.told()}")

    def _guilty(self, case: Case, other: str) -> str:
        """The column and cell that make the difference, if it is one."""
        base = plain(case)
        for column in case.every():
            for value in {told(each): each for each in column.values}.values():
                one = base.with_rows(lambda each, c=column, v=value: [v] * case.rows if each.name == c.name else each.values)
                if self.attempt(one)[1] != other:
                    kind = column.kind.name if column.kind else "not in the schema"
                    return f"{column.cells.name} as {kind}: {told(value)}"
        return "cells together"

    # --- one case: a table, its neighbour, its orders ---

    def run(self, case: Case) -> None:
        base = self.check(case, "kept")
        other = self.neighbour(case)
        self.check(other, "one record changed")
        for what, order in self.order_list(case):
            moved = other.with_rows(lambda column, order=order: [column.values[place] for place in order])
            self.check(moved, what)

    def neighbour(self, case: Case) -> Case:
        place = int(self.draw.integers(case.rows))

        def changed(column):
            values = list(column.values)
            values[place] = column.pool[int(self.draw.integers(len(column.pool)))]
            return values

        return case.with_rows(changed)

    def order_list(self, case: Case):
        key = case.columns[int(self.draw.integers(len(case.columns)))]
        places = list(range(case.rows))
        yield "reversed", places[::-1]
        yield "sorted", sorted(places, key=lambda place: told(key.values[place]))
        yield "shuffled", self.draw.permutation(case.rows).tolist()


def report(harness: Harness, seconds: float) -> str:
    lines = [
        f"{sum(harness.tables.values())} tables in {len(harness.tables)} containers, {harness.cells} cells, "
        f"{len(harness.combinations)} combinations of kind, type and value in {seconds:.0f} s",
        f"orders: {dict(harness.orders)}",
        f"refused by type: {len(harness.refused)}; findings: {len(harness.findings.counts)}",
    ]
    return "\n".join(lines)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--minutes", type=float, default=0)
    parser.add_argument("--cases", type=int, default=300)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--show", type=int, default=20)
    given = parser.parse_args()
    harness = Harness(given.seed)
    start = time.monotonic()
    with tempfile.TemporaryDirectory() as folder:
        done = 0
        while time.monotonic() - start < 60 * given.minutes if given.minutes else done < given.cases:
            case = draw_case(harness.draw, folder)
            if case is not None:
                harness.run(case)
                done += 1
    print(report(harness, time.monotonic() - start))
    for key, count in harness.findings.counts.most_common(given.show):
        print(f"\n{count} x {key}\n{harness.findings.first[key]}")
    return 1 if harness.findings.counts else 0


if __name__ == "__main__":
    sys.exit(main())
