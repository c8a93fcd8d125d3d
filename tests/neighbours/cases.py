# SPDX-License-Identifier: Apache-2.0
"""Tables drawn from the lists of kinds, values and containers, and what is claimed of them."""

from __future__ import annotations

import datetime
import functools
from dataclasses import dataclass, replace

import numpy
import pandas

import dperm
import kinds as kinds_
from columns import Cells, objects
from container import Container
from containers import CONTAINERS, LABELS
from file_forms import LIBSVM_CELLS, TEXT_CELLS
from holding import Cannot
from kinds import Kind
from reading import BLANK, Seen, seen
from values import EVERY, is_missing, told

# One of these is in every type: a table that nothing can be said against.
_NOON = datetime.datetime(2024, 2, 29, 12)
PLAIN = [None, 1, 0.5, "a", True, b"a", _NOON.date(), _NOON, _NOON.replace(tzinfo=datetime.timezone.utc), datetime.timedelta(days=1)]


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
    door: str = "read"

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

    def built(self):
        """The table, and the targets that come apart."""
        draw = numpy.random.default_rng(self.seed)
        data = self.container.make({each.name: each.built(each.values) for each in self.columns}, draw, self.folder)
        return data, None if self.label is None else self.wrap(self.label.built(self.label.values), draw)

    def read(self, data, y):
        return seen(data, self.schema, y, self.door) if self.container.read is None else self.container.read(data, self.schema)

    def told(self) -> str:
        found = [f"{self.container.name} to {self.door}, missing {self.missing}"]
        found += [f"  {each.name}: {each.cells.name} as {each.kind.name if each.kind else 'not in the schema'}" for each in self.columns]
        if self.label is not None:
            found.append(f"  y: {self.label.cells.name} as {self.label.kind.name}")
        return "\n".join(found)


# --- what a cell becomes, in a table of its own ---


@functools.cache
def _one(missing: str, kind: Kind, keys: tuple[str, ...]):
    values = [_by_key[each] for each in keys]
    text = kinds_.schema_text(missing, [(kind, "c"), *([] if kind.role == "feature" else [(kinds_.FEATURES[0], "x")])])
    try:
        if kind.role == "target":
            return tuple(seen([[0]], schema_of(text), objects(values)).codes[0][1:].tolist())
        if kind.by_place:
            return tuple(seen([[values[0]]], schema_of(text)).codes[0][: kind.codes].tolist())
        cells = zip(kind.columns("c"), values, strict=True)
        frame = pandas.DataFrame({name: pandas.Series(objects([value]), dtype=object) for name, value in cells})
        return tuple(seen(frame, schema_of(text)).codes[0][: kind.codes].tolist())
    except Exception as error:
        return f"raises {type(error).__name__}: {error}"


_keys = {id(each): told(each) for each in EVERY}
_by_key = {_keys[id(each)]: each for each in EVERY}


def key_of(value) -> str:
    return _keys.get(id(value)) or told(value)


def expected(missing: str, kind: Kind, keys: tuple[str, ...]):
    """The codes of one record in a kind of column; a text where reading it alone fails."""
    return _one(missing, kind, keys)


@functools.cache
def _persons(missing: str, first: str, second: str):
    """Whether these identifiers count, and count as one person's."""
    text = kinds_.schema_text(missing, [(kinds_.UNIT, "c"), (kinds_.FEATURES[0], "x"), (kinds_.NUMBER_TARGET, "t")])
    # The third row says that the column is one of objects, whatever the two are.
    identifiers = pandas.Series(objects([_by_key[first], _by_key[second], None]), dtype=object)
    frame = pandas.DataFrame({"x": [0] * 3, "t": [0] * 3, "c": identifiers})
    codes = seen(frame, schema_of(text)).codes
    return [code != BLANK for code in codes[:, 0].tolist()]


def forget() -> None:
    """References are read again."""
    _one.cache_clear()
    _persons.cache_clear()


