# SPDX-License-Identifier: Apache-2.0
"""From the bundled table to a model that was judged privately, persons protected: at most five commands and one edit.
tests/real_data/raw_files_test.py does the same with larger tables."""

import pathlib
import unittest

from cli_case import BUDGET, CliCase

HEALTH = pathlib.Path(__file__).resolve().parents[2] / "examples" / "health"
DATA = HEALTH / "health_train.csv.gz"


class RawFile(CliCase):
    def test_years_of_persons(self):
        asked = self.succeed("schema", "infer", DATA, "--target", "mdvis", "--unit", "person", "--unit-rows", "3", "--epsilon",
                             "0.2", "-o", "s.toml")
        self.assertIn("Spent: epsilon 0.2", asked.err)
        # The one edit: not how many visits, but whether there was one.
        head, rest = self.path("s.toml").read_text().split("[target]\n", 1)
        target, others = rest.split("\n\n", 1)
        self.assertIn('kind = "real"', target)
        self.write("s.toml", f'{head}[target]\ncolumn = "mdvis"\nkind = "binary"\nthreshold = 0\n\n{others}')
        self.succeed("schema", "check", DATA, "--schema", "s.toml", "--strict")
        fitted = self.succeed("fit", DATA, "--schema", "s.toml", *BUDGET, "--holdout", "0.2", "-o", "m.json")
        self.assertIn("one person (column person, at most 3 rows)", " ".join(fitted.out.split()))
        verified = self.succeed("verify", "m.json").out
        self.assertIn("In total: epsilon 1.2", verified)
        self.assertIn("one person's rows (column person, at most 3)", verified)
        told = self.model("m.json")["evaluation"]["measures"]["auc"]
        exact = self.succeed("evaluate", "m.json", HEALTH / "health_test.csv.gz", "--public", "--json").json()["measures"]["auc"]
        self.assertGreater(exact["value"], 0.6)
        bars = told["radius_95_with_sampling"] + exact["radius_95_with_sampling"]
        self.assertLess(abs(told["value"] - exact["value"]), 3 * bars)

    def test_the_two_schemas_differ_in_who_is_protected_alone(self):
        import tomllib

        rows, persons = (tomllib.loads((HEALTH / name).read_text()) for name in ("schema.toml", "persons.toml"))
        self.assertEqual(persons.pop("unit"), {"column": "person", "rows": 3})
        self.assertEqual(rows, persons)


if __name__ == "__main__":
    unittest.main()
