# SPDX-License-Identifier: Apache-2.0
"""Calls of the Python package on neighbouring tables show the same: results with all of their attributes, exceptions,
warnings, streams, files and the ledger, except for the fields of docs/released_fields.toml.

DPERM_PYTHON names the interpreter that has the package, DPERM_FROZEN the library that freezes the clock and random bytes.
"""

import concurrent.futures
import json
import os
import pathlib
import shutil
import subprocess
import tempfile
import unittest

import observe

PYTHON = os.environ.get("DPERM_PYTHON", "")
HERE = pathlib.Path(__file__).resolve().parent
PLACES = ("first", "middle", "last")
# Calls that are asked about every record of these columns.
SWEPT = {
    "pandas, fit": ("age", "city", "smoker", "admitted"),
    "pandas with a Categorical, columns without bounds": ("note",),
    "list of lists": ("age", "income", "smoker"),
    "list of booleans": ("smoker",),
    "labels in a list": ("sick",),
}
SLOW_CLOCK = 1_000_000_000


def asked(*words: str, step: int = 0, runs=None):
    """What the worker says, in a folder and an environment like those of the program's runs."""
    top = pathlib.Path(tempfile.mkdtemp(prefix="dperm_nonint_"))
    try:
        (top / "temporary").mkdir()
        (top / "runs.json").write_text(json.dumps(runs))
        command = [PYTHON, "-B", str(HERE / "python_worker.py"), *words, "runs.json", str(top / "answers.json")]
        done = subprocess.run(command, cwd=top, env=observe.environment(top, step), capture_output=True, timeout=3600)
        if done.returncode != 0:
            raise RuntimeError(done.stderr.decode(errors="replace"))
        return json.loads((top / "answers.json").read_text())
    finally:
        shutil.rmtree(top, ignore_errors=True)


def observations(runs, step: int = 0) -> list[dict[str, bytes]]:
    """Of every run, in two processes. Their folders have other names, which do not stand in what is observed."""
    half = (len(runs) + 1) // 2
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        parts = list(pool.map(lambda part: asked(runs=part, step=step), [runs[:half], runs[half:]]))
    return [{name: text.encode("latin-1") for name, text in each.items()} for part in parts for each in part]


def pair(first, second, not_alike) -> tuple:
    """Two runs, and the kind of fields in which they may differ."""
    alike = first[1] == second[1] and first[1] not in not_alike.get(first[0], ())
    return first, second, "" if alike else "released"


def pairs_of_three(cases, groups, not_alike) -> list[tuple]:
    """For every case two records of one group and one of another, at a place: all groups have their turn."""
    names, made = list(groups), []
    for number, case in enumerate(cases):
        group, other, where = names[number % len(names)], names[(5 * number + 2) % len(names)], PLACES[number % 3]
        last = groups[group] - 1
        first = [case, group, 0, where]
        made.append(pair(first, [case, group, 1 + number % last, where], not_alike))
        made.append(pair(first, [case, other, number % groups[other], where], not_alike))
    return made


def sweep(groups, not_alike) -> list[tuple]:
    """Every record of a group beside its first, and the first ones beside each other; in the first row, whose types and
    shape are the ones that a reader may take for all."""
    made = []
    for case, columns in SWEPT.items():
        firsts = [[case, group, 0, "first"] for group in groups if group.split()[0] in columns]
        made += [pair(firsts[0], first, not_alike) for first in firsts[1:]]
        made += [pair(first, [*first[:2], number, "first"], not_alike) for first in firsts for number in range(1, groups[first[1]])]
    return made


class PythonCase(unittest.TestCase):
    def check(self, pairs, step: int = 0):
        runs = {json.dumps(run): run for pair in pairs for run in pair[:2]}
        seen = dict(zip(runs, observations(list(runs.values()), step)))
        for first, second, kind in pairs:
            with self.subTest(f"{first} {second}"):
                self.assertEqual(observe.differences(seen[json.dumps(first)], seen[json.dumps(second)], kind), [])


class Neighbours(PythonCase):
    @classmethod
    def setUpClass(cls):
        cls.cases, cls.failing, *cls.drawn = asked("--list")

    def test_every_call(self):
        self.check(pairs_of_three(self.cases, *self.drawn))

    def test_every_record(self):
        self.check(sweep(*self.drawn))

    def test_a_query_that_fails_quotes_no_cell(self):
        texts = [["age 0", number, "middle"] for number in self.failing["numbers"]]
        for case in self.failing["cases"]:
            self.check([([case, *texts[0]], [case, *each], "") for each in texts[1:]])


class Clocks(PythonCase):
    def test_nothing_tells_how_long_a_call_took(self):
        runs = [[case, "age 3", 0, "middle"] for case in asked("--list")[0] if case.startswith("pandas, ")]
        still, slow = observations(runs), observations(runs, SLOW_CLOCK)
        for run, one, other in zip(runs, still, slow):
            with self.subTest(run[0]):
                self.assertEqual(observe.differences(one, other, "clock"), [])


if __name__ == "__main__":
    unittest.main()
