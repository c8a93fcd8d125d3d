# SPDX-License-Identifier: Apache-2.0
"""The ledger under injected faults: whatever system call fails, wherever the process is killed, whatever the disk loses
that was not synced, nothing that was released is uncounted, nothing is counted twice and no file is half written.

DPERM_LEDGER_TRIALS and DPERM_LEDGER_MINUTES ask for more than a test's worth: make ledger-faults.
"""

import hashlib
import json
import os
import pathlib
import random
import signal
import sqlite3
import subprocess
import sys
import time
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "cli"))
import cli_case  # noqa: E402
from faults_case import KINDS, MINUTES, PROGRAM, WORKER, FaultsCase, fault  # noqa: E402


def entries(path):
    """All entries, the chain recomputed here; a journal that a killed process left is rolled back by opening."""
    with sqlite3.connect(path, timeout=60) as database:
        rows = database.execute(
            "SELECT number, kind, dataset, date, nonce, body, previous, digest FROM entry ORDER BY number").fetchall()
    database.close()
    previous = ""
    for place, (number, kind, dataset, when, nonce, body, before, digest) in enumerate(rows, 1):
        text = "\n".join([before, str(number), kind, dataset, when, nonce, body])
        expected = "blake2b-256:" + hashlib.blake2b(text.encode(), digest_size=32).hexdigest()
        assert number == place and before == previous and digest == expected, f"the chain breaks at {number}"
        previous = digest
    return rows


def count(rows, kind):
    return sum(row[1] == kind for row in rows)


