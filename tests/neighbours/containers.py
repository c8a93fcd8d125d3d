# SPDX-License-Identifier: Apache-2.0
"""Every form of table that the front doors take, built with declared types.

A container says which columns it can have and makes the table. A form that the package learns to read is added here.
"""

from __future__ import annotations

import numpy
import pyarrow

import file_forms
import memory_forms
from columns import ARROW_CELLS, NUMPY_CELLS, PANDAS_CELLS, POLARS_CELLS
from container import Container, without

CONTAINERS = [
    Container("lists", [memory_forms.OBJECT], memory_forms.lists, by_place=True),
    Container("lists, ragged", [memory_forms.OBJECT], memory_forms.ragged, by_place=True),
    Container("tuples", [memory_forms.OBJECT], memory_forms.tuples, by_place=True),
    Container("tuple of lists", [memory_forms.OBJECT], memory_forms.tuple_of_lists, by_place=True),
    Container("list of arrays", [memory_forms.OBJECT], memory_forms.list_of_arrays, by_place=True),
    Container("NumPy", NUMPY_CELLS, memory_forms.arrays, by_place=True, one_type=True),
    Container("SciPy", memory_forms.SPARSE_CELLS, memory_forms.sparse, by_place=True, one_type=True),
    Container("pandas", PANDAS_CELLS, memory_forms.pandas_frame),
    Container("Polars", POLARS_CELLS, memory_forms.polars_frame),
    Container("Polars, lazy", POLARS_CELLS, memory_forms.polars_lazy),
    Container("Polars, in chunks", POLARS_CELLS, memory_forms.polars_chunks),
    *(Container(f"Arrow {form}", ARROW_CELLS, memory_forms.arrow_forms(form)) for form in ("table", "reader", "dataset", "exporter", "slice", "batch")),
    Container("DuckDB", memory_forms.DUCKDB_CELLS, memory_forms.duckdb_relation),
    *(Container(ending, file_forms.TEXT_CELLS, file_forms.delimited(ending), files=True) for ending in ("csv", "tsv", "csv.gz", "csv.bz2")),
    Container("libsvm", file_forms.LIBSVM_CELLS, file_forms.libsvm, one_type=True, files=True),
    Container("parquet", file_forms.PARQUET_CELLS, file_forms.parquet, files=True),
    Container("arrow file", without("dictionary of all"), file_forms.ipc, files=True),
    Container("arrow stream file", without("dictionary of all"), file_forms.ipc_stream, files=True),
    Container("two parquet files", file_forms.PARQUET_CELLS, file_forms.two_files, files=True),
    Container("Spark partitions", file_forms.SPARK_CELLS, file_forms.partitions, files=True, read=file_forms.read_partitions),
]  # fmt: skip

# --- targets that come apart ---


def _series(column, draw):
    return column


def _array_label(column, draw):
    return numpy.ascontiguousarray(column) if draw.random() < 0.5 else numpy.repeat(column, 2)[::2]


LABELS = [
    (memory_forms.LABEL, lambda column, draw: list(column)),
    (memory_forms.LABEL, lambda column, draw: tuple(column)),
    *((cells, _array_label) for cells in NUMPY_CELLS),
    *((cells, _series) for cells in PANDAS_CELLS),
    *((cells, _series) for cells in POLARS_CELLS),
    *((cells, _series) for cells in ARROW_CELLS),
    *((cells, lambda column, draw: pyarrow.chunked_array([column[:1], column[1:]])) for cells in ARROW_CELLS),
]  # fmt: skip
