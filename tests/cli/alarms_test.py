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
        self.assertEqual(self.alarms(rows(c=lambda i: "A" if i % 3 else "a")), [("unknown_values", "c")])
        self.assertEqual(self.alarms(rows(c=lambda i: "A" if i % 2 else "a")), [], "half is not more than half")

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
        self.assertEqual(self.alarms(rows(more=target), number), [("copy_of_target", "z")])
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
