# SPDX-License-Identifier: Apache-2.0
"""The examples of examples/embed, built in a clean folder against the installed package and run: the library works from
another project without a header of what it is built on."""

import os
import pathlib
import re
import shutil
import subprocess
import tempfile
import unittest

import pyarrow.csv
import pyarrow.parquet

ROOT = pathlib.Path(__file__).resolve().parents[2]
BUILD = pathlib.Path(os.environ["DPERM_BUILD"])


class Embed(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = pathlib.Path(tempfile.mkdtemp(prefix="dperm_embed_"))
        cls.addClassCleanup(shutil.rmtree, cls.folder, ignore_errors=True)
        cls.prefix = cls.folder / "installed"
        cls.run_command("cmake", "--install", BUILD, "--prefix", cls.prefix)
        shutil.copytree(ROOT / "examples" / "embed", cls.folder / "embed")
        cls.run_command("cmake", "-S", cls.folder / "embed", "-B", cls.folder / "build",
                        f"-DCMAKE_PREFIX_PATH={cls.prefix}")
        cls.run_command("cmake", "--build", cls.folder / "build")

    @classmethod
    def run_command(cls, *command):
        done = subprocess.run([str(each) for each in command], capture_output=True, text=True, timeout=600)
        assert done.returncode == 0, f"{command}: {done.stdout}{done.stderr}"
        return done.stdout

    def test_from_a_parquet_file_to_a_verified_model(self):
        health = ROOT / "examples" / "health"
        table = pyarrow.csv.read_csv(health / "health_train.csv.gz")
        pyarrow.parquet.write_table(table, self.folder / "health.parquet")
        model = self.folder / "model.json"
        out = self.run_command(self.folder / "build" / "embed", health / "schema.toml", self.folder / "health.parquet",
                               model)
        self.assertIn(f"{table.num_rows} rows, epsilon", out)
        self.assertRegex(out, r"row 1: [01] with probability 0\.\d+")
        self.assertGreater(float(re.search(r"accuracy (0\.\d+)", out).group(1)), 0.6)
        # The command line knows the file too.
        self.run_command(self.prefix / "bin" / "dperm", "verify", model)

    def test_from_a_stream_in_memory_to_a_mean(self):
        out = self.run_command(self.folder / "build" / "embed_stream")
        self.assertAlmostEqual(float(re.search(r"mean age ([\d.]+)", out).group(1)), 44.5, delta=0.5)

    def test_a_mistake_is_told_by_its_field(self):
        done = subprocess.run([self.folder / "build" / "embed", "no.toml", "no.parquet", "m.json"], capture_output=True,
                              text=True)
        self.assertEqual(done.returncode, 3)
        self.assertIn("no.toml", done.stderr)

    def test_only_the_api_and_what_it_includes_is_installed(self):
        include = self.prefix / "include" / "dperm"
        public = sorted(path.name for path in include.glob("*.hpp"))
        self.assertEqual(public, ["accounting.hpp", "dataset.hpp", "dperm.hpp", "error.hpp", "evaluate.hpp", "interrupt.hpp",
                                  "ledger.hpp", "model.hpp", "plan.hpp", "process.hpp", "remote.hpp", "report.hpp", "schema.hpp",
                                  "task.hpp"])
        self.assertFalse((include / "engine" / "cpu").exists())


if __name__ == "__main__":
    unittest.main()
