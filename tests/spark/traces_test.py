# SPDX-License-Identifier: Apache-2.0
"""What Spark writes down about dperm's jobs, what errors say, and what is left behind: nothing about records."""

import traceback
import unittest

import cluster
import numpy
from spark_case import ALONE, MARK, SparkCase, fitted, schema

import dperm
import dperm.spark


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
