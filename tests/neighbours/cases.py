# SPDX-License-Identifier: Apache-2.0
"""Tables drawn from the lists of kinds, values and containers, and what is claimed of them."""

from __future__ import annotations

import datetime
import functools
from dataclasses import dataclass, field, replace

import numpy
import pandas

import dperm
import kinds as kinds_
from columns import PANDAS_CELLS, Cells, anything, objects
from containers import CONTAINERS, LABELS, LIBSVM_CELLS, TEXT_CELLS, Container
from holding import Cannot
from kinds import Kind
from reading import BLANK, Seen, seen
from values import EVERY, is_missing, told

# One of these is in every type: a table that nothing can be said against.
PLAIN = [None, 1, 0.5, "a", True, b"a", datetime.date(2024, 2, 29), datetime.datetime(2024, 2, 29, 13), datetime.datetime(2024, 2, 29, 13, tzinfo=datetime.timezone.utc), datetime.timedelta(days=1)]  # fmt: skip


@functools.cache
def schema_of(text: str) -> dperm.Schema:
    return dperm.Schema.from_toml(text)


@dataclass
class Column:
    """A column of the table: which values are drawn, and the type that holds them."""

    name: str
    kind: Kind | None  # none: the schema does not name it
    cells: Cells
    pool: list
    values: list

    def built(self, values):
        return self.cells.build([self.cells.hold(each) for each in values], [self.cells.hold(each) for each in self.pool])


@dataclass
class Case:
    container: Container
    missing: str
    kinds: list[tuple[Kind, str]]  # with the names of their columns
    columns: list[Column]
    label: Column | None = None  # a target that comes apart
    wrap: object = None
    seed: int = 0  # of how the container is laid out
    folder: str = ""
    notes: list[str] = field(default_factory=list)

    @property
    def rows(self) -> int:
        return len(self.columns[0].values)

    @property
    def schema(self) -> dperm.Schema:
        return schema_of(kinds_.schema_text(self.missing, self.kinds))

    def every(self) -> list[Column]:
        return self.columns + ([self.label] if self.label is not None else [])

    def with_rows(self, change) -> Case:
        """The same table with other values: `change` maps a column to its list."""
        columns = [replace(each, values=change(each)) for each in self.columns]
        label = None if self.label is None else replace(self.label, values=change(self.label))
        return replace(self, columns=columns, label=label)

    def read(self, seed: int | None = None) -> Seen:
        draw = numpy.random.default_rng(self.seed if seed is None else seed)
        data = self.container.make({each.name: each.built(each.values) for each in self.columns}, draw, self.folder)
        y = None if self.label is None else self.wrap(self.label.built(self.label.values), draw)
        return seen(data, self.schema, y)

    def told(self) -> str:
        found = [f"{self.container.name}, missing {self.missing}"]
        found += [f"  {each.name}: {each.cells.name} as {each.kind.name if each.kind else 'not in the schema'}" for each in self.columns]
        if self.label is not None:
            found.append(f"  y: {self.label.cells.name} as {self.label.kind.name}")
        return "\n".join(found)


# --- what a cell becomes, in a table of its own ---


@functools.cache
def _one(missing: str, kind: Kind, key: tuple[str, ...]):
    values = [_by_key[each] for each in key]
    text = kinds_.schema_text(missing, [(kind, "c"), *([] if kind.role == "feature" else [(kinds_.FEATURES[0], "x")])])
    try:
        if kind.role == "target":
            return tuple(seen([[0]], schema_of(text), [values[0]]).codes[0][1:].tolist())
        if kind.by_place:
            return tuple(seen([[values[0]]], schema_of(text)).codes[0][: kind.codes].tolist())
        frame = pandas.DataFrame({name: pandas.Series(objects([value]), dtype=object) for name, value in zip(kind.columns("c"), values, strict=True)})
        return tuple(seen(frame, schema_of(text)).codes[0][: kind.codes].tolist())
    except Exception as error:
        return f"raises {type(error).__name__}: {error}"


_by_key = {}


def _key(value) -> str:
    key = told(value)
    _by_key.setdefault(key, value)
    return key


def expected(missing: str, kind: Kind, values: tuple):
    """The codes of one record in a kind of column; a text where reading it alone fails."""
    return _one(missing, kind, tuple(map(_key, values)))


@functools.cache
def _persons(missing: str, first: str, second: str):
    """Whether these identifiers count, and count as one person's."""
    text = kinds_.schema_text(missing, [(kinds_.UNIT, "c"), (kinds_.FEATURES[0], "x"), (kinds_.NUMBER_TARGET, "t")])
    frame = pandas.DataFrame({"x": [0, 0], "t": [0, 0], "c": pandas.Series(objects([_by_key[first], _by_key[second]]), dtype=object)})
    codes = seen(frame, schema_of(text)).codes
    return [code != BLANK for code in codes[:, 0].tolist()]


