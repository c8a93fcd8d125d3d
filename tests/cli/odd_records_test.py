# SPDX-License-Identifier: Apache-2.0
"""A fit is total in the records. For tables that differ in one record, however odd it is, everything but the released
numbers is the same: exit status, messages, the lines of the tables and the keys of the model file. Otherwise the way a
command ends would tell about a record."""

import unittest

import pyarrow as pa
import pyarrow.csv
import pyarrow.feather
import pyarrow.parquet

from cli_case import BINARY, BUDGET, CliCase, csv_text, people, shape, without_released_numbers

ROWS = 60
LONG = "x" * 3_000_000  # longer than a block of the reader
# Cells for any column. A comma or a quote inside stands in quotes, as CSV wants it.
CELLS = ["", " ", "NA", "?", "nan", "NaN", "-nan", "inf", "-inf", "Infinity", "1e400", "-1e400", "1e-400", "1e308",
         "-0", "0x10", "1_000", "1,5".join('""'), "text", "unknown city", '"a ""quoted"" cell"', '"a return\rinside"',
         "caf\u00e9", "\u202e", "True", "yes", "-1", "101", "1e9", "'; DROP TABLE", "=1+1", "{}", "%s%n",
         "\x01", "9" * 400, LONG]
RAW = [b"\xff\xfe", b"\xc3", b"\x00", b"a\x00b", b"\xed\xa0\x80"]  # not UTF-8, or holding a zero byte


# Lines that are no proper records of six cells.
LINES = [b"", b",", b",,,,,,,,", b"30", b"30,1000", b"30,1000,north,true,yes,5,6,7", b'"', b'"30,1000,north,true,yes,5', b'30,"1000,north,true,yes,5',
         b'30,1000,north,true,yes,"', b'""",""",""', b'"a""', b"\x00", b"\xff\xfe", b"\r", b"30\r1000\r", b"#", b"," * 100_000, b'"' * 99_999,
         b"x" * 3_000_000, b"age,income,city,smoker,sick,cost"]


class NeighbourCase(CliCase):
    def table_with(self, row, column, cell):
        table = [list(r) for r in self.base]
        if row is not None:
            table[row][column] = cell
        return csv_text(table).encode()

    def setUp(self):
        super().setUp()
        self.base = people(ROWS)

    def outcome(self, content, *arguments, name="data.csv", schema="schema.toml", seed=("--seed", "7")):
        self.write(name, content)
        result = self.succeed("fit", name, "--schema", schema, *BUDGET, *seed, "--details", "-o", "model.json",
                              *(arguments or ["--method", "gradient-descent", "--steps", "3"]))
        return result.err, shape(result.out), without_released_numbers(self.model())

    def assert_same(self, expected, content, *arguments, **options):
        err, out, model = self.outcome(content, *arguments, **options)
        self.assertEqual(err, expected[0], "messages differ")
        self.assertEqual(out, expected[1], "the format of the result differs")
        self.assertEqual(model, expected[2], "the model files differ in more than released numbers")


