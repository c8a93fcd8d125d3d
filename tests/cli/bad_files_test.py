# SPDX-License-Identifier: Apache-2.0
"""Files that cannot be used: refused with the file's name, the place, what was expected and what to do; nothing is left
half-written."""

import gzip
import os
import subprocess
import unittest

import pyarrow as pa
import pyarrow.csv
import pyarrow.feather
import pyarrow.parquet

from cli_case import BUDGET, PROGRAM, CliCase, csv_text, people


class BadFiles(CliCase):
    def refuse_data(self, words, data, status=3, **options):
        arguments = [data] if isinstance(data, str) else data
        fit = self.refuse(status, words, "fit", *arguments, "--schema", "schema.toml", *BUDGET, "-o", "model.json",
                          **options)
        self.refuse(status, words, "schema", "check", *arguments, "--schema", "schema.toml", **options)
        self.refuse(status, words, "fit", *arguments, "--schema", "schema.toml", *BUDGET, "-o", "model.json", "--tiles",
                    "rows.tiles", **options)
        return fit

    def test_nothing_in_it(self):
        self.write("empty.csv", "")
        self.refuse_data(["empty.csv", "the file is empty"], "empty.csv")
        self.write("header.csv", "age,income,city,smoker,sick,cost\n")
        self.refuse_data(["header.csv", "no records"], "header.csv")
        self.write("blank.csv", "\n\n\n")
        self.refuse_data(["blank.csv"], "blank.csv")
        self.write("empty.csv.gz", gzip.compress(b""))
        self.refuse_data(["empty.csv.gz", "empty"], "empty.csv.gz")

    def test_columns(self):
        text = csv_text(people(5))
        self.write("missing.csv", text.replace("income", "earnings", 1))
        self.refuse_data(["missing.csv", "no column 'income'", "schema"], "missing.csv")
        self.write("semicolons.csv", text.replace(",", ";"))
        self.refuse_data(["semicolons.csv", "one column only", "delimiter"], "semicolons.csv")
        self.write("target.csv", text.replace("sick", "ill", 1))
        self.refuse_data(["target.csv", "no column 'sick'", "target"], "target.csv")
        self.write("twice.csv", text.replace("cost", "age", 1))
        self.refuse_data(["twice.csv", "'age'", "twice"], "twice.csv")

    def test_a_million_columns(self):
        names = ",".join(f"c{i}" for i in range(1_000_000))
        self.write("wide.csv", names + "\n" + ",".join(["1"] * 1_000_000) + "\n")
        self.refuse(3, ["wide.csv", "no column 'age'", "1000000"], "fit", "wide.csv", "--schema", "schema.toml", *BUDGET,
                    "-o", "model.json")
        self.write("wide.toml", "version = 1\n[target]\ncolumn = \"c0\"\nkind = \"binary\"\nthreshold = 0\n" +
                   "".join(f'[[column]]\nname = "c{i}"\nkind = "boolean"\n' for i in range(1, 3)))
        self.fit(data="wide.csv", schema="wide.toml")

    def test_the_owner_is_told_of_ragged_rows_and_open_quotes(self):
        rows = csv_text(people(50)).splitlines()
        self.write("odd.csv", "\n".join(rows[:30] + [rows[30] + ",1", "", '1,2,"north,true,yes,1'] + rows[33:]) + "\n")
        found = self.succeed("schema", "check", "odd.csv", "--schema", "schema.toml", "--json").json()
        self.assertEqual((found["rows"], found["irregular_lines"]), (50, 3))
        self.assertIn("3 lines of text are not as the others", self.succeed("schema", "check", "odd.csv", "--schema",
                                                                          "schema.toml").out)
        self.refuse(3, ["odd.csv", "strict", "a line holds too few", "refusal itself"], "fit", "odd.csv", "--schema",
                    "schema.toml", *BUDGET, "--strict", "-o", "model.json")

    def table(self):
        return pa.csv.read_csv(self.path("people.csv"))

    def cut(self, name, keep):
        whole = self.path(name).read_bytes()
        self.path(name).write_bytes(whole[: int(len(whole) * keep)])

    def test_cut_short(self):
        self.write("people.csv.gz", gzip.compress(csv_text(people(3000)).encode()))
        pa.parquet.write_table(self.table(), self.path("people.parquet"))
        pa.feather.write_feather(self.table(), str(self.path("people.arrow")), compression="uncompressed")
        with pa.ipc.new_stream(str(self.path("stream.arrow")), self.table().schema) as writer:
            writer.write_table(self.table())
        for name in ("people.csv.gz", "people.parquet", "people.arrow", "stream.arrow"):
            self.fit(data=name)
            whole = self.path(name).read_bytes()
            for keep in (0.01, 0.5, 0.9, 0.999):
                with self.subTest(name=name, keep=keep):
                    self.write(name, whole[: max(8, int(len(whole) * keep))])
                    self.refuse_data([name], name)

    def test_bytes_of_something_else(self):
        for name in ("noise.parquet", "noise.arrow", "noise.csv.gz"):
            self.write(name, bytes(range(256)) * 40)
            with self.subTest(name=name):
                self.refuse_data([name], name)
        self.write("utf16.csv", csv_text(people(5)).encode("utf-16"))
        self.refuse_data(["utf16.csv", "UTF-8"], "utf16.csv")
        self.write("people.xlsx", b"PK\x03\x04 something")
        self.refuse_data(["people.xlsx", "spreadsheet"], "people.xlsx", status=2)
        self.write("people.json", b"{}")
        self.refuse_data(["people.json", ".parquet", "--format csv"], "people.json", status=2)

    def test_libsvm_lines(self):
        schema = 'version = 1\n[target]\ncolumn = "label"\nkind = "binary"\npositive = "1"\n'
        self.write("schema.toml", schema + '[[column]]\nname = "1"\nkind = "real"\nlower = 0\nupper = 1\n')
        self.write("good.libsvm", "+1 1:0.5\n-1 1:1\n")
        self.fit(data="good.libsvm")
        self.write("odd.libsvm", "+1 1:0.5\n-1 1:1\n+1 junk\n")
        self.fit(data="odd.libsvm")
        self.assertEqual(self.model()["plan"]["task"]["rows"], 3, "a line is a record, whatever it holds")

    def test_paths(self):
        self.path("folder").mkdir()
        self.refuse_data(["folder", "is a folder", "folder/*.csv"], "folder")
        self.refuse_data(["no file matches 'none.csv'", "check the path"], "none.csv", status=2)
        self.refuse_data(["no file matches 'x*.csv'"], "x*.csv", status=2)
        self.refuse_data(["twice", "guarantee would not hold"], ["people.csv", "./people.csv"], status=2)
        self.refuse_data(["twice"], ["people.csv", "*.csv"], status=2)
        os.mkfifo(self.path("pipe.csv"))
        self.refuse_data(["pipe.csv", "not a regular file"], "pipe.csv")

    def test_files_without_permission(self):
        as_user = {"user": 65534, "group": 65534} if os.geteuid() == 0 else {}
        os.chmod(self.folder, 0o755)
        try:
            subprocess.run([PROGRAM, "--version"], capture_output=True, check=True, **as_user)
        except (OSError, subprocess.CalledProcessError):
            self.skipTest("the program cannot be run as another user here")
        secret = self.write("secret.csv", csv_text(people(5)))
        secret.chmod(0 if not as_user else 0o600)
        result = self.run_program("schema", "check", "secret.csv", "--schema", "schema.toml", **as_user)
        self.assertEqual(result.status, 3)
        self.assertIn("secret.csv", result.err)
        self.assertIn("permission", result.err.lower())
        for output in (["-o", "locked/model.json"], ["-o", "m.json", "--tiles", "locked/rows.tiles"]):
            locked = self.path("locked")
            locked.mkdir(mode=0o555, exist_ok=True)
            result = self.run_program("fit", "people.csv", "--schema", "schema.toml", *BUDGET, *output, **as_user)
            self.assertEqual(result.status, 3, result.err)
            self.assertIn("denied", result.err)
            self.assertEqual(os.listdir(locked), [])


