# SPDX-License-Identifier: Apache-2.0
"""What stopped people who came with a file of their own: each is one test."""

import gzip
import os
import unittest

import pyarrow as pa
import pyarrow.feather
import pyarrow.parquet

from cli_case import BINARY, BUDGET, CliCase, csv_text, people


class DidYouMean(CliCase):
    FIT = ("fit", "people.csv", "--schema", "schema.toml", "-o", "m.json")

    def test_options(self):
        for given, meant in (("--eps", "--epsilon"), ("--espilon", "--epsilon"), ("--schem", "--schema"),
                             ("--l2", "--l2-penalty"), ("--stepz", "--steps")):
            with self.subTest(given=given):
                self.refuse(2, [f"there is no option {given}; did you mean '{meant}'?", "dperm fit --help"], *self.FIT,
                            "--delta", "1e-5", given, "1")
        self.refuse(2, ["there is no option --eps; did you mean '--epsilon'?"], *self.FIT, "--eps=1")
        self.refuse(2, ["--delimeter", "'--delimiter'", "dperm schema init --help"], "schema", "init", "people.csv",
                    "--delimeter", ";")

    def test_commands(self):
        self.refuse(2, ["'evalute'", "did you mean 'evaluate'?"], "evalute", "m.json")
        self.refuse(2, ["'chek'", "did you mean 'check'?", "init, infer, check"], "schema", "chek", "people.csv")
        self.refuse(2, ["name a command: init, infer, check", "dperm schema --help"], "schema")

    def test_losses(self):
        for given, meant in (("median", "absolute"), ("mse", "squared"), ("logit", "logistic"), ("hing", "hinge"),
                             ("svm", "hinge"), ("quantile", "pinball"), ("Logistic", "logistic")):
            with self.subTest(given=given):
                self.refuse(2, [f"'{given}'", "did you mean", f"'{meant}'"], *self.FIT, *BUDGET, "--loss", given)

    def test_methods(self):
        self.refuse(2, ["'gradient-decent'", "did you mean 'gradient-descent'?"], *self.FIT, *BUDGET, "--method",
                    "gradient-decent")

    def test_columns(self):
        self.write("schema.toml", BINARY.replace('name = "income"', 'name = "incone"'))
        self.refuse(3, ["people.csv", "'incone'", "did you mean 'income'?"], *self.FIT, *BUDGET)
        self.refuse(2, ["'sik'", "did you mean 'sick'?"], "schema", "init", "people.csv", "--target", "sik")


