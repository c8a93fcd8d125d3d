# SPDX-License-Identifier: Apache-2.0
"""Schemas with blanks: proposed from types, filled in by hand, by a codebook or by private questions."""

from __future__ import annotations

import contextlib
import csv
import os
import pathlib
import tempfile
from dataclasses import dataclass, field

import pyarrow
import pyarrow.ipc

from dperm import _cells, _core, _inputs, _toml
from dperm import ledger as _ledger
from dperm.errors import ArgumentError, FitInterrupted
from dperm.results import Guarantee
from dperm.schema import Column, Schema, Target

REMARK = "Kinds were proposed from the types of this table's columns, which depend on its records: check each."
NUMBER, VALUES = ("lower", "upper"), ("values",)


@dataclass
class SchemaDraft:
    """Columns some of whose bounds or values are missing. `fill` completes it, `dperm.infer_schema` asks for them."""

    columns: list[Column]
    remarks: list[str] = field(default_factory=lambda: [REMARK])

    @property
    def missing(self) -> dict[str, tuple[str, ...]]:
        """Keys to fill in, by column."""
        found = {}
        for column in self.columns:
            wanted: tuple[str, ...] = VALUES if column.keys["kind"] == "category" else NUMBER
            wanted = () if column.keys["kind"] in ("boolean", "ignore", "identifier") else wanted
            lacks = tuple(key for key in wanted if column.keys.get(key) is None)
            if lacks:
                found[column.name] = lacks
        return found

    def fill(self, known: dict | None = None, *, target: Target | None = None, **named) -> Schema:
        """The schema with what was missing: `(lower, upper)` or a list of values by column, None to leave one out."""
        known = {**(known or {}), **named}
        unknown = sorted(set(known) - {column.name for column in self.columns})
        if unknown:
            raise ArgumentError(f"the draft has no column {', '.join(unknown)}", unknown[0])
        columns = []
        for column in self.columns:
            if target is not None and column.name == target.name:
                continue
            given = known.get(column.name, column)
            if given is not None:
                columns.append(column if given is column else column_of(column.name, given, column.keys["kind"]))
        left = SchemaDraft(columns).missing
        if left:
            words = "; ".join(f"{name}: {' and '.join(keys)}" for name, keys in left.items())
            raise ArgumentError(f"still to fill in from public knowledge: {words}")
        return Schema(columns, target)

    def to_toml(self) -> str:
        """The text of a schema.toml with FILL IN where something is yours to decide."""
        lacks = self.missing
        parts = [_toml.table("version = 1", {})]
        for column in self.columns:
            keys = {**column.keys, **{key: "FILL IN" for key in lacks.get(column.name, ())}}
            parts.append(_toml.table("[[column]]", {"name": column.name, **keys}))
        return "".join(f"# {remark}\n" for remark in self.remarks) + "\n".join(parts)

    def __repr__(self) -> str:
        lines = [f"  {name}: {' and '.join(keys)} to fill in" for name, keys in self.missing.items()]
        return "\n".join(["SchemaDraft(", *(f"  {each!r}," for each in self.columns), ")", *lines, *self.remarks])


def column_of(name: str, given, kind: str | None = None) -> Column:
    """A column from what stands for it: a Column, a pair (lower, upper), or a list of values."""
    if isinstance(given, Column):
        return given
    if isinstance(given, tuple) and len(given) == 2:
        kind = kind if kind in ("real", "integer", "date") else "real"
        return Column(name, kind=kind, lower=given[0], upper=given[1])
    if isinstance(given, (list, frozenset, set)):
        return Column.category(name, sorted(given) if isinstance(given, (set, frozenset)) else given)
    raise ArgumentError(
        f"`bounds` of column '{name}' must be a pair (lower, upper), a list of values or a Column, not "
        f"{type(given).__name__}",
        "bounds",
    )


def propose(table, public_categories: bool) -> SchemaDraft:
    _ledger.look("schema draft from a table's types")
    columns = []
    for name, type_, levels, in_type in _types_of(table):
        if levels is not None and (in_type or public_categories):
            columns.append(Column.category(name, levels))
        else:
            columns.append(Column(name, kind=_kind_of(type_)))
    return SchemaDraft(columns)


