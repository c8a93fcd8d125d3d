# SPDX-License-Identifier: Apache-2.0
"""Every form of table that the front doors take, built with declared types.

A container says which columns it can have and makes the table. A form that the package learns to read is added here.
"""

from __future__ import annotations

import bz2
import datetime
import gzip
import pathlib
from collections.abc import Callable
from dataclasses import dataclass

import duckdb
import numpy
import pandas
import polars
import pyarrow
import pyarrow.dataset
import pyarrow.parquet
import scipy.sparse

from columns import ARROW_CELLS, NUMPY_CELLS, PANDAS_CELLS, POLARS_CELLS, Cells, anything, objects
from holding import Cannot, held
from reading import Codes, part_seen
from values import is_missing


@dataclass(frozen=True)
class Container:
    name: str
    cells: list[Cells]
    # (columns by name, draw, folder) -> table. Where `by_place`, columns are the features in order.
    make: Callable
    by_place: bool = False
    one_type: bool = False  # all columns have the same
    files: bool = False
    # (table, schema) -> codes, where the table does not go through dperm.read
    read: Callable | None = None


def _choice(draw, options):
    return options[int(draw.integers(len(options)))]


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


def _lists(columns, draw, folder):
    return [list(row) for row in _rows(columns)]


def _ragged(columns, draw, folder):
    """Missing cells at a row's end need not be there, and what is beyond the last column is not read."""
    rows = [list(row) for row in _rows(columns)]
    for row in rows[1:]:
        while row and is_missing(row[-1]):
            row.pop()
        if len(row) == len(columns):
            row += [row[0]] * int(draw.integers(3))
    return rows


def _tuples(columns, draw, folder):
    return _rows(columns)


def _tuple_of_lists(columns, draw, folder):
    return tuple(list(row) for row in _rows(columns))


def _list_of_arrays(columns, draw, folder):
    return [objects(list(row)) for row in _rows(columns)]


def _layouts(array, draw):
    """The same cells in other places of memory."""
    form = _choice(draw, ["C", "F", "strided", "backwards", "swapped", "read-only"])
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


def _arrays(columns, draw, folder):
    first = next(iter(columns.values()))
    made = numpy.empty((len(first), len(columns)), dtype=first.dtype)
    for place, column in enumerate(columns.values()):
        made[:, place] = column
    return _layouts(made, draw)


def _sparse(columns, draw, folder):
    dense = numpy.stack(list(columns.values()), axis=1)
    made = getattr(scipy.sparse, _choice(draw, ["csr_array", "csc_matrix", "coo_array", "lil_array", "bsr_array", "dia_array", "dok_array"]))(dense)
    return made


SPARSE_CELLS = [each for each in NUMPY_CELLS if each.name.split()[1] in ("bool", "int8", "int64", "uint8", "uint64", "float32", "float64")]

# --- pandas, Polars ---


def _pandas(columns, draw, folder):
    frame = pandas.DataFrame(dict(columns))
    if draw.random() < 0.3:  # an index says nothing
        frame.index = draw.permutation(len(frame))
    return frame


def _polars(columns, draw, folder):
    return polars.DataFrame({name: column.rename(name) for name, column in columns.items()})


def _polars_lazy(columns, draw, folder):
    return _polars(columns, draw, folder).lazy()


def _polars_chunks(columns, draw, folder):
    frame = _polars(columns, draw, folder)
    cut = int(draw.integers(frame.height + 1))
    return polars.concat([frame[:cut], frame[cut:]], rechunk=False)


# --- Arrow, DuckDB ---


def table(columns, draw) -> pyarrow.Table:
    made = pyarrow.table(list(columns.values()), names=list(columns))
    cut = int(draw.integers(1, 8)) if draw.random() < 0.5 else made.num_rows + 1
    batches = made.to_batches(max_chunksize=cut)
    return pyarrow.Table.from_batches(batches, made.schema) if batches else made


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


def _arrow_forms(name: str) -> Callable:
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
            return pyarrow.RecordBatch.from_arrays([each.combine_chunks() if isinstance(each, pyarrow.ChunkedArray) else each for each in columns.values()], names=list(columns))
        return made

    return make


def _without(*words: str) -> list[Cells]:
    return [each for each in ARROW_CELLS if not any(word in each.name for word in words)]


def _only(*names: str) -> list[Cells]:
    return [each for each in ARROW_CELLS if each.name in names]


