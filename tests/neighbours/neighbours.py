# SPDX-License-Identifier: Apache-2.0
"""Neighbouring tables in every form: what a record becomes depends on that record alone.

Usage: neighbours.py [--minutes M] [--cases N] [--seed S]. With minutes: every type once, then tables at random.
A case is a table in a container with declared types. It is
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

from cases import Case, draw_case, every_identifier, every_kind, every_label, every_value, expected_codes, key_of, plain
from containers import CONTAINERS, LABELS
from kinds import MISSING_LISTS, TARGETS
from reading import ALGORITHMS, BLANK, replay
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
        self.few_orders = False
        self.raised = collections.Counter()
        self.replays = collections.Counter()  # by algorithm

    # --- one table ---

    def attempt(self, case: Case):
        data, y = case.built()
        try:
            return case.read(data, y), ""
        except Exception as error:  # every one is a finding, or is the type's
            return None, f"{type(error).__name__}: {error}"

    def check(self, case: Case, what: str):
        """Reads a table and compares every code with the record's own."""
        found, error = self.attempt(case)
        self.tables[case.container.name] += not error
        self.orders[what] += 1
        if error:
            _, other = self.attempt(plain(case))
            if other != error:
                self._raised(case, error, other)
            else:
                self.refused.add((case.container.name, error[:120]))
            return None
        if found.rows != case.rows:
            self.findings.add(("rows", case.container.name), f"{found.rows} rows of {case.rows}\n{case.told()}")
            return None
        start = 0
        for kind, name, wanted in expected_codes(case):
            columns = [each for each in case.every() if each.name in kind.columns(name)]
            self.cells += case.rows
            for column in columns:
                self.combinations.update((kind.name, column.cells.name, key_of(value)) for value in column.values)
            got = [tuple(row) for row in found.codes[:, start : start + kind.codes].tolist()]
            start += kind.codes
            for place in range(case.rows):
                if got[place] != wanted[place]:
                    self._differs(case, kind, columns, place, got[place], wanted[place])
        return found

    def _differs(self, case: Case, kind, columns, place: int, got: tuple, wanted) -> None:
        if isinstance(wanted, tuple) and (got[0] == BLANK) != (wanted[0] == BLANK):
            person = next(each for each in case.every() if each.name == "person")
            others = ", ".join(sorted({key_of(each) for each in person.values}))
            what = f"row {place} of {key_of(person.values[place])} is {'' if got[0] == BLANK else 'not '}blank"
            key = ("unit", case.container.name, person.cells.name, case.missing)
            self.findings.add(key, f"{what}\nidentifiers: {others}\n{case.told()}")
            return
        cells = " and ".join(each.cells.name for each in columns)
        values = ", ".join(key_of(each.values[place]) for each in columns)
        key = ("code", case.container.name, cells, kind.name, case.missing, values)
        self.findings.add(key, f"{got} in this table, {wanted} alone\n{case.told()}")

    def _raised(self, case: Case, error: str, other: str) -> None:
        short = (case.container.name, error[:60])
        self.raised[short] += 1
        guilty = self._guilty(case, other) if self.raised[short] <= 3 else "more"
        what = f"{error[:300]} (and with plain cells: {other[:100] or 'nothing'})"
        self.findings.add(("raises", *short, guilty), f"{what}\n{case.told()}")

    def _guilty(self, case: Case, other: str) -> str:
        """The column and the cell that make the difference, if it is one."""
        base = plain(case)

        def differs(name, values) -> bool:
            made = base.with_rows(lambda each: values if each.name == name else each.values)
            for column in made.every():
                column.pool = values if column.name == name else column.pool
            return self.attempt(made)[1] != other

        for column in case.every():
            if not differs(column.name, column.values):
                continue
            kind = column.kind.name if column.kind else "not in the schema"
            for value in {told(each): each for each in column.values}.values():
                if differs(column.name, [value] * case.rows):  # one value alone
                    return f"{column.cells.name} as {kind}: {told(value)}"
            return f"{column.cells.name} as {kind}"
        return "columns together"

    # --- one case: a table, its neighbour, its orders ---

    def run(self, case: Case, replays: int = 0) -> None:
        base = self.check(case, "kept")
        other = self.neighbour(case)
        changed = self.check(other, "one record changed")
        self.compare_sums(case, base, changed, moved=False, times=replays)
        for what, order in self.order_list(case):
            moved = self.check(other.with_rows(lambda column, order=order: [column.values[place] for place in order]), what)
            self.compare_sums(case, base, moved, moved=True, times=replays)

    def take(self, case: Case | None, replays: int = 0) -> None:
        if case is not None:
            self.run(case, replays)

    def compare_sums(self, case: Case, base, other, *, moved: bool, times: int) -> None:
        """What methods would release of both, beside what they declare. Persons can change with one row: not these."""
        if base is None or other is None or base.handle is None or any(kind.role == "unit" for kind, _ in case.kinds):
            return
        for _ in range(times):
            algorithm, loss = int(self.draw.integers(ALGORITHMS)), int(self.draw.integers(8))
            penalty, seed = float(self.draw.choice([0, 0.01, 1])), int(self.draw.integers(2**32))
            result, text = replay(base, other, algorithm, loss, penalty, seed, moved)
            name = text.partition(":")[0]
            self.replays[name] += result >= 0
            if result > 0:
                self.findings.add(("sums", name, "moved" if moved else "in place"), f"{text}\n{case.told()}")

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
        orders = [
            ("reversed", places[::-1]),
            ("sorted", sorted(places, key=lambda place: key_of(key.values[place]))),
            ("shuffled", self.draw.permutation(case.rows).tolist()),
        ]
        return [orders[int(self.draw.integers(3))]] if self.few_orders else orders