def counted(missing: str, identifiers: list, most: int) -> list[bool]:
    """Which rows count: the first `most` of each person."""
    keys = [_key(each) for each in identifiers]
    found, classes = [], []  # of each class: an identifier and its rows so far
    for key in keys:
        if not _persons(missing, key, key)[0]:
            found.append(False)
            continue
        for each in classes:
            if each[0] == key or not _persons(missing, each[0], key)[1]:
                break
        else:
            each = [key, 0]
            classes.append(each)
        each[1] += 1
        found.append(each[1] <= most)
    return found


def expected_codes(case: Case) -> list:
    """Row by row and column by column of the schema, then the target; BLANK for rows that do not count."""
    by_name = {each.name: each.values for each in case.columns}
    if case.label is not None:
        by_name[case.label.name] = case.label.values
    rows = [[] for _ in range(case.rows)]
    for kind, name in sorted(case.kinds, key=lambda each: each[0].role == "target"):
        if kind.role == "unit":
            continue
        sources = [by_name[each] for each in kind.columns(name)]
        for place, row in enumerate(rows):
            code = expected(case.missing, kind, tuple(each[place] for each in sources)) if sources else (None,)
            row.append((kind, name, code))
    for kind, name in case.kinds:
        if kind.role == "unit":
            most = 1 if kind is kinds_.UNIT else 2
            for row, counts in zip(rows, counted(case.missing, by_name[name], most), strict=True):
                if not counts:
                    row[:] = [(each, name, (BLANK,) * each.codes) for each, name, _ in row]
    return rows


# --- drawing ---


def _choice(draw, options):
    return options[int(draw.integers(len(options)))]


@functools.cache
def accepted(cells: Cells) -> list:
    found = []
    for value in EVERY:
        try:
            cells.hold(value)
            found.append(value)
        except Cannot:
            pass
    return found


def _column(draw, name: str, kind: Kind | None, cells: Cells, rows: int, missing: str) -> Column | None:
    values = accepted(cells)
    if missing == "none" and cells in TEXT_CELLS:
        values = [each for each in values if not is_missing(each)]
    if not values:
        return None
    pool = [_choice(draw, values) for _ in range(int(draw.integers(1, 8)))]
    return Column(name, kind, cells, pool, [_choice(draw, pool) for _ in range(rows)])


def draw_case(draw, folder: str, container: Container | None = None) -> Case | None:
    container = container or _choice(draw, CONTAINERS)
    files = container.cells in (TEXT_CELLS, LIBSVM_CELLS) or "file" in container.name or container.name == "parquet"
    libsvm = container.cells is LIBSVM_CELLS
    missing = _choice(draw, ["default", "default", *kinds_.MISSING_LISTS])
    rows = _choice(draw, [1, 2, 3, 5, 9, 20, 70])
    simple = container.by_place or libsvm
    features = [each for each in kinds_.FEATURES if each.by_place or not simple]
    chosen = [(_choice(draw, features), str(place + 1) if libsvm else f"c{place}") for place in range(int(draw.integers(1, 5)))]
    target = (_choice(draw, kinds_.TARGETS), "label" if libsvm else "target")
    if target[0].sources:
        chosen.append(target)
    if not simple and target[0].sources and draw.random() < 0.2:  # without a target persons are not told apart
        chosen.append((_choice(draw, kinds_.UNITS), "person"))
    only = _choice(draw, container.cells)
    columns, label, wrap = [], None, None
    for kind, name in chosen:
        if kind.role == "target" and (container.by_place or not files and draw.random() < 0.4):
            cells, wrap = _choice(draw, LABELS)
            label = _column(draw, name, kind, cells, rows, missing)
            if label is None:
                return None
            continue
        for source in kind.columns(name):
            columns.append(_column(draw, source, kind, only if container.one_type else _choice(draw, container.cells), rows, missing))
    if not container.by_place and not libsvm and draw.random() < 0.5:
        columns.append(_column(draw, "unused", None, _choice(draw, container.cells), rows, missing))
    if any(each is None for each in columns):
        return None
    return Case(container, missing, chosen, columns, label, wrap, int(draw.integers(2**31)), folder)


def plain(case: Case) -> Case:
    """The same types with cells that nothing can be said against."""

    def values(column):
        for value in PLAIN:
            try:
                column.cells.hold(value)
            except Cannot:
                continue
            return [value] * case.rows
        return [accepted(column.cells)[0]] * case.rows

    return case.with_rows(values)


_ = PANDAS_CELLS, anything
