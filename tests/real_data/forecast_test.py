# SPDX-License-Identifier: Apache-2.0
"""What `dperm plan` forecasts against what `dperm fit` reaches, on five public tables of the folder named by DPERM_DATA.
Seeds are fixed, so that a run says the same every time; a seeded model is not private."""

import os
import pathlib
import statistics
import sys
import unittest

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "cli"))
sys.path.insert(0, str(HERE.parent.parent / "bench" / "accuracy"))
from cli_case import CliCase  # noqa: E402

DATA = os.environ.get("DPERM_DATA")
SEEDS = range(1, 3)
# Test accuracy of logistic regression without privacy (bench/accuracy/optimum.py).
WITHOUT_PRIVACY = {"adult": 0.8460, "bank": 0.8967, "credit": 0.8063, "covertype": 0.7572, "kdd": 0.9991}


class Forecast(CliCase):
    def measured(self, problem, budget):
        accuracies = []
        for seed in SEEDS:
            self.succeed("fit", problem.train, "--schema", problem.schema, *budget, "--seed", seed, "--quiet", "--tiles",
                         f"{problem.name}.train.tiles", "-o", "model.json")
            report = self.succeed("evaluate", "model.json", problem.test, "--public", "--json", "--tiles",
                                  f"{problem.name}.test.tiles").json()
            accuracies.append(report["accuracy"])
        return statistics.mean(accuracies)

    def test_accuracy_is_within_two_points(self):
        import optimum
        import sets

        for name, without_privacy in WITHOUT_PRIVACY.items():
            problem = sets.make(name, pathlib.Path(DATA), self.path(name))
            rows = optimum.row_count(problem.train)
            for epsilon in (0.1, 0.5, 1, 3):
                budget = ["--epsilon", epsilon, "--delta", problem.delta]
                chosen = self.succeed("plan", "--schema", problem.schema, "--rows", rows, *budget, "--json").json()[0]
                predicted = without_privacy - chosen["predicted"]["accuracy_lost"]
                measured = self.measured(problem, budget)
                with self.subTest(table=name, epsilon=epsilon):
                    print(f"{name}, epsilon {epsilon}, {chosen['method']}: predicted {predicted:.4f}, measured {measured:.4f}")
                    self.assertEqual(self.model()["plan"]["method"], chosen["method"])
                    self.assertAlmostEqual(predicted, measured, delta=0.02)


if __name__ == "__main__":
    if not DATA:
        print("skipped: DPERM_DATA does not name the folder with the datasets")
        sys.exit(0)
    unittest.main()
