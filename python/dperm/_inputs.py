# SPDX-License-Identifier: Apache-2.0
"""Tables of every kind as Arrow streams, which is how the library takes them in.

What is refused here is refused by public facts: shapes, types, names. What cells hold is the library's to treat, by the
schema's rules, and it never refuses a record. Columns that the schema does not name are not looked at.
"""

from __future__ import annotations

import collections
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

    kind: str  # "files", "array", "lists", "sparse", "frame", "described" or "named"
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
        wanted = set(_core.read_columns(schema))
        stream = from_source(lambda: self._stream(names, target, labels, raised, wanted).__arrow_c_stream__())
        strict = bool(files.get("strict"))
        try:
            found = _core.read_stream(stream, schema, threads, strict, target_required)
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

    def _stream(self, names, target, labels, raised: list | None = None, wanted: set[str] | None = None):
        """`wanted` are the columns to look at, where they go by name; None for all."""
        if self.names is not None:
            chosen = self.names if wanted is None else [name for name in self.names if name.strip() in wanted]
            source = _NAMED[self.kind](self.source, self.names, chosen)
            return source if labels is None else _joined(source, target, labels, raised)
        made = _PLACED[self.kind](self.source, list(names) + ([target] if labels is not None else []), labels)
        first = next(made)
        if first.num_rows == self.rows:
            return pyarrow.RecordBatchReader.from_batches(first.schema, [first])
        return pyarrow.RecordBatchReader.from_batches(first.schema, _kept(itertools.chain([first], made), raised))


def _kept(batches, raised: list | None) -> Iterator[pyarrow.RecordBatch]:
    """A stream tells only that its producer failed; Ctrl-C and our own errors have to come out as what they are."""
    try:
        yield from batches
    except BaseException as error:
        if raised is not None and not isinstance(error, GeneratorExit) and _is_ours(error):
            raised.append(error)
        raise


def _is_ours(error: BaseException) -> bool:
    return isinstance(error, (ArgumentError, DataError)) or not isinstance(error, Exception)


def from_source(made):
    """What a source hands over. Its own errors may quote cells (a failed cast does), so none of them comes out, not even
    as the context of ours."""
    try:
        return made()
    except Exception as error:
        if _is_ours(error):
            raise
    raise DataError(
        "the table could not be had from its source, whose own error may quote records and is not shown; run the query, "
        "the scan or the conversion by itself to see it"
    )


def table_of(data) -> Table:
    files = paths_of(data)
    if files is not None:
        return Table("files", files)
    if is_pandas(data):
        return _pandas_table(data)
    if is_described(data):
        names = described_names(data)
        _refuse_twins(names)
        return Table("described", data, names=names, width=len(names))
    if hasattr(data, "__arrow_c_stream__"):
        names = _stream_names(data)
        if names is None:  # only the stream itself knows them; taken once
            data = from_source(lambda: pyarrow.RecordBatchReader.from_stream(data))
            names = list(data.schema.names)
        _refuse_twins(names)
        return Table("named", data, names=names, width=len(names), rows=_length(data))
    if hasattr(data, "tocsr"):
        matrix = data.tocsr()
        _check_shape(matrix.shape)
        if matrix.dtype.kind == "c":
            raise DataError(_cells.COMPLEX)
        return Table("sparse", matrix, width=matrix.shape[1], rows=matrix.shape[0])
    if _is_list(data):
        shape = _list_shape(data)
        _check_shape(shape)
        return Table("lists", data, width=shape[1], rows=shape[0])
    array = numpy.asanyarray(data)
    if array.dtype.kind == "c":
        raise DataError(_cells.COMPLEX)
    _check_shape(array.shape)
    return Table("array", array, width=array.shape[1], rows=array.shape[0])


def _is_list(data) -> bool:
    """Rows one by one. NumPy would choose one type for all of them by what they hold."""
    return isinstance(data, (list, tuple)) or isinstance(data, numpy.ndarray) and data.ndim == 1 and data.dtype == object


def _is_row(row) -> bool:
    return isinstance(row, (list, tuple)) or isinstance(row, numpy.ndarray) and row.ndim == 1


