# SPDX-License-Identifier: Apache-2.0
"""Models, tiles and predictions under injected faults: whatever system call fails, wherever the process is killed,
whatever the disk loses that was not synced, a file is the old one, the new one or none, and nothing else is left.

Noise is seeded here, so that a whole file is known by its bytes. The trials of the ledger are in faults_test.py.
"""

import pathlib
import subprocess
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "cli"))
import cli_case  # noqa: E402
from faults_case import PROGRAM, FaultsCase, fault  # noqa: E402

OLD = b"what was there before\n"
FIT = [PROGRAM, "fit", "people.csv", "--schema", "schema.toml", "--epsilon", "1", "--delta", "1e-6", "--method",
       "gradient-descent", "--steps", "5", "--threads", "1", "--quiet", "--seed", "7", "-o", "model.json"]


class Outputs(FaultsCase):
    def setUp(self):
        super().setUp()
        (self.folder / "people.csv").write_text(cli_case.csv_text(cli_case.people(200)))
        (self.folder / "schema.toml").write_text(cli_case.BINARY)
        self.inputs = self.files()

    def whole_run(self, command, outputs):
        """What the outputs are when nothing fails, and the calls that could."""
        calls = self.calls_of(command)
        whole = {name: (self.folder / name).read_bytes() for name in outputs}
        self.clear_outputs()
        self.calls_of(command)
        self.assertEqual(whole, {name: (self.folder / name).read_bytes() for name in outputs}, "not known by bytes")
        self.clear_outputs()
        return whole, calls

    def clear_outputs(self):
        for name in self.files() - self.inputs:
            (self.folder / name).unlink()

    def one_trial(self, command, kind, at, seed, whole, replaced=()):
        """`replaced`: outputs that must never be missing, because an older one was there."""
        done = self.run_in(command, env=fault(kind, at, seed))
        where = f"{kind} at {at}: status {done.returncode}, {done.stderr.decode()}"
        self.assertIn(done.returncode, (0, 3, 137), where)
        for name, content in whole.items():
            path = self.folder / name
            found = path.read_bytes() if path.exists() else None
            allowed = [content] if done.returncode == 0 else [content, OLD if name in replaced else None]
            self.assertTrue(any(found == each for each in allowed),
                            f"{where}\n{name}: {None if found is None else found[:80]}")
        left = self.files() - self.inputs - set(whole)
        # About to replace an old file, a killed program may leave the new one beside it, or any program on a disk that
        # fails for good.
        for name in left:
            self.assertIn(name.rsplit(".", 1)[0], replaced, f"{where}\nleft: {name}")
            self.assertTrue(done.returncode == 137 or "for good" in kind, f"{where}\nleft: {name}")
            self.assertEqual((self.folder / name).read_bytes(), whole[name.rsplit(".", 1)[0]], where)
        self.clear_outputs()

    def test_a_model(self):
        whole, calls = self.whole_run(FIT, ["model.json"])
        for kind, at, seed in self.trials("model", calls, 0.2):
            self.one_trial(FIT, kind, at, seed, whole)

    def test_a_model_that_replaces_another(self):
        command = [*FIT, "--overwrite"]
        whole, _ = self.whole_run(command, ["model.json"])
        (self.folder / "model.json").write_bytes(OLD)
        calls = self.calls_of(command)
        for kind, at, seed in self.trials("replaced model", calls, 0.2):
            (self.folder / "model.json").write_bytes(OLD)
            self.one_trial(command, kind, at, seed, whole, ["model.json"])

    def test_tiles(self):
        """Older tiles are removed first: no run leaves records under another name."""
        command = [*FIT, "--tiles", "people.tiles"]
        whole, calls = self.whole_run(command, ["people.tiles", "model.json"])
        for kind, at, seed in self.trials("tiles", calls, 0.2):
            if seed % 2 == 0:
                (self.folder / "people.tiles").write_bytes(whole["people.tiles"][:-1] + b"\0")
            self.one_trial_of_tiles(command, kind, at, seed, whole)

    def one_trial_of_tiles(self, command, kind, at, seed, whole):
        tiles = self.folder / "people.tiles"
        before = tiles.read_bytes() if tiles.exists() else None
        done = self.run_in(command, env=fault(kind, at, seed))
        where = f"{kind} at {at}: status {done.returncode}, {done.stderr.decode()}"
        self.assertIn(done.returncode, (0, 3, 137), where)
        found = {name: (self.folder / name).read_bytes() if (self.folder / name).exists() else None for name in whole}
        if done.returncode == 0:
            self.assertEqual(found, whole, where)
        self.assertIn(found["model.json"], (None, whole["model.json"]), where)
        self.assertTrue(any(found["people.tiles"] == each for each in (None, before, whole["people.tiles"])), where)
        self.assertEqual(self.files() - self.inputs - set(whole), set(), where)
        self.clear_outputs()

    def test_predictions(self):
        self.run_in([*FIT[:-1], "known.json"])
        self.inputs = self.files()
        command = [PROGRAM, "predict", "known.json", "people.csv", "-o", "predictions.csv"]
        whole, calls = self.whole_run(command, ["predictions.csv"])
        for kind, at, seed in self.trials("predictions", calls, 0.1):
            replaces = seed % 2 == 0
            if replaces:
                (self.folder / "predictions.csv").write_bytes(OLD)
            self.one_trial([*command, "--overwrite"] if replaces else command, kind, at, seed, whole,
                           ["predictions.csv"] if replaces else [])

    def test_a_model_on_standard_output_needs_room_before_it_is_paid_for(self):
        command = [*FIT[:-2], "--json"]
        with open(self.folder / "out", "wb") as out:
            self.run_in(command, stdout=out, stderr=subprocess.DEVNULL, capture_output=False,
                        env=fault("none", 0, FAULT_COUNT=str(self.folder / "count")))
        calls = (self.folder / "count").read_text().split()
        self.assertGreater((self.folder / "out").stat().st_size, 1000)
        self.assertEqual(calls.count("fallocate"), 1)
        with open(self.folder / "out", "wb") as out:
            done = self.run_in(command, stdout=out, stderr=subprocess.PIPE, capture_output=False,
                               env=fault("ENOSPC", calls.index("fallocate") + 1))
        self.assertEqual(done.returncode, 3)
        self.assertIn(b"nothing was spent", done.stderr)
        self.assertEqual((self.folder / "out").stat().st_size, 0)


if __name__ == "__main__":
    unittest.main()