def counted(missing: str, keys: list[str], most: int) -> list[bool]:
    """Which rows count: the first `most` of each person."""
    found, classes = [], {}  # by identifier: the class it was found to be of; by class: its rows so far
    rows: dict[str, int] = {}
    for key in keys:
        if key not in classes:
            alone = _persons(missing, key, key)[0]
            classes[key] = next((each for each in rows if not _persons(missing, each, key)[1]), key) if alone else None
        name = classes[key]
        if name is None:
            found.append(False)
            continue
        rows[name] = rows.get(name, 0) + 1
        found.append(rows[name] <= most)
    return found


def expected_codes(case: Case) -> list[tuple[Kind, str, list]]:
    """Kind by kind in the order of codes: what every row must have, as tuples; (BLANK, ...) for rows that do not count."""
    keys = {each.name: [key_of(value) for value in each.values] for each in case.every()}
    counts = None
    for kind, name in case.kinds:
        if kind.role == "unit":
            counts = counted(case.missing, keys[name], 1 if kind is kinds_.UNIT else 2)
    found = []
    for kind, name in sorted(case.kinds, key=lambda each: each[0].role == "target"):
        if kind.role == "unit":
            continue
        rows = [expected(case.missing, kind, each) for each in zip(*(keys[source] for source in kind.columns(name)), strict=True)]
        if counts is not None:
            rows = [row if each else (BLANK,) * kind.codes for row, each in zip(rows, counts, strict=True)]
        found.append((kind, name, rows))
    return found


# --- drawing ---


def _choice(draw, options):
    return options[int(draw.integers(len(options)))]


@functools.cache
def accepted(cells: Cells) -> list:
    return [value for value in EVERY if _holds(cells, value)]


def _held(cells: Cells, missing: str) -> list:
    if missing == "none" and cells in TEXT_CELLS:  # nothing in a text file means "no value" then
        return [each for each in accepted(cells) if not is_missing(each)]
    return accepted(cells)


def _column(draw, name: str, kind: Kind | None, cells: Cells, rows: int, missing: str) -> Column | None:
    values = _held(cells, missing)
    if not values:
        return None
    pool = [_choice(draw, values) for _ in range(int(draw.integers(1, 8)))]
    return Column(name, kind, cells, pool, [_choice(draw, pool) for _ in range(rows)])


def _spread(name: str, kind: Kind | None, cells: Cells, missing: str, shift: int = 0) -> Column | None:
    """Every value that the type holds, once."""
    values = _held(cells, missing)
    if not values:
        return None
    shift %= len(values)
    return Column(name, kind, cells, values, values[shift:] + values[:shift])


def every_kind(container: Container, cells: Cells, folder: str, missing: str, seed: int) -> Case | None:
    """One table with all kinds of columns, of one type, and in each all values that it holds."""
    libsvm = container.cells is LIBSVM_CELLS
    features = [each for each in kinds_.FEATURES if each.by_place or not (container.by_place or libsvm)]
    chosen = [(kind, str(place + 1) if libsvm else f"c{place}") for place, kind in enumerate(features)]
    columns = [_spread(source, kind, cells, missing, shift) for kind, name in chosen for shift, source in enumerate(kind.columns(name))]
    if columns[0] is None:
        return None
    return Case(container, missing, chosen, columns, seed=seed, folder=folder)


def every_label(place: int, kind: Kind, folder: str, missing: str, seed: int) -> Case | None:
    """Targets that come apart, all values that their type holds."""
    cells, wrap = LABELS[place]
    label = _spread("target", kind, cells, missing)
    if label is None:
        return None
    container = CONTAINERS[place % 6]  # by place
    zeros = Column("c0", kinds_.FEATURES[0], container.cells[0], [0], [0] * len(label.values))
    return Case(container, missing, [(kinds_.FEATURES[0], "c0"), (kind, "target")], [zeros], label, wrap, seed, folder)