class Faults(FaultsCase):
    def setUp(self):
        super().setUp()
        self.ledger = self.folder / "ledger.db"
        self.new_ledger()

    blank = {}

    def new_ledger(self, epsilon="1e6"):
        for each in self.folder.glob("ledger.db*"):
            each.unlink()
        if epsilon not in self.blank:
            self.dperm("ledger", "create", "ledger.db")
            self.dperm("ledger", "register", "ledger.db", "people", "--epsilon", epsilon, "--delta", "0.5")
            self.blank[epsilon] = self.ledger.read_bytes()
        self.ledger.write_bytes(self.blank[epsilon])

    def check_trial(self, kind, at, done, before, released):
        """What must hold after one run under a fault. `released`: (entry, head) of what it let out, or None."""
        where = f"{kind} at {at}: status {done.returncode}, {done.stderr.decode()}"
        rows = entries(self.ledger)
        reserved = count(rows, "reserve") - count(before, "reserve")
        self.assertEqual(rows[: len(before)], before, where)
        self.assertIn(reserved, (0, 1), where)
        self.assertIn(done.returncode, (0, 3, 137), where)
        if released:
            entry, head = released
            self.assertEqual(reserved, 1, where)
            self.assertEqual((rows[entry - 1][1], rows[entry - 1][7]), ("reserve", head), where)
        if done.returncode == 0:
            self.assertIsNotNone(released, where)
        return rows

    def test_reserve_and_settle_at_every_call(self):
        command = [WORKER, "ledger.db", "people", "out", "1", "0.001"]
        calls = self.calls_of(command)
        self.assertGreater(len(calls), 15)
        self.clear("out*")
        self.new_ledger()
        before, counted = entries(self.ledger), 0
        for kind, at, trial in self.trials("worker", calls):
            done = self.run_in(command, env=fault(kind, at, trial))
            out = self.folder / "out.0"
            released = None
            if out.exists():
                text = out.read_text()
                self.assertTrue(text.endswith("\n") and len(text.split()) == 2, f"half a file: {text!r}")
                released = (int(text.split()[0]), text.split()[1])
            rows = self.check_trial(kind, at, done, before, released)
            counted += count(rows, "reserve") - count(before, "reserve")
            self.assertLessEqual(self.files(), {"ledger.db", "ledger.db-journal", "out.0"}, f"{kind} at {at}")
            self.clear("out*")
            before = rows
            if len(before) > 400:
                self.new_ledger()
                before = entries(self.ledger)
        print(f"worker: {counted} requests were counted", file=sys.stderr)

    def test_fit_at_every_call_and_asked_again(self):
        (self.folder / "people.csv").write_text(cli_case.csv_text(cli_case.people(200)))
        (self.folder / "schema.toml").write_text(cli_case.BINARY)
        fit = [PROGRAM, "fit", "people.csv", "--schema", "schema.toml", "--epsilon", "1", "--delta", "1e-6", "--method",
               "gradient-descent", "--steps", "5", "--threads", "1", "--quiet", "-o", "model.json", "--ledger",
               "ledger.db", "--dataset", "people", "--request-id"]
        calls = self.calls_of([*fit, "counting"])
        self.clear("model.json*")
        self.new_ledger()
        before = entries(self.ledger)
        for kind, at, trial in self.trials("fit", calls, 0.2):
            done = self.run_in([*fit, f"trial {trial}"], env=fault(kind, at, trial))
            before = self.check_trial(kind, at, done, before, self.released())
            was_there = count(before, "settle") == 1
            first = (self.folder / "model.json").read_text() if (self.folder / "model.json").exists() else None
            self.assertLessEqual(self.files(), {"ledger.db", "ledger.db-journal", "people.csv", "schema.toml",
                                                "model.json"}, f"{kind} at {at}")
            self.clear("model.json*")
            again = self.run_in([*fit, f"trial {trial}"])
            self.assertEqual(again.returncode, 0, again.stderr.decode())
            rows = entries(self.ledger)
            self.assertEqual(count(rows, "reserve") - count(before, "reserve"), 0 if was_there else 1,
                             f"{kind} at {at}: asked again")
            if was_there and first:
                self.assertEqual((self.folder / "model.json").read_text(), first)
            self.assertIsNotNone(self.released())
            self.clear("model.json*")
            self.new_ledger()
            before = entries(self.ledger)

    def test_create_and_register_at_every_call(self):
        """A ledger is there or can be made; a dataset is registered or can be."""
        create = [PROGRAM, "ledger", "create", "ledger.db"]
        register = [PROGRAM, "ledger", "register", "ledger.db", "people", "--epsilon", "2", "--delta", "1e-5"]
        self.clear("ledger.db*")
        making = self.calls_of(create)
        adding = self.calls_of(register)
        for kind, at, trial in self.trials("create and register", making + adding, 0.1):
            self.clear("ledger.db*")
            first = at <= len(making)
            done = self.run_in(create, env=fault(kind, at, trial) if first else None)
            if done.returncode != 0 and self.run_in(create).returncode != 0:
                self.assertEqual([row[1] for row in entries(self.ledger)], ["create"], f"{kind} at {at}")
            if not first:
                done = self.run_in(register, env=fault(kind, at - len(making), trial))
            if first or (done.returncode != 0 and count(entries(self.ledger), "register") == 0):
                self.assertEqual(self.run_in(register).returncode, 0, f"{kind} at {at}")
            self.assertEqual([row[1] for row in entries(self.ledger)], ["create", "register"], f"{kind} at {at}")

    def test_a_disk_that_lies_would_be_noticed(self):
        """What this file checks can fail: where syncs do nothing, a loss of power loses a release that was counted."""
        command = [WORKER, "ledger.db", "people", "out", "3", "0.001"]
        calls = self.calls_of(command)
        lost = 0
        for seed in range(40):
            self.clear("out*")
            self.new_ledger()
            self.run_in(command, env=fault("power", len(calls) - 1, seed, FAULT_LIES="1"))
            outs = [path.read_text() for path in self.folder.glob("out.[0-9]")]
            try:
                rows = entries(self.ledger)
                known = {f"{row[0]} {row[7]}\n" for row in rows}
                lost += any(text not in known for text in outs)
            except (AssertionError, sqlite3.DatabaseError):
                lost += 1
        self.assertGreater(lost, 0)

    def released(self):
        path = self.folder / "model.json"
        if not path.exists():
            return None
        model = json.loads(path.read_text())  # whole, or this fails
        return model["ledger"]["entry"], model["ledger"]["head"]

    def test_two_writers_never_pass_the_cap(self):
        self.new_ledger("1")
        writers = [subprocess.Popen([WORKER, "ledger.db", "people", f"out{i}", "60", "0.01"], cwd=self.folder,
                                    stdout=subprocess.PIPE, stderr=subprocess.PIPE) for i in range(2)]
        refused = 0
        for each in writers:
            out, err = each.communicate(timeout=300)
            self.assertIn(each.returncode, (0, 4), err.decode())
            refused += int(out)
        rows = entries(self.ledger)
        self.assertEqual(count(rows, "reserve"), 100)
        self.assertEqual(count(rows, "settle"), 100)
        self.assertEqual(refused, 20)
        named = {path.read_text().split()[0] for path in self.folder.glob("out*.*")}
        self.assertEqual(len(named), 100, "a release without an entry of its own")

    @unittest.skipIf(MINUTES == 0, "DPERM_LEDGER_MINUTES asks for it")
    def test_two_writers_for_long(self):
        stop = time.monotonic() + 60 * MINUTES
        rounds = killed = released = counted = quiet = 0
        draw = random.Random(11)
        while time.monotonic() < stop:
            self.new_ledger()
            writers, undisturbed = [], True
            calm = rounds % 2 == 0  # every other round nothing fails, and what is spent is exactly what was released
            for i in range(2):
                kind = "none" if calm else draw.choice(("none", *(each for each in KINDS if each != "power")))
                undisturbed = undisturbed and kind == "none"
                writers.append(subprocess.Popen([WORKER, "ledger.db", "people", f"out{i}", "100", "0.001"],
                                                cwd=self.folder, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                                                env=fault(kind, draw.randrange(1, 4000), rounds)))
            if not calm and draw.random() < 0.5:
                undisturbed = False
                time.sleep(draw.uniform(0, 3))
                os.kill(writers[0].pid, signal.SIGKILL)
                killed += 1
            for each in writers:
                each.wait(timeout=600)
                self.assertIn(each.returncode, (0, 3, 137, -signal.SIGKILL))
            rows = entries(self.ledger)
            heads = {(row[0], row[7]) for row in rows if row[1] == "reserve"}
            outs = [path.read_text().split() for path in self.folder.glob("out[01].*") if path.suffix[1:].isdigit()]
            for number, head in outs:
                self.assertIn((int(number), head), heads, "released and not counted")
            self.assertEqual(len({number for number, _ in outs}), len(outs), "two releases under one entry")
            self.assertLessEqual(len(heads) - len(outs), 0 if undisturbed else 2,
                                 "counted more often than a process can die")
            shown = json.loads(self.dperm("ledger", "show", "ledger.db", "--json").stdout)["datasets"][0]
            self.assertAlmostEqual(shown["spent"]["epsilon"], 0.001 * len(heads), 9)
            released, counted, quiet = released + len(outs), counted + len(heads), quiet + undisturbed
            rounds += 1
            self.clear("out*")
        print(f"two writers: {rounds} rounds, {quiet} of them without a fault, {killed} with a kill; "
              f"{released} releases, {counted} counted", file=sys.stderr)

    def test_locks_without_effect_are_refused(self):
        command = [WORKER, "ledger.db", "people", "out", "1", "0.001"]
        for kind, words in (("unlocked", b"locks have no effect"), ("lockless", b"has no locks")):
            done = self.run_in(command, env=fault(kind, 0))
            self.assertEqual(done.returncode, 3, done.stderr.decode())
            self.assertIn(words, done.stderr)
        self.assertEqual(count(entries(self.ledger), "reserve"), 0)

    def test_the_clock_may_go_back(self):
        command = [WORKER, "ledger.db", "people", "out", "1", "0.25"]
        for clock in ("2000000000", "1000000000", "0"):
            self.assertEqual(self.run_in(command, env=fault("none", 0, FAULT_CLOCK=clock)).returncode, 0)
        rows = entries(self.ledger)
        self.assertEqual([row[3][:4] for row in rows if row[1] == "reserve"], ["2033", "2001", "1970"])
        shown = json.loads(self.dperm("ledger", "show", "ledger.db", "--json").stdout)
        self.assertAlmostEqual(shown["datasets"][0]["spent"]["epsilon"], 0.75)

    def test_a_file_that_cannot_be_written_is_refused(self):
        self.ledger.chmod(0o444)
        self.folder.chmod(0o555)
        self.addCleanup(self.folder.chmod, 0o755)
        command = [WORKER, "ledger.db", "people", "out", "1", "0.25"]
        if os.geteuid() == 0:  # whom no mode keeps out
            command = ["setpriv", "--reuid=65534", "--clear-groups", *command]
        done = self.run_in(command)
        self.folder.chmod(0o755)
        self.assertEqual(done.returncode, 3, done.stderr.decode())
        self.assertIn(b"cannot be written", done.stderr)
        self.assertEqual(count(entries(self.ledger), "reserve"), 0)


if __name__ == "__main__":
    unittest.main()