class OddCells(NeighbourCase):
    def test_any_cell_in_any_column(self):
        expected = self.outcome(self.table_with(None, 0, ""))
        for cell in CELLS:
            # In every column at once, and in the target alone: each column has its own rule.
            with self.subTest(cell=cell[:20]):
                table = [list(r) for r in self.base]
                table[17] = [cell] * 6
                self.assert_same(expected, csv_text(table).encode())
                self.assert_same(expected, self.table_with(0, 4, cell))

    def test_bytes_that_are_no_text(self):
        expected = self.outcome(self.table_with(None, 0, ""))
        for raw in RAW:
            with self.subTest(raw=raw):
                self.assert_same(expected, self.table_with(5, 2, "MARK").replace(b"MARK", raw))
                self.assert_same(expected, self.table_with(ROWS - 1, 0, "MARK").replace(b"MARK", raw))

    def test_any_line(self):
        plain = self.table_with(None, 0, "").split(b"\n")
        expected = self.outcome(b"\n".join(plain))
        for number in (1, 30, ROWS):
            for line in LINES:
                with self.subTest(number=number, line=line[:40]):
                    self.assert_same(expected, b"\n".join(plain[:number] + [line] + plain[number + 1:]))

    def test_line_ends(self):
        plain = self.table_with(None, 0, "")
        expected = self.outcome(plain)
        self.assert_same(expected, plain.replace(b"\n", b"\r\n"))
        self.assert_same(expected, plain.rstrip(b"\n"))
        lines = plain.split(b"\n")
        lines[10] += b"\r"
        self.assert_same(expected, b"\n".join(lines))

    def test_the_schema_says_how_lines_end(self):
        old = self.table_with(None, 0, "").replace(b"\n", b"\r")
        self.write("old.csv", old)
        self.refuse(3, ["old.csv:1:", 'line_end = "\\r"'], "fit", "old.csv", "--schema", "schema.toml", *BUDGET, "-o",
                    "m.json")
        self.write("old.toml", self.path("schema.toml").read_text() + '[format]\nline_end = "\\r"\n')
        expected = self.outcome(old, schema="old.toml")
        header, first, *rest = old.split(b"\r")
        for record in (b"\n" + first, b"\n", b"", b'\n"', first + b"\n"):  # the header must not seem to end in both
            with self.subTest(record=record):
                self.assert_same(expected, b"\r".join([header, record, *rest]), schema="old.toml")

    def test_every_method_takes_the_oddest_record(self):
        tried = set()
        for schema in ("schema.toml", "real.toml"):
            plan = self.succeed("plan", "--schema", schema, "--rows", ROWS, *BUDGET, "--json").json()
            for method in [p["method"] for p in plan if "plan" in p]:
                tried.add(method)
                expected = self.outcome(self.table_with(None, 0, ""), "--method", method, schema=schema)
                for cell in ("", "inf", "-1e400", "nan", "text"):
                    with self.subTest(schema=schema, method=method, cell=cell):
                        table = [list(r) for r in self.base]
                        table[3] = [cell] * 6
                        self.assert_same(expected, csv_text(table).encode(), "--method", method, schema=schema)
        self.assertGreaterEqual(tried, {"gradient-descent", "output-perturbation"})

    def test_without_a_seed_too(self):
        expected = self.outcome(self.table_with(None, 0, ""), seed=())
        for cell in ("", "inf", "text"):
            self.assert_same(expected, self.table_with(9, 0, cell), seed=())

    def test_one_class_only(self):
        table = [r[:4] + ["yes", r[5]] for r in self.base]
        expected = self.outcome(csv_text(table))
        table[0][4] = "no"
        self.assert_same(expected, csv_text(table))

    def test_one_row(self):
        expected = self.outcome(csv_text(self.base[:1]))
        for cell in ("", "inf", "text"):
            self.assert_same(expected, csv_text([[cell] * 6]))
        self.assertIn("1 row,", expected[0])

    def test_a_missing_cell_in_a_table_of_one_column_is_still_a_row(self):
        self.write("one.toml", 'version = 1\n[target]\ncolumn = "cost"\nkind = "real"\nlower = 0\nupper = 10\n')
        expected = self.outcome("cost\n1\n2\n3\n", schema="one.toml")
        for cell in ("", '""', " ", "NA", "text", "inf"):
            with self.subTest(cell=cell):
                self.assert_same(expected, f"cost\n1\n{cell}\n3\n", schema="one.toml")
                self.assert_same(expected, f"cost\r\n1\r\n{cell}\r\n3\r\n", schema="one.toml")
                self.assert_same(expected, f"cost\n{cell}\n2\n3\n", schema="one.toml")
                self.assert_same(expected, f"cost\n1\n2\n{cell}\n", schema="one.toml")

    def test_a_private_evaluation_takes_any_record(self):
        self.fit()
        outcomes = set()
        for cell in ("30", "", "inf", "text", "1e400"):
            self.write("data.csv", self.table_with(2, 0, cell))
            result = self.succeed("evaluate", "model.json", "data.csv", "--epsilon", "1", "--seed", "1")
            outcomes.add((result.err, shape(result.out)))
        self.assertEqual(len(outcomes), 1)

    def test_rows_kept_out_take_any_record(self):
        """Whatever a cell holds: the same status, the same plan, the same releases."""
        outcomes = set()
        for cell in ("30", "", "inf", "text", "1e400"):
            self.write("data.csv", self.table_with(2, 0, cell))
            result = self.fit("--holdout", "0.3", "--holdout-groups", "city", "--seed", "1", "--details", data="data.csv")
            model = self.model()
            outcomes.add((result.err, str(model["events"]), str(model["plan"]), len(model["evaluation"]["released"])))
        self.assertEqual(len(outcomes), 1)

    def test_predictions_are_one_a_row_whatever_it_holds(self):
        self.fit()
        for cell in CELLS:
            self.write("data.csv", self.table_with(2, 0, cell))
            out = self.succeed("predict", "model.json", "data.csv").out
            self.assertEqual(len(out.splitlines()), 1 + ROWS)
            self.assertNotIn("nan", out)


STYLED = """
version = 1

[target]
column = "sick"
kind = "binary"
positive = 1

[[column]]
name = "age"
kind = "date"
lower = 2000-01-01
upper = 2029-12-31
format = ["%d/%m/%Y", "%b %d %Y %I:%M %p", "%y%m%d"]
parts = ["month", "weekday", "hour"]

[[column]]
name = "income"
kind = "real"
lower = 0
upper = 100000
decimal = ","
thousands = "."
strip = ["$", "%"]

[[column]]
name = "city"
kind = "category"
values = [1, 2.5, -3]
other = true

[[column]]
name = "gap"
kind = "days"
from = "age"
to = "cost"
lower = -100
upper = 100
"""


