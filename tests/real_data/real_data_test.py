# SPDX-License-Identifier: Apache-2.0
"""What the defaults reach on public data: census income (CSV and LIBSVM form) and house prices, from the folder named by
DPERM_DATA. Seeds are fixed, so that a run says the same every time; a seeded model is not private."""

import gzip
import os
import pathlib
import statistics
import sys
import unittest

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "cli"))
from cli_case import CliCase  # noqa: E402

DATA = os.environ.get("DPERM_DATA")
SEEDS = range(10)


class RealData(CliCase):
    def fit_and_evaluate(self, train, test, schema, *arguments):
        self.succeed("fit", train, "--schema", schema, *arguments, "-o", "model.json", "--quiet")
        return self.succeed("evaluate", "model.json", test, "--public", "--json").json()

    def mean_accuracy(self, train, test, schema, epsilon):
        budget = ["--epsilon", epsilon, "--delta", "1e-6"]
        accuracies = [
            self.fit_and_evaluate(train, test, schema, *budget, "--seed", seed)["accuracy"] for seed in SEEDS
        ]
        return statistics.mean(accuracies)

    def test_census_income(self):
        folder = pathlib.Path(DATA) / "adult"
        with gzip.open(folder / "adult.test.gz", "rt") as source:
            self.write("adult.test", source.read().split("\n", 1)[1])  # the first line is a remark
        for epsilon, wanted in (("1", 0.84), ("0.1", 0.82)):
            with self.subTest(epsilon=epsilon):
                mean = self.mean_accuracy(folder / "adult.data.gz", "adult.test", HERE / "adult.toml", epsilon)
                print(f"census income, epsilon {epsilon}: mean test accuracy {mean:.4f}, wanted {wanted}")
                self.assertGreaterEqual(mean, wanted)
        self.assertEqual(self.model()["plan"]["question"]["rows"], 32561)

    def test_the_best_single_question_about_income(self):
        folder = pathlib.Path(DATA) / "adult"
        with gzip.open(folder / "adult.test.gz", "rt") as source:
            self.write("adult.test", source.read().split("\n", 1)[1])  # the first line is a remark
        result = self.fit_and_evaluate(folder / "adult.data.gz", "adult.test", HERE / "adult.toml", "--epsilon", "1", "--delta",
                                       "0", "--loss", "zero-one", "--class", "stumps", "--seed", "1")
        print(f"census income, best stump at epsilon 1: {self.model()['rule']['text']}, test accuracy {result['accuracy']:.4f}")
        self.assertRegex(self.model()["rule"]["text"], r"^capital-gain >= [0-9.]+$")
        self.assertGreaterEqual(result["accuracy"], 0.80)  # always no: 0.764

    def test_census_income_as_libsvm(self):
        folder = pathlib.Path(DATA) / "a9a"
        self.write("a9a.toml", 'version = 1\n[format]\nfile = "libsvm"\n[target]\ncolumn = "label"\nkind = "binary"\npositive = "1"\n'
                   '[[column]]\nrange = [1, 123]\nkind = "real"\nlower = 0\nupper = 1\n')
        result = self.fit_and_evaluate(folder / "a9a.gz", folder / "a9a.t.gz", "a9a.toml", "--epsilon", "1", "--delta",
                                       "1e-6", "--seed", "1")
        print(f"a9a, epsilon 1: test accuracy {result['accuracy']:.4f}")
        self.assertEqual(result["rows"], 16281)
        self.assertGreaterEqual(result["accuracy"], 0.80)

    def test_house_prices(self):
        data = pathlib.Path(DATA) / "california_housing" / "cal_housing.data.gz"
        result = self.fit_and_evaluate(data, data, HERE / "california.toml", "--epsilon", "1", "--delta", "1e-6", "--seed",
                                       "1")
        error = result["root_mean_square_error"]
        print(f"house prices, epsilon 1: root mean square error {error:.0f} dollars")
        self.assertEqual(result["rows"], 20640)
        self.assertLess(error, 100_000)  # the standard deviation of the prices is 115,000


if __name__ == "__main__":
    if not DATA:
        print("skipped: DPERM_DATA is not set")
        sys.exit(0)
    unittest.main()
