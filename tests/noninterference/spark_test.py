# SPDX-License-Identifier: Apache-2.0
"""Jobs on Apache Spark show the same for neighbouring tables: results, warnings, what executors print, files, and Spark's
event log without the keys and metrics that docs/released_fields.toml names. Each table has an application of its own.

Random bytes of the driver are those of `random_state` and of the names below; Java's clock goes on, so times are left out.
"""

import json
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
import pyarrow  # noqa: E402
import pyarrow.parquet  # noqa: E402
import python_cases  # noqa: E402
import python_worker  # noqa: E402

import dperm  # noqa: E402
import dperm.spark  # noqa: E402

# Groups and numbers of records: the first two are encoded alike, the third is not.
RECORDS = {"short": ("city 1", 0), "long": ("city 1", 10), "other": ("age 1", 0)}
BUDGET = {"epsilon": 1, "delta": 1e-6, "random_state": 7}


def table(group: str, number: int) -> pyarrow.Table:
    rows = python_cases.rows_with(python_cases.groups()[group][number], "middle")
    return python_cases.arrow_table(rows)


def jobs(session, path: str) -> list:
    schema = python_cases.schema()
    frame = session.read.parquet(path)
    model = dperm.spark.fit(frame, schema, method="gradient-descent", options={"steps": 2}, **BUDGET)
    judged = dperm.spark.evaluate(model, frame, epsilon=1, random_state=7)
    mean = dperm.spark.mean(frame, "age", bounds=(0, 100), **BUDGET)
    return [model, judged, mean]


def observed(name: str) -> dict[str, bytes]:
    """Everything that an application of its own shows about this record."""
    numbers = iter(range(1000))
    with unittest.mock.patch("secrets.token_hex", lambda *_: f"{next(numbers):032x}"):
        made = cluster.Cluster(1)
        try:
            path = made.folder / "people.parquet"
            pyarrow.parquet.write_table(table(*RECORDS[name]), path, row_group_size=30, compression="none", use_dictionary=False)
            seen = python_worker.shown(lambda _: jobs(made.session, str(path)), None)
            seen["left behind"] = str([each.name for each in made.tiles()]).encode()
            made.context._jsc.sc().listenerBus().waitUntilEmpty()
            log, printed = made.event_log().replace(str(made.folder), "FOLDER"), made.logs()
        finally:
            made.stop()
    seen["event log"] = declared.event_log_without(log)
    seen["printed by executors"] = printed.encode()
    return seen


class Spark(unittest.TestCase):
    maxDiff = 4000

    def test_two_neighbours_show_the_same(self):
        seen = {name: observed(name) for name in RECORDS}
        self.assertGreater(len(seen["short"]["event log"]), 10_000)
        self.assertNotIn("exception", seen["short"])
        with self.subTest("alike"):
            self.assertEqual(observe.differences(seen["short"], seen["long"]), [])
        with self.subTest("other"):
            self.assertEqual(observe.differences(seen["short"], seen["other"], "released"), [])


if __name__ == "__main__":
    unittest.main()
