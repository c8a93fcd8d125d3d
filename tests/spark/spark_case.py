# SPDX-License-Identifier: Apache-2.0
"""What the tests on a cluster share: a table, tasks with what one machine makes of them, and a cluster for each class."""

import os
import sys
import unittest

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
