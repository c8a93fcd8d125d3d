# SPDX-License-Identifier: Apache-2.0
"""Columns of declared types in pandas, Polars and NumPy: which values they hold, and how they are built."""

from __future__ import annotations

import datetime
from collections.abc import Callable
from dataclasses import dataclass

import numpy
import pandas
import polars
import pyarrow

from holding import ARROW, Cannot, arrow_array, held
from values import is_missing


@dataclass(frozen=True)
class Cells:
    """A type of column. `build` gets held values and the pool they were drawn from, which is public."""

    name: str
    hold: Callable
    build: Callable


def objects(values, pool=None) -> numpy.ndarray:
    made = numpy.empty(len(values), dtype=object)
    for place, each in enumerate(values):
        made[place] = each
    return made


def anything(value):
    return value


def of(type_: pyarrow.DataType, *, missing: bool = True) -> Callable:
    def hold(value):
        if not missing and is_missing(value):
            raise Cannot
        return held(value, type_)

    return hold


# --- Arrow ---


def _arrow(type_) -> Cells:
    return Cells(f"arrow {type_}", of(type_), lambda values, pool: arrow_array(values, type_))


def _pooled(type_) -> Cells:
    """A dictionary that has every value of the pool, used or not, one twice and one null."""

    def build(values, pool):
        entries = [*pool, *pool[:1], None]
        places = [entries.index(each) if each is not None else None for each in values]
        return pyarrow.DictionaryArray.from_arrays(pyarrow.array(places, pyarrow.int16()), arrow_array(entries, type_))

    return Cells(f"arrow dictionary of all {type_}", of(type_), build)


UNION = [pyarrow.null(), pyarrow.bool_(), pyarrow.int64(), pyarrow.uint64(), pyarrow.float64(), pyarrow.string(), pyarrow.binary(), pyarrow.date32(), pyarrow.timestamp("us"),
         pyarrow.timestamp("us", "UTC"), pyarrow.decimal128(20, 4)]  # fmt: skip


def _in_union(value):
    """The first type of the union that holds the value, and the cell there."""
    for number, type_ in enumerate(UNION):
        try:
            return number, held(value, type_)
        except Cannot:
            continue
    raise Cannot


def _dense(values, pool):
    children = [[] for _ in UNION]
    places = []
    for number, cell in values:
        places.append(len(children[number]))
        children[number].append(cell)
    arrays = [arrow_array(cells, type_) for cells, type_ in zip(children, UNION, strict=True)]
    return pyarrow.UnionArray.from_dense(pyarrow.array([number for number, _ in values], pyarrow.int8()), pyarrow.array(places, pyarrow.int32()), arrays)


def _sparse_union(values, pool):
    arrays = [arrow_array([cell if number == at else None for number, cell in values], type_) for at, type_ in enumerate(UNION)]
    return pyarrow.UnionArray.from_sparse(pyarrow.array([number for number, _ in values], pyarrow.int8()), arrays)


UNION_CELLS = [Cells("arrow dense_union", _in_union, _dense), Cells("arrow sparse_union", _in_union, _sparse_union)]
ARROW_CELLS = [*UNION_CELLS, *map(_arrow, ARROW), *(_pooled(each) for each in (pyarrow.string(), pyarrow.int64(), pyarrow.bool_(), pyarrow.timestamp("us"), pyarrow.float64()))]

# --- NumPy ---

INTEGERS = ["int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64"]
_ARROW_OF = {name: getattr(pyarrow, name)() for name in [*INTEGERS, "float16", "float32", "float64"]} | {"bool": pyarrow.bool_()}
_TIME_UNITS = ["s", "ms", "us", "ns"]


def _numpy(name: str) -> Cells:
    floating = name.startswith("float")

    def build(values, pool):
        return numpy.array([numpy.nan if each is None else each for each in values], dtype=name)

    return Cells(f"numpy {name}", of(_ARROW_OF[name], missing=floating), build)


def _numpy_times(unit: str) -> Cells:
    def build(values, pool):
        ticks = numpy.array([numpy.iinfo(numpy.int64).min if each is None else each for each in values], dtype=numpy.int64)
        return ticks.view(f"datetime64[{unit}]")

    return Cells(f"numpy datetime64[{unit}]", of(pyarrow.timestamp(unit)), build)