DUCKDB_CELLS = _without("view", "large", "halffloat", "decimal32", "decimal64", "decimal256", "date64", "null", "dictionary", "Zurich", "+02:00", "timestamp[s, ", "timestamp[ms, ", "timestamp[ns, ", "float16", "union")


def _duckdb(columns, draw, folder):
    return duckdb.from_arrow(table(columns, draw))


# --- files ---


def _line_text(value) -> str:
    """What a text file holds: texts, whole numbers, booleans and days as their texts, and nothing for what is missing.
    (How a fraction is written is the file's style: here fractions are texts.)
    """
    if is_missing(value):
        return ""
    if isinstance(value, (bool, numpy.bool_)):
        return "true" if value else "false"
    if isinstance(value, (int, numpy.integer)) and not isinstance(value, numpy.timedelta64):
        return str(held(value, pyarrow.decimal256(60, 0)))
    if type(value) is datetime.date:
        return value.isoformat()
    text = held(value, pyarrow.string())
    if "\n" in text or "\r" in text:
        raise Cannot
    return text


def _number_text(value) -> str:
    """A value of a LIBSVM file, whose numbers are written in one way."""
    number = held(value, pyarrow.float64())
    if number is None or not numpy.isfinite(number):
        raise Cannot
    return repr(number).removesuffix(".0") if number else "0"


TEXT_CELLS = [Cells("text", _line_text, lambda values, pool: values)]
LIBSVM_CELLS = [Cells("libsvm", _number_text, lambda values, pool: values)]


def _quoted(text: str, delimiter: str, draw) -> str:
    if delimiter in text or '"' in text or text != text.strip() or draw.random() < 0.5:
        return '"' + text.replace('"', '""') + '"'
    return text


def _delimited(ending: str) -> Callable:
    delimiter = "\t" if "tsv" in ending else ","

    def make(columns, draw, folder):
        lines = [delimiter.join(f'"{name}"' for name in columns)]
        lines += [delimiter.join(_quoted(cell, delimiter, draw) for cell in row) for row in _rows(columns)]
        end = _choice(draw, ["\n", "\r\n"])
        return _written(folder, ending, "".join(line + end for line in lines).encode())

    return make


def _written(folder, ending: str, content: bytes) -> str:
    path = pathlib.Path(folder) / f"table.{ending}"
    path.write_bytes(gzip.compress(content, 1) if ending.endswith("gz") else bz2.compress(content, 1) if ending.endswith("bz2") else content)
    return str(path)


def _libsvm(columns, draw, folder):
    """Columns are numbered; zeros may be left out."""
    labels = columns.get("label")
    lines = []
    for place in range(len(next(iter(columns.values())))):
        cells = [(name, cells[place]) for name, cells in columns.items() if name != "label"]
        pairs = [f"{name}:{cell}" for name, cell in cells if float(cell) != 0 or draw.random() < 0.5]
        lines.append(" ".join([labels[place] if labels is not None else "0", *pairs]))
    return _written(folder, "libsvm", "".join(line + "\n" for line in lines).encode())


def _parquet(columns, draw, folder):
    path = str(pathlib.Path(folder) / "table.parquet")
    pyarrow.parquet.write_table(table(columns, draw), path, row_group_size=int(draw.integers(1, 50)), use_dictionary=bool(draw.random() < 0.5), version="2.6", store_schema=bool(draw.random() < 0.7))
    return path


def _ipc(columns, draw, folder):
    path = str(pathlib.Path(folder) / "table.arrow")
    made = table(columns, draw)
    made = made.unify_dictionaries()
    with pyarrow.ipc.new_file(path, made.schema) as file:
        file.write_table(made)
    return path


def _ipc_stream(columns, draw, folder):
    path = str(pathlib.Path(folder) / "table.arrows.arrow")
    made = table(columns, draw)
    with pyarrow.ipc.new_stream(path, made.schema) as file:
        file.write_table(made)
    return path


def _two_files(columns, draw, folder):
    made = table(columns, draw)
    cut = int(draw.integers(made.num_rows + 1))
    paths = []
    for place, part in enumerate((made.slice(0, cut), made.slice(cut))):
        if part.num_rows:
            paths.append(str(pathlib.Path(folder) / f"part{place}.parquet"))
            pyarrow.parquet.write_table(part, paths[-1])
    return paths


# --- Spark: each partition is encoded by itself, as executors do it ---