def _list_shape(rows) -> tuple[int, ...]:
    """The shape that most of its rows have: a list has no type that would say it, and no single row may decide it."""
    widths = collections.Counter(len(row) if _is_row(row) else -1 for row in rows)
    width = max(widths, key=lambda each: (widths[each], each), default=-1)
    return (len(rows),) if width < 0 else (len(rows), width)


def is_described(data) -> bool:
    """Tables that are only described yet: pyarrow's datasets and Polars' lazy frames."""
    return hasattr(data, "scanner") or type(data).__name__ == "LazyFrame"


def described_names(data) -> list[str]:
    return from_source(lambda: list(data.schema.names if hasattr(data, "scanner") else data.collect_schema().names()))


def described_columns(data, _names, chosen):
    """The columns that are looked at, and no others: what is not wanted is not computed."""
    if hasattr(data, "scanner"):
        return data.scanner(columns=chosen).to_reader()
    return data.select(chosen).collect()


def _frame_columns(frame, names, chosen) -> pyarrow.Table:
    places = {name: place for place, name in enumerate(names)}
    return pyarrow.table([_cells.series_of(frame.iloc[:, places[name]]) for name in chosen], names=chosen)


def _stream_columns(data, names, chosen):
    """Tables in memory hand over what is wanted; of other streams the library takes it."""
    in_memory = isinstance(data, pyarrow.Table) or type(data).__module__.partition(".")[0] == "polars"
    return data.select(chosen) if in_memory and len(chosen) < len(names) else data


def is_pandas(data) -> bool:
    return type(data).__module__.partition(".")[0] == "pandas" and hasattr(data, "columns")


def _pandas_table(frame) -> Table:
    names = [str(name) for name in frame.columns]
    _refuse_twins(names)
    _check_shape(frame.shape)
    return Table("frame", frame, names=names, width=len(names), rows=len(frame))


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
        return from_source(lambda: pyarrow.chunked_array(labels))
    in_list = isinstance(labels, (list, tuple))
    array = None if in_list else numpy.asanyarray(labels)
    shape = _list_shape(labels) if in_list else array.shape
    if len(shape) != 1:
        raise ArgumentError(f"y should be a 1d array, got an array of shape {shape} instead.", "y")
    return _cells.objects(list(labels)) if in_list else _cells.array_of(array)


def _array_batches(array, names, labels) -> Iterator[pyarrow.RecordBatch]:
    """Columns that lie together in memory go over as they are; others block by block."""
    rows = array.shape[0]
    together = array.strides[0] == array.itemsize or isinstance(array, numpy.ma.MaskedArray)
    block = rows if together or array.dtype.kind not in _cells.NUMBERS else BLOCK_ROWS
    for start in range(0, rows, block):
        part = array[start : start + block].T
        part = part if together else numpy.ascontiguousarray(part)
        yield _batch(part, names, labels, start)


def _list_batches(rows, names, labels) -> Iterator[pyarrow.RecordBatch]:
    """Cells one by one. A row that is too short has missing cells at its end, as a line of a file has, and what is
    beyond the last column is not read."""
    width = len(names) - (labels is not None)
    blank = (None,) * width
    cells = [(*(row if _is_row(row) else ()), *blank)[:width] for row in rows]
    yield _joined_batch([_cells.objects(list(column)) for column in zip(*cells, strict=True)], names, labels, 0)


def _sparse_batches(matrix, names, labels) -> Iterator[pyarrow.RecordBatch]:
    """The library keeps dense rows: a sparse matrix is written out a block at a time."""
    block = max(1, SPARSE_BLOCK_CELLS // matrix.shape[1])
    for start in range(0, matrix.shape[0], block):
        yield _batch(numpy.ascontiguousarray(matrix[start : start + block].toarray().T), names, labels, start)


def _batch(columns, names, labels, start) -> pyarrow.RecordBatch:
    return _joined_batch([_cells.array_of(column) for column in columns], names, labels, start)


def _joined_batch(arrays, names, labels, start) -> pyarrow.RecordBatch:
    if labels is not None:
        arrays.append(_slice(labels, start, len(arrays[0])))
    return pyarrow.RecordBatch.from_arrays(arrays, names=names)


_PLACED = {"array": _array_batches, "lists": _list_batches, "sparse": _sparse_batches}
_NAMED = {"frame": _frame_columns, "described": described_columns, "named": _stream_columns}


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
