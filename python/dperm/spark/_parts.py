# SPDX-License-Identifier: Apache-2.0
"""What runs where the rows lie: a partition is encoded into tiles on the executor's disk, and answers questions.

Nothing here prints, logs or counts: what is computed from rows goes back as the task's result and nowhere else. Where
tiles lie follows from the table and the partition, so every task on a machine finds those that an earlier one wrote.
"""

from __future__ import annotations

import os
import re
import shutil
import tempfile
from collections.abc import Iterator

import pyarrow

FACTS = "part int, rows long, digest string, version string"
# The disks that Spark gives to an application, and clears when it ends, by manager.
LOCAL = ("SPARK_EXECUTOR_DIRS", "LOCAL_DIRS", "SPARK_LOCAL_DIRS")

_opened: dict = {}  # (table, partition, first row) -> rows; a worker process answers many questions


def folders(given: str) -> list[str]:
    for name in LOCAL if not given else ():
        found = [each for each in re.split(r"[:,]", os.environ.get(name, "")) if os.path.isdir(each)]
        if found:
            return found
    return [given or tempfile.gettempdir()]


class Table:
    """A table in parts: its name, its schema, and where the tiles of a part are on this machine."""

    def __init__(self, name: str, schema: str, folder: str):
        self.name = name
        self.schema = schema
        self.folder = folder

    def parsed(self):
        from dperm import _core

        return _core.Schema.parse(self.schema, "schema")

    def home(self, part: int) -> str:
        every = folders(self.folder)
        return os.path.join(every[part % len(every)], f"dperm-{self.name}")

    def path(self, part: int) -> str:
        return os.path.join(self.home(part), f"part-{part}.tiles")

    def part_name(self, part: int) -> str:
        return f"part {part} of {self.name}"


def _here() -> int:
    from pyspark import TaskContext

    return TaskContext.get().partitionId()


def _threads() -> int:
    from pyspark import TaskContext

    return TaskContext.get().cpus()


class Encode:
    """A partition's records into tiles; what comes out is one row about them. For mapInArrow."""

    def __init__(self, table: Table, columns: pyarrow.Schema):
        self.table = table
        self.columns = columns

    def __call__(self, batches: Iterator[pyarrow.RecordBatch]) -> Iterator[pyarrow.RecordBatch]:
        import dperm
        from dperm import _core

        part = _here()
        os.makedirs(self.table.home(part), mode=0o700, exist_ok=True)
        stream = pyarrow.RecordBatchReader.from_batches(*_as_they_come(batches, self.columns))
        rows, digest = _core.write_part(
            stream.__arrow_c_stream__(),
            self.table.parsed(),
            self.table.part_name(part),
            self.table.path(part),
            _threads(),
        )
        made = {"part": [part], "rows": [rows], "digest": [digest], "version": [dperm.__version__]}
        types = {"part": pyarrow.int32(), "rows": pyarrow.int64(), "digest": pyarrow.string()}
        arrays = [pyarrow.array(cells, types.get(name, pyarrow.string())) for name, cells in made.items()]
        yield pyarrow.RecordBatch.from_arrays(arrays, names=list(made))


def _as_they_come(batches, columns: pyarrow.Schema):
    """Spark says how it writes its types in Arrow in the first batch; without one, the frame's types will do."""
    first = next(batches, None)
    if first is None:
        return columns, iter(())

    def all_of_them():
        yield first
        yield from batches

    return first.schema, all_of_them()


class Answer:
    """Answers one question: (part, its digest, the answer's bytes), or None for bytes where its tiles are not here."""

    def __init__(self, table: Table, firsts: dict[int, int], question: bytes):
        self.table = table
        self.firsts = firsts
        self.question = question

    def __call__(self, facts) -> Iterator[tuple[int, str, bytes | None]]:
        for fact in facts:
            first = self.firsts.get(fact.part)
            rows = None if first is None else _open(self.table, fact, first)
            yield fact.part, fact.digest, None if rows is None else rows.answer(self.question, _threads())


def _open(table: Table, fact, first: int):
    from dperm import _core
    from dperm.errors import DataError

    key = (table.name, fact.part, fact.digest, first)
    if key not in _opened:
        for stale in [each for each in _opened if each[0] != table.name]:
            del _opened[stale]
        path = table.path(fact.part)
        try:
            _opened[key] = _core.PartRows(
                table.parsed(), table.part_name(fact.part), path, fact.rows, fact.digest, first
            )
        except DataError:  # encoded on another machine, or removed
            return None
    return _opened[key]


class Remove:
    """Deletes what this machine keeps of a table."""

    def __init__(self, table: Table):
        self.table = table

    def __call__(self, _) -> Iterator[int]:
        for key in [each for each in _opened if each[0] == self.table.name]:
            del _opened[key]
        for each in folders(self.table.folder):
            shutil.rmtree(os.path.join(each, f"dperm-{self.table.name}"), ignore_errors=True)
        return iter(())


class Same:
    """The rows about parts as they are: what is kept, so that lost ones are made again from the source."""

    def __call__(self, facts):
        return facts


class Add:
    """Two answers with the parts they came from, on the way up a tree."""

    def __call__(self, a, b):
        from dperm import _core

        missing = a[1] is None or b[1] is None
        return a[0] + b[0], None if missing else _core.add_answers(a[1], b[1])
