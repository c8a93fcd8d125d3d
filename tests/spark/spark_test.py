# SPDX-License-Identifier: Apache-2.0
"""dperm.spark on a cluster of processes: the same bits as one machine, whatever happens to partitions and executors."""

import sys
import unittest

import cluster

if why := cluster.missing():
    print(f"spark: skipped, {why}")
    sys.exit(0)

import pathlib  # noqa: E402

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
# method: (target, what else)
METHODS = {
    "objective-perturbation": ("sick", {"l2_penalty": 0.01}),
    "gradient-descent": ("sick", {"options": {"steps": 6}}),
    "sgd": ("sick", {"options": {"steps": 6, "batch": 300}}),
    "sufficient-statistics": ("cost", {}),
}


def plan_of(method: str) -> dperm.Plan:
    target, rest = METHODS[method]
    return dperm.plan(schema(target), rows=ROWS, epsilon=1, delta=1e-6, method=method, **rest)


def alone(method: str) -> str:
    """The model of one machine."""
    return dperm.fit(plan_of(method), dperm.read(TABLE, schema(METHODS[method][0])), random_state=7).to_json()


class SparkCase(unittest.TestCase):
    executors = 2

    @classmethod
    def setUpClass(cls):
        cls.cluster = cluster.Cluster(cls.executors)
        cls.session = cls.cluster.session
        path = cls.cluster.folder / "people.parquet"
        pyarrow.parquet.write_table(pyarrow.Table.from_pandas(TABLE), path, row_group_size=500)
        cls.path = str(path)

    @classmethod
    def tearDownClass(cls):
        cls.cluster.stop()

    def frame(self, partitions: int):
        """To be sorted into so many partitions."""
        self.session.conf.set("spark.sql.shuffle.partitions", str(partitions))
        return self.session.read.parquet(self.path)

    def fitted(self, method: str, partitions: int, **how) -> str:
        with dperm.spark.read(self.frame(partitions), schema(METHODS[method][0]), order_by="id", **how) as rows:
            self.assertEqual(rows.rows, ROWS)
            return dperm.fit(plan_of(method), rows, random_state=7).to_json()


class TwoExecutors(SparkCase):
    def test_models_are_those_of_one_machine(self):
        for method in METHODS:
            with self.subTest(method=method):
                self.assertEqual(self.fitted(method, 2), alone(method))
        self.assertEqual(self.cluster.tiles(), [], "tiles are deleted at the end")


if __name__ == "__main__":
    unittest.main()