class OddStyledCells(NeighbourCase):
    """The same promise for dates, numbers in a style and values that are numbers."""

    def test_any_cell_in_any_column(self):
        self.write("styled.toml", STYLED)
        self.base = [[f"20{i % 30:02}-03-{1 + i % 28:02} 13:0{i % 10}", f'"{i}.000,5 $"', ["1.0", "2.5", "-3"][i % 3], "x",
                      ["1", "0.0"][i % 2], f"{1 + i % 28}/4/20{i % 30:02}"] for i in range(ROWS)]
        expected = self.outcome(csv_text(self.base), schema="styled.toml")
        odd = ["2023-02-30", "30/02/2023", "99999999-01-01", "-1-01-01", "2024-02-29T25:61", "2024-02-29T12:00+99:99",
               "Feb 30 2024 13:00 pm", "9" * 30, "$", "$$", "%-", '"1.5.5,5"', '","', ".", "--", "$-", "1.000.00", "%" * 1000]
        for cell in CELLS + odd:
            with self.subTest(cell=cell[:20]):
                table = [list(r) for r in self.base]
                table[17] = [cell] * 6
                self.assert_same(expected, csv_text(table).encode(), schema="styled.toml")
        for raw in RAW:
            table = [list(r) for r in self.base]
            table[17] = ["MARK"] * 6
            self.assert_same(expected, csv_text(table).encode().replace(b"MARK", raw), schema="styled.toml")


class OddTypedCells(NeighbourCase):
    """The same promise for files that carry types."""

    def typed(self, age=30.0, income=1000.0, city="north", smoker=True, sick="yes"):
        base = people(ROWS)
        columns = {
            "age": pa.array([float(r[0]) for r in base[1:]] + [age], pa.float64()),
            "income": pa.array([float(r[1]) for r in base[1:]] + [income], pa.float64()),
            "city": pa.array([r[2] for r in base[1:]] + [city], pa.string()),
            "smoker": pa.array([r[3] == "true" for r in base[1:]] + [smoker], pa.bool_()),
            "sick": pa.array([r[4] for r in base[1:]] + [sick], pa.string()),
        }
        return pa.table(columns)

    ODD = [{"age": None}, {"age": float("nan")}, {"age": float("inf")}, {"income": -1e308}, {"city": None},
           {"city": "moon"}, {"city": "x" * 100_000}, {"smoker": None}, {"sick": None}, {"sick": ""},
           {"age": None, "income": None, "city": None, "smoker": None, "sick": None}]

    def test_parquet_and_arrow(self):
        for name, write in (("data.parquet", pa.parquet.write_table),
                            ("data.arrow", lambda t, p: pa.feather.write_feather(t, str(p)))):
            write(self.typed(), self.path(name))
            expected = self.outcome(self.path(name).read_bytes(), name=name)
            for odd in self.ODD:
                with self.subTest(name=name, odd=str(odd)[:40]):
                    write(self.typed(**odd), self.path(name))
                    self.assert_same(expected, self.path(name).read_bytes(), name=name)

    def test_libsvm(self):
        columns = "".join(f'[[column]]\nname = "{i}"\nkind = "real"\nlower = 0\nupper = 1\n' for i in (1, 2, 3))
        self.write("schema.toml", f'version = 1\n[target]\ncolumn = "label"\nkind = "binary"\npositive = "1"\n{columns}')
        base = "+1 1:0.5 3:1\n-1 2:0.25\n" * 20
        expected = self.outcome(base + "1 1:1\n", name="data.libsvm")
        for line in ("1", "-1 1:nan", "1 1:inf 2:-inf", "1 1:1e400", "1 1:text", "1 1:", "nan 1:1", "text 1:1", "1e400 1:1",
                     "1 1:1 1:0", "1 3:1 1:1", "1 999999999:5", "+1.0e0 1:1 # remark", "1 1:1\t2:1 ", "7 1:1", "", "#", "# remark", "1:1 2:1",
                     ":", "1 x", "1 -1:1", "1 :1", "1 1:1:1", "1 99999999999999999999:1", "1 1,1", "\"", "1 1: 2", "\r", "\x00 1:1", "x" * 3_000_000):
            with self.subTest(line=line):
                self.assert_same(expected, base + line + "\n", name="data.libsvm")


class Strict(CliCase):
    def test_refuses_and_says_that_refusing_reveals(self):
        self.fit("--strict", output="fits.json")
        for cell, column in (("300", 0), ("", 1), ("moon", 2), ("text", 0), ("inf", 1)):
            table = people(30)
            table[4][column] = cell
            self.write("odd.csv", csv_text(table))
            schema = BINARY.replace("other = true\n", "")
            self.write("narrow.toml", schema)
            words = ["odd.csv", "strict", "'" + ["age", "income", "city"][column] + "'", "refusal itself"]
            if column == 2:
                table = [r[:2] + ["north" if r[2] == "west" else r[2]] + r[3:] for r in table]
                self.write("odd.csv", csv_text(table))
            self.refuse(3, words, "fit", "odd.csv", "--schema", "narrow.toml", *BUDGET, "--strict", "-o", "model.json",
                        "--tiles", "rows.tiles")


if __name__ == "__main__":
    unittest.main()
