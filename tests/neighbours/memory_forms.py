# SPDX-License-Identifier: Apache-2.0
"""Tables in memory: lists, NumPy, SciPy, pandas, Polars, Arrow, DuckDB."""

from __future__ import annotations

from collections.abc import Callable

import duckdb
import numpy
import pandas
import polars
import pyarrow
import pyarrow.dataset
import scipy.sparse

from columns import NUMPY_CELLS, Cells, anything, objects
from container import choice, table, without
from holding import Cannot
from values import is_missing

# --- by place: lists, NumPy, SciPy ---

OBJECT = Cells("object", anything, objects)


def _one_cell(value):
    """In a list, a list is a row: the first one of a table says its shape, which is public."""
    if isinstance(value, (list, tuple, numpy.ndarray)):
        raise Cannot
    return value


LABEL = Cells("label", _one_cell, objects)


def _rows(columns) -> list:
    return list(zip(*columns.values(), strict=True))


def lists(columns, draw, folder):
    return [list(row) for row in _rows(columns)]


def ragged(columns, draw, folder):
    """Missing cells at a row's end need not be there, and what is beyond the last column is not read. Most rows say how
    many columns there are."""
    rows = [list(row) for row in _rows(columns)]
    for row in rows[int(draw.integers(3)) :: 3] if len(rows) > 4 else []:
        while row and is_missing(row[-1]):
            row.pop()
        if len(row) == len(columns):
            row += [row[0]] * int(draw.integers(3))
    return rows


def tuples(columns, draw, folder):
    return _rows(columns)


def tuple_of_lists(columns, draw, folder):
    return tuple(list(row) for row in _rows(columns))


def list_of_arrays(columns, draw, folder):
    return [objects(list(row)) for row in _rows(columns)]


def _layouts(array, draw):
    """The same cells in other places of memory."""
    form = choice(draw, ["C", "F", "strided", "backwards", "swapped", "read-only"])
    if form == "F":
        return numpy.asfortranarray(array)
    if form == "strided":
        wide = numpy.empty((2 * array.shape[0], 3 * array.shape[1]), dtype=array.dtype)
        wide[::2, ::3] = array
        return wide[::2, ::3]
    if form == "backwards":
        return numpy.ascontiguousarray(array[::-1])[::-1]
    if form == "swapped" and array.dtype.kind in "iuf" and array.dtype.itemsize in (2, 4, 8):
        return array.astype(array.dtype.newbyteorder())
    made = numpy.ascontiguousarray(array)
    if form == "read-only":
        made.flags.writeable = False
    return made


def arrays(columns, draw, folder):
    first = next(iter(columns.values()))
    made = numpy.empty((len(first), len(columns)), dtype=first.dtype)
    for place, column in enumerate(columns.values()):
        made[:, place] = column
    return _layouts(made, draw)


def sparse(columns, draw, folder):
    dense = numpy.stack(list(columns.values()), axis=1)
    forms = ["csr_array", "csc_matrix", "coo_array", "lil_array", "bsr_array", "dia_array", "dok_array"]
    return getattr(scipy.sparse, choice(draw, forms))(dense)


SPARSE_CELLS = [each for each in NUMPY_CELLS if each.name.split()[1] in ("bool", "int8", "int64", "uint8", "uint64", "float32", "float64")]

# --- pandas, Polars ---


def pandas_frame(columns, draw, folder):
    frame = pandas.DataFrame(dict(columns))
    if draw.random() < 0.3:  # an index says nothing
        frame.index = draw.permutation(len(frame))
    return frame


def polars_frame(columns, draw, folder):
    return polars.DataFrame({name: column.rename(name) for name, column in columns.items()})


def polars_lazy(columns, draw, folder):
    return polars_frame(columns, draw, folder).lazy()


def polars_chunks(columns, draw, folder):
    frame = polars_frame(columns, draw, folder)
    cut = int(draw.integers(frame.height + 1))
    return polars.concat([frame[:cut], frame[cut:]], rechunk=False)


# --- Arrow, DuckDB ---


class Exporter:
    """Nothing but the Arrow C stream interface."""

    def __init__(self, made):
        self.made = made

    def __arrow_c_stream__(self, requested_schema=None):
        return self.made.__arrow_c_stream__(requested_schema)


class Padded:
    """Arrays that begin in the middle of their buffers."""

    @staticmethod
    def of(made: pyarrow.Table) -> pyarrow.Table:
        return pyarrow.concat_tables([made, made]).combine_chunks().slice(made.num_rows)


def arrow_forms(name: str) -> Callable:
    def make(columns, draw, folder):
        made = table(columns, draw)
        if name == "reader":
            return made.to_reader()
        if name == "dataset":
            return pyarrow.dataset.dataset(made)
        if name == "exporter":
            return Exporter(made)
        if name == "slice":
            return Padded.of(made)
        if name == "batch":
            return pyarrow.RecordBatch.from_arrays(list(columns.values()), names=list(columns))
        return made

    return make


DUCKDB_CELLS = without("view", "large", "halffloat", "decimal32", "decimal64", "decimal256", "date64", "null", "dictionary", "union",
                       "Zurich", "+02:00", "timestamp[s, ", "timestamp[ms, ", "timestamp[ns, ")  # fmt: skip


def duckdb_relation(columns, draw, folder):
    return duckdb.from_arrow(table(columns, draw))
