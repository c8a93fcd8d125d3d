# SPDX-License-Identifier: Apache-2.0
"""Columns of NumPy, pandas and plain Python as Arrow arrays.

The rule of this file: a cell goes over as its own value and as nothing else. Columns of one declared type go over as
they are, without a copy where their memory allows it. Objects go over one by one, each under its own type, in an array
that holds several types (a union). The library reads a cell of a union as it reads one of a typed column, so it does not
matter which of them held it, and no cell decides how another is read. No message quotes a cell.
"""

from __future__ import annotations

import datetime
import decimal
import numbers

import numpy
import pyarrow

from dperm.errors import DataError

NUMBERS = "biuf"
COMPLEX = "Complex data not supported: give real and imaginary parts as two columns"
_EPOCH = datetime.datetime(1970, 1, 1)
_UTC_EPOCH = _EPOCH.replace(tzinfo=datetime.timezone.utc)
_MICROSECOND = datetime.timedelta(microseconds=1)
_MOST_DIGITS = 400


def array_of(cells: numpy.ndarray) -> pyarrow.Array:
    """One column of NumPy cells."""
    kind = cells.dtype.kind
    if kind == "c":
        raise DataError(COMPLEX)
    mask = numpy.ma.getmaskarray(cells) if isinstance(cells, numpy.ma.MaskedArray) else None
    cells = numpy.ma.getdata(cells)
    if kind in NUMBERS or kind in "mM":
        if kind == "f" and cells.dtype.itemsize not in (2, 4, 8):
            cells = cells.astype(numpy.float64)
        if not cells.dtype.isnative:
            cells = cells.astype(cells.dtype.newbyteorder("="))
        if kind == "M" and numpy.datetime_data(cells.dtype)[0] in ("Y", "M", "W"):
            cells = cells.astype("M8[D]")
        made = _quiet(lambda: pyarrow.array(cells, mask=mask))
        if made is None:
            raise DataError(f"columns of type {cells.dtype} cannot be read; make them numbers, texts, booleans or dates")
        return made
    values = cells.tolist()
    if mask is not None:
        values = [None if hidden else value for value, hidden in zip(values, mask.tolist(), strict=True)]
    return objects(values)


def series_of(series) -> pyarrow.Array | pyarrow.ChunkedArray:
    """One column of a pandas frame."""
    dtype = series.dtype
    if isinstance(dtype, numpy.dtype):
        return array_of(series.to_numpy())
    if hasattr(dtype, "categories"):
        return _categories(series)
    made = _quiet(lambda: pyarrow.array(series))
    if made is None or isinstance(made.type, pyarrow.BaseExtensionType):  # no type of Arrow's own: intervals, periods
        return objects(series.astype(object).tolist())
    return made


def _categories(series) -> pyarrow.Array:
    """Each level is looked at once where the levels have one type. pandas chooses that type by what records hold, so it
    refuses nothing here: levels that are complex are texts, as such objects are."""
    levels = series.cat.categories
    levels = objects(levels.tolist()) if levels.dtype.kind == "c" else series_of(levels)
    codes = series.cat.codes.to_numpy()
    if isinstance(levels, pyarrow.ChunkedArray):
        levels = levels.combine_chunks()
    if pyarrow.types.is_union(levels.type):
        values = [*series.cat.categories.tolist(), None]  # a missing cell has the code -1
        return objects([values[code] for code in codes.tolist()])
    return pyarrow.DictionaryArray.from_arrays(pyarrow.array(codes, mask=codes < 0), levels)


def _quiet(made):
    """What `made` returns, or None: Arrow's own errors quote cells, also as the context of another error."""
    try:
        return made()
    except (pyarrow.ArrowException, TypeError, ValueError, OverflowError):
        return None


# --- objects ---

# The types of a union, in the order of their codes. All of them are always there, so that its type tells nothing.
_FIELDS = {
    "missing": pyarrow.null(),
    "truth": pyarrow.bool_(),
    "whole": pyarrow.int64(),
    "number": pyarrow.float64(),
    "text": pyarrow.large_binary(),
    "numeral": pyarrow.string(),  # decimal digits: the library knows the name
    "date": pyarrow.date32(),
    "time": pyarrow.timestamp("us"),
    "fine_time": pyarrow.timestamp("ns"),
}
_MISSING, _TRUTH, _WHOLE, _NUMBER, _TEXT, _NUMERAL, _DATE, _TIME, _FINE_TIME = range(len(_FIELDS))


def objects(cells: list) -> pyarrow.Array:
    """Python's own values, one by one. Where all are of one type there is a shorter way to the same.

    A floating-point column may be refused by its type, so objects never become one: a record would decide that.
    """
    types = set(map(type, cells))
    made = None
    if types == {float}:
        numbers_alone = pyarrow.array(numpy.array(cells, dtype=numpy.float64))
        made = _joined({_NUMBER: numbers_alone}, numpy.full(len(cells), _NUMBER), numpy.arange(len(cells)))
    elif types == {int}:
        made = _quiet(lambda: pyarrow.array(numpy.array(cells, dtype=numpy.int64)))
    elif types == {bool}:
        made = pyarrow.array(cells, pyarrow.bool_())
    elif str in types and types <= {str, type(None), float}:
        # Missing texts are NaN in pandas. None where a float is a number, or a text has a lone surrogate.
        made = _quiet(lambda: pyarrow.array(cells, pyarrow.large_string(), from_pandas=True))
    return _union(cells) if made is None else made


