# SPDX-License-Identifier: Apache-2.0
"""Softmax regression by every method that has it, and one class against the rest, end to end."""

import csv
import io
import unittest

from cli_case import CliCase

SCHEMA = """version = 1
[target]
column = "kind"
kind = "class"
values = ["left", "middle", "right"]
[[column]]
names = ["x", "y"]
kind = "real"
lower = -1
upper = 1
"""
METHOD = ["--method", "objective-perturbation"]


def lines(rows):
    """Three slices by x, a tenth of the rows in the wrong one."""
    result = ["x,y,kind"]
    for i in range(rows):
        x, y = (i * 37 % 199) / 99.5 - 1, (i * 61 % 211) / 105.5 - 1
        slice_ = 0 if x < -0.3 else 2 if x > 0.3 else 1
        kind = ["left", "middle", "right"][(slice_ + (i % 10 == 0)) % 3]
        result.append(f"{x:.4f},{y:.4f},{kind}")
    return "\n".join(result) + "\n"


class Classes(CliCase):
    def setUp(self):
        super().setUp()
        self.write("slices.toml", SCHEMA)
        self.write("slices.csv", lines(6000))

    def fit(self, *options, delta="1e-6", method=METHOD):
        return self.succeed("fit", "slices.csv", "--schema", "slices.toml", "--epsilon", "2", "--delta", delta, *method,
                            *options, "-o", "model.json", "--quiet")

    def accuracy(self):
        return self.succeed("evaluate", "model.json", "slices.csv", "--public", "--json").json()["accuracy"]

    def test_joint_fits_learn_verify_and_name_the_classes(self):
        for delta in ("1e-6", "0"):
            self.fit(delta=delta)
            self.assertGreater(self.accuracy(), 0.6, delta)
            self.succeed("verify", "model.json")
            self.assertLessEqual(self.model()["guarantee"]["epsilon"], 2)
            self.assertEqual(self.model()["events"][0]["classes"], 3)
        rows = list(csv.DictReader(io.StringIO(self.succeed("predict", "model.json", "slices.csv").out)))
        self.assertEqual({row["prediction"] for row in rows}, {"left", "middle", "right"})

    def test_descent_and_output_perturbation_learn_and_verify(self):
        for name, delta in (("gradient-descent", "1e-6"), ("output-perturbation", "1e-6"), ("output-perturbation", "0")):
            self.fit(delta=delta, method=["--method", name])
            self.assertGreater(self.accuracy(), 0.5, name)
            self.succeed("verify", "model.json")
            self.assertEqual(self.model()["guarantee"]["pure"], delta == "0")
        self.refuse(2, ["--order first", "logistic"], "fit", "slices.csv", "--schema", "slices.toml", "--epsilon", "1", "--delta",
                    "1e-6", "--method", "gradient-descent", "--order", "second", "-o", "other.json")
        self.refuse(2, ["permutation-sgd", "one score"], "fit", "slices.csv", "--schema", "slices.toml", "--epsilon", "1", "--delta",
                    "1e-6", "--method", "output-perturbation", "--batch", "10", "-o", "other.json")

    def test_one_vs_rest_shows_how_the_budget_is_divided_and_verifies(self):
        plan = self.succeed("plan", "--schema", "slices.toml", "--rows", "6000", "--epsilon", "2", "--delta", "1e-6", *METHOD,
                            "--classes", "one-vs-rest", "--details").out
        self.assertIn("epsilon of one class", plan)
        for loss in ("logistic", "smoothed-hinge"):
            self.fit("--classes", "one-vs-rest", "--binary-loss", loss)
            self.succeed("verify", "model.json")
            self.assertEqual([event["repetitions"] for event in self.model()["events"]], [3, 3])
            self.assertGreater(self.accuracy(), 0.5)
        self.fit("--classes", "one-vs-rest", "--binary-loss", "smoothed-hinge", "--binary-margin", "1", "--binary-smoothing", "0.5")
        self.succeed("verify", "model.json")

    def test_it_is_refused_where_there_are_no_classes_to_divide(self):
        self.write("sign.toml", SCHEMA.replace('kind = "class"\nvalues = ["left", "middle", "right"]',
                                               'kind = "binary"\npositive = "left"'))
        self.refuse(2, ["one-vs-rest", "class"], "fit", "slices.csv", "--schema", "sign.toml", "--epsilon", "1", "--delta",
                    "1e-6", *METHOD, "--classes", "one-vs-rest", "-o", "model.json")
        self.refuse(2, ["binary-loss", "--classes one-vs-rest"], "fit", "slices.csv", "--schema", "slices.toml", "--epsilon", "1",
                    "--delta", "1e-6", *METHOD, "--binary-loss", "smoothed-hinge", "-o", "model.json")
        self.refuse(2, ["kst12", "softmax"], "fit", "slices.csv", "--schema", "slices.toml", "--epsilon", "1", "--delta",
                    "1e-6", *METHOD, "--calibration", "kst12", "-o", "model.json")


if __name__ == "__main__":
    unittest.main()
