# SPDX-License-Identifier: Apache-2.0
"""What runs where the rows lie: a partition is encoded into tiles on the executor's disk, and answers questions.

Nothing here prints, logs or counts: what is computed from rows goes back as the task's result and nowhere else, and its
length depends on public numbers alone, because Spark writes lengths of results down. Where tiles lie follows from the
table, the executor and the partition, so every task of an executor finds those that an earlier one wrote.
"""

from __future__ import annotations

import glob
import os
import re
import shutil
import struct
import tempfile
from collections.abc import Iterator
from typing import NamedTuple

import pyarrow

from dperm.spark import _tidy

# The disks that Spark gives to an application, and clears when it ends, by manager.
LOCAL = ("SPARK_EXECUTOR_DIRS", "LOCAL_DIRS", "SPARK_LOCAL_DIRS")


class Fact(NamedTuple):
    """About a partition. Packed it has one length, whatever it says."""

    part: int
    rows: int
    digest: str
    version: str

    def packed(self) -> bytes:
        return _FACT.pack(self.part, self.rows, self.digest.encode(), self.version.encode())

    @staticmethod
    def unpacked(packed: bytes) -> Fact:
        part, rows, digest, version = _FACT.unpack(packed)
        return Fact(part, rows, digest.decode(), version.rstrip(b"\0").decode())


_FACT = struct.Struct("<iq64s32s")
_opened: dict = {}  # (table, partition, first row) -> rows; a worker process answers many questions


def folders(given: str) -> list[str]:
    for name in LOCAL if not given else ():
        found = [each for each in re.split(r"[:,]", os.environ.get(name, "")) if os.path.isdir(each)]
        if found:
            return found
    return [given or tempfile.gettempdir()]


def _executor() -> int:
    """A process that ends when the executor does: the one that started this worker."""
    return os.getppid()


class Table:
    """A table in parts: its name, its schema, and where this executor keeps the tiles of a part."""

    def __init__(self, name: str, schema: str, folder: str):
        self.name = name
        self.schema = schema
        self.folder = folder

    def parsed(self):
        from dperm import _core

        return _core.Schema.parse(self.schema, "schema")

    def homes(self) -> list[str]:
        return [os.path.join(each, f"dperm-{self.name}-{_executor()}") for each in folders(self.folder)]

    def path(self, part: int) -> str:
        every = self.homes()
        return os.path.join(every[part % len(every)], f"part-{part}.tiles")

    def settle(self) -> None:
        """Makes the folders. Whoever makes the first of them sees to it that they go when the executor ends."""
        homes = self.homes()
        os.makedirs(os.path.dirname(homes[0]), exist_ok=True)
        try:
            os.mkdir(homes[0], mode=0o700)
        except FileExistsError:
            pass
        else:
            _tidy.start(_executor(), homes)
        for each in homes[1:]:
            os.makedirs(each, mode=0o700, exist_ok=True)

    def remove(self) -> None:
        """Deletes what this machine keeps, all of its executors."""
        for each in folders(self.folder):
            for home in glob.glob(os.path.join(glob.escape(each), f"dperm-{self.name}-*")):
                shutil.rmtree(home, ignore_errors=True)

    def part_name(self, part: int) -> str:
        return f"part {part} of {self.name}"


def _here() -> int:
    from pyspark import TaskContext

    return TaskContext.get().partitionId()


def _threads() -> int:
    from pyspark import TaskContext

    return TaskContext.get().cpus()


class Encode:
    """A partition's records into tiles; what comes out is one fact about them. Records come as batches in Arrow's bytes."""

    def __init__(self, table: Table, columns: pyarrow.Schema):
        self.table = table
        self.columns = columns.serialize().to_pybytes()

    def __call__(self, batches: Iterator[bytes]) -> Iterator[bytes]:
        from dperm.errors import ArgumentError, DataError, InternalError

        try:
            fact = self._encoded(_here(), batches)
        except (ArgumentError, DataError, InternalError):  # they quote no cell
            raise
        except Exception as error:  # noqa: BLE001 - other packages may quote cells, and Spark writes down what is raised
            failed = type(error).__name__
        else:
            yield fact.packed()
            return
        raise RuntimeError(f"tiles of a partition cannot be made: {failed}")

    def _encoded(self, part: int, batches: Iterator[bytes]) -> Fact:
        import dperm
        from dperm import _core

        self.table.settle()
        columns = pyarrow.ipc.read_schema(pyarrow.py_buffer(self.columns))
        read = (pyarrow.ipc.read_record_batch(pyarrow.py_buffer(each), columns) for each in batches)
        stream = pyarrow.RecordBatchReader.from_batches(columns, read)
        rows, digest = _core.write_part(
            stream.__arrow_c_stream__(),
            self.table.parsed(),
            self.table.part_name(part),
            self.table.path(part),
            _threads(),
        )
        return Fact(part, rows, digest, dperm.__version__)


class Answer:
    """Answers one question: (fact, the answer's bytes), or None for bytes where its tiles are not here."""

    def __init__(self, table: Table, firsts: dict[int, int], question: bytes):
        self.table = table
        self.firsts = firsts
        self.question = question

    def __call__(self, facts: Iterator[bytes]) -> Iterator[tuple[bytes, bytes | None]]:
        for packed in facts:
            fact = Fact.unpacked(packed)
            first = self.firsts.get(fact.part)
            rows = None if first is None else _open(self.table, fact, first)
            yield packed, None if rows is None else rows.answer(self.question, _threads())


def _open(table: Table, fact: Fact, first: int):
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
        self.table.remove()
        return iter(())


class Add:
    """Two answers with the facts of the parts they came from, on the way up a tree."""

    def __call__(self, a, b):
        from dperm import _core

        missing = a[1] is None or b[1] is None
        return a[0] + b[0], None if missing else _core.add_answers(a[1], b[1])
