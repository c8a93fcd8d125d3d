# SPDX-License-Identifier: Apache-2.0
"""What the tests with injected faults share: how a fault is asked for, and how trials are counted."""

import collections
import os
import pathlib
import random
import shutil
import subprocess
import sys
import tempfile
import time
import unittest

PROGRAM = os.environ["DPERM_PROGRAM"]
WORKER = os.environ["LEDGER_WORKER"]
FAULTS = os.environ["LEDGER_FAULTS"]
TRIALS = int(os.environ.get("DPERM_LEDGER_TRIALS", "0"))
MINUTES = float(os.environ.get("DPERM_LEDGER_MINUTES", "0"))
SECONDS = 8  # for each loop over trials, unless a number of trials is asked for
KINDS = ("kill", "torn", "power", "ENOSPC", "EIO", "ENOSPC for good", "EIO for good")


def fault(kind, at, seed=0, **more):
    words = kind.split()
    return {**os.environ, "LD_PRELOAD": FAULTS, "FAULT_KIND": words[0], "FAULT_AT": str(at), "FAULT_SEED": str(seed),
            "FAULT_STICKY": "1" if len(words) > 1 else "0", **more}


def plan(calls, seed):
    """Pairs of a kind and a call, every one once, in an order that a short run samples well. Only what is written can
    be torn, and only power can go after the last call."""
    pairs = [(kind, at) for kind in KINDS for at, name in enumerate(calls, 1)
             if kind != "torn" or name in ("write", "pwrite64")]
    pairs.append(("power", len(calls) + 1))
    random.Random(seed).shuffle(pairs)
    return pairs


class FaultsCase(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="dperm_faults_"))
        self.addCleanup(shutil.rmtree, self.folder, ignore_errors=True)

    def run_in(self, command, **options):
        options = {"cwd": self.folder, "capture_output": True, "timeout": 300, **options}
        return subprocess.run([str(each) for each in command], **options)

    def dperm(self, *arguments, status=0):
        done = self.run_in([PROGRAM, *arguments])
        self.assertEqual(done.returncode, status, done.stderr.decode())
        return done

    def calls_of(self, command):
        """The system calls of a whole run that can fail, in order."""
        counted = self.folder / "count"
        done = self.run_in(command, env=fault("none", 0, FAULT_COUNT=str(counted)))
        self.assertEqual(done.returncode, 0, done.stderr.decode())
        self.assertTrue(counted.exists(), "the faults were not loaded")
        calls = counted.read_text().split()
        counted.unlink()
        return calls

    def trials(self, name, calls, share=1):
        """(kind, call, number) until there were enough, said at the end; a share of the trials that are asked for."""
        stop, number, done = time.monotonic() + SECONDS, 0, collections.Counter()
        while True:
            for kind, at in plan(calls, number):
                if time.monotonic() > stop if TRIALS == 0 else number >= TRIALS * share:
                    print(f"{name}: {number} trials over {len(calls)} calls, {dict(done)}", file=sys.stderr)
                    return
                number += 1
                done[kind] += 1
                yield kind, at, number

    def files(self):
        return {each.name for each in self.folder.iterdir()}

    def clear(self, pattern):
        for each in self.folder.glob(pattern):
            each.unlink()
