# SPDX-License-Identifier: Apache-2.0
"""Every test that SECURITY.md names as covering a threat is there."""

import pathlib
import re
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
CASE = re.compile(r"TEST(?:_F|_P)?\(\s*(\w+),\s*(\w+)\)")
CLASS = re.compile(r"^class (\w+)\(|^ *def (test_\w+)\(", re.M)


def named():
    """The words in code style of the last column of the table."""
    text = (ROOT / "SECURITY.md").read_text()
    lines = [line.strip().strip("|").split(" | ")[-1] for line in text.splitlines() if line.startswith("|")]
    return [word for line in lines for word in re.findall(r"`([\w.*]+)`", line)]


class Security(unittest.TestCase):
    def setUp(self):
        sources = "".join(path.read_text() for top in ("dperm", "tests", "fuzz") for path in (ROOT / top).rglob("*_test.cpp"))
        self.cases = {".".join(each) for each in CASE.findall(sources)}
        self.suites = {each.split(".")[0] for each in self.cases}
        scripts = "".join(path.read_text() for path in (ROOT / "tests").glob("*/*_test.py"))
        self.python = {word for each in CLASS.findall(scripts) for word in each if word}

    def is_there(self, name):
        group, _, rest = name.partition(".")
        if (ROOT / "tests" / group).is_dir() or group == "fuzz":
            return rest == "*" or (ROOT / "tests" / group / f"{rest}_test.py").exists()
        if name.endswith("_test"):
            return (ROOT / "dperm" / name.removesuffix("_test")).is_dir()
        if rest == "*":
            return group in self.suites
        return name in self.cases or all(word in self.python for word in name.split("."))

    def test_every_name_is_a_test(self):
        self.assertGreater(len(named()), 30)
        for name in named():
            with self.subTest(name=name):
                self.assertTrue(self.is_there(name))

    def test_a_wrong_name_would_be_noticed(self):
        for name in ("LedgerFile.NoSuchCase", "NoSuchSuite.*", "cli.nothing", "Forged.test_nothing", "nothing_test"):
            self.assertFalse(self.is_there(name), name)


if __name__ == "__main__":
    unittest.main()
