# SPDX-License-Identifier: Apache-2.0
"""Every kind of column that a schema can declare, with entries of schema.toml for it.

`covers` names what of the library's own lists (schema.hpp) an entry is for: the test compares the two, so that a kind
that is added there has to be added here.
"""

from __future__ import annotations

from dataclasses import dataclass

VALUES = ["a", "b", "true", "false", "1", "3", "2.5", "2024-02-29", "01", "\u00e9", "\ufffd", "None", "1e16", "-9", "2024-02-29 13:00:00", "19782", "9007199254740993", "3.50",
          "True", "100000", "2024-02-29T13:00:00", "40.25", "1709211600", "0"]  # fmt: skip
TEXTS = "[" + ", ".join(f'"{each}"' for each in VALUES) + "]"


@dataclass(frozen=True)
class Kind:
    name: str
    entry: str  # of schema.toml; NAME stands for the column's name
    covers: frozenset[str]
    role: str = "feature"  # or "target" or "unit"
    sources: tuple[str, ...] = ("NAME",)  # columns of the table
    codes: int = 1  # columns of the schema that it makes

    @property
    def by_place(self) -> bool:
        return self.role == "target" or (self.sources == ("NAME",) and self.codes == 1)

    def toml(self, name: str) -> str:
        return self.entry.replace("NAME", name)

    def columns(self, name: str) -> list[str]:
        return [each.replace("NAME", name) for each in self.sources]


def _feature(name: str, text: str, *covers: str, **rest) -> Kind:
    head = '[[column]]\nname = "NAME"\n'
    return Kind(name, head + "\n".join(text.split("; ")) + "\n", frozenset(covers), **rest)


def _target(name: str, text: str, *covers: str) -> Kind:
    head = '[target]\ncolumn = "NAME"\n'
    return Kind(name, head + "\n".join(text.split("; ")) + "\n", frozenset(covers), role="target")


FEATURES = [
    _feature("real", 'kind = "real"; lower = -100; upper = 100', "ColumnKind::real", "Scale::linear", "Zero::middle", "MissingRule::midpoint", "DatePart::none"),
    _feature("real of days", 'kind = "real"; lower = -1000000; upper = 1000000', "ColumnKind::real"),
    _feature("real of seconds", 'kind = "real"; lower = -3e9; upper = 3e9', "ColumnKind::real"),
    _feature("real of nanoseconds", 'kind = "real"; lower = -3e18; upper = 3e18', "ColumnKind::real"),
    _feature("real, log", 'kind = "real"; lower = -10; upper = 1e6; scale = "log"', "ColumnKind::real", "Scale::log"),
    _feature("real from its lower bound", 'kind = "real"; lower = 0; upper = 4; zero = "lower"', "ColumnKind::real", "Zero::lower"),
    _feature("real in a style", 'kind = "real"; lower = 0; upper = 2000; decimal = ","; thousands = "."; strip = ["\u20ac"]', "ColumnKind::real"),
    _feature("real, curve", 'kind = "real"; lower = -10; upper = 10; shape = "curve"; pieces = 4', "ColumnKind::real"),
    _feature("integer", 'kind = "integer"; lower = -10; upper = 50', "ColumnKind::integer"),
    _feature("integer, wide", 'kind = "integer"; lower = 0; upper = 2e19', "ColumnKind::integer"),
    _feature("category of texts", f'kind = "category"; values = {TEXTS}; other = true; missing = "category"', "ColumnKind::category", "MissingRule::category", "Compare::text"),
    _feature("category of numbers", 'kind = "category"; values = [1, 0, 3, 2.5, -9, 19782, 1709211600, 9007199254740992, 100000]; missing = "category"; other = true', "ColumnKind::category", "Compare::number"),
    _feature("category of truths", 'kind = "category"; values = [true, false]; other = true; missing = "category"', "ColumnKind::category", "Compare::truth"),
    _feature("category without other", 'kind = "category"; values = ["a", "3", "true"]', "ColumnKind::category", "MissingRule::none"),
    _feature("ordered texts", f'kind = "category"; values = {TEXTS}; ordered = true', "ColumnKind::category"),
    _feature("ordered numbers", 'kind = "category"; values = [0, 1, 2.5, 3, 40.25]; ordered = true', "ColumnKind::category", "Compare::number"),
    _feature("boolean", 'kind = "boolean"; missing = "category"', "ColumnKind::boolean", "MissingRule::category"),
    _feature("boolean, missing is none", 'kind = "boolean"', "ColumnKind::boolean", "MissingRule::none"),
    _feature("date", 'kind = "date"; lower = 1960-01-01; upper = 2030-12-31', "ColumnKind::date"),
    _feature("date, narrow", 'kind = "date"; lower = 2024-02-28; upper = 2024-03-02', "ColumnKind::date"),
    _feature("date in formats", 'kind = "date"; lower = 2024-02-28; upper = 2024-03-02; format = ["%d/%m/%Y %H:%M", "%Y-%m-%dT%H:%M:%S%z", "%Y-%m-%d %H:%M:%S%z"]', "ColumnKind::date"),
    _feature("date with parts", 'kind = "date"; lower = 1960-01-01; upper = 2030-12-31; parts = ["month", "weekday", "hour"]', "ColumnKind::date", "DatePart::month", "DatePart::weekday", "DatePart::hour", codes=4),
    _feature("month", 'kind = "date"; part = "month"', "DatePart::month"),
    _feature("weekday", 'kind = "date"; part = "weekday"', "DatePart::weekday"),
    _feature("hour", 'kind = "date"; part = "hour"; missing = "category"', "DatePart::hour"),
    _feature("days", 'kind = "days"; from = "NAME from"; to = "NAME to"; lower = -40000; upper = 40000', "ColumnKind::days", sources=("NAME to", "NAME from")),
    _feature("days, narrow", 'kind = "days"; from = "NAME from"; to = "NAME to"; lower = -3; upper = 3', "ColumnKind::days", sources=("NAME to", "NAME from")),
]  # fmt: skip

