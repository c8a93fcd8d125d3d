# SPDX-License-Identifier: Apache-2.0
"""Evaluation: measures with error bars from one release, exact ones of public rows, groups, rows kept out of a fit."""

import csv
import io
import json
import os
import subprocess
import unittest

from cli_case import BUDGET, CliCase, csv_text, people

FIT = ["--method", "gradient-descent", "--steps", "20"]


class Evaluation(CliCase):
    def setUp(self):
        super().setUp()
        self.write("many.csv", csv_text(people(4000)))

    def rows(self, name="many.csv"):
        return list(csv.DictReader(io.StringIO(self.path(name).read_text())))

    def fit_model(self, *arguments, schema="schema.toml", budget=BUDGET):
        return self.succeed("fit", "many.csv", "--schema", schema, *budget, *arguments, "-o", "model.json", "--overwrite")

    def evaluate(self, *arguments, data="many.csv"):
        return self.succeed("evaluate", "model.json", data, *arguments, "--json").json()

    def assert_near(self, noisy, exact, name, times=1):
        a, b = noisy["measures"][name], exact["measures"][name]
        self.assertLessEqual(abs(a["value"] - b["value"]), times * a["radius_95"], name)
        self.assertGreaterEqual(a["radius_95_with_sampling"], a["radius_95"])

    def test_public_measures_are_those_of_the_predictions(self):
        self.fit_model(*FIT)
        exact = self.evaluate("--public", "--threshold", "0.4")
        labels = [row["sick"] == "yes" for row in self.rows()]
        guesses = csv.DictReader(io.StringIO(self.succeed("predict", "model.json", "many.csv").out))
        p = [float(row["probability"]) for row in guesses]
        positives = [s for s, y in zip(p, labels) if y]
        negatives = sorted(s for s, y in zip(p, labels) if not y)
        won = sum(sum(1 if n < s else 0.5 if n == s else 0 for n in negatives) for s in positives[:300])
        measures = {name: each["value"] for name, each in exact["measures"].items()}
        self.assertAlmostEqual(measures["brier_score"], sum((s - y) ** 2 for s, y in zip(p, labels)) / 4000, 5)
        self.assertAlmostEqual(measures["accuracy"], sum((s > 0.4) == y for s, y in zip(p, labels)) / 4000, 3)
        self.assertAlmostEqual(measures["recall"], sum(s > 0.4 for s in positives) / len(positives), 2)
        self.assertAlmostEqual(measures["auc"], won / 300 / len(negatives), delta=0.02)
        self.assertEqual(sum(map(sum, exact["confusion"]["counts"])), 4000)
        self.assertFalse(exact["private"])
        self.assertIn("exact", self.succeed("evaluate", "model.json", "many.csv", "--public").err)

    def test_private_measures_come_from_one_recorded_event(self):
        self.fit_model(*FIT)
        exact, noisy = self.evaluate("--public"), self.evaluate("--epsilon", "2", "--seed", "5")
        (event,) = noisy["events"]
        self.assertEqual((event["mechanism"], event["l1_sensitivity"], event["repetitions"]), ("discrete-laplace", 2, 1))
        self.assertAlmostEqual(event["l1_sensitivity"] * event["scale_denominator"] / event["scale_numerator"], 2, 6)
        for name in ("accuracy", "auc", "log_loss", "brier_score", "recall", "precision", "positive_share"):
            self.assert_near(noisy, exact, name, times=1.5)
        self.assertLess(noisy["measures"]["auc"]["radius_95"], 0.05)
        rates = [(each["false_positive_rate"], each["true_positive_rate"]) for each in noisy["roc"]]
        self.assertEqual((rates[0], rates[-1]), ((1, 1), (0, 0)))
        self.assertGreaterEqual(len(noisy["calibration"]), 5)
        self.assertAlmostEqual(sum(each["rows"] for each in noisy["calibration"]), 4000, delta=1e-6)
        shown = self.succeed("evaluate", "model.json", "many.csv", "--epsilon", "2").out
        for words in ("AUC", "brier score", "calibration", "Spent on these rows: pure (epsilon 2)", "+-"):
            self.assertIn(words, shown)

    def test_one_measure_by_its_name(self):
        self.fit_model(*FIT)
        self.assertRegex(self.succeed("evaluate", "model.json", "many.csv", "--epsilon", "1", "--metric", "auc").out,
                         r"^auc 0\.\d+ \+- 0\.\d+ \(with sampling 0\.\d+\) on 4000 rows\nSpent")
        self.assertRegex(self.succeed("evaluate", "model.json", "many.csv", "--public", "--metric", "brier").out,
                         r"^brier_score 0\.\d+ \(sampling")
        self.refuse(2, ["--metric", "auc", "'r2'"], "evaluate", "model.json", "many.csv", "--epsilon", "1", "--metric", "r2")
        self.fit_model("--loss", "squared", schema="real.toml")
        self.assertRegex(self.succeed("evaluate", "model.json", "many.csv", "--epsilon", "1", "--metric", "r2").out,
                         r"^r2 -?\d")
        self.refuse(2, ["--metric", "r2", "'auc'"], "evaluate", "model.json", "many.csv", "--epsilon", "1", "--metric", "auc")

    def test_regression(self):
        self.fit_model("--loss", "squared", schema="real.toml", budget=["--epsilon", "5", "--delta", "1e-6"])
        exact = self.evaluate("--public")
        guesses = csv.DictReader(io.StringIO(self.succeed("predict", "model.json", "many.csv").out))
        pairs = [(float(g["prediction"]), float(row["cost"])) for g, row in zip(guesses, self.rows())]
        mean = sum(y for _, y in pairs) / 4000
        r2 = 1 - sum((y - p) ** 2 for p, y in pairs) / sum((y - mean) ** 2 for _, y in pairs)
        self.assertAlmostEqual(exact["measures"]["r2"]["value"], r2, 3)
        self.assertAlmostEqual(exact["measures"]["mean_absolute_error"]["value"],
                               sum(abs(y - p) for p, y in pairs) / 4000, 3)
        for budget in (["--epsilon", "5"], ["--epsilon", "5", "--delta", "1e-3"]):
            noisy = self.evaluate(*budget, "--seed", "3")
            self.assertEqual(len(noisy["events"]), 1)
            for name in ("r2", "root_mean_square_error", "mean_absolute_error"):
                self.assert_near(noisy, exact, name, times=1.5)
        self.assertEqual(noisy["events"][0]["mechanism"], "gaussian")
        self.assertGreaterEqual(len(exact["residuals"]), 4)

    def test_groups_have_released_sizes(self):
        self.fit_model(*FIT)
        exact = self.evaluate("--public", "--groups", "city")
        noisy = self.evaluate("--epsilon", "3", "--groups", "city", "--seed", "2")
        self.assertEqual([each["group"] for each in noisy["groups"]], ["north", "south", "east", "(other)", "(none)"])
        counts = {}
        for row in self.rows():
            counts[row["city"]] = counts.get(row["city"], 0) + 1
        for group, told in zip(("north", "south", "east", "west"), exact["groups"]):
            self.assertEqual(told["rows"], counts[group])
        for told, truth in zip(noisy["groups"][:4], exact["groups"]):
            self.assertLessEqual(abs(told["rows"] - truth["rows"]), 2 * told["rows_radius_95"])
            self.assert_near(told, truth, "accuracy", times=2)
        self.assertIsNone(noisy["groups"][4]["measures"]["accuracy"]["value"])  # nobody is there
        self.assertEqual(noisy["events"][0]["l1_sensitivity"], 2)
        self.refuse(2, ["groups", "'age'"], "evaluate", "model.json", "many.csv", "--epsilon", "1", "--groups", "age")

    def test_rows_kept_out_judge_within_the_same_budget(self):
        shown = self.fit_model(*FIT, "--holdout", "0.25")
        model = self.model()
        self.assertRegex(shown.out, r"judged +accuracy 0\.\d+ \+- 0\.\d+, AUC 0\.\d+ \+- 0\.\d+, on 1000 rows kept out")
        self.assertIn("another 1000 rows are kept out and judge the model", shown.err)
        self.assertEqual(model["plan"]["task"]["rows"], 3000)
        self.assertEqual(model["plan"]["holdout"], {"share": 0.25, "rows": 1000, "threshold": 0.5})
        (event,) = model["events"]
        self.assertEqual(event["mechanism"], "disjoint-parts")
        self.assertEqual([part["events"][0]["mechanism"] for part in event["parts"]], ["gaussian", "discrete-laplace"])
        self.assertLessEqual(model["guarantee"]["epsilon"], 1)
        self.assertGreater(model["guarantee"]["epsilon"], 0.999)
        for part in event["parts"]:
            self.write("part.json", json.dumps(part))
            spent = self.succeed("account", "--file", "part.json", "--delta", "1e-6", "--json").json()
            self.assertLessEqual(spent["epsilon"], model["guarantee"]["epsilon"] + 1e-9)
        exact = self.evaluate("--public")
        told = model["evaluation"]["measures"]["accuracy"]
        self.assertLessEqual(abs(told["value"] - exact["measures"]["accuracy"]["value"]), 2 * told["radius_95_with_sampling"])
        self.assertIn("verified", self.succeed("verify", "model.json").out)
        self.assertIn("AUC", self.succeed("explain", "model.json", "--details").out)
        self.assertEqual(len(self.succeed("predict", "model.json", "people.csv").out.splitlines()), 201)

    def test_kept_out_rows_work_with_other_methods_groups_and_tuning(self):
        for arguments, schema, budget in (
                (["--loss", "squared"], "real.toml", BUDGET),
                (["--holdout-groups", "city", "--holdout-threshold", "0.4"], "schema.toml", BUDGET),
                (["--class", "stumps", "--loss", "zero-one"], "schema.toml", ["--epsilon", "1", "--delta", "0"]),
                (["--method", "gradient-descent", "--tune", "steps=5,20"], "schema.toml", BUDGET)):
            with self.subTest(arguments=arguments):
                self.fit_model(*arguments, "--holdout", "0.25", schema=schema, budget=budget)
                self.succeed("verify", "model.json")
                self.succeed("explain", "model.json")
                self.assertLessEqual(self.model()["guarantee"]["epsilon"], 1)

    def test_a_plan_shows_both_parts(self):
        shown = self.succeed("plan", "--schema", "schema.toml", "--rows", "4000", *BUDGET, *FIT, "--holdout", "0.25").out
        self.assertIn("3000 rows", shown)
        self.assertIn("another 1000 rows are kept out and judge the model", shown)
        (entry,) = self.succeed("plan", "--schema", "schema.toml", "--rows", "4000", *BUDGET, *FIT, "--holdout", "0.25", "--json").json()
        self.fit_model(*FIT, "--holdout", "0.25")
        self.assertEqual(entry["plan"], self.model()["plan"])

    def test_changed_evaluations_are_noticed(self):
        self.fit_model(*FIT, "--holdout", "0.25")
        text = self.path("model.json").read_text()
        value = self.model()["evaluation"]["measures"]["accuracy"]["value"]
        self.write("edited.json", text.replace(f'"value": {value}', '"value": 0.99', 1))
        self.refuse(3, ["digest"], "verify", "edited.json")

    def test_wrong_flags_are_refused_before_anything_is_spent(self):
        fit = ["fit", "many.csv", "--schema", "schema.toml", *BUDGET, "-o", "m.json"]
        for share in ("0", "1", "1.5", "-0.1", "nan"):
            self.refuse(2, ["holdout"], *fit, "--holdout", share)
        self.refuse(2, ["--holdout"], *fit, "--holdout-groups", "city")
        self.refuse(2, ["groups"], *fit, "--holdout", "0.2", "--holdout-groups", "age")
        self.refuse(2, ["threshold"], *fit, "--holdout", "0.2", "--holdout-threshold", "1")
        self.refuse(2, ["replace-one"], *fit, "--holdout", "0.2", "--method", "sgd", "--neighbours", "add-remove")
        self.fit_model(*FIT)
        self.refuse(2, ["--delta"], "evaluate", "model.json", "many.csv", "--public", "--delta", "1e-6")
        self.refuse(2, ["delta"], "evaluate", "model.json", "many.csv", "--epsilon", "1", "--delta", "1")
        self.refuse(2, ["threshold"], "evaluate", "model.json", "many.csv", "--epsilon", "1", "--threshold", "0")

    @unittest.skipUnless(os.path.exists("/dev/full"), "no /dev/full")
    def test_a_result_that_is_lost_is_spent_all_the_same(self):
        self.fit_model(*FIT)
        self.succeed("ledger", "create", "l.db")
        self.succeed("ledger", "register", "l.db", "people", "--epsilon", "9", "--delta", "1e-5")
        use = ["evaluate", "model.json", "many.csv", "--ledger", "l.db", "--dataset", "people"]
        for flags, words in ((["--epsilon", "1"], "epsilon 1, delta 0 is spent"),
                             (["--epsilon", "2", "--metric", "accuracy", "--json"], "epsilon 2, delta 0 is spent"),
                             (["--epsilon", "3", "--seed", "1"], "Nothing is spent"), (["--public"], "Nothing is spent")):
            with self.subTest(flags=flags), open("/dev/full", "wb") as full:
                lost = self.run_program(*use, *flags, capture_output=False, stdout=full, stderr=subprocess.PIPE)
                self.assertEqual(lost.status, 3)
                for each in ("standard output", "No space left", words):
                    self.assertIn(each, lost.err)
                self.assertNotIn("--output", lost.err)  # there is none here
        state = self.succeed("ledger", "show", "l.db", "--json").json()["datasets"][0]
        self.assertGreater(state["spent"]["epsilon"], 2.5)  # of 1 and 2

    def test_nothing_but_the_release_differs_between_seeds(self):
        """What is printed and written of rows kept out is a function of the recorded counts."""
        self.fit_model(*FIT, "--holdout", "0.25", "--seed", "1")
        first = self.model()
        self.fit_model(*FIT, "--holdout", "0.25", "--seed", "2")
        second = self.model()
        self.assertEqual(first["events"], second["events"])
        self.assertEqual(first["plan"], second["plan"])
        self.assertNotEqual(first["evaluation"]["released"], second["evaluation"]["released"])
        self.assertEqual(len(first["evaluation"]["released"]), len(second["evaluation"]["released"]))
        self.assertEqual(set(first["evaluation"]) - {"roc", "calibration"}, set(second["evaluation"]) - {"roc", "calibration"})


if __name__ == "__main__":
    unittest.main()
