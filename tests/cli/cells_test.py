# SPDX-License-Identifier: Apache-2.0
"""Cells as people write them: the same table in another spelling gives the same model, and what cannot be read is said
by schema check, not found out by a wrong model."""

import unittest

import pyarrow as pa
import pyarrow.parquet

from cli_case import BUDGET, CliCase

PLAIN = """
version = 1

[target]
column = "y"
kind = "binary"
positive = 1

[[column]]
name = "x"
kind = "real"
lower = 0
upper = 10000
"""


class CellsCase(CliCase):
    def weights_of(self, name, content, schema):
        """The released weights of a fit with a fixed seed: equal weights mean equal encoded rows."""
        if content is not None:
            self.write(name, content)
        self.write("s.toml", schema)
        self.shown = self.succeed("fit", name, "--schema", "s.toml", *BUDGET, "--details", "--seed", "3", "--method", "gradient-descent", "--steps",
                     "3", "-o", "cells.json").out
        return self.weights("cells.json")

    def check(self, content, schema, name="c.csv"):
        self.write(name, content)
        self.write("s.toml", schema)
        return self.succeed("schema", "check", name, "--schema", "s.toml", "--json").json()


def table(labels, numbers, header="x,y"):
    return "\n".join([header] + [f"{x},{y}" for x, y in zip(numbers, labels)]) + "\n"


ROWS = 60
NUMBERS = [f"{(37 * i) % 5000}" for i in range(ROWS)]
LABELS = [int(i * i % 7 > 1) for i in range(ROWS)]


