# SPDX-License-Identifier: Apache-2.0
"""The public description of a table: bounds, values and the target. Chosen without looking at the records."""

from __future__ import annotations

import functools
import os
import re
from collections.abc import Iterable, Mapping, Sequence

from dperm import _core, _toml
from dperm.errors import ArgumentError, DataError


# Equal texts are equal schemas: estimators that are fitted again and again parse theirs once.
_parsed = functools.lru_cache(maxsize=128)(_core.Schema.parse)
_text = functools.lru_cache(maxsize=128)(_core.Schema.to_toml)
_shaped = functools.lru_cache(maxsize=128)(_core.Schema.with_shape)


def _described(text: str) -> _core.Schema:
    """A schema that was put together here: nobody has seen the text, so a mistake is in an argument, not in a line."""
    try:
        return _parsed(text, "schema")
    except DataError as error:
        words = re.sub(r"^schema:\d+: (schema: )?", "", str(error))
        raise ArgumentError(words, "target" if words.startswith("target ") else "columns") from None


class Column:
    """One feature column, with the keys that a `[[column]]` of schema.toml has (docs/schema.md).

    >>> Column("age", kind="integer", lower=17, upper=90)
    Column('age', kind='integer', lower=17, upper=90)
    """

    def __init__(self, name: str, *, kind: str | None = None, **keys):
        self.name = str(name)
        self.keys = {"kind": kind, **keys}

    @classmethod
    def number(cls, name: str, lower: float, upper: float, **keys) -> Column:
        """A real number between public bounds; what lies outside is moved to the nearest."""
        return cls(name, kind=keys.pop("kind", "real"), lower=lower, upper=upper, **keys)

    @classmethod
    def category(cls, name: str, values: Sequence, **keys) -> Column:
        """One of a public list of values."""
        return cls(name, kind="category", values=list(values), **keys)

    def to_toml(self) -> str:
        return _toml.table("[[column]]", {"name": self.name, **self.keys})

    def __repr__(self) -> str:
        keys = "".join(f", {name}={value!r}" for name, value in self.keys.items() if value is not None)
        return f"Column({self.name!r}{keys})"


class Target:
    """What is to be predicted, with the keys of `[target]` in schema.toml."""

    def __init__(self, column: str, *, kind: str, **keys):
        self.name = str(column)
        self.keys = {"kind": kind, **keys}

    @classmethod
    def classes(cls, column: str, values: Sequence) -> Target:
        """Labels from a public list; of two, the second counts as positive."""
        values = list(values)
        if len(values) == 2:
            return cls(column, kind="binary", positive=[values[1]])
        return cls(column, kind="class", values=values)

    @classmethod
    def number(cls, column: str, lower: float, upper: float) -> Target:
        """A number between public bounds."""
        return cls(column, kind="real", lower=lower, upper=upper)

    def to_toml(self) -> str:
        return _toml.table("[target]", {"column": self.name, **self.keys})

    def __repr__(self) -> str:
        keys = "".join(f", {name}={value!r}" for name, value in self.keys.items() if value is not None)
        return f"Target({self.name!r}{keys})"


