# SPDX-License-Identifier: Apache-2.0
"""Attacks on public tables, from the folder named by DPERM_DATA: a census row out of a logistic regression, and who is in
location30 out of a network. DPERM_AUDIT=full takes as many models as docs/audit_membership.md tells of."""

import os
import pathlib
import sys
import tarfile
import unittest

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "cli"))
from cli_case import CliCase  # noqa: E402

DATA = os.environ.get("DPERM_DATA")
FULL = os.environ.get("DPERM_AUDIT") == "full"


class Attacks(CliCase):
    def write_location30(self, rows):
        """446 flags and one of 30 classes."""
        with tarfile.open(pathlib.Path(DATA) / "location30" / "dataset_location.tgz") as archive:
            lines = archive.extractfile("bangkok").read().decode().splitlines()[:rows]
        table = [",".join([f"f{i}" for i in range(446)] + ["label"])]
        for line in lines:
            label, flags = line.split(",", 1)
            table.append(f"{flags},{label.strip(chr(34))}")
        self.write("location.csv", "\n".join(table) + "\n")
        names = ", ".join(f'"f{i}"' for i in range(446))
        classes = ", ".join(f'"{k}"' for k in range(1, 31))
        self.write("location.toml", f'version = 1\n[[column]]\nnames = [{names}]\nkind = "boolean"\n'
                                    f'[target]\ncolumn = "label"\nkind = "class"\nvalues = [{classes}]\n')

    def test_a_census_row_comes_out_of_a_logistic_regression(self):
        found = self.succeed("audit", "reconstruction", "--schema", HERE / "adult.toml", "--data",
                             pathlib.Path(DATA) / "adult" / "adult.data.gz", "--unsafe", "--targets", "20" if FULL else "5",
                             "--epsilons", "1", "--json", timeout=600).json()
        bare, private = found["levels"]
        print(f"census: {bare}, {private}, prior {found['prior_error']:.3g}")
        self.assertLess(bare["typical_error"], 1e-6)
        self.assertEqual(bare["rows_recovered"], found["targets"])
        self.assertEqual(private["rows_recovered"], 0)
        self.assertGreaterEqual(private["mean_error"], found["prior_error"])

    def test_location30_gives_its_people_away_without_privacy_and_not_at_epsilon_two(self):
        self.write_location30(5010 if FULL else 1500)
        bare, private = self.succeed(
            "audit", "membership", "--schema", "location.toml", "--data", "location.csv", "--unsafe", "--models",
            "16" if FULL else "8",
            "--hidden", "64", "--epsilon", "2", "--delta", "1e-5", "--method", "sgd", "--json", timeout=900).json()
        for each in (bare, private):
            print(each["model"], each["accuracy_members"], each["accuracy_strangers"], each["attacks"])
        online, noisy = bare["attacks"][3]["at"][1], private["attacks"][3]["at"][1]
        self.assertGreaterEqual(online["true_positive_rate"], 0.1)
        self.assertGreaterEqual(online["true_positive_rate_at_least"], 5 * online["false_positive_rate_at_most"])
        self.assertLessEqual(noisy["true_positive_rate"], 0.02)
        self.assertLessEqual(noisy["true_positive_rate_at_least"], noisy["false_positive_rate_at_most"])


if __name__ == "__main__":
    if not DATA:
        print("skipped: DPERM_DATA is not set")
    else:
        unittest.main()