def _plain_text(value) -> str:
    made = of(pyarrow.string(), missing=False)(value)
    if made.endswith("\x00"):
        raise Cannot
    return made


def _plain_bytes(value) -> bytes:
    made = of(pyarrow.binary(), missing=False)(value)
    if made.endswith(b"\x00"):
        raise Cannot
    return made


def _date_hold(value):
    return of(pyarrow.date32())(value)


def _durations(value):
    if is_missing(value):
        return numpy.timedelta64("NaT")
    if type(value) is not datetime.timedelta:
        raise Cannot
    return numpy.timedelta64(value)


def _complex(value):
    if isinstance(value, (complex, float, int)) and not isinstance(value, bool):
        try:
            return complex(value)
        except OverflowError:
            pass
    raise Cannot


NUMPY_CELLS = [
    *map(_numpy, _ARROW_OF),
    Cells("numpy longdouble", of(pyarrow.float64()), lambda values, pool: numpy.array([numpy.nan if each is None else each for each in values], dtype=numpy.longdouble)),
    *map(_numpy_times, _TIME_UNITS),
    Cells("numpy datetime64[D]", _date_hold, lambda values, pool: numpy.array([None if each is None else each for each in values], dtype="datetime64[D]")),
    Cells("numpy timedelta64[us]", _durations, lambda values, pool: numpy.array(values, dtype="timedelta64[us]")),
    Cells("numpy U", _plain_text, lambda values, pool: numpy.array(values, dtype="U40")),
    Cells("numpy S", _plain_bytes, lambda values, pool: numpy.array(values, dtype="S8")),
    Cells("numpy text", of(pyarrow.string()), lambda values, pool: numpy.array(values, dtype=numpy.dtypes.StringDType(na_object=None))),
    Cells("numpy complex", _complex, lambda values, pool: numpy.array(values, dtype=complex)),
    Cells("numpy object", anything, objects),
]  # fmt: skip

# --- pandas ---


def _nullable(name: str, type_) -> Cells:
    """Built from values and a mask, so that no conversion lies between."""

    def build(values, pool):
        mask = numpy.array([each is None for each in values], dtype=bool)
        filled = numpy.array([0 if each is None else each for each in values], dtype=type_.to_pandas_dtype())
        kind = {"b": pandas.arrays.BooleanArray, "f": pandas.arrays.FloatingArray}.get(filled.dtype.kind, pandas.arrays.IntegerArray)
        return pandas.Series(kind(filled, mask))

    return Cells(f"pandas {name}", of(type_), build)


def _typed(name: str, cells: Cells) -> Cells:
    return Cells(f"pandas {name}", cells.hold, lambda values, pool: pandas.Series(cells.build(values, pool)))


def _pandas_texts(name: str) -> Cells:
    return Cells(f"pandas {name}", of(pyarrow.string()), lambda values, pool: pandas.Series(objects(values), dtype=name))


def _zoned(unit: str, zone: str) -> Cells:
    def build(values, pool):
        plain = pandas.Series(_numpy_times(unit).build(values, pool))
        return plain.dt.tz_localize("UTC").dt.tz_convert(zone)

    return Cells(f"pandas datetime64[{unit}, {zone}]", of(pyarrow.timestamp(unit, "UTC")), build)


def _categorical(name: str, hold, index) -> Cells:
    """Categories are declared: those of the pool, used or not."""

    def build(values, pool):
        categories = list(dict.fromkeys(each for each in pool if not is_missing(each)))
        codes = [-1 if is_missing(each) else categories.index(each) for each in values]
        return pandas.Series(pandas.Categorical.from_codes(codes, categories=index(categories)))

    return Cells(f"pandas category of {name}", hold, build)


def _hashable(value):
    """What an Index of objects keeps apart from all else in the pool."""
    if isinstance(value, (str, int)) and not isinstance(value, (bool, numpy.bool_)) and type(value).__module__ == "builtins":
        return value
    if is_missing(value):
        return None
    raise Cannot


def _objects_index(categories):
    return pandas.Index(objects(categories), dtype=object)


def _pandas_durations(values, pool):
    return pandas.Series(numpy.array(values, dtype="timedelta64[us]"))