TARGETS = [
    Kind("none", "", frozenset({"TargetKind::none"}), role="target", sources=()),
    _target("binary by texts", 'kind = "binary"; positive = ["a", "3", "true", "2.5", "2024-02-29", "1e16"]', "TargetKind::binary", "Compare::text"),
    _target("binary by numbers", 'kind = "binary"; positive = [1, 3, 19782, 2.5]', "TargetKind::binary", "Compare::number"),
    _target("binary by truth", 'kind = "binary"; positive = true', "TargetKind::binary", "Compare::truth"),
    _target("binary by threshold", 'kind = "binary"; threshold = 0.5', "TargetKind::binary"),
    _target("real target", 'kind = "real"; lower = -100; upper = 100', "TargetKind::real"),
    _target("real target of seconds", 'kind = "real"; lower = -3e9; upper = 3e9', "TargetKind::real"),
    _target("real target in a style", 'kind = "real"; lower = 0; upper = 2000; decimal = ","', "TargetKind::real"),
    _target("classes of texts", f'kind = "class"; values = {TEXTS}', "TargetKind::classes", "Compare::text"),
    _target("classes of numbers", 'kind = "class"; values = [0, 1, 3, 2.5, 19782]', "TargetKind::classes", "Compare::number"),
]  # fmt: skip

NUMBER_TARGET = next(each for each in TARGETS if each.name == "real target")
UNIT = Kind("unit", '[unit]\ncolumn = "NAME"\nrows = 1\n', frozenset(), role="unit")
UNITS = [UNIT, Kind("unit of two rows", '[unit]\ncolumn = "NAME"\nrows = 2\n', frozenset(), role="unit")]

# Texts that mean "no value".
MISSING_LISTS = {
    "default": "",
    "numbers and words": '[format]\nmissing = ["", "40", "99.0", "t", "2019-07-14", "A"]\n',
    "none": "[format]\nmissing = []\n",
}

# The library's lists that FEATURES and TARGETS cover together.
LISTS = ("ColumnKind", "DatePart", "TargetKind", "Compare", "MissingRule", "Scale", "Zero")


def schema_text(missing: str, kinds: list[tuple[Kind, str]]) -> str:
    order = {"unit": 0, "target": 1, "feature": 2}
    parts = sorted(kinds, key=lambda each: order[each[0].role])
    return "version = 1\n" + MISSING_LISTS[missing] + "".join(kind.toml(name) for kind, name in parts)
