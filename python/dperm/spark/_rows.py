# SPDX-License-Identifier: Apache-2.0
"""The driver's side: a dataset whose sums are Spark jobs over the partitions of a DataFrame."""

from __future__ import annotations

import inspect
import secrets
import weakref

import pyarrow

import dperm
from dperm import _core
from dperm.errors import ArgumentError, DataError
from dperm.model import Dataset
from dperm.planning import Plan
from dperm.planning import plan as planned
from dperm.schema import Schema
from dperm.spark import _parts

FAILED = (
    "Spark could not finish a job over the rows. What it says may quote records, so it is not repeated here; it stands "
    "in Spark's own logs. Does a transformation of the DataFrame fail on some record (a cast, a UDF)? Use one that does "
    "not, such as try_cast, or leave text to dperm. Else see that dperm and pyarrow are on every executor, and that its "
    "disk is not full. If a fit was running, count its budget as spent"
)
# Seconds of a Spark job besides the rows' own work; measured: docs/scaling_machines.md.
PASS_OVERHEAD = 0.15


class SourceChanged(DataError):
    """A partition that was read again is not what it was. The fit has ended; its budget is spent."""


class SparkDataset(Dataset):
    """The rows of a DataFrame, encoded where they lie. Close it, or use it in a `with` block, to delete the tiles.

    Every pass of a fit is one Spark job in which each partition answers with exact integers. They are keyed by
    partition and know which rows they count, so tasks that run twice change nothing. A partition that is lost is
    encoded again from its source and must be what it was.
    """

    def __init__(self, frame, schema: Schema, *, folder: str = "", depth: int = 1):
        if type(frame).__module__.startswith("pyspark.sql.connect"):
            raise ArgumentError("Spark Connect does not offer what this needs; use a classic session", "frame")
        self._context = frame.sparkSession.sparkContext
        if depth > 1:
            _require_plain_shuffles(self._context)
        self._depth = depth
        self._table = _parts.Table(secrets.token_hex(8), schema.to_toml(), folder)
        chosen = _chosen(frame, schema)
        columns = _arrow_schema(chosen)
        _check_columns(self._table, schema, columns)
        encode = _parts.Encode(self._table, columns)
        batches = _ran(lambda: _arrow_batches(chosen))
        self._encoded = batches.mapPartitions(encode, preservesPartitioning=True)
        self._kept = batches.mapPartitions(encode, preservesPartitioning=True).persist(_level())
        self._finalizer = weakref.finalize(self, _remove, self._context, self._kept, self._table)
        self._facts = {each.part: (each.rows, each.digest) for each in self._first_facts()}
        self._firsts, rows = {}, 0
        for part in sorted(self._facts):
            self._firsts[part] = rows
            rows += self._facts[part][0]
        if rows == 0:
            raise DataError("the DataFrame holds no record")
        # The dataset asks through a weak reference, so that it goes when nobody holds it.
        me = weakref.ref(self)
        core = _core.remote_dataset(schema._core, rows, lambda question: me()._ask(question))
        super().__init__(core, schema._core.persons_without_unit(list(frame.columns), rows))

    def plan(self, *, epsilon: float, delta: float, method: str = "auto", **task) -> Plan:
        """dperm.plan for these rows. A `time_limit` counts the cluster's cores and one job a pass."""
        if task.get("time_limit") is not None:
            task.setdefault("cores", self._context.defaultParallelism)
            task.setdefault("pass_overhead", PASS_OVERHEAD)
        return planned(self.schema, rows=self.rows, epsilon=epsilon, delta=delta, method=method, **task)

    def close(self) -> None:
        """Deletes the tiles on the executors."""
        self._finalizer()

    def __enter__(self) -> SparkDataset:
        return self

    def __exit__(self, *_) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"SparkDataset({self.rows} rows)"  # how many partitions Spark makes may depend on records

    def _refuse(self, plan) -> None:
        if "holdout" in plan.details or plan.algorithm == "tuned":
            raise ArgumentError(
                "rows on Spark are not kept out by number; leave `holdout` and `tune` away, and evaluate on a "
                "DataFrame of its own",
                "holdout",
            )

    def _refuse_public(self) -> None:
        raise ArgumentError("rows on Spark are not looked at one by one: give `epsilon`, or read public rows on one machine")

    def _first_facts(self) -> list:
        facts = [_parts.Fact.unpacked(each) for each in _ran(self._kept.collect)]
        versions = {each.version for each in facts}
        if versions != {dperm.__version__}:
            raise ArgumentError(
                f"the driver has dperm {dperm.__version__} and executors have {', '.join(sorted(versions))}; "
                "install one version everywhere"
            )
        return facts

    def _ask(self, question: bytes) -> bytes:
        """One question, to every partition: one job, and another where tiles were not where the task ran."""
        if not self._finalizer.alive:
            raise ArgumentError("this dataset is closed; its tiles are deleted")
        answer = _parts.Answer(self._table, self._firsts, question)
        if self._depth > 1:
            return self._from_tree(answer)
        return self._sum(_ran(self._kept.mapPartitions(answer).collect), answer)

    def _sum(self, told: list, answer) -> bytes:
        answers: dict[int, bytes] = {}
        missing = []
        for fact, found in told:
            part = self._checked(fact)
            if found is None:
                missing.append(part)
            else:
                answers[part] = found
        if missing:  # a task ran where its tiles are not: that partition is encoded there
            answered = self._encoded.mapPartitions(answer)
            for fact, found in _ran(lambda: self._context.runJob(answered, list, partitions=missing)):
                part = self._checked(fact)
                if found is not None:
                    answers[part] = found
        if answers.keys() != self._facts.keys():
            raise DataError("tiles of some partitions cannot be kept on the executors; is their disk full?")
        total = None
        for found in answers.values():
            total = found if total is None else _core.add_answers(total, found)
        return total

    def _from_tree(self, answer) -> bytes:
        """Answers added in executors on their way; only where tiles are missing partition by partition."""
        pairs = self._kept.mapPartitions(answer).map(lambda told: ([told[0]], told[1]))
        facts, total = _ran(lambda: pairs.treeReduce(_parts.Add(), self._depth))
        parts = [self._checked(fact) for fact in facts]
        if total is None or sorted(parts) != sorted(self._facts):
            return self._sum(_ran(self._kept.mapPartitions(answer).collect), answer)
        return total

    def _checked(self, packed: bytes) -> int:
        """The part that a fact is about, if it is what it was."""
        fact = _parts.Fact.unpacked(packed)
        if self._facts.get(fact.part) != (fact.rows, fact.digest):
            self.close()
            raise SourceChanged(
                "a partition was read again from its source and is not what it was: the source is not deterministic, "
                "or it was changed. Nothing is released; count the budget of this fit as spent"
            )
        return fact.part


