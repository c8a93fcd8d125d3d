# SPDX-License-Identifier: Apache-2.0
"""Jobs on Apache Spark show the same for neighbouring tables: results with all of their attributes, exceptions, warnings,
files that stay, and Spark's event log without the keys and metrics that docs/released_fields.toml names.

Noise has a fixed seed and tables have fixed names. Java's clock goes on, so that times are left out.
"""

import pathlib
import sys
import unittest
import unittest.mock

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent / "spark")]
import cluster  # noqa: E402

if __name__ == "__main__" and cluster.missing():
    print(f"skipped: {cluster.missing()}")
    sys.exit(0)

import declared  # noqa: E402
import observe  # noqa: E402
import pyarrow.parquet  # noqa: E402
import python_cases  # noqa: E402
import python_worker  # noqa: E402

import dperm  # noqa: E402
import dperm.spark  # noqa: E402

# Groups and numbers of records: two that are encoded alike, one of them a long text, and another.
SHORT, LONG, OTHER = ("city 1", 0), ("city 1", 10), ("age 1", 0)
BUDGET = {"epsilon": 1, "delta": 1e-6}


def jobs(session, path: str) -> list:
    schema, frame = python_cases.schema(), session.read.parquet(path)
    with dperm.spark.read(frame, schema, depth=2) as rows:
        plan = rows.plan(method="gradient-descent", options={"steps": 2}, **BUDGET)
        model = dperm.fit(plan, rows, random_state=7)
        judged = dperm.evaluate(model, rows, epsilon=1, random_state=7)
    return [model, judged, dperm.spark.mean(frame, "age", bounds=(0, 100), random_state=7, **BUDGET)]


class Spark(unittest.TestCase):
    maxDiff = 4000

    @classmethod
    def setUpClass(cls):
        cls.cluster = cluster.Cluster(1)
        cls.addClassCleanup(cls.cluster.stop)

    def log(self) -> str:
        self.cluster.context._jsc.sc().listenerBus().waitUntilEmpty()
        return self.cluster.event_log()

    def observed(self, group: str, number: int) -> dict[str, bytes]:
        path = self.cluster.folder / "people.parquet"
        rows = python_cases.rows_with(python_cases.groups()[group][number], "middle")
        pyarrow.parquet.write_table(python_cases.arrow_table(rows), path, row_group_size=30, compression="none", use_dictionary=False)
        before, numbers = len(self.log()), iter(range(1000))
        with unittest.mock.patch("secrets.token_hex", lambda *_: f"{next(numbers):032x}"):
            seen = python_worker.shown(lambda _: jobs(self.cluster.session, str(path)), None)
        seen["left behind"] = str([each.name for each in self.cluster.tiles()]).encode()
        seen["event log"] = declared.event_log_without(self.log()[before:])
        return seen

    def test_neighbours_show_the_same(self):
        self.observed(*OTHER)  # executors and their workers are started
        first, again, alike, other = (self.observed(*each) for each in (SHORT, SHORT, LONG, OTHER))
        self.assertGreater(len(first["event log"]), 10_000)
        self.assertNotIn("exception", first)
        self.assertEqual(observe.differences(first, again), [], "the same records")
        self.assertEqual(observe.differences(first, alike), [], "encoded alike")
        self.assertEqual(observe.differences(first, other, "released"), [])


if __name__ == "__main__":
    unittest.main()