def every_value(place: int, folder: str, seed: int) -> Case | None:
    """Numbers alone, as dperm.mean takes them."""
    cells, wrap = LABELS[place]
    column = _spread("target", kinds_.NUMBER_TARGET, cells, "default")
    if column is None:
        return None
    container = Container("numbers alone", [cells], lambda columns, draw, folder: wrap(columns["target"], draw), by_place=True)
    return Case(container, "default", [(kinds_.NUMBER_TARGET, "target")], [column], seed=seed, folder=folder, door="mean")


def every_identifier(container: Container, cells: Cells, folder: str, missing: str, seed: int, most: int) -> Case | None:
    """Who is who, by all values that a type holds, or `most` of them."""
    if container.by_place or container.read is not None or container.cells is LIBSVM_CELLS:
        return None
    person = _spread("person", kinds_.UNIT, cells, missing)
    if person is None:
        return None
    step = -(-len(person.values) // most)
    chosen = person.values[seed % step :: step]
    rows = chosen + chosen[::-1]
    number = next(each for each in container.cells if _holds(each, 1))
    filled = [(kinds_.FEATURES[0], "c0"), (kinds_.NUMBER_TARGET, "target")]
    ones = [Column(name, kind, number, [1], [1] * len(rows)) for kind, name in filled]
    return Case(container, missing, [*filled, (kinds_.UNIT, "person")], [*ones, replace(person, values=rows)], seed=seed, folder=folder)


def _holds(cells: Cells, value) -> bool:
    try:
        cells.hold(value)
        return True
    except Cannot:
        return False


def draw_case(draw, folder: str, container: Container | None = None) -> Case | None:
    container = container or _choice(draw, CONTAINERS)
    libsvm = container.cells is LIBSVM_CELLS
    missing = _choice(draw, ["default", "default", *kinds_.MISSING_LISTS])
    rows = _choice(draw, [1, 2, 3, 5, 9, 20, 70])
    simple = container.by_place or libsvm
    features = [each for each in kinds_.FEATURES if each.by_place or not simple]
    chosen = [(_choice(draw, features), str(place + 1) if libsvm else f"c{place}") for place in range(int(draw.integers(1, 5)))]
    target = (_choice(draw, kinds_.TARGETS), "label" if libsvm else "target")
    if target[0].sources:
        chosen.append(target)
    # Without a target nobody is told apart, and parts of a table have no unit.
    if not simple and container.read is None and target[0].sources and draw.random() < 0.2:
        chosen.append((_choice(draw, kinds_.UNITS), "person"))
    only = _choice(draw, container.cells)
    columns, label, wrap = [], None, None
    for kind, name in chosen:
        if kind.role == "target" and (container.by_place or not container.files and draw.random() < 0.4):
            cells, wrap = _choice(draw, LABELS)
            label = _column(draw, name, kind, cells, rows, missing)
            if label is None:
                return None
            continue
        for source in kind.columns(name):
            cells = only if container.one_type else _choice(draw, container.cells)
            columns.append(_column(draw, source, kind, cells, rows, missing))
    if not container.by_place and not libsvm and draw.random() < 0.5:
        columns.append(_column(draw, "unused", None, _choice(draw, container.cells), rows, missing))
    if any(each is None for each in columns):
        return None
    made = Case(container, missing, chosen, columns, label, wrap, int(draw.integers(2**31)), folder)
    made.door = _choice(draw, _doors(made))
    return made


def _doors(case: Case) -> list[str]:
    """Those that lead to the same codes: predictions tell nobody apart, and a fit needs a target."""
    roles = {kind.role for kind, _ in case.kinds}
    return ["read"] + ["predict"] * ("unit" not in roles) + ["fit"] * ("target" in roles)


def plain(case: Case) -> Case:
    """The same types with cells that nothing can be said against."""

    def value(column):
        return next((each for each in PLAIN if _holds(column.cells, each)), None) if accepted(column.cells) else None

    made = case.with_rows(lambda column: [value(column)] * case.rows)
    for column in made.every():
        column.pool = [value(column)]
    return made
