# SPDX-License-Identifier: Apache-2.0
"""Columns of NumPy, pandas and plain Python as Arrow arrays.

A rule for this file: what a cell becomes depends on that cell and on the type of its column, never on other cells,
and no message quotes a cell. Numbers, times and booleans go over as they are, without a copy where their memory allows
it. Objects go over one by one as texts: the library reads numbers, dates and labels from texts as it does for files.
"""

from __future__ import annotations

import numpy
import pyarrow

from dperm.errors import DataError

NUMBERS = "biuf"
TIMES = "mM"


def array_of(cells) -> pyarrow.Array:
    """One column of NumPy cells."""
    kind = cells.dtype.kind
    if kind == "c":
        raise DataError("Complex data not supported: give real and imaginary parts as two columns")
    if kind in NUMBERS:
        if kind == "f" and cells.dtype.itemsize not in (4, 8):
            cells = cells.astype(numpy.float64)
        if not cells.dtype.isnative:
            cells = cells.astype(cells.dtype.newbyteorder("="))
        return pyarrow.array(cells)
    if kind in TIMES:
        return _or_refuse(cells, cells.dtype)
    return texts_of(cells)


def series_of(series) -> pyarrow.Array | pyarrow.ChunkedArray:
    """One column of a pandas frame."""
    dtype = series.dtype
    if isinstance(dtype, numpy.dtype):
        return array_of(series.to_numpy())
    return _or_refuse(series, dtype)


def _or_refuse(cells, dtype) -> pyarrow.Array:
    try:
        return pyarrow.array(cells)
    except (pyarrow.ArrowException, TypeError, ValueError):
        raise DataError(
            f"columns of type {dtype} cannot be read; make them numbers, texts, booleans or dates"
        ) from None


def texts_of(cells) -> pyarrow.Array:
    """Objects as texts, one by one; what is missing stays missing."""
    cells = numpy.asarray(cells, dtype=object)
    try:
        return pyarrow.array(cells, pyarrow.string(), from_pandas=True)  # quick, where all of them are texts
    except (pyarrow.ArrowException, UnicodeError, TypeError, ValueError):
        return pyarrow.array([_text(cell) for cell in cells], pyarrow.string())


def _text(cell) -> str | None:
    if cell is None or type(cell).__name__ in ("NAType", "NaTType"):
        return None
    if isinstance(cell, (float, numpy.floating)):
        number = float(cell)
        return None if number != number else repr(number).removesuffix(".0")
    if isinstance(cell, (bool, numpy.bool_)):
        return "true" if cell else "false"  # as columns of booleans are read
    if isinstance(cell, bytes):
        return cell.decode("utf-8", "replace")
    try:
        return str(cell).encode("utf-8", "replace").decode()
    except Exception:  # an object's own str failed: a cell that cannot be read, like any other
        return None


def plain_array(values) -> numpy.ndarray:
    """Lists and array-likes: numbers where all are numbers, else objects, which become texts one by one."""
    if isinstance(values, numpy.ndarray):
        return values
    if hasattr(values, "__array__") and not isinstance(values, (list, tuple)):
        return numpy.asarray(values)
    try:
        made = numpy.asarray(values)
    except ValueError:
        made = None
    if made is None or made.dtype.kind not in NUMBERS + "Oc":
        try:
            made = numpy.array(values, dtype=object)
        except ValueError:
            raise DataError("rows must have the same number of columns") from None
    if made.ndim == 1 and made.dtype == object and len(made) > 0 and isinstance(made[0], (list, tuple)):
        raise DataError("rows must have the same number of columns")
    return made
