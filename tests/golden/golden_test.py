# SPDX-License-Identifier: Apache-2.0
"""Seeded fits release the same numbers, bit for bit, as the programs that wrote version1/ to version5/: every weight,
every event with its noise, every guarantee. And files of all formats are still read, predicted from, evaluated and
verified. Where a case has files of several versions, a fit releases the numbers of the last.

DPERM_PROGRAM names the program. A change of method that is meant to change a release says so in CHANGELOG.md and
replaces the files of its cases.
"""

import concurrent.futures
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
import golden_cases

PROGRAM = os.environ.get("DPERM_PROGRAM", "dperm")
HERE = pathlib.Path(__file__).resolve().parent
EXPECTED = json.loads((HERE / "expected.json").read_text())
NOT_SECURE = "the model was made with secure randomness and without unsafe diagnostics"


VERSIONS = ("version1", "version2", "version3", "version4", "version5")


def golden_files():
    """By version and case: "version1/newton"."""
    return {f"{folder}/{path.stem}": path for folder in VERSIONS for path in sorted((HERE / folder).glob("*.json"))}


def newest_files():
    """By case."""
    return {name.split("/")[1]: path for name, path in golden_files().items()}


def exact(path):
    """A model file with every number as the digits that it is written with."""
    return json.loads(path.read_text(), parse_float=str, parse_int=str)


def parameters(model):
    if "coefficients" in model:
        return [(each["name"], each["encoded"]) for each in model["coefficients"]]
    return model.get("network_weights") or model["rule"]


def numbers(value):
    """All numbers and booleans in the order of the file, without the words around them."""
    if isinstance(value, dict):
        return [number for each in value.values() for number in numbers(each)]
    if isinstance(value, list):
        return [number for each in value for number in numbers(each)]
    if isinstance(value, bool):
        return [value]
    try:
        float(value)
    except (TypeError, ValueError):
        return []
    return [value]


class Golden(unittest.TestCase):
    maxDiff = 2000

    @classmethod
    def setUpClass(cls):
        cls.folder = pathlib.Path(tempfile.mkdtemp(prefix="dperm_golden_"))
        cls.addClassCleanup(shutil.rmtree, cls.folder, ignore_errors=True)
        golden_cases.write_inputs(cls.folder)
        lines = (cls.folder / "people.csv").read_text().splitlines()
        (cls.folder / "few.csv").write_text("\n".join(lines[:6]) + "\n")

    def run_program(self, *arguments):
        return subprocess.run([PROGRAM, *map(str, arguments)], cwd=self.folder, capture_output=True, text=True,
                              timeout=300)

    def run_all(self, function, items):
        """function(item) for every item, two at a time."""
        with concurrent.futures.ThreadPoolExecutor(2) as pool:
            return dict(zip(items, pool.map(function, items)))

    def test_seeded_fits_release_the_same_numbers(self):
        def fit(name):
            return self.run_program("fit", "people.csv", *golden_cases.CASES[name], "--seed", golden_cases.SEED,
                                    "--quiet", "-o", f"{name}.json")

        for name, done in self.run_all(fit, list(golden_cases.CASES)).items():
            with self.subTest(case=name):
                self.assertEqual(done.returncode, 0, done.stderr)
                before, now = exact(newest_files()[name]), exact(self.folder / f"{name}.json")
                self.assertEqual(parameters(now), parameters(before))
                self.assertEqual(numbers(now["events"]), numbers(before["events"]))
                self.assertEqual(numbers(now["plan"]["events"]), numbers(before["plan"]["events"]))
                self.assertEqual(numbers(now["guarantee"]), numbers(before["guarantee"]))
                self.assertEqual(now["plan"]["utility"]["excess_risk"], before["plan"]["utility"]["excess_risk"])
                self.assertEqual(numbers(now.get("tuning", {})), numbers(before.get("tuning", {})))

    def test_files_of_every_version_are_still_used(self):
        def use(name):
            file = golden_files()[name]
            metric = "accuracy" if "accuracy" in EXPECTED[name]["evaluation"] else "loss"
            return (
                self.run_program("predict", file, "few.csv"),
                self.run_program("evaluate", file, "people.csv", "--epsilon", "1", "--seed", "5", "--json", "--metric", metric),
                self.run_program("verify", file, "--json"),
            )

        for name, (predicted, evaluated, verified) in self.run_all(use, sorted(EXPECTED)).items():
            with self.subTest(case=name):
                self.assertEqual(predicted.stdout.splitlines(), EXPECTED[name]["predictions"], predicted.stderr)
                before, now = EXPECTED[name]["evaluation"], json.loads(evaluated.stdout)
                self.assertEqual({key: now.get(key) for key in before}, before)
                checks = json.loads(verified.stdout)["checks"]
                failed = [each["check"] for each in checks if not each["passed"]]
                expected = [] if "/secure_" in name else [NOT_SECURE]
                self.assertEqual(failed, EXPECTED[name].get("failed", expected))
                self.assertGreaterEqual(len(checks), 8)

    def test_every_file_has_a_case(self):
        cases = {name for name in newest_files() if not name.startswith("secure_")}
        self.assertEqual(cases, set(golden_cases.CASES))
        self.assertEqual(set(golden_files()), set(EXPECTED))


if __name__ == "__main__":
    unittest.main(verbosity=1)
