# SPDX-License-Identifier: Apache-2.0
"""dperm.spark on a cluster of processes: the same bits as one machine, whatever happens to partitions and executors."""

import dataclasses
import unittest
import unittest.mock

import cluster
import pyarrow
import slow
from spark_case import ALONE, ROWS, TABLE, TASKS, SparkCase, fitted, schema

import dperm
import dperm.spark


SICK = ["gradient descent", "sgd", "rules"]


class OneExecutor(SparkCase):
    executors = 1

    def test_models_are_those_of_one_machine(self):
        for partitions in (1, 2, 7):
            self.expect_same_bits(partitions, SICK)


class TwoExecutors(SparkCase):
    def test_models_are_those_of_one_machine(self):
        for partitions in (1, 2, 7):
            self.expect_same_bits(partitions, SICK)
        self.expect_same_bits(2, ["output perturbation"])
        with self.read(2, "cost") as rows:
            self.assertEqual(fitted("sufficient statistics", rows), ALONE["sufficient statistics"])
        self.assertEqual(self.cluster.tiles(), [], "tiles are deleted at the end")

    def test_sums_that_are_added_in_a_tree_are_the_same(self):
        self.expect_same_bits(7, ["gradient descent"], depth=2)

    def test_a_killed_executor_changes_nothing(self):
        with self.read(4) as rows:
            self.assertEqual(len(self.cluster.tiles()), 4)
            victim = self.cluster.holders(rows._kept)[0]
            ask, asked = rows._ask, []

            def killing(question):
                asked.append(1)
                if len(asked) == 3:
                    cluster.kill(victim)
                    for path in self.cluster.tiles():  # its disk is gone with it; the other has its tiles open
                        path.unlink(missing_ok=True)
                return ask(question)

            rows._ask = killing
            self.assertEqual(fitted("gradient descent", rows), ALONE["gradient descent"])
            self.assertNotIn(victim, self.cluster.executors())
            self.assertNotEqual(self.cluster.tiles(), [], "its partitions were encoded again")

    def test_a_source_that_gives_other_records_ends_the_fit(self):
        from pyspark.sql import functions

        clock = functions.udf(lambda: float(__import__("time").time_ns() % 60), "double").asNondeterministic()
        frame = self.session.read.parquet(self.path).coalesce(1).withColumn("hours", clock())
        with dperm.spark.read(frame, schema("sick")) as rows:
            ask, asked = rows._ask, []

            def forgetting(question):
                asked.append(1)
                if len(asked) == 3:
                    rows._kept.unpersist(blocking=True)
                return ask(question)

            rows._ask = forgetting
            with self.assertRaisesRegex(dperm.spark.SourceChanged, "count the budget of this fit as spent"):
                fitted("gradient descent", rows)
            self.assertEqual(len(asked), 3)
            with self.assertRaisesRegex(dperm.ArgumentError, "closed"):
                fitted("gradient descent", rows)

    def test_skewed_and_empty_partitions_and_tiles_that_are_gone(self):
        frame = self.placed(3, lambda row: 0 if row.id < 10 else 2)
        with dperm.spark.read(frame, schema("sick")) as rows:
            self.assertEqual([rows._facts[part][0] for part in sorted(rows._facts)], [10, 0, ROWS - 10])
            self.assertEqual(len(self.cluster.tiles()), 2)
            for path in self.cluster.tiles():  # not opened yet by anyone
                self.assertEqual(path.stat().st_mode & 0o777, 0o600)
                self.assertEqual(path.parent.stat().st_mode & 0o777, 0o700)
                path.unlink()
            self.assertEqual(fitted("gradient descent", rows), ALONE["gradient descent"])

    def test_tasks_that_run_twice_count_once(self):
        """A task fails after half of its rows and runs again; an answer comes twice."""

        def failing(index, rows):
            from pyspark import TaskContext

            for place, row in enumerate(rows):
                if index == 0 and place == 700 and TaskContext.get().attemptNumber() == 0:
                    raise RuntimeError("a machine went down")
                yield row

        with dperm.spark.read(self.placed(2, lambda row: int(row.id >= 1500), failing), schema("sick")) as rows:
            sum_of, asked = rows._sum, []

            def twice(told, answer):
                asked.append(len(told))
                return sum_of(told + told[:1], answer)

            rows._sum = twice
            self.assertEqual(fitted("gradient descent", rows), ALONE["gradient descent"])
            self.assertEqual(asked, [2] * 5)
        self.assertIn("a machine went down", self.cluster.event_log())

    def test_records_arrive_as_spark_has_them(self):
        from dperm.spark import _rows

        frame = self.session.sql(
            "select * from values (true, 1Y, 2L, 1.5D, 1.25BD, 'a', X'00ff', date'2024-02-29', timestamp'2024-02-29 12:00:00', "
            "timestamp_ntz'2024-02-29 12:00:00'), (null, null, null, null, null, null, null, null, null, null)"
        )
        for large in ("false", "true"):
            self.session.conf.set("spark.sql.execution.arrow.useLargeVarTypes", large)
            self.addCleanup(self.session.conf.unset, "spark.sql.execution.arrow.useLargeVarTypes")
            columns, found = _rows._arrow_schema(frame), _rows._arrow_batches(frame).collect()
            batches = [pyarrow.ipc.read_record_batch(pyarrow.py_buffer(each), columns) for each in found]
            self.assertEqual(pyarrow.Table.from_batches(batches), frame.toArrow())

    def test_one_number(self):
        frame = self.session.read.parquet(self.path)
        how = {"bounds": (0, 2000), "epsilon": 1, "delta": 0, "random_state": 3}
        for mine, alone in (
            (dperm.spark.mean(frame, "cost", **how), dperm.mean(TABLE["cost"], **how)),
            (dperm.spark.median(frame, "cost", **how), dperm.median(TABLE["cost"], **how)),
            (
                dperm.spark.quantile(frame, "cost", 0.9, interval=0.95, **how),
                dperm.quantile(TABLE["cost"], 0.9, interval=0.95, **how),
            ),
        ):
            self.assertEqual((mine.value, mine.interval), (alone.value, alone.interval))

    def test_models_are_judged_as_on_one_machine(self):
        frame = self.session.read.parquet(self.path)
        how = {"epsilon": 1, "random_state": 3}
        for name, more in (("gradient descent", {}), ("rules", {"groups": "city"}), ("sufficient statistics", {})):
            model = dperm.Model.from_json(ALONE[name])
            mine = dperm.spark.evaluate(model, frame, **how, **more)
            alone = dperm.evaluate(model, dperm.read(TABLE, schema(TASKS[name][0])), **how, **more)
            self.assertEqual(str(dataclasses.asdict(mine)), str(dataclasses.asdict(alone)))  # as text: some are NaN
        self.assertEqual(self.cluster.tiles(), [], "tiles are deleted at the end")

    def test_what_cannot_be_is_refused_before_a_job(self):
        frame = self.session.read.parquet(self.path)
        with self.assertRaisesRegex(dperm.DataError, "no column 'city'"):
            dperm.spark.read(frame.drop("city"), schema("sick"))
        with self.assertRaisesRegex(dperm.ArgumentError, "unit"):
            of_persons = schema("sick").to_toml() + '\n[unit]\ncolumn = "id"\nrows = 2\n'
            dperm.spark.read(frame, dperm.Schema.from_toml(of_persons))
        with dperm.spark.read(frame, schema("sick")) as rows:
            rows._ask = None  # a question would raise another error
            held = dperm.plan(schema("sick"), rows=ROWS, epsilon=1, delta=1e-6, holdout=0.2)
            budget = {"epsilon": 1, "delta": 1e-6}
            model = dperm.Model.from_json(ALONE["gradient descent"])
            for why, ask in {
                "DataFrame of its own": lambda: dperm.fit(held, rows),
                "one machine": lambda: dperm.evaluate(model, rows, public=True),
                "once the rows are read, 1 are allowed": lambda: rows.plan(method="sgd", time_limit=1, **budget),
                "kept out": lambda: dperm.LogisticRegression(bounds=schema("sick"), holdout=0.2, **budget).fit(rows),
            }.items():
                with self.subTest(why), self.assertRaisesRegex(dperm.ArgumentError, why):
                    ask()
            self.assertEqual(rows.plan(method="sgd", time_limit=1000, **budget).method, "sgd")