def _union(cells: list) -> pyarrow.Array:
    children: list[list] = [[] for _ in _FIELDS]
    children[_MISSING].append(None)
    codes = numpy.empty(len(cells), dtype=numpy.int64)
    offsets = numpy.zeros(len(cells), dtype=numpy.int64)
    readers: dict[type, object] = {}
    for place, cell in enumerate(cells):
        kind = type(cell)
        reader = readers.get(kind)
        if reader is None:
            reader = readers[kind] = _reader_of(kind)
        try:
            code, value = reader(cell)
        except Exception:  # noqa: BLE001 - an object whose own methods fail is a cell that cannot be read
            code, value = _MISSING, None
        codes[place] = code
        if code != _MISSING:
            offsets[place] = len(children[code])
            children[code].append(value)
    return _joined(dict(enumerate(children)), codes, offsets)


def _joined(children: dict, codes, offsets) -> pyarrow.Array:
    """Row i is the cell offsets[i] of the array children[codes[i]]."""
    arrays = [pyarrow.array(children.get(code, []), type_) for code, type_ in enumerate(_FIELDS.values())]
    codes, offsets = pyarrow.array(codes, pyarrow.int8()), pyarrow.array(offsets, pyarrow.int32())
    return pyarrow.UnionArray.from_dense(codes, offsets, arrays, list(_FIELDS), list(range(len(_FIELDS))))


def _reader_of(kind: type):
    """How cells of a type are read: a function of one cell that returns a code and a value for its array."""
    if kind.__name__ in ("NAType", "NaTType", "MaskedConstant"):  # pandas, which need not be there, and NumPy
        return _missing
    for types, reader in _READERS:
        if issubclass(kind, types):
            return reader
    return _other


def _missing(_cell):
    return _MISSING, None


def _truth(cell):
    return _TRUTH, bool(cell)


def _whole(cell):
    value = int(cell)
    if -(1 << 63) <= value < 1 << 63:
        return _WHOLE, value
    if value.bit_length() > 3 * _MOST_DIGITS:
        return _NUMBER, float("inf") if value > 0 else float("-inf")
    return _NUMERAL, str(value)


def _number(cell):
    return _NUMBER, float(cell)


def _decimal(cell):
    if cell.is_nan():
        return _MISSING, None
    if not cell.is_finite() or abs(cell.adjusted()) > _MOST_DIGITS:
        return _NUMBER, float(cell)
    return _NUMERAL, format(cell, "f")


def _text(cell):
    return _TEXT, str.encode(cell, "utf-8", "surrogatepass")


def _bytes(cell):
    return _TEXT, bytes(cell)


def _time(cell):
    """Moments with a zone are those of UTC, as in typed columns."""
    rest = 0
    if hasattr(cell, "nanosecond"):  # pandas
        rest, cell = cell.nanosecond, cell.to_pydatetime(warn=False)
    aware = cell.utcoffset() is not None
    ticks = (cell - _UTC_EPOCH if aware else cell.replace(tzinfo=None) - _EPOCH) // _MICROSECOND
    return (_FINE_TIME, 1000 * ticks + rest) if rest else (_TIME, ticks)


def _date(cell):
    return _DATE, cell


def _numpy_time(cell):
    if numpy.isnat(cell):
        return _MISSING, None
    if not 1 <= int(cell.astype("M8[Y]").astype(numpy.int64)) + 1970 <= 9999:
        return _TEXT, b"outside the calendar"  # as the library writes such a moment
    unit = numpy.datetime_data(cell.dtype)[0]
    if unit in ("Y", "M", "W", "D"):
        return _DATE, cell.astype("M8[D]").astype(object)
    if unit in ("ns", "ps", "fs", "as"):
        return _FINE_TIME, int(cell.astype("M8[ns]").astype(numpy.int64))
    return _TIME, int(cell.astype("M8[us]").astype(numpy.int64))


def _span(cell):
    return _missing(cell) if numpy.isnat(cell) else _other(cell)


def _other(cell):
    return _text(str(cell))


_READERS = (
    (type(None), _missing),
    ((bool, numpy.bool_), _truth),
    (numpy.timedelta64, _span),  # an integer to NumPy
    ((int, numpy.integer), _whole),
    ((float, numpy.floating), _number),
    (str, _text),
    ((bytes, bytearray, memoryview), _bytes),
    (decimal.Decimal, _decimal),
    (numpy.datetime64, _numpy_time),
    (datetime.datetime, _time),
    (datetime.date, _date),
    (numbers.Real, _number),
)
