# SPDX-License-Identifier: Apache-2.0
"""Random cases for as long as is wanted: commands and Python calls on random neighbours. `make neighbours` runs it.

Usage: hours.py --minutes 60 [--seed 1]. The seed is printed, and the number of a case that fails: the same seed draws the
same cases. It ends with status 1 where something differed.
"""

import argparse
import pathlib
import random
import shutil
import sys
import tempfile
import time

import cli_cases
import observe
import python_test
import records

PLACES = ("first", "middle", "last")
CALLS = 60  # of Python in one process


def cell_pair(draw: random.Random) -> tuple[bytes, bytes, str]:
    """Two records, and what may differ between runs on them."""
    groups = records.groups()
    group = draw.choice(groups)
    if draw.random() < 0.6:
        return draw.choice(group), draw.choice(group), ""
    return draw.choice(group), draw.choice([draw.choice(draw.choice(groups)), records.hostile(draw)]), "released"


def command_case(draw: random.Random, inputs, top: pathlib.Path) -> tuple[str, list[str]]:
    """One flow of commands, or a fit in one text format, on two neighbours."""
    folder = observe.Folder(top / "run")
    if draw.random() < 0.3:
        name, record, number = draw.choice(list(cli_cases.formats())), records.hostile(draw), draw.randrange(12)
        runs = [folder.run(*cli_cases.format_run(name, each, number)) for each in (None, record)]
        return f"{name}: {record[:200]!r}", observe.differences(*runs, "released")
    name, commands = draw.choice([*cli_cases.FITS.items(), *cli_cases.FLOWS.items()])
    first, second, kind = cell_pair(draw)
    kind = "released" if name in cli_cases.NEVER_ALIKE else kind
    where, rows = draw.choice(PLACES), records.others(draw.choice((20, 120, 500)))
    tables = [records.table(record, where, rows) for record in (first, second)]
    runs = [folder.run(commands, {**inputs, "table.csv": table}) for table in tables]
    return f"{name}, {where}: {first[:200]!r} and {second[:200]!r}", observe.differences(*runs, kind)


def python_cases_of(draw: random.Random, cases, groups, not_alike) -> list[tuple[str, list[str]]]:
    """Many calls, because a process takes seconds to begin."""
    pairs = []
    for _ in range(CALLS):
        case, where, group = draw.choice(cases), draw.choice(PLACES), draw.choice(list(groups))
        other = group if draw.random() < 0.7 else draw.choice(list(groups))
        first, second = ([case, each, draw.randrange(groups[each]), where] for each in (group, other))
        pairs.append(python_test.pair(first, second, not_alike))
    seen = python_test.observations([run for pair in pairs for run in pair[:2]])
    return [
        (f"{first} and {second}", observe.differences(*seen[2 * at : 2 * at + 2], kind))
        for at, (first, second, kind) in enumerate(pairs)
    ]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--minutes", type=float, default=60)
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args()
    print(f"noninterference: seed {given.seed}, {given.minutes:g} minutes", flush=True)
    end, done, wrong, number = time.monotonic() + 60 * given.minutes, 0, 0, 0
    top = pathlib.Path(tempfile.mkdtemp(prefix="dperm_nonint_"))
    try:
        inputs, (cases, _, *drawn) = cli_cases.prepared(), python_test.asked("--list")
        while time.monotonic() < end:
            number += 1
            draw = random.Random(f"{given.seed} {number}")
            of_python = number % 10 == 0
            checked = python_cases_of(draw, cases, *drawn) if of_python else [command_case(draw, inputs, top)]
            done += len(checked)
            for name, found in checked:
                wrong += bool(found)
                for each in found:
                    print(f"case {number}: {name}\n  {each}", flush=True)
    finally:
        shutil.rmtree(top, ignore_errors=True)
    print(f"noninterference: {done} pairs of runs, {wrong} of them differ")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