class TwoMachines(SparkCase):
    """Two addresses are two machines for Spark, so that it starts copies of slow tasks."""

    @classmethod
    def setUpClass(cls):
        cls.hosts = cluster.Hosts(["127.0.0.2", "127.0.0.3"])
        cls.cluster = cluster.Cluster(
            2,
            cls.hosts,
            **{
                "spark.speculation": "true",
                "spark.speculation.interval": "100ms",
                "spark.speculation.multiplier": "1.2",
                "spark.speculation.quantile": "0.5",
                "spark.locality.wait": "100ms",
                "spark.cores.max": "2",
                "spark.python.task.killTimeout": "100ms",
            },
        )
        cls.session = cls.cluster.session
        cls.path = cls.write_people()

    @classmethod
    def tearDownClass(cls):
        super().tearDownClass()
        cls.hosts.stop()

    def test_copies_of_slow_tasks_count_once(self):
        frame = self.placed(2, lambda row: int(row.id >= 1500), slow.encoding)

        def late(yes: bool):
            self.cluster.context.setLocalProperty(slow.PROPERTY, "yes" if yes else None)

        late(True)
        with dperm.spark.read(frame, schema("sick")) as rows:
            sum_of = rows._sum

            def in_time(told, answer):
                late(False)  # a partition that is encoded anew where its copy ran is one task: Spark starts no copy
                try:
                    return sum_of(told, answer)
                finally:
                    late(True)

            rows._sum = in_time
            with unittest.mock.patch("dperm.spark._parts.Answer", slow.Answer):
                self.assertEqual(fitted("two steps", rows), ALONE["two steps"])
            late(False)
        self.assertGreaterEqual(len(self.cluster.stages_won_by_copies()), 2, "the encoding and passes")


if __name__ == "__main__":
    unittest.main()