class Values(CellsCase):
    def test_a_number_matches_every_spelling_of_it(self):
        expected = self.weights_of("a.csv", table(LABELS, NUMBERS), PLAIN)
        for spelling in ("{}.0", "{}.00", "+{}", "0{}"):
            labels = [spelling.format(label) for label in LABELS]
            self.assertEqual(self.weights_of("a.csv", table(labels, NUMBERS), PLAIN), expected, spelling)
        true = [("False", "True")[label] for label in LABELS]
        self.assertEqual(self.weights_of("a.csv", table(true, NUMBERS), PLAIN), expected)
        self.assertEqual(self.weights_of("a.csv", table(true, NUMBERS), PLAIN.replace("= 1", "= true", 2)
                                         .replace("version = true", "version = 1")), expected)

    def test_typed_columns(self):
        expected = self.weights_of("a.csv", table(LABELS, NUMBERS), PLAIN)
        for kind, convert in ((pa.float64(), float), (pa.int8(), int), (pa.bool_(), bool), (pa.string(), "{}.0".format)):
            columns = {"x": pa.array([float(x) for x in NUMBERS]), "y": pa.array([convert(y) for y in LABELS], kind)}
            pa.parquet.write_table(pa.table(columns), self.path("a.parquet"))
            self.assertEqual(self.weights_of("a.parquet", None, PLAIN), expected, str(kind))

    def test_the_trap(self):
        """positive = "1" in quotes where the file has 1.0: the model would be right in every row and worth nothing."""
        text = PLAIN.replace("positive = 1", 'positive = "1"')
        content = table([f"{y}.0" for y in LABELS], NUMBERS)
        report = self.check(content, text)
        self.assertEqual([(a["kind"], a["column"]) for a in report["alarms"]], [("one_class", "y"), ("almost_listed", "y")])
        self.assertIn("positive", report["alarms"][0]["message"])
        self.assertEqual(self.check(content, PLAIN)["alarms"], [])
        self.assertEqual([c["rows"] for c in self.check(content, PLAIN)["classes"]],
                         [LABELS.count(0), LABELS.count(1)])

    def test_codes_in_quotes_stay_apart(self):
        column = '[[column]]\nname = "x"\nkind = "category"\nvalues = {}\n'
        schema = PLAIN[:PLAIN.index("[[column]]")]
        cells = ["01" if i % 2 else "1" for i in range(ROWS)]
        unknown = lambda values: self.check(table(LABELS, cells), schema + column.format(values))["columns"][0]
        self.assertEqual(unknown('["01"]')["unknown_values"], ROWS // 2)
        self.assertEqual(unknown("[1]")["unknown_values"], 0)
        self.refuse(3, ["s.toml", "values", "mixes"], "schema", "check", "c.csv", "--schema",
                    self.write("s.toml", schema + column.format('[1, "01"]')))


class Booleans(CellsCase):
    def test_every_spelling(self):
        schema = PLAIN[:PLAIN.index("[[column]]")] + '[[column]]\nname = "x"\nkind = "boolean"\n'
        bits = [i % 3 == 0 for i in range(ROWS)]
        expected = self.weights_of("a.csv", table(LABELS, ["true" if b else "false" for b in bits]), schema)
        for yes, no in (("Yes", "No"), ("YES", "no"), ("TRUE", "False"), ("Y", "N"), ("y", "n"), ("t", "f"), ("T", "F"),
                        ("1", "0"), ("1.0", "0.0")):
            with self.subTest(yes=yes):
                cells = [yes if b else no for b in bits]
                self.assertEqual(self.weights_of("a.csv", table(LABELS, cells), schema), expected)
                self.assertEqual(self.check(table(LABELS, cells), schema)["columns"][0]["unreadable"], 0)


class Styles(CellsCase):
    def test_thousands_currency_and_percent(self):
        expected = self.weights_of("a.csv", table(LABELS, NUMBERS), PLAIN)
        for keys, cell in (('thousands = ","\nstrip = ["$"]', '"${:,}"'), ('strip = ["%", "\u20ac"]', "{}%"),
                           ('strip = ["%", "\u20ac"]', "{} \u20ac"), ("thousands = \"'\"", "{:,}")):
            cells = [cell.format(int(x)).replace(",", "'" if "'" in keys else ",") for x in NUMBERS]
            self.assertEqual(self.weights_of("a.csv", table(LABELS, cells), PLAIN + keys + "\n"), expected, keys)

    def test_decimal_comma_of_the_whole_file(self):
        halves = [f"{int(x) / 2:.1f}" for x in NUMBERS]
        expected = self.weights_of("a.csv", table(LABELS, halves), PLAIN)
        german = table(LABELS, halves).replace(",", ";").replace(".", ",")
        schema = PLAIN.replace("[target]", '[format]\ndelimiter = ";"\ndecimal = ","\n\n[target]')
        self.assertEqual(self.weights_of("a.csv", german, schema), expected)

    def test_a_separator_that_was_not_declared_is_an_alarm(self):
        report = self.check(table(LABELS, [f'"{1000 + int(x):,}"' for x in NUMBERS]), PLAIN)
        self.assertEqual([(a["kind"], a["column"]) for a in report["alarms"]], [("unreadable", "x")])
        self.assertIn("thousands", report["alarms"][0]["message"])
        wrong = self.check(table(LABELS, ['"1,5"'] * ROWS), PLAIN + 'thousands = ","\n')
        self.assertEqual(wrong["columns"][0]["unreadable"], ROWS, "1,5 is not 15")


DATES = """
version = 1

[target]
column = "y"
kind = "binary"
positive = 1

[[column]]
name = "x"
kind = "date"
lower = 2000-01-01
upper = 2029-12-31
parts = ["month", "weekday"]
"""


class Dates(CellsCase):
    DAYS = [f"20{i % 30:02}-{1 + i % 12:02}-{1 + i % 28:02}" for i in range(ROWS)]

    def test_formats(self):
        expected = self.weights_of("a.csv", table(LABELS, self.DAYS), DATES)
        self.assertEqual(len(expected), 1 + 1 + 12 + 7)
        names = [c["name"] for c in self.model("cells.json")["coefficients"]]
        self.assertIn("x.weekday=Monday", names)
        for form, cell in (("%d/%m/%Y", "{2}/{1}/{0}"), ("%m/%d/%Y", "{1}/{2}/{0}"), ("%d.%m.%Y %H:%M", "{2}.{1}.{0} 00:00"),
                           ("%Y%m%d", "{0}{1}{2}")):
            cells = [cell.format(*day.split("-")) for day in self.DAYS]
            schema = DATES + f'format = "{form}"\n'
            self.assertEqual(self.weights_of("a.csv", table(LABELS, cells), schema), expected, form)

    def test_a_model_with_dates_can_be_used(self):
        self.weights_of("a.csv", table(LABELS, self.DAYS), DATES + 'knots = [2008-09-15, 2020-03-01]\nmonotone = "up"\n')
        self.assertIn("2008-09-15", self.shown)
        self.succeed("explain", "cells.json")
        self.succeed("fit", "a.csv", "--schema", "s.toml", *BUDGET, "--method", "gradient-descent", "--steps", "3", "-o",
                     "secure.json")
        self.succeed("verify", "secure.json")
        self.assertEqual(len(self.succeed("predict", "cells.json", "a.csv").out.splitlines()), 1 + ROWS)
        schema = self.model("cells.json")["schema"]
        self.assertIn("knots = [2008-09-15, 2020-03-01]", schema if isinstance(schema, str) else str(schema))

    def test_typed_dates(self):
        import datetime
        expected = self.weights_of("a.csv", table(LABELS, self.DAYS), DATES)
        days = [datetime.date.fromisoformat(day) for day in self.DAYS]
        for kind in (pa.date32(), pa.date64(), pa.timestamp("ms"), pa.timestamp("ns")):
            pa.parquet.write_table(pa.table({"x": pa.array(days, pa.date32()).cast(kind), "y": LABELS}),
                                   self.path("a.parquet"))
            self.assertEqual(self.weights_of("a.parquet", None, DATES), expected, str(kind))

    def test_odd_dates_are_missing(self):
        odd = ["2023-02-30", "0000-00-00", "99999-01-01", "nan", "inf", "2023-01-01T12:00+25:00", "tomorrow", "1e9", "-1",
               "2023-13-01"]
        report = self.check(table([0, 1] * 5, odd), DATES)
        self.assertEqual([c["unreadable"] + c["missing"] for c in report["columns"]][:3], [10, 10, 10])

    def test_days_between_two_columns(self):
        schema = DATES[:DATES.index("[[column]]")]
        days = schema + '[[column]]\nname = "stay"\nkind = "days"\nfrom = "x"\nto = "z"\nlower = 0\nupper = 30\n'
        plain = schema + '[[column]]\nname = "stay"\nkind = "real"\nlower = 0\nupper = 30\n'
        stays = [i % 25 for i in range(ROWS)]
        dates = "x,z,y\n" + "".join(f"2020-03-01,2020-03-{1 + s:02},{y}\n" for s, y in zip(stays, LABELS))
        self.assertEqual(self.weights_of("a.csv", dates, days),
                         self.weights_of("b.csv", table(LABELS, stays, "stay,y"), plain))


if __name__ == "__main__":
    unittest.main()