class BadModels(CliCase):
    def uses(self, name):
        yield ["verify", name]
        yield ["explain", name]
        yield ["predict", name, "people.csv", "-o", "out.csv"]
        yield ["evaluate", name, "people.csv", "--public"]

    def test_damaged_models(self):
        self.fit()
        text = self.path("model.json").read_text()
        cases = {"cut": text[: len(text) // 2], "empty": "", "list": "[]", "other": '{"format": "other"}',
                 "text": "hello", "bytes": b"\xff\xfe\x00", "no_plan": text.replace('"plan":', '"plam":'),
                 "old": text.replace('"format_version": 4', '"format_version": 99')}
        for name, content in cases.items():
            self.write(f"{name}.json", content)
            for command in self.uses(f"{name}.json"):
                with self.subTest(name=name, command=command[0]):
                    self.refuse(3, [f"{name}.json"], *command)

    def test_models_that_are_not_there(self):
        self.path("folder").mkdir()
        for name, words in (("none.json", ["none.json", "No such file"]), ("folder", ["folder", "directory"])):
            for command in self.uses(name):
                with self.subTest(name=name, command=command[0]):
                    self.refuse(3, words, *command)

    def test_data_that_does_not_fit_the_model(self):
        self.fit()
        self.write("other.csv", "a,b\n1,2\n")
        self.refuse(3, ["other.csv", "no column"], "predict", "model.json", "other.csv")
        self.write("unlabelled.csv", "age,income,city,smoker\n1,2,north,true\n")
        self.succeed("predict", "model.json", "unlabelled.csv")
        self.refuse(3, ["unlabelled.csv", "'sick'", "target"], "evaluate", "model.json", "unlabelled.csv", "--public")


if __name__ == "__main__":
    unittest.main()
