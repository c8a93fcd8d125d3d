# SPDX-License-Identifier: Apache-2.0
"""schema check tells the owner of the data what will ruin a model, before anything else and with an exit status; a fit
says nothing that depends on records."""

import os
import pty
import subprocess
import unittest

from cli_case import BUDGET, PROGRAM, CliCase

SCHEMA = """
version = 1

[target]
column = "y"
kind = "binary"
positive = 1

[[column]]
name = "x"
kind = "real"
lower = 0
upper = 100

[[column]]
name = "c"
kind = "category"
values = ["a", "b", "d"]
"""
ROWS = 200


def rows(x=lambda i: 37 * i % 101, c=lambda i: "abd"[i * i % 3], y=lambda i: int(17 * i % 10 > 6), more=None):
    names = "x,c,y" + ("" if more is None else ",z")
    lines = [f"{x(i)},{c(i)},{y(i)}" + ("" if more is None else f",{more(i)}") for i in range(ROWS)]
    return "\n".join([names, *lines]) + "\n"


class Alarms(CliCase):
    def alarms(self, content, schema=SCHEMA, strict=True):
        self.write("d.csv", content)
        self.write("s.toml", schema)
        arguments = ["schema", "check", "d.csv", "--schema", "s.toml"]
        report = self.succeed(*arguments, "--json").json()
        self.assertIs(report["private"], False)
        found = [(a["kind"], a["column"]) for a in report["alarms"]]
        plain = self.succeed(*arguments)
        self.assertIn("NOT private", plain.err)
        self.assertEqual(plain.out.startswith("ALARM: "), bool(found), "alarms come first")
        self.assertEqual(plain.out.count("ALARM: "), len(found))
        ended = self.run_program(*arguments, "--strict")
        self.assertEqual(ended.status, 3 if found else 0)
        self.assertEqual(ended.out, plain.out, "strict says the same, and then fails")
        return found

    def test_a_good_table_has_none(self):
        self.assertEqual(self.alarms(rows()), [])

    def test_one_class(self):
        self.assertEqual(self.alarms(rows(y=lambda i: 0)), [("one_class", "y")])
        self.assertEqual(self.alarms(rows(y=lambda i: 1)), [("one_class", "y")])
        self.assertEqual(self.alarms(rows(y=lambda i: ["no", "yes"][i % 2])), [("one_class", "y")])
        real = SCHEMA.replace('kind = "binary"\npositive = 1', 'kind = "real"\nlower = 0\nupper = 9')
        self.assertEqual(self.alarms(rows(y=lambda i: 4), real), [("one_class", "y")])
        classes = SCHEMA.replace('kind = "binary"\npositive = 1', 'kind = "class"\nvalues = ["u", "v"]')
        self.assertEqual(self.alarms(rows(y=lambda i: "w"), classes), [("one_class", "y"), ("unknown_values", "y")])

    def test_more_than_half_of_the_cells(self):
        self.assertEqual(self.alarms(rows(x=lambda i: "text" if i % 3 else i)), [("unreadable", "x")])
        self.assertEqual(self.alarms(rows(x=lambda i: 1000 * i)), [("out_of_bounds", "x")])
        self.assertEqual(self.alarms(rows(c=lambda i: "e" if i % 3 else "a")), [("unknown_values", "c")])
        self.assertEqual(self.alarms(rows(c=lambda i: "e" if i % 2 else "a")), [], "half is not more than half")

    def test_a_few_cells_that_cannot_be_read(self):
        """Numbers with separators are the large ones: some cells are enough."""
        self.assertEqual(self.alarms(rows(x=lambda i: "1 500" if i % 50 == 0 else i % 7)), [("unreadable", "x")])
        self.assertEqual(self.alarms(rows(x=lambda i: "none" if i < 2 else 37 * i % 101)), [])

    def test_cells_without_a_target(self):
        told = lambda share: lambda i: "" if i % share == 0 else int(17 * i % 10 > 6)
        self.assertEqual(self.alarms(rows(y=told(10))), [("no_target", "y")])
        self.assertIn("count as negative", self.succeed("schema", "check", "d.csv", "--schema", "s.toml").out)
        classes = SCHEMA.replace('kind = "binary"\npositive = 1', 'kind = "class"\nvalues = ["u", "v"]')
        self.assertEqual(self.alarms(rows(y=lambda i: "uvw"[17 * i % 10 % 3]), classes), [("no_target", "y")])

    def test_categories_written_in_other_ways(self):
        self.assertEqual(self.alarms(rows(c=lambda i: ["a", "A ", "b", "d"][i * i % 4])), [("almost_listed", "c")])
        self.assertEqual(self.alarms(rows(c=lambda i: ["a", " a ", "b", "d"][i * i % 4])), [], "blanks around do not count")

    def test_texts_in_another_encoding(self):
        self.write("latin.csv", "")
        (self.folder / "latin.csv").write_bytes(rows(c=lambda i: "\u00e9" if i == 7 else "abd"[i * i % 3]).encode("latin-1"))
        self.write("s.toml", SCHEMA)
        report = self.succeed("schema", "check", "latin.csv", "--schema", "s.toml", "--json").json()
        self.assertEqual([(a["kind"], a["column"], a["rows"]) for a in report["alarms"]], [("not_utf8", "c", 1)])

    def test_codes_among_numbers(self):
        """Beyond the bounds one number more often than all others there; within them nines far from the rest."""
        self.assertEqual(self.alarms(rows(x=lambda i: -999 if i % 8 == 0 else 37 * i % 101)), [("code", "x")])
        report = self.succeed("schema", "check", "d.csv", "--schema", "s.toml", "--json").json()
        self.assertEqual((report["alarms"][0]["value"], report["alarms"][0]["rows"]), ("-999", ROWS // 8))
        self.assertEqual(self.alarms(rows(x=lambda i: 99 if i % 8 == 0 else 37 * i % 41)), [("code", "x")])
        self.assertEqual(self.alarms(rows(x=lambda i: 99 if i % 8 == 0 else 37 * i % 98)), [], "99 is not far from 97")
        self.assertEqual(self.alarms(rows(x=lambda i: 105 if i % 8 == 0 else 37 * i % 101)), [], "close to the bound")
        self.assertEqual(self.alarms(rows(x=lambda i: 101 + i if i % 8 == 0 else 37 * i % 101)), [], "no one number")
        self.assertEqual(self.alarms(rows(x=lambda i: -999 if i % 3 else 37 * i % 101)), [("code", "x")], "says it better")

    def test_bounds_in_another_unit(self):
        self.assertEqual(self.alarms(rows(x=lambda i: 37 * i % 101 / 100)), [("too_wide", "x")])
        self.assertEqual(self.alarms(rows(x=lambda i: 1)), [], "one value")
        log = SCHEMA.replace("upper = 100", 'upper = 1e6\nscale = "log"')
        self.assertEqual(self.alarms(rows(), log), [], "wide on a log scale")
        self.assertEqual(self.alarms(rows(), log.replace('\nscale = "log"', "")), [("too_wide", "x")])
        real = SCHEMA.replace('kind = "binary"\npositive = 1', 'kind = "real"\nlower = 0\nupper = 1e6')
        self.assertEqual(self.alarms(rows(y=lambda i: 19 * i % 90), real), [("too_wide", "y")])

    def test_dates_by_two_formats(self):
        dates = SCHEMA + '[[column]]\nname = "z"\nkind = "date"\nlower = 2020-01-01\nupper = 2020-12-31\nformat = {}\n'
        table = rows(more=lambda i: f"{1 + 7 * i % 12:02}/{1 + 11 * i % 28:02}/2020")
        self.assertEqual(self.alarms(table, dates.format('["%m/%d/%Y", "%d/%m/%Y"]')), [("ambiguous_date", "z")])
        self.assertEqual(self.alarms(table, dates.format('["%m/%d/%Y", "%Y/%m/%d"]')), [])
        self.assertEqual(self.alarms(table, dates.format('"%d/%m/%Y"')), [("unreadable", "z")])

    def test_a_file_added_twice(self):
        noise = lambda i: (i * 7919 + i * i * 104729) % 100003 / 1000
        once = rows(x=noise)
        self.assertEqual(self.alarms(once), [])
        self.assertEqual(self.alarms(once + once.split("\n", 1)[1]), [("repeated_block", "")])
        pattern = rows(x=lambda i: i % 5)
        self.assertEqual(self.alarms(pattern + pattern.split("\n", 1)[1]), [], "a few values come again by themselves")

    def test_a_target_written_in_other_ways(self):
        yes = lambda text: SCHEMA.replace("positive = 1", f"positive = {text}")
        table = rows(y=lambda i: ["no", "yes", "Yes", "YES"][i % 4])
        self.assertEqual(self.alarms(table, yes('"yes"')), [("almost_listed", "y")])
        self.assertEqual(self.alarms(table, yes('["yes", "Yes", "YES"]')), [])
        mixed = rows(y=lambda i: ["0", "1", "1.0", "0"][i % 4])
        self.assertEqual(self.alarms(mixed, yes('"1"')), [("almost_listed", "y")])
        self.assertEqual(self.alarms(mixed, yes("1")), [])

    def test_duplicates(self):
        again = SCHEMA + '[[column]]\nname = "z"\nkind = "category"\nvalues = ["1", "2", "3"]\n'
        self.assertEqual(self.alarms(rows(more=lambda i: {"a": 1, "b": 2, "d": 3}["abd"[i * i % 3]]), again),
                         [("duplicate", "z")])
        one_other = lambda i: 1 if i == 7 else {"a": 1, "b": 2, "d": 3}["abd"[i * i % 3]]
        self.assertEqual(self.alarms(rows(more=one_other), again), [])

    def test_a_copy_of_the_target(self):
        number = SCHEMA + '[[column]]\nname = "z"\nkind = "real"\nlower = 0\nupper = 1000\n'
        target = lambda i: int(17 * i % 10 > 6)
        self.assertEqual(self.alarms(rows(more=target), number.replace("1000", "1")), [("copy_of_target", "z")])
        self.assertEqual(self.alarms(rows(more=lambda i: 500 * target(i) + i % 7), number), [("copy_of_target", "z")])
        word = SCHEMA + '[[column]]\nname = "z"\nkind = "category"\nvalues = ["paid", "late", "never"]\n'
        self.assertEqual(self.alarms(rows(more=lambda i: "paid" if target(i) else ["late", "never"][i % 2]), word),
                         [("copy_of_target", "z")])
        self.assertEqual(self.alarms(rows(more=lambda i: "paid" if target(i) or i % 9 == 0 else "late"), word), [])
        real = SCHEMA.replace('kind = "binary"\npositive = 1', 'kind = "real"\nlower = 0\nupper = 10')
        cost = lambda i: 17 * i % 10
        line = real + '[[column]]\nname = "z"\nkind = "real"\nlower = 0\nupper = 50\n'
        self.assertEqual(self.alarms(rows(y=cost, more=lambda i: 45 - 4.5 * cost(i)), line), [("copy_of_target", "z")])

    def test_identifiers_that_repeat(self):
        named = SCHEMA + '[[column]]\nname = "z"\nkind = "identifier"\n'
        self.assertEqual(self.alarms(rows(more=lambda i: f"p{i}"), named), [])
        self.assertEqual(self.alarms(rows(more=lambda i: f"p{i // 2}"), named), [("repeated_identifier", "z")])
        report = self.succeed("schema", "check", "d.csv", "--schema", "s.toml", "--json").json()
        self.assertEqual(report["alarms"][0]["rows"], ROWS // 2)

    def test_persons_that_the_schema_does_not_mention(self):
        twice = rows(more=lambda i: f"p{i // 2}").replace(",z\n", ",patient_nbr\n", 1)
        self.assertEqual(self.alarms(twice), [("repeated_identifier", "patient_nbr")])
        self.assertEqual(self.alarms(rows(more=lambda i: f"p{i}").replace(",z\n", ",patient_nbr\n", 1)), [])
        self.assertEqual(self.alarms(twice.replace("patient_nbr", "admission_type_id", 1)), [], "a code")
        wide = SCHEMA + '[[column]]\nname = "patient_nbr"\nkind = "integer"\nlower = 0\nupper = 1000000\n'
        numbers = rows(more=lambda i: i // 2 * 6151 % 1000000).replace(",z\n", ",patient_nbr\n", 1)
        doubled = "\n".join(f"{line},{line.rsplit(',', 1)[1]}" for line in twice.splitlines()) + "\n"
        self.assertEqual(self.alarms(doubled), [], "two columns of one name, which the schema does not ask for")
        self.assertEqual(self.alarms(numbers, wide), [("repeated_identifier", "patient_nbr")], "a feature by mistake")

    def test_class_counts(self):
        self.write("d.csv", rows(y=lambda i: int(i < 50)))
        self.write("s.toml", SCHEMA)
        report = self.succeed("schema", "check", "d.csv", "--schema", "s.toml", "--json").json()
        self.assertEqual(report["classes"], [{"class": "any other", "rows": 150}, {"class": "1", "rows": 50}])
        self.assertIn("any other in 150 rows, 1 in 50 rows",
                      self.succeed("schema", "check", "d.csv", "--schema", "s.toml").out)

    def test_red_on_a_terminal_only(self):
        self.write("d.csv", rows(y=lambda i: 0))
        self.write("s.toml", SCHEMA)
        self.assertNotIn("\033", self.succeed("schema", "check", "d.csv", "--schema", "s.toml").out)
        for environment, colour in (({}, True), ({"NO_COLOR": "1"}, False)):
            master, slave = pty.openpty()
            subprocess.run([PROGRAM, "schema", "check", "d.csv", "--schema", "s.toml"], cwd=self.folder, stdout=slave,
                           stderr=subprocess.DEVNULL, env={**os.environ, **environment}, check=True)
            os.close(slave)
            shown = os.read(master, 100_000).decode()
            os.close(master)
            self.assertEqual(shown.startswith("\033[31mALARM"), colour, shown[:60])

    def test_a_fit_says_the_same_of_a_ruined_table(self):
        """The alarms depend on records: a fit must not know them."""
        self.write("s.toml", SCHEMA)
        outcomes = set()
        for content in (rows(), rows(y=lambda i: 0), rows(x=lambda i: "text"), rows(c=lambda i: "?")):
            self.write("d.csv", content)
            done = self.succeed("fit", "d.csv", "--schema", "s.toml", *BUDGET, "--method", "gradient-descent", "--steps",
                                "3", "-o", "m.json", "--json")
            outcomes.add(done.err)
        self.assertEqual(len(outcomes), 1)


class UsingAModel(CliCase):
    """Rows that are predicted on, or declared public, may be talked about."""

    def setUp(self):
        super().setUp()
        self.write("s.toml", SCHEMA)
        self.write("d.csv", rows())
        self.succeed("fit", "d.csv", "--schema", "s.toml", *BUDGET, "-o", "m.json")

    def warnings(self, content, *command):
        self.write("new.csv", content)
        done = self.succeed(*command)
        return " ".join(done.err.split())

    def test_predictions_for_rows_that_do_not_fit(self):
        command = ("predict", "m.json", "new.csv")
        self.assertNotIn("WARNING", self.warnings(rows(), *command))
        self.assertIn("'x' is outside lower and upper in 199 of 200 rows", self.warnings(rows(x=lambda i: 1000 * i), *command))
        self.assertIn("'x' lies in a fiftieth of its bounds", self.warnings(rows(x=lambda i: 37 * i % 101 / 100), *command))
        self.assertIn("'c' holds values outside its list", self.warnings(rows(c=lambda i: "A"), *command))
        # A target is not needed, and says nothing.
        without = "\n".join(line.rsplit(",", 1)[0] for line in rows().split("\n"))
        self.assertNotIn("WARNING", self.warnings(without, *command))
        self.assertNotIn("WARNING", self.warnings(rows(y=lambda i: 0), *command))

    def test_measures_that_mean_nothing(self):
        command = ("evaluate", "m.json", "new.csv", "--public")
        self.assertNotIn("WARNING", self.warnings(rows(), *command))
        self.assertIn("target 'y' is the same in every row", self.warnings(rows(y=lambda i: ["yes", "no"][i % 2]), *command))
        self.assertIn("'x' is outside lower and upper", self.warnings(rows(x=lambda i: 1000 * i), *command))

    def test_a_private_evaluation_says_the_same_of_a_ruined_table(self):
        told = {self.warnings(content, "evaluate", "m.json", "new.csv", "--epsilon", "1", "--json")
                for content in (rows(), rows(y=lambda i: 0), rows(x=lambda i: "text"))}
        self.assertEqual(len(told), 1, told)


class OneAnswer(CliCase):
    def test_is_said_of_weights_that_show_it(self):
        """A column nobody varies in: bounds so wide that every cell is in the middle, and a target with one class."""
        schema = SCHEMA.replace("lower = 0\nupper = 100", "lower = -1e9\nupper = 1e9")
        schema = schema[:schema.rindex("[[column]]")]
        self.write("s.toml", schema)
        lines = "x,c,y\n" + "".join(f"{i},a,0\n" for i in range(3000))
        self.write("d.csv", lines)
        arguments = ("--schema", "s.toml", "--epsilon", "100", "--delta", "1e-6", "--seed", "1", "-o", "m.json", "--shape",
                     "linear")
        done = self.succeed("fit", "d.csv", *arguments)
        self.assertIn("predicts 0 for every row", " ".join(done.out.split()))
        self.write("d.csv", "x,c,y\n" + "".join(f"{(i - 1500) * 600000},a,{int(i > 1500)}\n" for i in range(3000)))
        done = self.succeed("fit", "d.csv", *arguments)
        self.assertNotIn("for every row", done.out)


if __name__ == "__main__":
    unittest.main()