def _arrow_dtype(type_) -> Cells:
    def build(values, pool):
        return pandas.Series(pandas.arrays.ArrowExtensionArray(arrow_array(values, type_)))

    return Cells(f"pandas ArrowDtype {type_}", of(type_), build)


def _sparse(name: str, fill) -> Cells:
    cells = _numpy(name)
    return Cells(f"pandas Sparse[{name}]", cells.hold, lambda values, pool: pandas.Series(pandas.arrays.SparseArray(cells.build(values, pool), fill_value=fill)))


def _period(value):
    if is_missing(value):
        return pandas.NaT
    if not isinstance(value, pandas.Period):
        raise Cannot
    return value


PANDAS_CELLS = [
    Cells("pandas object", anything, lambda values, pool: pandas.Series(objects(values), dtype=object)),
    *(_typed(name, _numpy(name)) for name in _ARROW_OF if name != "float16"),
    *(_nullable(name.title().replace("Ui", "UI"), _ARROW_OF[name]) for name in [*INTEGERS, "float32", "float64"]),
    _nullable("boolean", pyarrow.bool_()),
    *map(_pandas_texts, ["string[python]", "string[pyarrow]", "str"]),
    *(_typed(f"datetime64[{unit}]", _numpy_times(unit)) for unit in _TIME_UNITS),
    *(_zoned(unit, zone) for unit in ("s", "ns") for zone in ("UTC", "Europe/Zurich", "+02:00")),
    _categorical("texts", of(pyarrow.string()), lambda found: pandas.Index(objects(found), dtype="str")),
    _categorical("texts as objects", of(pyarrow.string()), _objects_index),
    _categorical("integers", of(pyarrow.int64()), lambda found: pandas.Index(found, dtype="int64")),
    _categorical("numbers", of(pyarrow.float64()), lambda found: pandas.Index(found, dtype="float64")),
    _categorical("booleans", of(pyarrow.bool_()), lambda found: pandas.Index(found, dtype="bool")),
    _categorical("texts and integers", _hashable, _objects_index),
    _categorical("dates", _date_hold, _objects_index),
    *map(_arrow_dtype, [each for each in ARROW if not pyarrow.types.is_null(each)]),
    _sparse("float64", numpy.nan),
    _sparse("float64", 0.0),
    _sparse("int64", 0),
    _sparse("bool", False),
    Cells("pandas timedelta64", _durations, _pandas_durations),
    Cells("pandas period", _period, lambda values, pool: pandas.Series(values, dtype="period[D]")),
    Cells("pandas complex", _complex, lambda values, pool: pandas.Series(numpy.array(values, dtype=complex))),
]  # fmt: skip

# --- Polars ---


def _polars(name: str, dtype, type_) -> Cells:
    return Cells(f"polars {name}", of(type_), lambda values, pool: polars.Series(values, dtype=dtype, strict=True))


def _polars_times(unit: str, zone: str | None) -> Cells:
    def build(values, pool):
        made = polars.Series(values, dtype=polars.Int64).cast(polars.Datetime(unit))
        return made if zone is None else made.dt.replace_time_zone("UTC").dt.convert_time_zone(zone)

    return Cells(f"polars Datetime({unit}, {zone})", of(pyarrow.timestamp(unit, zone)), build)


def _enum(values, pool):
    return polars.Series(values, dtype=polars.Enum(list(dict.fromkeys(each for each in pool if each is not None))))


POLARS_CELLS = [
    *(_polars(name, getattr(polars, name.title().replace("Ui", "UI")), _ARROW_OF[name]) for name in [*INTEGERS, "float32", "float64"]),
    _polars("Boolean", polars.Boolean, pyarrow.bool_()),
    _polars("String", polars.String, pyarrow.string()),
    _polars("Categorical", polars.Categorical, pyarrow.string()),
    Cells("polars Enum", of(pyarrow.string()), _enum),
    _polars("Binary", polars.Binary, pyarrow.binary()),
    _polars("Date", polars.Date, pyarrow.date32()),
    _polars("Decimal", polars.Decimal(20, 4), pyarrow.decimal128(20, 4)),
    _polars("Null", polars.Null, pyarrow.null()),
    *(_polars_times(unit, zone) for unit in ("ms", "us", "ns") for zone in (None, "UTC", "Europe/Zurich")),
]  # fmt: skip