def _types_of(data) -> list[tuple[str, pyarrow.DataType, list | None, bool]]:
    """Name, type, levels and whether these belong to the type, of every column."""
    if _inputs.is_pandas(data):
        found = []
        for name in data.columns:
            dtype = data[name].dtype
            levels = list(dtype.categories) if hasattr(dtype, "categories") else None
            type_ = (
                pyarrow.string()
                if levels is not None or dtype == object
                else _cells.series_of(data[name].iloc[:0]).type
            )
            found.append((str(name), type_, levels, False))
        return found
    if _inputs.paths_of(data) is not None:
        raise ArgumentError("types are read off tables in memory; for files: dperm schema init FILE", "table")
    if _inputs.is_described(data):
        described = data
        data = _inputs.from_source(lambda: _inputs.described_columns(described, None, _inputs.described_names(described)))
    if hasattr(data, "collect_schema"):  # Polars
        types = data.collect_schema()
        empty = data.head(0).to_arrow().schema
        found = []
        for field in empty:
            dtype = types[field.name]
            in_type = type(dtype).__name__ == "Enum"
            levels = list(dtype.categories) if in_type else None
            if type(dtype).__name__ == "Categorical":
                levels = data.select(field.name).to_series().drop_nulls().unique().sort().cast(str).to_list()
            found.append((field.name, pyarrow.string() if levels is not None else field.type, levels, in_type))
        return found
    found = []
    reader = _inputs.reader_of(data)
    batch = next(iter(reader), None)
    for place, field in enumerate(reader.schema):
        levels = None
        if pyarrow.types.is_dictionary(field.type) and batch is not None:
            levels = batch.column(place).dictionary.to_pylist()
        found.append((field.name, pyarrow.string() if levels is not None else field.type, levels, False))
    return found


def _kind_of(type_: pyarrow.DataType) -> str:
    types = pyarrow.types
    if types.is_boolean(type_):
        return "boolean"
    if types.is_integer(type_):
        return "integer"
    if types.is_floating(type_) or types.is_decimal(type_):
        return "real"
    if types.is_date(type_) or types.is_timestamp(type_):
        return "date"
    return "category"


def codebook_draft(path) -> str:
    """The names of a codebook's columns as a schema that has nothing else."""
    with open(path, newline="", encoding="utf-8") as file:
        names = [row["column"] for row in csv.DictReader(file) if row.get("column")]
    return "\n".join([_toml.table("version = 1", {}), *(_toml.table("[[column]]", {"name": name}) for name in names)])


class InferredSchema(Schema):
    """A schema with what was asked of the records, and what it cost. A fit adds its own epsilon to it."""

    def __init__(self, core: _core.Schema, asked: list[str], left_out: list[str], epsilon: float, delta: float):
        self._core = core
        self.asked = asked
        self.left_out = left_out
        self.epsilon = epsilon if asked else 0.0
        self.delta = delta if asked else 0.0

    def __repr__(self) -> str:
        left = f", left out: {', '.join(self.left_out)}" if self.left_out else ""
        return (
            f"InferredSchema({super().__repr__()}, asked: {', '.join(self.asked) or 'nothing'}{left}, spent: epsilon "
            f"{self.epsilon:g}, delta {self.delta:g})"
        )


def infer(
    data,
    *,
    epsilon: float,
    delta: float,
    target: str,
    draft=None,
    target_kind: str = "",
    positive: str = "",
    ignored: tuple[str, ...] = (),
    codebook: str = "",
    threads: int = 0,
    random_state: int | None = None,
) -> InferredSchema:
    """Asks the records for bounds and values that nobody wrote down, privately, as `dperm schema infer` does.

    `draft` is a `SchemaDraft`, schema text that may say FILL IN, or None: every column is asked about. Tables in memory
    stay in memory.
    """
    with contextlib.ExitStack() as stack:
        files = _inputs.paths_of(data)
        if files is None:
            files, names = _as_file(data, stack)
            default = "\n".join([_toml.table("version = 1", {}), *(Column(name).to_toml() for name in names)])
        elif draft is None:
            raise ArgumentError(
                "name the columns of files in a `draft`: Schema.propose, or text with names alone", "draft"
            )
        text = default if draft is None else draft if isinstance(draft, str) else draft.to_toml()
        known = (target, target_kind, positive, list(ignored), os.fspath(codebook))
        charge = _ledger.charge_for(_core.draft_dataset(text))
        try:
            schema, asked, left_out = _core.infer_schema(
                files, text, epsilon, delta, *known, _inputs.threads_of(threads), random_state, charge
            )
        except KeyboardInterrupt:
            raise FitInterrupted(Guarantee(epsilon, delta, delta == 0), "question about the records") from None
    return InferredSchema(schema, asked, left_out, epsilon, delta)


def _as_file(data, stack: contextlib.ExitStack) -> tuple[list[str], list[str]]:
    """A file that lies in memory, under a name that says what it is; nothing is written to a disk."""
    reader = _inputs.reader_of(data)
    descriptor = os.memfd_create("dperm")
    stack.callback(os.close, descriptor)
    with open(descriptor, "wb", closefd=False) as file, pyarrow.ipc.new_file(file, reader.schema) as writer:
        for batch in reader:
            writer.write_batch(batch)
    folder = pathlib.Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="dperm_")))
    path = folder / "table.arrow"
    path.symlink_to(f"/proc/self/fd/{descriptor}")
    return [str(path)], list(reader.schema.names)