def sweep(harness: Harness, folder: str, bounded: bool = False) -> None:
    """Every container, type, kind and value once; bounded: each type in one container, and fewer orders and targets."""
    seed, swept = 0, set()
    harness.few_orders = bounded
    for missing in list(MISSING_LISTS)[: 1 if bounded else None]:
        for container in CONTAINERS:
            for cells in container.cells:
                seed += 1
                if bounded and (cells in swept or "ArrowDtype" in cells.name and seed % 4):
                    continue
                swept.add(cells)
                harness.take(every_kind(container, cells, folder, missing, seed))
                harness.take(every_identifier(container, cells, folder, missing, seed, 40 if bounded else 1000))
        for place in range(len(LABELS)):
            if not bounded or place % 3 == 0:
                harness.take(every_value(place, folder, seed), replays=1)
            for number, kind in enumerate(TARGETS[1:]):
                if not bounded or number == place % (len(TARGETS) - 1):
                    harness.take(every_label(place, kind, folder, missing, seed))
    harness.few_orders = False


def draw(harness: Harness, folder: str, cases: int = 0, seconds: float = 0) -> None:
    """Tables at random: so many, or for so long."""
    start, done = time.monotonic(), 0
    while time.monotonic() - start < seconds or done < cases:
        harness.take(draw_case(harness.draw, folder), replays=1)
        done += 1


def report(harness: Harness, seconds: float) -> str:
    lines = [
        f"{sum(harness.tables.values())} tables in {len(harness.tables)} containers, {harness.cells} cells, "
        f"{len(harness.combinations)} combinations of kind, type and value in {seconds:.0f} s",
        f"orders: {dict(harness.orders)}",
        f"sums of neighbours: {sum(harness.replays.values())} comparisons, {dict(harness.replays)}",
        f"refused by type: {len(harness.refused)}; findings: {len(harness.findings.counts)}",
    ]
    return "\n".join(lines)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--minutes", type=float, default=0)
    parser.add_argument("--cases", type=int, default=300)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--refused", action="store_true", help="list the types that are refused whatever they hold")
    parser.add_argument("--show", type=int, default=20)
    given = parser.parse_args()
    harness = Harness(given.seed)
    start = time.monotonic()
    with tempfile.TemporaryDirectory() as folder:
        if given.minutes:
            sweep(harness, folder)
            print(report(harness, time.monotonic() - start), flush=True)
        while not given.minutes or time.monotonic() - start < 60 * given.minutes:
            draw(harness, folder, given.cases, 600 if given.minutes else 0)
            if not given.minutes:
                break
            print(report(harness, time.monotonic() - start), flush=True)
    print(report(harness, time.monotonic() - start))
    for name, error in sorted(harness.refused) if given.refused else ():
        print(f"refused: {name}: {error}")
    for key, count in harness.findings.counts.most_common(given.show):
        print(f"\n{count} x {key}\n{harness.findings.first[key]}")
    return 1 if harness.findings.counts else 0


if __name__ == "__main__":
    sys.exit(main())
