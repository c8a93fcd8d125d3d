# SPDX-License-Identifier: Apache-2.0
"""Patients with several stays, protected as patients, from the raw file of the diabetes study in the folder named by
DPERM_DATA."""

import os
import pathlib
import sys
import unittest

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "cli"))
from cli_case import BUDGET, CliCase  # noqa: E402

DATA = os.environ.get("DPERM_DATA")
STAYS = pathlib.Path(DATA or ".") / "diabetes130" / "diabetic_data.csv.gz"
SCHEMA = HERE.parent.parent / "bench" / "accuracy" / "schemas" / "diabetes.toml"


class Patients(CliCase):
    def test_the_raw_file_from_check_to_verification(self):
        unit = '\n[unit]\ncolumn = "patient_nbr"\nrows = 2\n'
        self.write("patients.toml", SCHEMA.read_text() + unit)
        # 71,518 patients have 101,766 stays, as the study's page says; two of one count.
        checked = self.succeed("schema", "check", STAYS, "--schema", "patients.toml", "--json").json()
        self.assertEqual(checked["rows"], 101766)
        self.assertEqual(checked["unit"]["persons"], 71518)
        self.assertEqual(checked["unit"]["rows_without_identifier"], 0)
        self.succeed("fit", STAYS, "--schema", "patients.toml", *BUDGET, "-o", "model.json")
        self.assertIn("one person's rows (column patient_nbr, at most 2)", self.succeed("verify", "model.json").out)
        released = self.succeed("evaluate", "model.json", STAYS, "--epsilon", "1", "--json").json()
        exact = self.succeed("evaluate", "model.json", STAYS, "--public", "--json").json()
        # A constant answer is right in 0.539 of the stays; without privacy 0.64 is reached.
        self.assertGreater(exact["accuracy"], 0.61)
        self.assertLess(abs(released["accuracy"] - exact["accuracy"]), 0.02)  # stays beyond the second are not counted


if __name__ == "__main__":
    if not STAYS.exists():
        print("skipped: DPERM_DATA names no folder with the diabetes study")
        sys.exit(0)
    unittest.main()
