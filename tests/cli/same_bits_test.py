# SPDX-License-Identifier: Apache-2.0
"""A seeded fit gives the same bits for every number of threads, from memory or from a mapped file, and from every file
format; and the mapped file is reused, rebuilt and refused as documented."""

import os
import stat
import unittest

import pyarrow as pa
import pyarrow.csv
import pyarrow.feather
import pyarrow.parquet

from cli_case import BINARY, BUDGET, SEEDED, CliCase, csv_text, people

ROWS = 20_000


class SameBits(CliCase):
    def setUp(self):
        super().setUp()
        self.write("people.csv", csv_text(people(ROWS)))

    def bits(self, *arguments, data="people.csv"):
        files = [data] if isinstance(data, str) else data
        self.succeed("fit", *files, "--schema", "schema.toml", *SEEDED, "-o", "model.json", *arguments)
        return self.weights()

    def test_threads_and_tiles_change_nothing(self):
        for method in (["--method", "gradient-descent", "--steps", "20"], ["--method", "output-perturbation"]):
            expected = self.bits(*method, "--threads", "1")
            self.assertEqual(len(set(expected)), len(expected))
            for arguments in (["--threads", "2"], ["--threads", "8"], [], ["--tiles", "rows.tiles"],
                              ["--tiles", "rows.tiles", "--threads", "1"], ["--tiles", "rows.tiles", "--threads", "8"]):
                with self.subTest(method=method[1], arguments=arguments):
                    self.assertEqual(self.bits(*method, *arguments), expected)

    def test_formats_and_partitions_change_nothing(self):
        quick = ["--method", "gradient-descent", "--steps", "5"]
        expected = self.bits(*quick)
        table = pa.csv.read_csv(self.path("people.csv"))
        pa.parquet.write_table(table, self.path("people.parquet"), row_group_size=777)
        pa.feather.write_feather(table, str(self.path("people.arrow")))
        for name in ("people.parquet", "people.arrow"):
            self.assertEqual(self.bits(*quick, data=name), expected, name)
        rows = people(ROWS)
        self.write("part1.csv", csv_text(rows[:123]))
        self.write("part2.csv", csv_text(rows[123:]))
        self.assertEqual(self.bits(*quick, data="part*.csv"), expected)
        self.assertEqual(self.bits(*quick, data=["part1.csv", "part2.csv"]), expected)

    def test_another_seed_gives_other_bits(self):
        quick = ["--method", "gradient-descent", "--steps", "5", "-o", "model.json"]
        expected = self.bits(*quick[:-2])
        self.succeed("fit", "people.csv", "--schema", "schema.toml", *BUDGET, "--seed", "8", *quick)
        self.assertNotEqual(self.weights(), expected)


class Tiles(CliCase):
    def identity(self):
        facts = self.path("rows.tiles").stat()
        return facts.st_ino, facts.st_mtime_ns

    def test_a_second_run_keeps_the_file(self):
        self.fit("--tiles", "rows.tiles")
        first = self.identity()
        self.assertEqual(stat.S_IMODE(self.path("rows.tiles").stat().st_mode), 0o600)
        self.fit("--tiles", "rows.tiles")
        self.succeed("evaluate", "model.json", "people.csv", "--public", "--tiles", "rows.tiles")
        self.assertEqual(self.identity(), first)

    def test_a_source_replaced_under_its_size_and_time_is_noticed(self):
        self.fit("--tiles", "rows.tiles", budget=SEEDED)
        expected = self.weights()
        source, facts = self.path("people.csv"), self.path("people.csv").stat()
        source.write_bytes(b"age,income,city,smoker,sick,cost\n" + b"," * (facts.st_size - 33))
        os.utime(source, ns=(facts.st_atime_ns, facts.st_mtime_ns))
        self.assertEqual(source.stat().st_size, facts.st_size)
        self.fit("--tiles", "rows.tiles", budget=SEEDED)
        self.assertNotEqual(self.weights(), expected)

    def test_a_changed_schema_or_source_rebuilds_it(self):
        self.fit("--tiles", "rows.tiles")
        first = self.identity()
        self.write("schema.toml", BINARY.replace("upper = 100\n", "upper = 120\n"))
        self.fit("--tiles", "rows.tiles")
        second = self.identity()
        self.assertNotEqual(second, first)
        self.write("people.csv", csv_text(people(150)))
        self.fit("--tiles", "rows.tiles")
        self.assertNotEqual(self.identity(), second)
        self.assertEqual(self.model()["plan"]["task"]["rows"], 150)
        self.assertEqual(sorted(p.name for p in self.folder.glob("rows*")), ["rows.tiles"])

    def test_a_damaged_file_is_refused_and_left_alone(self):
        self.fit("--tiles", "rows.tiles")
        whole = self.path("rows.tiles").read_bytes()
        for keep in (0, 10, 4000, 4096, len(whole) - 1):
            with self.subTest(keep=keep):
                self.write("rows.tiles", whole[:keep])
                words = ["rows.tiles", "damaged" if keep >= 20 else "not a tile file"]
                self.refuse(3, words, "fit", "people.csv", "--schema", "schema.toml", *BUDGET, "-o", "m.json", "--tiles",
                            "rows.tiles")
        self.write("rows.tiles", whole[:-1] + bytes([whole[-1] ^ 255]))
        self.refuse(3, ["rows.tiles", "damaged"], "fit", "people.csv", "--schema", "schema.toml", *BUDGET, "-o", "m.json",
                    "--tiles", "rows.tiles")

    def test_other_files_are_never_overwritten(self):
        for name in ("people.csv", "schema.toml"):
            self.refuse(3, [name, "left alone"], "fit", "people.csv", "--schema", "schema.toml", *BUDGET, "-o", "m.json",
                        "--tiles", name)
        self.path("folder").mkdir()
        self.refuse(3, ["folder"], "fit", "people.csv", "--schema", "schema.toml", *BUDGET, "-o", "m.json", "--tiles",
                    "folder")
        self.refuse(3, ["none/rows.tiles"], "fit", "people.csv", "--schema", "schema.toml", *BUDGET, "-o", "m.json",
                    "--tiles", "none/rows.tiles")


if __name__ == "__main__":
    unittest.main()
