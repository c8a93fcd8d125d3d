# SPDX-License-Identifier: Apache-2.0
"""Tables of every kind as Arrow streams, which is how the library takes them in.

What is refused here is refused by public facts: shapes, types, names. What cells hold is the library's to treat, by the
schema's rules, and it never refuses a record.
"""

from __future__ import annotations

import itertools
import os
from collections.abc import Iterator
from dataclasses import dataclass

import numpy
import pyarrow

from dperm import _cells, _core
from dperm.errors import ArgumentError, DataError

BLOCK_ROWS = 65536
SPARSE_BLOCK_CELLS = 1 << 22

_forked = False


def _after_fork() -> None:
    global _forked
    _forked = True


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_after_fork)


def threads_of(threads: int) -> int:
    """Threads of the parent are not there after a fork: a child works with the one that it has."""
    return 1 if _forked else int(threads)


def paths_of(data) -> list[str] | None:
    """Files by path; None for anything else."""
    if isinstance(data, (str, os.PathLike)):
        return [os.fspath(data)]
    if isinstance(data, (list, tuple)) and data and all(isinstance(each, (str, os.PathLike)) for each in data):
        return [os.fspath(each) for each in data]
    return None


@dataclass
class Table:
    """Records as they were given. `names` is None where columns go by place, `rows` where they are not known yet."""

    kind: str  # "files", "array", "sparse" or "named"
    source: object
    names: list[str] | None = None
    width: int | None = None
    rows: int | None = None

    def read(
        self,
        schema: _core.Schema,
        *,
        names=None,
        target: str = "",
        labels=None,
        threads: int = 0,
        target_required: bool = True,
        **files,
    ) -> _core.Dataset:
        """`names` are given to columns that go by place, `labels` are a column called `target`."""
        threads = threads_of(threads)
        if self.kind == "files":
            return _core.read_files(
                self.source,
                schema,
                os.fspath(files.get("tiles") or ""),
                threads,
                bool(files.get("strict")),
                files.get("format") or "",
                target_required,
            )
        raised: list[BaseException] = []
        stream = self._stream(names, target, labels, raised)
        strict = bool(files.get("strict"))
        try:
            found = _core.read_stream(stream.__arrow_c_stream__(), schema, threads, strict, target_required)
        except DataError:
            if raised:
                raise raised[0] from None
            raise
        if labels is not None and len(labels) != found.rows:  # a stream tells its rows at its end
            raise ArgumentError(_inconsistent(found.rows, labels), "y")
        return found

    def persons(self, schema: _core.Schema, rows: int, format: str = "") -> list[str]:
        """Columns that seem to tell persons apart, by their names, where the schema has no unit."""
        names = _core.column_names(self.source, schema, format) if self.kind == "files" else self.names or []
        return schema.persons_without_unit(names, rows)

    def _stream(self, names, target, labels, raised: list | None = None):
        if self.kind == "named":
            return self.source if labels is None else _joined(self.source, target, labels, raised)
        batches = _array_batches if self.kind == "array" else _sparse_batches
        made = batches(self.source, list(names) + ([target] if labels is not None else []), labels)
        first = next(made)
        if first.num_rows == self.rows:
            return pyarrow.RecordBatchReader.from_batches(first.schema, [first])
        return pyarrow.RecordBatchReader.from_batches(first.schema, _kept(itertools.chain([first], made), raised))


def _kept(batches, raised: list | None) -> Iterator[pyarrow.RecordBatch]:
    """A stream tells only that its producer failed; Ctrl-C in the producer has to come out as what it is."""
    try:
        yield from batches
    except BaseException as error:
        if raised is not None and not isinstance(error, GeneratorExit):
            raised.append(error)
        raise


def table_of(data) -> Table:
    files = paths_of(data)
    if files is not None:
        return Table("files", files)
    if _is_pandas(data):
        return _pandas_table(data)
    data = _collected(data)
    if hasattr(data, "__arrow_c_stream__"):
        names = _stream_names(data)
        if names is None:  # only the stream itself knows them; taken once
            data = pyarrow.RecordBatchReader.from_stream(data)
            names = list(data.schema.names)
        _refuse_twins(names)
        return Table("named", data, names=names, width=len(names), rows=_length(data))
    if hasattr(data, "tocsr"):
        matrix = data.tocsr()
        _check_shape(matrix.shape)
        if matrix.dtype.kind == "c":
            raise DataError("Complex data not supported: give real and imaginary parts as two columns")
        return Table("sparse", matrix, width=matrix.shape[1], rows=matrix.shape[0])
    array = _cells.plain_array(data)
    if array.dtype.kind == "c":
        raise DataError("Complex data not supported: give real and imaginary parts as two columns")
    _check_shape(array.shape)
    return Table("array", array, width=array.shape[1], rows=array.shape[0])


def _collected(data):
    """Tables that are only described yet: pyarrow's datasets batch by batch, Polars' lazy frames at once."""
    if hasattr(data, "scanner"):
        return data.scanner().to_reader()
    return data.collect() if type(data).__name__ == "LazyFrame" else data


def _is_pandas(data) -> bool:
    return type(data).__module__.partition(".")[0] == "pandas" and hasattr(data, "columns")


def _pandas_table(frame) -> Table:
    names = [str(name) for name in frame.columns]
    _refuse_twins(names)
    _check_shape(frame.shape)
    columns = [_cells.series_of(frame.iloc[:, place]) for place in range(len(names))]
    return Table("named", pyarrow.table(columns, names=names), names=names, width=len(names), rows=len(frame))


