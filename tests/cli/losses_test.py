# SPDX-License-Identifier: Apache-2.0
"""Every loss with every method and feasible set: a fit that succeeds verifies, one that cannot says why."""

import csv
import io
import math
import unittest

from cli_case import CliCase, csv_text, people

BINARY_LOSSES = {"logistic": [], "hinge": [], "smoothed-hinge": ["--smoothing", "0.3", "--margin", "0.8"]}
REAL_LOSSES = {"squared": [], "absolute": [], "pinball": ["--quantile", "0.9"], "huber": ["--threshold", "0.2"]}
SETS = {"none": [], "ball": ["--radius", "3"], "box": ["--box", "2"]}


class Losses(CliCase):
    def setUp(self):
        super().setUp()
        self.write("people.csv", csv_text(people(2000)))
        plan = self.succeed("plan", "--schema", "schema.toml", "--rows", "2000", "--epsilon", "1", "--delta", "1e-6",
                            "--json")
        self.methods = [p["method"] for p in plan.json()]
        self.assertGreaterEqual(set(self.methods), {"gradient-descent", "output-perturbation"})

    def fit_with(self, schema, loss, method, delta, options):
        arguments = ["fit", "people.csv", "--schema", schema, "--loss", loss, "--method", method, "--epsilon", "0.9",
                     "--delta", delta, *options, "-o", "model.json"]
        if method == "gradient-descent":
            arguments += ["--steps", "10"]
        return self.run_program(*arguments)

    def check_model(self, loss, options):
        weights = [float(w) for w in self.weights()]
        self.assertTrue(all(math.isfinite(w) for w in weights))
        if "--radius" in options:
            self.assertLessEqual(math.hypot(*weights), 3 * (1 + 1e-12))
        if "--box" in options:
            self.assertLessEqual(max(map(abs, weights)), 2)
        self.assertEqual(self.model()["plan"]["task"]["loss"]["name"], loss)
        self.succeed("verify", "model.json")
        out = self.succeed("predict", "model.json", "people.csv").out
        for row in csv.DictReader(io.StringIO(out)):
            if loss == "logistic":
                self.assertTrue(0 <= float(row["probability"]) <= 1)
            elif loss in REAL_LOSSES:
                self.assertTrue(-10 <= float(row["prediction"]) <= 10)

    def test_every_combination_fits_and_verifies_or_says_why_not(self):
        fitted = set()
        for schema, losses in (("schema.toml", BINARY_LOSSES), ("real.toml", REAL_LOSSES)):
            for loss, extra in losses.items():
                for method in self.methods:
                    for name, region in SETS.items():
                        with self.subTest(loss=loss, method=method, region=name):
                            result = self.fit_with(schema, loss, method, "1e-6", extra + region)
                            if result.status == 0:
                                fitted.add((loss, method, name))
                                self.check_model(loss, region)
                            else:
                                self.assertEqual(result.status, 2, result.err)
                                self.assertRegex(result.err, rf"{method}|{loss}|--[a-z]")
        for loss in [*BINARY_LOSSES, *REAL_LOSSES]:
            for name in SETS:
                self.assertIn((loss, "gradient-descent", name), fitted)
        for loss in ("logistic", "smoothed-hinge", "huber"):
            self.assertIn((loss, "output-perturbation", "none"), fitted)

    def test_pure_epsilon(self):
        result = self.fit_with("schema.toml", "logistic", "auto", "0", [])
        self.assertEqual(result.status, 0, result.err)
        self.assertIn("epsilon 0.9 (pure) for one row", result.out)
        self.assertTrue(self.model()["guarantee"]["pure"])
        self.succeed("verify", "model.json")

    def test_the_textbook_formula_adds_more_noise_and_keeps_to_its_range(self):
        self.fit_with("schema.toml", "logistic", "output-perturbation", "1e-6", ["--noise", "textbook"])
        textbook = self.model()["events"][0]
        self.succeed("verify", "model.json")
        self.fit_with("schema.toml", "logistic", "output-perturbation", "1e-6", ["--noise", "gaussian"])
        tight = self.model()["events"][0]
        self.assertGreater(textbook["sigma"] / textbook["l2_sensitivity"], tight["sigma"] / tight["l2_sensitivity"])
        self.refuse(2, ["epsilon below 1"], "fit", "people.csv", "--schema", "schema.toml", "--epsilon", "1", "--delta",
                    "1e-6", "--noise", "textbook", "-o", "m.json")

    def test_a_regression_is_judged_in_the_unit_of_its_target(self):
        self.fit("--loss", "squared", "--method", "gradient-descent", "--steps", "50", schema="real.toml")
        result = self.succeed("evaluate", "model.json", "people.csv", "--public", "--json").json()
        out = self.succeed("predict", "model.json", "people.csv").out
        guesses = [float(row["prediction"]) for row in csv.DictReader(io.StringIO(out))]
        costs = [float(row["cost"]) for row in csv.DictReader(io.StringIO(self.path("people.csv").read_text()))]
        error = math.sqrt(sum((a - b) ** 2 for a, b in zip(guesses, costs)) / len(costs))
        self.assertAlmostEqual(result["root_mean_square_error"], error, delta=1e-3 * error)
        self.fit("--loss", "absolute", schema="real.toml")
        self.assertIn("mean absolute error", self.succeed("evaluate", "model.json", "people.csv", "--epsilon", "1").out)

    def test_every_loss_says_its_unit(self):
        for loss, schema, words in (("pinball", "real.toml", "mean pinball loss of "),
                                    ("huber", "real.toml", "squares of the encoded target"),
                                    ("logistic", "schema.toml", "in nats per row; scores of zero have 0.6931"),
                                    ("hinge", "schema.toml", "per row; scores of zero have 1")):
            with self.subTest(loss=loss):
                self.fit("--loss", loss, schema=schema)
                out = self.succeed("evaluate", "model.json", "people.csv", "--public", "--metric", "loss").out
                self.assertIn(words, out)


if __name__ == "__main__":
    unittest.main()