def _ran(job):
    """What a job returns. What Spark raises may quote records: it is dropped, not chained."""
    try:
        return job()
    except Exception:  # noqa: BLE001 - whatever it was
        pass
    raise DataError(FAILED)


def _chosen(frame, schema: Schema):
    """The columns that the schema names, and no others: records travel to Python with no cell too many."""
    from pyspark.sql import functions

    wanted = _core.part_columns(schema._core)
    missing = [name for name in wanted if name not in frame.columns]
    if missing:
        raise DataError(f"the DataFrame has no column '{missing[0]}'")
    return frame.select(*(functions.col(f"`{name.replace('`', '``')}`") for name in wanted))


def _arrow_schema(frame) -> pyarrow.Schema:
    """The types in which Spark hands the frame's records over: its settings have a part in them."""
    from pyspark.sql.pandas.types import to_arrow_schema

    conf = frame.sparkSession.conf
    large = str(conf.get("spark.sql.execution.arrow.useLargeVarTypes", "false")).lower() == "true"
    given = {"timezone": "UTC", "prefers_large_types": large}
    known = inspect.signature(to_arrow_schema).parameters
    if large and "prefers_large_types" not in known:
        raise ArgumentError("this version of Spark needs spark.sql.execution.arrow.useLargeVarTypes=false here")
    return to_arrow_schema(frame.schema, **{name: value for name, value in given.items() if name in known})


def _arrow_batches(frame):
    """The records as an RDD of Arrow's bytes. mapInArrow would do the same in the open, but it counts the bytes that it
    sends to Python, and Spark writes that number, in which every text has its length, into its event log.
    """
    from pyspark import RDD
    from pyspark.serializers import NoOpSerializer

    return RDD(frame._jdf.toArrowBatchRdd().toJavaRDD(), frame.sparkSession.sparkContext, NoOpSerializer())


def _check_columns(table: _parts.Table, schema: Schema, columns: pyarrow.Schema) -> None:
    """What is wrong with names and types is said here, before any job."""
    empty = pyarrow.RecordBatchReader.from_batches(columns, iter(()))
    _core.write_part(empty.__arrow_c_stream__(), schema._core, table.name, _unused_path(table), 1)


def _unused_path(table: _parts.Table) -> str:
    import os
    import tempfile

    return os.path.join(tempfile.gettempdir(), f"dperm-{table.name}.tiles")


def _level():
    """Not as serialized bytes: Spark compresses those, and the length would depend on digests."""
    from pyspark import StorageLevel

    return StorageLevel.MEMORY_AND_DISK_DESER


def _require_plain_shuffles(context) -> None:
    """Compressed, the length of a sum would tell something about it, and Spark writes lengths into its event log."""
    if context.getConf().get("spark.shuffle.compress", "true") != "false":
        raise ArgumentError("a tree of sums needs spark.shuffle.compress=false: lengths would depend on records")


def _remove(context, kept, table: _parts.Table) -> None:
    """Deletes the tiles: where they were written, and where else tasks may have run."""
    try:
        if context._jsc is None:
            return  # Spark has ended, and its folders with it
        kept.mapPartitions(_parts.Remove(table)).collect()
        kept.unpersist()
        tasks = 2 * max(context.defaultParallelism, 1)
        context.parallelize(range(tasks), tasks).mapPartitions(_parts.Remove(table)).collect()
    except Exception:  # noqa: BLE001 - whoever closes has what they wanted; Spark clears its folders at its end
        pass
