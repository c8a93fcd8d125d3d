# SPDX-License-Identifier: Apache-2.0
"""Tables in files, and in partitions that are encoded one by one."""

from __future__ import annotations

import bz2
import datetime
import gzip
import os
import pathlib
from collections.abc import Callable

import numpy
import pyarrow
import pyarrow.parquet

from columns import Cells
from container import choice, only, table, without
from holding import Cannot, held
from reading import Codes, part_seen
from values import is_missing

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


def delimited(ending: str) -> Callable:
    delimiter = "\t" if "tsv" in ending else ","

    def make(columns, draw, folder):
        lines = [delimiter.join(f'"{name}"' for name in columns)]
        lines += [delimiter.join(_quoted(cell, delimiter, draw) for cell in row) for row in zip(*columns.values(), strict=True)]
        end = choice(draw, ["\n", "\r\n"])
        return _written(folder, ending, "".join(line + end for line in lines).encode())

    return make


def _written(folder, ending: str, content: bytes) -> str:
    path = pathlib.Path(folder) / f"table.{ending}"
    packed = {"gz": gzip.compress, "bz2": bz2.compress}.get(ending.rpartition(".")[2])
    path.write_bytes(packed(content, 1) if packed else content)
    return str(path)


def libsvm(columns, draw, folder):
    """Columns are numbered; zeros may be left out."""
    labels = columns.get("label")
    lines = []
    for place in range(len(next(iter(columns.values())))):
        cells = [(name, cells[place]) for name, cells in columns.items() if name != "label"]
        pairs = [f"{name}:{cell}" for name, cell in cells if float(cell) != 0 or draw.random() < 0.5]
        lines.append(" ".join([labels[place] if labels is not None else "0", *pairs]))
    return _written(folder, "libsvm", "".join(line + "\n" for line in lines).encode())


def parquet(columns, draw, folder):
    path = str(pathlib.Path(folder) / "table.parquet")
    forms = {"use_dictionary": bool(draw.random() < 0.5), "store_schema": bool(draw.random() < 0.7)}
    pyarrow.parquet.write_table(table(columns, draw), path, row_group_size=int(draw.integers(1, 50)), **forms)
    return path


def ipc(columns, draw, folder):
    path = str(pathlib.Path(folder) / "table.arrow")
    made = table(columns, draw)
    made = made.unify_dictionaries()
    with pyarrow.ipc.new_file(path, made.schema) as file:
        file.write_table(made)
    return path


def ipc_stream(columns, draw, folder):
    path = str(pathlib.Path(folder) / "table.arrows.arrow")
    made = table(columns, draw)
    with pyarrow.ipc.new_stream(path, made.schema) as file:
        file.write_table(made)
    return path


def two_files(columns, draw, folder):
    made = table(columns, draw)
    cut = int(draw.integers(made.num_rows + 1))
    paths = []
    for place, part in enumerate((made.slice(0, cut), made.slice(cut))):
        if part.num_rows:
            paths.append(str(pathlib.Path(folder) / f"part{place}.parquet"))
            pyarrow.parquet.write_table(part, paths[-1])
    return paths


# --- Spark: each partition is encoded by itself, as executors do it ---

SPARK_CELLS = only("arrow bool", "arrow int8", "arrow int16", "arrow int32", "arrow int64", "arrow float", "arrow double", "arrow string", "arrow large_string", "arrow binary",
                    "arrow date32[day]", "arrow timestamp[us]", "arrow timestamp[us, tz=UTC]", "arrow timestamp[us, tz=Europe/Zurich]", "arrow decimal128(38, 0)", "arrow decimal128(20, 4)")  # fmt: skip


def partitions(columns, draw, folder):
    made = table(columns, draw)
    cuts = sorted({0, made.num_rows, *draw.integers(made.num_rows + 1, size=2).tolist()})
    return [made.slice(a, b - a) for a, b in zip(cuts, cuts[1:])], folder


def read_partitions(data, schema):
    from dperm.spark import _parts

    parts, folder = data
    described = _parts.Table("neighbours", schema.to_toml(), folder)
    for home in described.homes():  # the test deletes them: no process has to wait for an executor's end
        os.makedirs(home, exist_ok=True)
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
PARQUET_CELLS = without("union", "view", "null", "dictionary of all", "dictionary<values=decimal", "dictionary<values=bool", "decimal32", "decimal64")
