# SPDX-License-Identifier: Apache-2.0
"""From a raw file to an evaluated model without an edit: the bank's calls and the diabetes study in the folder named by
DPERM_DATA, as they were published."""

import os
import pathlib
import sys
import unittest

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "cli"))
from cli_case import BUDGET, CliCase  # noqa: E402

DATA = pathlib.Path(os.environ.get("DPERM_DATA", "."))
CALLS = DATA / "bank_marketing" / "bank-full.csv.gz"
STAYS = DATA / "diabetes130" / "diabetic_data.csv.gz"


class RawFiles(CliCase):
    def test_calls_of_a_bank(self):
        self.succeed("schema", "infer", CALLS, "--delimiter", ";", "--target", "y", "--epsilon", "0.2", "-o", "s.toml")
        self.succeed("schema", "check", CALLS, "--schema", "s.toml", "--strict")
        self.succeed("fit", CALLS, "--schema", "s.toml", *BUDGET, "--holdout", "0.2", "-o", "m.json")
        self.assertIn("In total: epsilon 1.2", self.succeed("verify", "m.json").out)
        told = self.model("m.json")["evaluation"]
        exact = self.succeed("evaluate", "m.json", CALLS, "--public", "--json").json()
        # The constant answer is right in 0.883 of the calls. A bar that counts sampling misses with probability 0.05;
        # three of them, about six standard errors, with one far below 1e-6.
        self.assertGreater(exact["accuracy"], 0.89)
        self.assertGreater(exact["measures"]["auc"]["value"], 0.88)
        for name in ["accuracy", "auc", "brier_score"]:
            bar = told["measures"][name]["radius_95_with_sampling"]
            self.assertLess(abs(told["measures"][name]["value"] - exact["measures"][name]["value"]), 3 * bar, name)

    def test_patients_of_many_stays(self):
        self.succeed("schema", "infer", STAYS, "--target", "readmitted", "--target-kind", "binary", "--positive", "<30",
                     "--unit", "patient_nbr", "--unit-rows", "2", "--epsilon", "0.5", "-o", "s.toml")
        self.assertNotIn('name = "encounter_id"\nkind = "integer"', self.path("s.toml").read_text())
        self.succeed("fit", STAYS, "--schema", "s.toml", *BUDGET, "--holdout", "0.2", "-o", "m.json")
        verified = self.succeed("verify", "m.json").out
        self.assertIn("one person's rows (column patient_nbr, at most 2)", verified)
        self.assertIn("In total: epsilon 1.5", verified)
        exact = self.succeed("evaluate", "m.json", STAYS, "--public", "--json").json()
        self.assertGreater(exact["measures"]["auc"]["value"], 0.58)  # without privacy about 0.65
        # Judged on whole patients, by noise for both of their stays; stays beyond the second are in `exact` alone.
        told = self.model("m.json")["evaluation"]["measures"]
        for name in ["accuracy", "auc", "brier_score"]:
            bar = told[name]["radius_95_with_sampling"]
            self.assertLess(abs(told[name]["value"] - exact["measures"][name]["value"]), 3 * bar + 0.01, name)
        # Another unit than the one that the bounds were inferred for is refused.
        text = self.path("s.toml").read_text()
        self.write("other.toml", text.replace("rows = 2\n", "rows = 5\n", 1))
        self.refuse(3, ["[[inferred]] number 1 protects"], "fit", STAYS, "--schema", "other.toml", *BUDGET, "-o", "n.json")


if __name__ == "__main__":
    if not CALLS.exists() or not STAYS.exists():
        print("skipped: DPERM_DATA names no folder with the bank's calls and the diabetes study")
        sys.exit(0)
    unittest.main()