class Schema:
    """The public description of a table, checked by the library.

    Put together from columns, read from `schema.toml` (`read`, `from_toml`), taken from a codebook (`from_codebook`),
    proposed from a table's types (`propose`), or asked of the records privately (`infer`).
    """

    def __init__(
        self,
        columns: Iterable[Column] = (),
        target: Target | None = None,
        *,
        pairs: Sequence | None = None,
        unit: Mapping | None = None,
        format: Mapping | None = None,
    ):
        parts = [_toml.table("version = 1", {"pairs": pairs})]
        parts += [_toml.table("[format]", dict(format))] if format else []
        parts += [_toml.table("[unit]", dict(unit))] if unit else []
        parts += [target.to_toml()] if target else []
        parts += [column.to_toml() for column in columns]
        self._core = _described("\n".join(parts))

    @classmethod
    def _of(cls, core: _core.Schema) -> Schema:
        made = cls.__new__(cls)
        made._core = core
        return made

    @classmethod
    def from_toml(cls, text: str) -> Schema:
        """From the text of a schema.toml."""
        return cls._of(_parsed(text, "schema"))

    @classmethod
    def read(cls, path: str | os.PathLike) -> Schema:
        """From a schema.toml."""
        return cls._of(_core.Schema.read(os.fspath(path)))

    @classmethod
    def from_codebook(
        cls, path: str | os.PathLike, *, target: str = "", target_kind: str = "", positive: str = ""
    ) -> Schema:
        """From a CSV with the columns `column`, `lower`, `upper` and `values` (a|b|c). No record is read."""
        from dperm._drafts import codebook_draft

        filled, asked, _ = _core.infer_schema(
            [], codebook_draft(path), 0.0, 0.0, target, target_kind, positive, [], os.fspath(path), 0, None, None
        )
        return cls._of(filled)

    @staticmethod
    def propose(table, *, public_categories: bool = False):
        """A draft from the types of a table's columns, with bounds and values left to fill in.

        Types depend on the records that a table was made from, and the draft says so. The levels of a Categorical or
        dictionary column are values of records too: they are taken only with `public_categories=True`, which declares
        them public. A Polars Enum has its levels in its type.
        """
        from dperm._drafts import propose

        return propose(table, public_categories)

    @staticmethod
    def infer(data, *, epsilon: float, delta: float, target: str, draft=None, **known) -> Schema:
        """Asks the records for the bounds and values that `draft` lacks, privately; see `dperm.infer_schema`."""
        from dperm._drafts import infer

        return infer(data, epsilon=epsilon, delta=delta, target=target, draft=draft, **known)

    def to_toml(self) -> str:
        """The same schema as text: equal schemas give equal text."""
        return _text(self._core)

    def with_target(self, target: Target) -> Schema:
        """The same columns with a target; refused where the schema has one."""
        if self.target is not None:
            raise ArgumentError(f"the schema has the target '{self.target}' already", "target")
        return Schema._of(_described(self.to_toml() + "\n" + target.to_toml()))

    def with_shape(self, shape: str) -> Schema:
        """Columns whose shape is left open enter as "linear", "curve", "steps" or "curve:8"."""
        return Schema._of(_shaped(self._core, shape))

    @property
    def columns(self) -> list[str]:
        """Names of the feature columns, in order."""
        return [name for name, _ in self._core.columns]

    @property
    def kinds(self) -> dict[str, str]:
        """Kinds of the feature columns by name."""
        return dict(self._core.columns)

    @property
    def dtypes(self) -> dict[str, str]:
        """`dtype` for `pandas.read_csv`: every column that is read, as text, so that no record decides a column's type.

        With `keep_default_na=False` cells stay as they are written, and the library reads them by this schema.
        """
        return dict.fromkeys(_core.read_columns(self._core), "string")

    @property
    def target(self) -> str | None:
        """Name of the target, or None."""
        return self._core.target_name if self._core.target_kind != "none" else None

    @property
    def target_kind(self) -> str | None:
        """ "binary", "real", "class", or None."""
        return self._core.target_kind if self._core.target_kind != "none" else None

    def __eq__(self, other) -> bool:
        return isinstance(other, Schema) and self._core.equals(other._core)

    def __hash__(self) -> int:
        return hash(self.to_toml())

    def __reduce__(self):
        return Schema.from_toml, (self.to_toml(),)

    def __repr__(self) -> str:
        columns = ", ".join(f"{name}: {kind}" for name, kind in self._core.columns[:8])
        more = len(self._core.columns) - 8
        columns += f", ... ({more} more)" if more > 0 else ""
        target = f"; target {self.target}: {self.target_kind}" if self.target else ""
        return f"Schema({columns}{target})"

    def _repr_html_(self) -> str:
        from dperm._html import schema_card

        return schema_card(self)
