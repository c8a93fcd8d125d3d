# SPDX-License-Identifier: Apache-2.0
"""dperm.spark on a cluster of processes: the same bits as one machine, whatever happens to partitions and executors."""

import dataclasses
import os
import sys
import traceback
import unittest
import unittest.mock

import cluster

if why := cluster.missing():
    print(f"skipped: {why}")
    sys.exit(0)

# Java processes that live for seconds: compiling and collecting thoroughly would take most of their time.
os.environ.setdefault("JDK_JAVA_OPTIONS", "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC")

import numpy  # noqa: E402
import pandas  # noqa: E402
import pyarrow  # noqa: E402
import pyarrow.parquet  # noqa: E402

import dperm  # noqa: E402
import dperm.spark  # noqa: E402
import slow  # noqa: E402

ROWS = 3000
MARK = "zyzzyva"  # a cell's text that must not turn up anywhere
CITIES = ["north", "south", MARK]


def people() -> pandas.DataFrame:
    draw = numpy.random.default_rng(5)
    age = draw.integers(18, 90, ROWS)
    city = draw.choice(CITIES, ROWS)
    sick = (age + 10 * (city == "north") + draw.normal(0, 10, ROWS)) > 55
    return pandas.DataFrame(
        {
            "id": numpy.arange(ROWS),
            "age": age,
            "hours": draw.uniform(0, 60, ROWS),
            "city": city,
            "sick": numpy.where(sick, "yes", "no"),
            "cost": 20.0 * age + draw.normal(0, 50, ROWS),
        }
    )


def schema(target: str) -> dperm.Schema:
    columns = [
        dperm.Column.number("age", 18, 90),
        dperm.Column.number("hours", 0, 60),
        dperm.Column.category("city", CITIES),
    ]
    targets = {"sick": dperm.Target.classes("sick", ["no", "yes"]), "cost": dperm.Target.number("cost", 0, 2000)}
    return dperm.Schema(columns, targets[target])


TABLE = people()
# name: (target, task). What each gives on one machine is computed once.
TASKS = {
    "gradient descent": ("sick", {"method": "gradient-descent", "options": {"steps": 5}}),
    "two steps": ("sick", {"method": "gradient-descent", "options": {"steps": 2}}),
    "sgd": ("sick", {"method": "sgd", "options": {"steps": 3, "batch": 300}}),
    "rules": ("sick", {"loss": "zero-one", "rules": "conjunctions(literals=2)"}),
    "objective perturbation": ("sick", {"method": "objective-perturbation", "l2_penalty": 0.1}),
    "output perturbation": ("sick", {"method": "output-perturbation", "options": {"solver": "gradient-descent", "passes": 3}}),
    "sufficient statistics": ("cost", {"method": "sufficient-statistics"}),
}


def plan_of(name: str) -> dperm.Plan:
    target, task = TASKS[name]
    return dperm.plan(schema(target), rows=ROWS, epsilon=1, delta=0 if name == "rules" else 1e-6, **task)


def fitted(name: str, rows) -> str:
    return dperm.fit(plan_of(name), rows, random_state=7).to_json()


ALONE = {name: fitted(name, dperm.read(TABLE, schema(target))) for name, (target, _) in TASKS.items()}


# Of a task: times, memory, what the source tells (bytes read), and what adds a line to the result for each of them.
NOT_COMPARED = ("time", "duration", "memory", "bytesread", "resultsize", "gc")


def measures(task: dict) -> list:
    """Everything that Spark counted in a task, but for NOT_COMPARED."""
    kept = [(each["Name"], str(each.get("Update"))) for each in task["Task Info"]["Accumulables"]]

    def leaves(name, found):
        for key, value in found.items() if isinstance(found, dict) else ():
            leaves(f"{name} {key}", value)
        if not isinstance(found, dict):
            kept.append((name, str(found)))

    leaves("", task["Task Metrics"])
    return sorted(each for each in kept if not any(word in each[0].lower().replace(" ", "") for word in NOT_COMPARED))


