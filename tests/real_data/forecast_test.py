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
# Test accuracy without privacy, numbers as curves, ridge 1/rows (bench/accuracy/optimum.py).
WITHOUT_PRIVACY = {"adult": 0.8584, "bank": 0.8991, "credit": 0.8217, "covertype": 0.7750, "kdd": 0.9995}
CHANCE = 0.003  # two seeds, and how the pieces of curves change with epsilon


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

    def test_what_is_lost_lies_within_the_interval(self):
        import optimum
        import sets

        for name, without_privacy in WITHOUT_PRIVACY.items():
            problem = sets.make(name, pathlib.Path(DATA), self.path(name))
            rows = optimum.row_count(problem.train)
            for epsilon in (0.1, 0.5, 1, 3):
                budget = ["--epsilon", epsilon, "--delta", problem.delta]
                chosen = self.succeed("plan", "--schema", problem.schema, "--rows", rows, *budget, "--json").json()[0]
                lower, upper = (chosen["predicted"][f"accuracy_lost_{end}"] for end in ("lower", "upper"))
                lost = without_privacy - self.measured(problem, budget)
                with self.subTest(table=name, epsilon=epsilon):
                    print(f"{name}, epsilon {epsilon}, {chosen['method']}: lost {lost:.4f}, forecast {lower:.4f} to {upper:.4f}")
                    self.assertEqual(self.model()["plan"]["method"], chosen["method"])
                    self.assertLessEqual(lost, upper + CHANCE)
                    if lower > 0:
                        self.assertGreaterEqual(lost, lower - CHANCE)


if __name__ == "__main__":
    if not DATA:
        print("skipped: DPERM_DATA does not name the folder with the datasets")
        sys.exit(0)
    unittest.main()