def _check_shape(shape) -> None:
    if len(shape) != 2:
        raise ArgumentError(
            f"Expected 2D array, got {len(shape)}D array instead. Reshape your data: array.reshape(-1, 1) for a single "
            "column, array.reshape(1, -1) for a single row",
            "X",
        )
    if shape[0] == 0:
        raise ArgumentError(
            f"Found array with 0 sample(s) (shape={tuple(shape)}) while a minimum of 1 is required.", "X"
        )
    if shape[1] == 0:
        raise ArgumentError(
            f"Found array with 0 feature(s) (shape={tuple(shape)}) while a minimum of 1 is required.", "X"
        )


def _refuse_twins(names: list[str]) -> None:
    twins = sorted({name for name in names if names.count(name) > 1}) if len(set(names)) < len(names) else []
    if twins:
        raise ArgumentError(f"two columns are called '{twins[0]}'; give each a name of its own", "X")


def _stream_names(data) -> list[str] | None:
    names = getattr(data, "column_names", None) or getattr(data, "columns", None)
    if isinstance(names, list) and all(isinstance(name, str) for name in names):
        return list(names)
    schema = getattr(data, "schema", None)
    if isinstance(schema, pyarrow.Schema):
        return list(schema.names)
    return None


def _length(data) -> int | None:
    try:
        return len(data)
    except TypeError:
        return None


def _inconsistent(rows: int, labels) -> str:
    return f"Found input variables with inconsistent numbers of samples: {[rows, len(labels)]}"


def labels_of(labels, rows: int | None) -> pyarrow.Array | pyarrow.ChunkedArray:
    """One column of targets; as many as there are rows."""
    made = _label_array(labels)
    if rows is not None and len(made) != rows:
        raise ArgumentError(_inconsistent(rows, made), "y")
    return made


def _label_array(labels):
    if isinstance(labels, (pyarrow.Array, pyarrow.ChunkedArray)):
        return labels
    if type(labels).__module__.partition(".")[0] == "pandas":
        if getattr(labels, "ndim", 1) == 1:
            return _cells.series_of(labels)
        labels = labels.to_numpy()
    if hasattr(labels, "__arrow_c_stream__") and not hasattr(labels, "columns"):
        return pyarrow.chunked_array(labels)
    array = _cells.plain_array(labels)
    if array.ndim != 1:
        raise ArgumentError(f"y should be a 1d array, got an array of shape {array.shape} instead.", "y")
    return _cells.array_of(array)


def _array_batches(array, names, labels) -> Iterator[pyarrow.RecordBatch]:
    """Columns that lie together in memory go over as they are; others block by block."""
    rows = array.shape[0]
    together = array.strides[0] == array.itemsize
    block = rows if together or array.dtype.kind not in _cells.NUMBERS else BLOCK_ROWS
    for start in range(0, rows, block):
        part = array[start : start + block].T
        part = part if together else numpy.ascontiguousarray(part)
        yield _batch(part, names, labels, start)


def _sparse_batches(matrix, names, labels) -> Iterator[pyarrow.RecordBatch]:
    """The library keeps dense rows: a sparse matrix is written out a block at a time."""
    block = max(1, SPARSE_BLOCK_CELLS // matrix.shape[1])
    for start in range(0, matrix.shape[0], block):
        yield _batch(numpy.ascontiguousarray(matrix[start : start + block].toarray().T), names, labels, start)


def _batch(columns, names, labels, start) -> pyarrow.RecordBatch:
    arrays = [_cells.array_of(column) for column in columns]
    if labels is not None:
        arrays.append(_slice(labels, start, len(arrays[0])))
    return pyarrow.RecordBatch.from_arrays(arrays, names=names)


def _slice(labels, start, length) -> pyarrow.Array:
    part = labels.slice(start, length)
    return part.combine_chunks() if isinstance(part, pyarrow.ChunkedArray) else part


def _joined(source, target, labels, raised: list | None = None) -> pyarrow.RecordBatchReader:
    """A stream with one more column."""
    reader = pyarrow.RecordBatchReader.from_stream(source)
    if target in reader.schema.names:
        raise ArgumentError(f"the table has a column '{target}' already; name the target's column as y", "y")
    schema = reader.schema.append(pyarrow.field(target, labels.type))

    def batches():
        start = 0
        for batch in reader:
            part = _slice(labels, start, batch.num_rows)
            if len(part) < batch.num_rows:
                part = pyarrow.concat_arrays([part, pyarrow.nulls(batch.num_rows - len(part), labels.type)])
            start += batch.num_rows
            yield pyarrow.RecordBatch.from_arrays([*batch.columns, part], schema=schema)

    return pyarrow.RecordBatchReader.from_batches(schema, _kept(batches(), raised))


def column(name: str, cells) -> pyarrow.Table:
    """A table of one column."""
    return pyarrow.table([cells], names=[name])


def reader_of(data) -> pyarrow.RecordBatchReader:
    """Any table in memory as record batches."""
    table = table_of(data)
    names = [f"x{place}" for place in range(table.width or 0)]
    return pyarrow.RecordBatchReader.from_stream(table._stream(names, "", None))


def types_of(data) -> list[tuple[str, pyarrow.DataType, list | None, bool]]:
    """Name, type, levels and whether these belong to the type, of every column."""
    if _is_pandas(data):
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
    if paths_of(data) is not None:
        raise ArgumentError("types are read off tables in memory; for files: dperm schema init FILE", "table")
    data = _collected(data)
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
    reader = reader_of(data)
    batch = next(iter(reader), None)
    for place, field in enumerate(reader.schema):
        levels = None
        if pyarrow.types.is_dictionary(field.type) and batch is not None:
            levels = batch.column(place).dictionary.to_pylist()
        found.append((field.name, pyarrow.string() if levels is not None else field.type, levels, False))
    return found
