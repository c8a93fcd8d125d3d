# SPDX-License-Identifier: Apache-2.0
"""dperm audit: what it refuses to look at, that it catches broken variants, and what it says about right ones."""

import json
import unittest

from cli_case import BUDGET, CliCase, csv_text, people


class Audit(CliCase):
    def test_real_records_need_unsafe(self):
        self.write("real.csv", csv_text(people(50)))
        real = ["audit", "--schema", "schema.toml", *BUDGET, "--data", "real.csv"]
        self.refuse(2, ["--unsafe"], *real)
        self.refuse(2, ["leave --data out"], *real, "--unsafe")
        self.refuse(2, ["--data"], "audit", "--unsafe")

    def test_a_method_of_the_program(self):
        shown = self.succeed("audit", "--method", "output-certified", "--runs", "2000", "--json", "--epsilon", "2").json()
        self.assertEqual(shown["rows"], "made up")
        first = shown["cases"][0]
        self.assertEqual(first["case"], "output-certified")
        self.assertTrue(first["holds"])
        self.assertLessEqual(first["epsilon_at_least"], first["proved_epsilon"])
        self.assertGreater(first["epsilon_at_least"], 0)
        self.assertGreater(first["sensitivity_share"], 0.9)
        text = self.succeed("audit", "--method", "constant", "--runs", "500", "--pictures", "drawn")
        self.assertIn("No attack came further than is proved.", text.out)
        self.assertIn("made up", text.err)
        self.assertTrue((self.folder / "drawn" / "bounds.svg").read_text().startswith("<svg"))
        for name in ("loss-constant.svg", "rates-constant.svg"):
            self.assertTrue((self.folder / "drawn" / name).read_text().startswith("<svg"))

    def test_pictures_replace_nothing_but_pictures(self):
        self.path("drawn").mkdir()
        self.write("drawn/rates-constant.svg", "a model")
        use = ["audit", "--method", "constant", "--runs", "500", "--pictures"]
        self.refuse(2, ["rates-constant.svg", "no picture"], *use, "drawn")
        self.refuse(2, ["--pictures schema.toml", "no folder"], *use, "schema.toml")

    def test_a_plan_of_ones_own(self):
        shown = self.succeed("audit", "--schema", "schema.toml", *BUDGET, "--method", "output-perturbation", "--rows", "60",
                             "--runs", "200", "--json").json()
        self.assertEqual(len(shown["cases"]), 1)
        self.assertTrue(shown["cases"][0]["holds"])

    def test_the_rows_of_a_person_are_attacked_together(self):
        self.write("unit.toml", self.path("schema.toml").read_text() + '[unit]\ncolumn = "who"\nrows = 3\n')
        case, = self.succeed("audit", "--schema", "unit.toml", "--epsilon", "4", "--delta", "1e-5", "--method",
                             "gradient-descent", "--steps", "5", "--rows", "30", "--runs", "4000", "--json").json()["cases"]
        self.assertTrue(case["holds"])
        self.assertGreater(case["sensitivity_share"], 0.5)  # one row of three reaches a third
        self.assertGreater(case["epsilon_at_least"], 1)

    def test_controls_are_caught(self):
        for control in json.loads(self.succeed("audit", "--control", "half-noise", "--json").out):
            self.assertTrue(control["flagged"])
            self.assertFalse(control["right_variant_flagged"])
        self.assertIn("CAUGHT", self.succeed("audit", "--control", "early-stop-ignored").out)
        self.refuse(2, ["fixed-seed"], "audit", "--control", "magic")

    def test_one_run(self):
        shown = self.succeed("audit", "--one-run", "--epsilon", "8", "--canaries", "1000", "--json").json()
        self.assertEqual((shown["canaries"], shown["guessed"]), (1000, 100))
        self.assertLessEqual(shown["epsilon_at_least"], shown["proved_epsilon"])
        self.assertGreater(shown["right"], 50)

    def test_unknown_methods_are_refused(self):
        self.refuse(2, ["gradient-descent"], "audit", "--method", "magic")


if __name__ == "__main__":
    unittest.main()
