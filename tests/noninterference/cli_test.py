# SPDX-License-Identifier: Apache-2.0
"""Commands on neighbouring tables show the same, byte by byte, except for the fields of docs/released_fields.toml; and
with records that are encoded alike, every byte is the same.

DPERM_PROGRAM names the program and DPERM_FROZEN the library that freezes the clock and random bytes.
"""

import concurrent.futures
import pathlib
import random
import shutil
import tempfile
import threading
import unittest

import cli_cases
import observe
import records

PLACES = ("first", "middle", "last")
GROUPS = records.groups()
SLOW_CLOCK = 1_000_000_000


class Runs(unittest.TestCase):
    """Two at a time, each in a folder of its own thread."""

    @classmethod
    def setUpClass(cls):
        cls.top = pathlib.Path(tempfile.mkdtemp(prefix="dperm_nonint_"))
        cls.addClassCleanup(shutil.rmtree, cls.top, ignore_errors=True)
        cls.inputs = cli_cases.prepared()
        cls.local = threading.local()

    def observed(self, commands, record: bytes, where: str, step: int = 0):
        return self.seen(commands, {**self.inputs, "table.csv": records.table(record, where)}, step)

    def seen(self, commands, inputs, step: int = 0):
        if not hasattr(self.local, "place"):  # one name, as long as every other: paths may be printed
            self.local.place = pathlib.Path(tempfile.mkdtemp(dir=self.top))
        return observe.Folder(self.local.place / "run").run(commands, inputs, step)

    def in_parallel(self, function, items):
        with concurrent.futures.ThreadPoolExecutor(2) as pool:
            return list(zip(items, pool.map(function, items)))

    def expect_no_differences(self, checked):
        """Of pairs (what was compared, differences)."""
        for name, found in checked:
            with self.subTest(name):
                self.assertEqual(found, [])


def three_records(number: int) -> tuple[bytes, bytes, bytes]:
    """Two of one group and one of another: all groups have their turn."""
    group, other = GROUPS[number % len(GROUPS)], GROUPS[(7 * number + 3) % len(GROUPS)]
    turn = number // len(GROUPS)
    return group[turn % len(group)], group[(turn + 1 + number) % len(group)], other[number % len(other)]


class Neighbours(Runs):
    def compared(self, name, commands, number):
        first, alike, other = three_records(number)
        where = PLACES[number % 3]
        base = self.observed(commands, first, where)
        kind = "released" if name in cli_cases.NEVER_ALIKE else ""
        found = [f"alike: {each}" for each in observe.differences(base, self.observed(commands, alike, where), kind)]
        found += observe.differences(base, self.observed(commands, other, where), "released")
        return f"{name}, {where}: {first[:90]!r}, {alike[:90]!r}, {other[:90]!r}", found, base

    def test_every_method_and_loss(self):
        cases = list(enumerate(cli_cases.FITS.items()))
        for _, (name, found, base) in self.in_parallel(lambda case: self.compared(*case[1], case[0]), cases):
            with self.subTest(name):
                self.assertEqual(base["1 fit table.csv: status"], b"0", base)
                self.assertEqual(found, [])

    def test_every_flow(self):
        cases = [(3 * number + turn, *flow) for number, flow in enumerate(cli_cases.FLOWS.items()) for turn in range(3)]
        made = self.in_parallel(lambda case: self.compared(case[1], case[2], 5 * case[0] + 1), cases)
        self.expect_no_differences([result[:2] for _, result in made])

    def test_every_record(self):
        """One command, all records of all groups."""
        commands = [cli_cases.fit("dated", "--details", "-o", "model.json")]
        base = self.observed(commands, records.line(records.ORDINARY), "middle")

        def compared(group):
            seen = [self.observed(commands, record, "middle") for record in group]
            found = [f"{record[:90]!r} alike: {each}" for record, one in zip(group, seen) for each in observe.differences(seen[0], one)]
            return found + observe.differences(base, seen[0], "released")

        checked = self.in_parallel(compared, GROUPS)
        self.expect_no_differences([(f"group of {group[0][:90]!r}", found) for group, found in checked])

    def test_hostile_lines_in_every_text_format(self):
        draw = random.Random(13)
        lines = [records.hostile(draw) for _ in range(12)]

        def compared(name):
            base = self.seen(*cli_cases.format_run(name, None, 0))
            self.assertEqual(base[next(each for each in base if each.endswith("status"))], b"0", base)
            return [
                f"{record[:200]!r}: {each}"
                for number, record in enumerate(lines)
                for each in observe.differences(base, self.seen(*cli_cases.format_run(name, record, number)), "released")
            ]

        self.expect_no_differences(self.in_parallel(compared, list(cli_cases.formats())))


class Clocks(Runs):
    def test_nothing_tells_how_long_a_run_took(self):
        """The same records, with a clock that stands still and with one that moves by a second at every look."""

        def compared(name):
            record = records.line(records.ORDINARY)
            runs = [self.observed(cli_cases.FLOWS[name], record, "middle", step) for step in (0, SLOW_CLOCK)]
            return observe.differences(*runs, "clock")

        self.expect_no_differences(self.in_parallel(compared, list(cli_cases.FLOWS)))


if __name__ == "__main__":
    unittest.main()
