# SPDX-License-Identifier: Apache-2.0
"""Neural networks and softmax regression end to end: fit, predict, evaluate, verify, and files that were tampered with."""

import csv
import io
import json
import unittest

from cli_case import CliCase

SCHEMA = """version = 1
[target]
column = "kind"
kind = "class"
values = ["near", "ring", "far"]
[[column]]
names = ["x", "y"]
kind = "real"
lower = -1
upper = 1
"""
BUDGET = ["--epsilon", "8", "--delta", "1e-6"]


def rings(rows):
    """Classes by distance from the middle: no score linear in x and y tells them apart."""
    lines = ["x,y,kind"]
    for i in range(rows):
        x, y = (i * 37 % 199) / 99.5 - 1, (i * 61 % 211) / 105.5 - 1
        square = x * x + y * y
        lines.append(f"{x:.4f},{y:.4f},{'near' if square < 0.25 else 'ring' if square < 0.8 else 'far'}")
    return "\n".join(lines) + "\n"


class Networks(CliCase):
    def setUp(self):
        super().setUp()
        self.write("rings.toml", SCHEMA)
        self.write("rings.csv", rings(4000))

    def fit(self, *options):
        return self.succeed("fit", "rings.csv", "--schema", "rings.toml", *BUDGET, *options, "-o", "model.json", "--quiet")

    def accuracy(self):
        return self.succeed("evaluate", "model.json", "rings.csv", "--public", "--json").json()["accuracy"]

    def test_a_network_learns_what_lines_cannot(self):
        self.fit("--method", "sgd", "--shape", "linear", "--seed", "1")
        linear = self.accuracy()
        self.fit("--hidden", "24", "--shape", "linear", "--learning-rate", "0.02", "--seed", "1")
        self.assertGreater(self.accuracy(), linear + 0.1)
        self.assertEqual(self.model()["plan"]["method"], "sgd")

    def test_curves_do_too_and_are_the_default(self):
        self.fit("--method", "sgd", "--shape", "linear", "--seed", "1")
        linear = self.accuracy()
        self.fit("--seed", "1")
        self.assertGreater(self.accuracy(), linear + 0.1)
        self.assertGreater(len(self.model()["coefficients"]), 3 * 3)

    def test_predictions_name_the_classes(self):
        self.fit("--hidden", "6,5", "--activation", "relu", "--steps", "20")
        rows = list(csv.DictReader(io.StringIO(self.succeed("predict", "model.json", "rings.csv").out)))
        self.assertEqual(len(rows), 4000)
        self.assertLessEqual({row["prediction"] for row in rows}, {"near", "ring", "far"})

    def test_a_secure_fit_verifies_under_both_kinds_of_neighbours(self):
        for neighbours in ("replace-one", "add-remove"):
            with self.subTest(neighbours=neighbours):
                self.fit("--hidden", "6", "--steps", "20", "--neighbours", neighbours)
                self.assertEqual(self.model()["guarantee"]["neighbours"], neighbours)
                self.succeed("verify", "model.json")

    def test_a_tampered_model_does_not_verify(self):
        self.fit("--hidden", "6", "--steps", "20")
        for change in (
            lambda m: m["events"][0].update(sigma=m["events"][0]["sigma"] / 2),
            lambda m: m["events"][0].update(rate=m["events"][0]["rate"] / 2),
            lambda m: m["events"][0].update(repetitions=10),
            lambda m: m["events"][0].update(neighbours="add-remove"),
            lambda m: m["guarantee"].update(epsilon=1),
            lambda m: m["plan"]["options"].update(steps="10"),
            lambda m: m["network_weights"].pop(),
        ):
            model = self.model()
            change(model)
            self.write("tampered.json", json.dumps(model))
            self.assertNotEqual(self.run_program("verify", "tampered.json").status, 0)

    def test_what_sgd_cannot_do_is_said(self):
        for options, words in (
            (["--sampling", "fixed-size", "--neighbours", "add-remove"], "replace-one"),
            (["--steps", "5", "--epochs", "1"], "not both"),
            (["--batch", "5000"], "at most the number of rows"),
            (["--clip", "0"], "clip"),
        ):
            result = self.run_program("fit", "rings.csv", "--schema", "rings.toml", *BUDGET, "--hidden", "4", *options, "-o",
                                      "model.json", "--method", "sgd")
            self.assertEqual(result.status, 2, result.err)
            self.assertIn(words, result.err)


if __name__ == "__main__":
    unittest.main()