SPARK_CELLS = _only("arrow bool", "arrow int8", "arrow int16", "arrow int32", "arrow int64", "arrow float", "arrow double", "arrow string", "arrow large_string", "arrow binary",
                    "arrow date32[day]", "arrow timestamp[us]", "arrow timestamp[us, tz=UTC]", "arrow timestamp[us, tz=Europe/Zurich]", "arrow decimal128(38, 0)", "arrow decimal128(20, 4)")  # fmt: skip


def _partitions(columns, draw, folder):
    made = table(columns, draw)
    cuts = sorted({0, made.num_rows, *draw.integers(made.num_rows + 1, size=2).tolist()})
    return [made.slice(a, b - a) for a, b in zip(cuts, cuts[1:])], folder


def _read_partitions(data, schema):
    from dperm.spark import _parts

    parts, folder = data
    described = _parts.Table("neighbours", schema.to_toml(), folder)
    kept = _parts._here, _parts._threads
    codes = []
    try:
        for number, part in enumerate(parts):
            _parts._here, _parts._threads = (lambda number=number: number), (lambda: 1)
            names = [name for name in part.schema.names if name != "unused"]  # the driver selects what the schema names
            chosen = part.select(names)
            batches = [batch.serialize().to_pybytes() for batch in chosen.to_batches()]
            list(_parts.Encode(described, chosen.schema)(iter(batches)))
            codes.append(part_seen(described.path(number), described.part_name(number), schema).codes)
    finally:
        _parts._here, _parts._threads = kept
    return Codes(numpy.concatenate(codes))


# Parquet writes times in seconds as milliseconds, and dates of 64 bits as those of 32; it keeps the rest.
PARQUET_CELLS = _without("union", "view", "null", "dictionary of all", "dictionary<values=decimal", "dictionary<values=bool", "decimal32", "decimal64")

CONTAINERS = [
    Container("lists", [OBJECT], _lists, by_place=True),
    Container("lists, ragged", [OBJECT], _ragged, by_place=True),
    Container("tuples", [OBJECT], _tuples, by_place=True),
    Container("tuple of lists", [OBJECT], _tuple_of_lists, by_place=True),
    Container("list of arrays", [OBJECT], _list_of_arrays, by_place=True),
    Container("NumPy", NUMPY_CELLS, _arrays, by_place=True, one_type=True),
    Container("SciPy", SPARSE_CELLS, _sparse, by_place=True, one_type=True),
    Container("pandas", PANDAS_CELLS, _pandas),
    Container("Polars", POLARS_CELLS, _polars),
    Container("Polars, lazy", POLARS_CELLS, _polars_lazy),
    Container("Polars, in chunks", POLARS_CELLS, _polars_chunks),
    *(Container(f"Arrow {form}", ARROW_CELLS, _arrow_forms(form)) for form in ("table", "reader", "dataset", "exporter", "slice", "batch")),
    Container("DuckDB", DUCKDB_CELLS, _duckdb),
    *(Container(ending, TEXT_CELLS, _delimited(ending), files=True) for ending in ("csv", "tsv", "csv.gz", "csv.bz2")),
    Container("libsvm", LIBSVM_CELLS, _libsvm, one_type=True, files=True),
    Container("parquet", PARQUET_CELLS, _parquet, files=True),
    Container("arrow file", _without("dictionary of all"), _ipc, files=True),
    Container("arrow stream file", _without("dictionary of all"), _ipc_stream, files=True),
    Container("two parquet files", PARQUET_CELLS, _two_files, files=True),
    Container("Spark partitions", SPARK_CELLS, _partitions, files=True, read=_read_partitions),
]  # fmt: skip

# --- targets that come apart ---


def _series(column, draw):
    return column


def _array_label(column, draw):
    return numpy.ascontiguousarray(column) if draw.random() < 0.5 else numpy.repeat(column, 2)[::2]


LABELS = [
    (LABEL, lambda column, draw: list(column)),
    (LABEL, lambda column, draw: tuple(column)),
    *((cells, _array_label) for cells in NUMPY_CELLS),
    *((cells, _series) for cells in PANDAS_CELLS),
    *((cells, _series) for cells in POLARS_CELLS),
    *((cells, _series) for cells in ARROW_CELLS),
    *((cells, lambda column, draw: pyarrow.chunked_array([column[:1], column[1:]])) for cells in ARROW_CELLS),
]  # fmt: skip

