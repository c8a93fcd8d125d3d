# SPDX-License-Identifier: Apache-2.0
"""What Spark writes down about dperm's jobs, what errors say, and what is left behind: nothing about records."""

import traceback
import unittest

import cluster
import numpy
import pyarrow
import pyarrow.parquet
from spark_case import ALONE, MARK, TABLE, SparkCase, fitted, schema

import dperm
import dperm.spark

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


class Traces(SparkCase):
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

    def test_what_spark_raises_is_not_repeated(self):
        from pyspark.sql import functions

        frame = self.session.read.parquet(self.path)
        quoting = functions.udf(lambda cell: {}[f"cell {cell}"], "string")
        for name, column in {
            "a function": quoting("age"),
            "Spark's own": functions.raise_error(functions.concat(functions.lit("cell "), "age")),
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


if __name__ == "__main__":
    unittest.main()