class Files(CliCase):
    def rows(self, *arguments, **options):
        return self.succeed("schema", "check", *arguments, "--schema", "schema.toml", "--json", **options).json()["rows"]

    def test_a_tab_as_people_type_it(self):
        self.write("t.txt", csv_text(people(20)).replace(",", "\t"))
        self.refuse(2, ["t.txt", "--delimiter '\\t'"], "schema", "init", "t.txt")
        for tab in ("\\t", "\t", "tab"):
            self.assertIn('delimiter = "\\t"', self.succeed("schema", "init", "t.txt", "--delimiter", tab).out)
        self.write("schema.toml", BINARY.replace("[target]", "[format]\ndelimiter = '\\t'\n\n[target]"))
        self.assertEqual(self.rows("t.txt"), 20)
        self.write("schema.toml", BINARY)
        self.assertEqual(self.rows("t.txt", "--format", "tsv"), 20)

    def test_text_of_any_ending(self):
        self.write("export.2024-01", csv_text(people(20)))
        self.refuse(2, ["export.2024-01", "--format csv"], "schema", "check", "export.2024-01", "--schema", "schema.toml")
        self.assertEqual(self.rows("export.2024-01", "--format", "csv"), 20)
        self.assertIn('file = "csv"', self.succeed("schema", "init", "export.2024-01", "--format", "csv").out)
        self.refuse(2, ["--format", "'excel'"], "schema", "check", "people.csv", "--schema", "schema.toml", "--format",
                    "excel")
        table = pa.table({"age": [1.0], "income": [2.0], "city": ["north"], "smoker": [True], "sick": ["no"]})
        pa.parquet.write_table(table, self.path("part-0000"))
        self.assertEqual(self.rows("part-0000", "--format", "parquet"), 1)
        pa.feather.write_feather(table, str(self.path("arrow-0000")))
        self.assertEqual(self.rows("arrow-0000", "--format", "arrow"), 1)

    def test_standard_input(self):
        content = csv_text(people(200)).encode()
        self.assertEqual(self.rows("-", input=content), 200)
        self.assertIn('name = "income"', self.succeed("schema", "init", "-", input=content).out)
        options = ["--schema", "schema.toml", *BUDGET, "--seed", "1", "--method", "gradient-descent", "--steps", "3"]
        self.succeed("fit", "-", *options, "-o", "piped.json", input=content)
        self.succeed("fit", "people.csv", *options, "-o", "named.json")
        self.assertEqual(self.weights("piped.json"), self.weights("named.json"))
        nowhere = {**os.environ, "TMPDIR": str(self.path("nowhere"))}  # records are never spooled to a disk
        self.succeed("fit", "-", *options, "-o", "unspooled.json", input=content, env=nowhere)
        piped = self.succeed("predict", "piped.json", "-", input=content)
        self.assertEqual(piped.out, self.succeed("predict", "named.json", "people.csv").out)
        self.succeed("evaluate", "piped.json", "-", "--public", input=content)
        self.refuse(3, ["standard input", "empty"], "fit", "-", *options, "-o", "m.json", input=b"")
        self.refuse(3, ["standard input", "income"], "fit", "-", *options, "-o", "m.json", input=b"age\n1\n")
        self.refuse(2, ["twice"], "fit", "-", "-", *options, "-o", "m.json", input=content)
        self.refuse(2, ["standard input"], "fit", "-", *options, "-o", "m.json", "--tiles", "t.tiles", input=content)

    def test_spreadsheets(self):
        for name in ("book.xlsx", "book.XLS", "book.ods"):
            self.write(name, b"PK\x03\x04 whatever")
            self.refuse(2, [name, "spreadsheet", "Save As", "CSV"], "schema", "init", name)
        for start in (b"PK\x03\x04", b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"):
            self.write("renamed.csv", start + b"\x00" * 100)
            self.refuse(3, ["renamed.csv", "spreadsheet", "Save As"], "schema", "init", "renamed.csv")
        # Text that is merely called a spreadsheet, as some programs do.
        self.write("text.xls", csv_text(people(20)))
        self.assertEqual(self.rows("text.xls", "--format", "csv"), 20)


class Init(CliCase):
    def test_the_index_that_pandas_writes(self):
        table = people(30)
        self.write("p.csv", "," + csv_text([[str(i), *row] for i, row in enumerate(table)]))
        result = self.succeed("schema", "init", "p.csv")
        self.assertIn("index that pandas writes", result.out)
        self.assertNotIn('name = ""', result.out)
        self.assertEqual(result.out.count("\n[[column]]\n"), 6)
        self.assertEqual(self.succeed("schema", "check", "p.csv", "--schema", "schema.toml", "--json").json()["rows"], 30)

    def test_names_that_repeat_get_names_of_their_own(self):
        self.write("twice.csv", "a,b,a,,y\n" + "".join(f"{i % 2},{i % 3},{i % 5},{i % 7},{i % 2}\n" for i in range(40)))
        result = self.succeed("schema", "init", "twice.csv", "--target", "y")
        self.assertIn('column_names = ["a", "b", "a_2", "column4", "y"]', result.out)
        self.assertIn("repeats a name", result.err)
        filled = result.out.replace('lower = "FILL IN"', "lower = 0").replace('upper = "FILL IN"', "upper = 9")
        filled = filled.replace('kind = "FILL IN"', 'kind = "binary"\npositive = 1')
        self.write("s.toml", filled)
        report = self.succeed("schema", "check", "twice.csv", "--schema", "s.toml", "--json").json()
        self.assertEqual(report["rows"], 40)
        self.assertEqual([c["out_of_bounds"] + c["unreadable"] for c in report["columns"]], [0] * 5)
        table = pa.Table.from_arrays([pa.array([1]), pa.array([2])], names=["a", "a"])
        pa.feather.write_feather(table, str(self.path("twice.arrow")))
        self.refuse(3, ["twice.arrow", "same name"], "schema", "init", "twice.arrow")

    def test_identifiers_are_left_out(self):
        header = "encounter_id,patient_nbr,admission_type_id,uuid,age"
        lines = [f"{7 * i + 3},{1000 + i * 2 // 3 * 13},{i % 4},{i:032x},{20 + i % 60}" for i in range(150)]
        self.write("ids.csv", "\n".join([header, *lines]) + "\n")
        kinds = {c["name"]: c["type"] for c in self.succeed("schema", "init", "ids.csv", "--json").json()["columns"]}
        self.assertEqual(kinds, {"encounter_id": "identifier", "patient_nbr": "identifier", "admission_type_id": "number",
                                 "uuid": "identifier", "age": "number"})
        self.assertEqual(self.succeed("schema", "init", "ids.csv").out.count('kind = "identifier"'), 3)
        pa.parquet.write_table(pa.table({"patient_id": list(range(50)), "ward_id": [i % 3 for i in range(50)],
                                         "pay": [i / 2 for i in range(50)]}), self.path("ids.parquet"))
        kinds = [c["type"] for c in self.succeed("schema", "init", "ids.parquet", "--json").json()["columns"]]
        self.assertEqual(kinds, ["identifier", "number", "number"])

    def test_codes_with_leading_zeros_are_no_numbers(self):
        rows = "".join(f"{['01234', '90210', '10115'][i % 3]},{i % 7},{i % 2}\n" for i in range(20000))
        self.write("codes.csv", "zip,n,y\n" + rows)
        found = {c["name"]: c["type"] for c in self.succeed("schema", "init", "codes.csv", "--json").json()["columns"]}
        self.assertEqual(found, {"zip": "text", "n": "number", "y": "number"})
        self.succeed("schema", "infer", "codes.csv", "--target", "y", "--epsilon", "1", "-o", "codes.toml")
        text = self.path("codes.toml").read_text()
        self.assertIn('values = ["01234", "10115", "90210"]', text)

    def test_dates_and_styles_are_recognised(self):
        lines = [f'2024-01-{1 + i % 28:02},{1 + i % 28}/12/2023,"{1000 + i:,}",{i}%,{["Yes", "No"][i % 2]}' for i in range(40)]
        self.write("d.csv", "\n".join(["iso,day,pay,share,ok", *lines]) + "\n")
        template = self.succeed("schema", "init", "d.csv").out
        self.assertEqual(template.count('kind = "date"'), 2)
        self.assertIn('format = "%d/%m/%Y"', template)
        self.assertIn('thousands = ","', template)
        self.assertIn('strip = ["%"]', template)
        self.assertIn('kind = "boolean"', template)
        self.write("t.toml", template)
        self.refuse(3, ["filled in"], "schema", "check", "d.csv", "--schema", "t.toml")

    def test_no_value_of_a_record_is_in_a_template(self):
        self.write("v.csv", "name,when,pay\n" + "".join(f'Qz{i}x,2031-07-{1 + i % 28:02},"$9,{100 + i}"\n' for i in range(120)))
        result = self.succeed("schema", "init", "v.csv")
        for value in ("Qz", "2031", "9,1"):
            self.assertNotIn(value, result.out + result.err)

    def test_compressed(self):
        self.write("p.csv.gz", gzip.compress(csv_text(people(30)).encode()))
        self.assertIn('name = "city"', self.succeed("schema", "init", "p.csv.gz").out)


if __name__ == "__main__":
    unittest.main()