class SparkCase(unittest.TestCase):
    executors = 2

    @classmethod
    def setUpClass(cls):
        cls.cluster = cluster.Cluster(cls.executors)
        cls.session = cls.cluster.session
        cls.path = cls.write_people()

    @classmethod
    def tearDownClass(cls):
        cls.cluster.stop()

    @classmethod
    def write_people(cls) -> str:
        path = cls.cluster.folder / "people.parquet"
        pyarrow.parquet.write_table(pyarrow.Table.from_pandas(TABLE), path, row_group_size=500)
        return str(path)

    def placed(self, partitions: int, place, late=lambda index, rows: rows):
        """Every row in the partition that place(row) says; late(index, rows) runs with the encoding."""
        frame = self.session.read.parquet(self.path)
        pairs = frame.rdd.map(lambda row: (place(row), row)).partitionBy(partitions, lambda key: key)
        return self.session.createDataFrame(pairs.values().mapPartitionsWithIndex(late), frame.schema)

    def read(self, partitions: int = 2, target: str = "sick", **how) -> dperm.spark.SparkDataset:
        """Sorted by id into so many partitions."""
        self.session.conf.set("spark.sql.shuffle.partitions", str(partitions))
        return dperm.spark.read(self.session.read.parquet(self.path).sort("id"), schema(target), **how)

    def expect_same_bits(self, partitions: int, names, **how):
        with self.read(partitions, **how) as rows:
            self.assertEqual(rows.rows, ROWS)
            for name in names:
                with self.subTest(task=name, partitions=partitions, executors=self.executors):
                    self.assertEqual(fitted(name, rows), ALONE[name])


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

    def test_nothing_about_records_is_written_down(self):
        with self.read(3) as rows:
            ask, answers = rows._ask, []

            def listening(question):
                answers.append(ask(question))
                return answers[-1]

            rows._ask = listening
            made = fitted("objective perturbation", rows)
            digests = [digest for _, digest in rows._facts.values()]
        self.assertEqual(made, ALONE["objective perturbation"])
        secrets = [MARK, *digests]
        for answer in answers:
            totals = numpy.frombuffer(answer[len(answer) % 8 :], dtype="<i8")
            secrets += [str(total) for total in totals if abs(int(total)) > 10**7]
            secrets.append(answer[-64:].hex())
        self.assertGreater(len(secrets), 100)
        for written in (self.cluster.event_log(), self.cluster.logs()):
            self.assertGreater(len(written), 1000)
            self.assertEqual([each for each in secrets if each in written], [])

    def test_lengths_of_texts_are_not_in_the_event_log(self):
        """What Spark writes about dperm's jobs on tables that differ in the text of one record."""
        logs = []
        for text in ("south", "a much longer word" * 50):
            table = TABLE.assign(city=[text, *TABLE["city"][1:]])
            path = self.cluster.folder / f"{len(text)}.parquet"
            pyarrow.parquet.write_table(pyarrow.Table.from_pandas(table), path, compression="none", use_dictionary=False)
            frame = self.session.read.parquet(str(path))
            before = len(self.cluster.tasks())
            with dperm.spark.read(frame, schema("sick"), depth=2) as rows:
                fitted("two steps", rows)
            logs.append([measures(each) for each in self.cluster.tasks()[before:]])
        self.assertGreater(len(logs[0]), 3)
        self.assertEqual(*logs)

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

    def test_what_spark_raises_is_not_repeated(self):
        from pyspark.sql import functions

        frame = self.session.read.parquet(self.path)
        quoting = functions.udf(lambda cell: {}[f"cell {cell}"], "string")
        for name, column in {
            "a function": quoting("city"),
            "Spark's own": functions.raise_error(functions.concat(functions.lit("cell "), "city")),
        }.items():
            for changed in (frame.withColumn("city", column), frame.withColumn("city", column).sort("id")):
                with self.subTest(name), self.assertRaisesRegex(dperm.DataError, "not repeated here") as caught:
                    dperm.spark.read(changed, schema("sick"))
                self.assertNotIn("cell ", "".join(traceback.format_exception(caught.exception)))
                self.assertIsNone(caught.exception.__context__)

    def test_tiles_go_when_their_executor_is_killed(self):
        """Also in a folder that nobody clears, and those of the others stay."""
        folder = self.cluster.folder / "tiles"
        with self.read(4, folder=str(folder)) as rows:
            homes = sorted(folder.iterdir())
            self.assertEqual(len(homes), 2)
            cluster.kill(self.cluster.holders(rows._kept)[0])
            cluster.wait_until(lambda: len(list(folder.iterdir())) == 1)
            self.assertEqual(fitted("gradient descent", rows), ALONE["gradient descent"])
        self.assertEqual(list(folder.rglob("*.tiles")), [])

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
