# SPDX-License-Identifier: Apache-2.0
"""dperm schema infer: from a raw file to a model whose bounds were asked of the records, and the chain between them."""

import random
import unittest

import cli_case
from cli_case import BUDGET, CliCase

ROWS = 20000


class Infer(CliCase):
    def setUp(self):
        super().setUp()
        self.write("big.csv", cli_case.csv_text(cli_case.people(ROWS)))

    def infer(self, *arguments, output="inferred.toml"):
        return self.succeed("schema", "infer", "big.csv", "--target", "sick", "--ignore", "cost", "--epsilon", "1",
                            "-o", output, *arguments)

    def schema(self, name="inferred.toml"):
        import tomllib

        return tomllib.loads(self.path(name).read_text())

    def columns(self, name="inferred.toml"):
        return {c["name"]: c for c in self.schema(name)["column"] if "name" in c}

    def test_a_target_that_was_forgotten_costs_nothing(self):
        self.succeed("schema", "init", "big.csv", "-o", "draft.toml")
        self.refuse(2, ["draft.toml", "--target", "Nothing was asked"], "schema", "infer", "big.csv", "--schema", "draft.toml", "--epsilon",
                    "1", "-o", "inferred.toml")
        self.assertFalse(self.path("inferred.toml").exists())

    def test_from_a_raw_file_to_a_model(self):
        result = self.infer()
        self.assertIn("Spent: epsilon 1, delta 1e-07", result.err)
        columns = self.columns()
        # Noise of some 30 rows against bins of hundreds: no end is missed. Noise may move one outward, up to one power of
        # two beyond the values.
        self.assertTrue(-5 <= columns["age"]["lower"] <= 5 and 95 <= columns["age"]["upper"] <= 256, columns["age"])
        self.assertTrue(90000 <= columns["income"]["upper"] <= 2**18 + 1000, columns["income"])
        self.assertEqual(sorted(columns["city"]["values"]), ["east", "north", "south", "west"])
        self.assertEqual(self.schema()["target"]["kind"], "binary")
        self.assertEqual(len(self.schema()["inferred"]), 1)
        planned = self.succeed("plan", "--schema", "inferred.toml", "--rows", ROWS, *BUDGET)
        self.assertIn("In total: epsilon 2, delta 1.1e-06", planned.err)
        fitted = self.fit(data="big.csv", schema="inferred.toml")
        self.assertIn("spent     epsilon 2, delta 1.1e-06", fitted.out)
        total = self.model()["total_guarantee"]
        self.assertAlmostEqual(total["epsilon"], 2, places=3)
        self.assertIn("In total: epsilon 2", self.succeed("verify", "model.json").out)
        explained = self.succeed("explain", "model.json").out
        self.assertIn("common values of each column: Gaussian noise", explained)

    def test_rarer_classes_count_as_the_first_and_that_is_said(self):
        wards = ["a"] * 3 + ["b"] * 2 + ["c"] * 2
        lines = self.path("big.csv").read_text().splitlines()
        rows = [f"{line},{'rare' if i == 5 else wards[i % 7]}" for i, line in enumerate(lines[1:])]
        self.write("wards.csv", "\n".join([lines[0] + ",ward", *rows]) + "\n")
        result = self.succeed("schema", "infer", "wards.csv", "--target", "ward", "--epsilon", "1", "-o", "wards.toml")
        values = self.schema("wards.toml")["target"]["values"]
        self.assertEqual(sorted(values), ["a", "b", "c"])
        self.assertIn("Rows with a rarer one, or none, count as the first class", " ".join(result.err.split()))
        self.assertIn("The target's rarer value counts as positive", self.infer().err)
        self.path("inferred.toml").unlink()
        self.assertNotIn("counts as positive", self.infer("--positive", "yes").err)

    def test_bounds_and_their_releases_belong_together(self):
        self.infer()
        text = self.path("inferred.toml").read_text()
        cut = text[: text.index("[[inferred]]")]
        fit = ["fit", "big.csv", *BUDGET, "-o", "m.json", "--schema"]
        self.write("cut.toml", cut)
        self.refuse(3, ["column 'age' was inferred", "[[inferred]] table", "missing"], *fit, "cut.toml")
        self.write("cheap.toml", text.replace("epsilon = 1\n", "epsilon = 0.1\n"))
        self.refuse(3, ["[[inferred]] number 1 was changed"], *fit, "cheap.toml")
        upper = self.columns()["age"]["upper"]
        self.write("moved.toml", text.replace(f"upper = {upper:g}\n", "upper = 65\n", 1))
        self.refuse(3, ["column 'age' was inferred", "delete the key `inferred`"], *fit, "moved.toml")

    def test_a_column_that_was_renamed_is_told_so(self):
        self.infer()
        text = self.path("inferred.toml").read_text()
        self.write("renamed.toml", text.replace('name = "income"', 'name = "earned"'))
        self.refuse(3, ["'earned'", "its name, bounds or values", "renamed in the file"], "fit", "big.csv", *BUDGET, "-o",
                    "m.json", "--schema", "renamed.toml")
        # The other way round: the file has another name. Neither schema nor model can be changed.
        header, rows = self.path("big.csv").read_text().split("\n", 1)
        self.write("other.csv", header.replace("income", "incomes") + "\n" + rows)
        self.fit(data="big.csv", schema="inferred.toml")
        advice = ["no column 'income'", "did you mean 'incomes'", "rename the column in the file"]
        self.refuse(3, advice, "fit", "other.csv", *BUDGET, "-o", "m.json", "--schema", "inferred.toml")
        self.refuse(3, advice, "predict", "model.json", "other.csv")
        self.refuse(3, advice, "evaluate", "model.json", "other.csv", "--epsilon", "1")

    def test_identifiers_and_great_numbers(self):
        draw = random.Random(1)
        rows = "".join(f"{125000 + 31 * (i % 5000)},{draw.gauss(0, 1e20):.6g},{draw.uniform(-124.3, -114.4):.3f},{i % 2}\n" for i in range(ROWS))
        self.write("odd.csv", "person,charge,longitude,y\n" + rows)
        result = self.succeed("schema", "infer", "odd.csv", "--target", "y", "--epsilon", "1", "--seed", "3", "-o", "odd.toml")
        self.assertIn("seem to tell persons or records apart: person", result.err)
        self.assertIn("--unit NAME", result.err)
        columns = self.columns("odd.toml")
        self.assertNotIn("person", [name for name, c in columns.items() if c["kind"] != "identifier"])
        self.assertIn('kind = "identifier"', self.path("odd.toml").read_text())
        self.assertTrue(2e20 < columns["charge"]["upper"] < 2e21, columns["charge"])
        self.assertTrue(-126 < columns["longitude"]["lower"] < -124, columns["longitude"])
        self.assertTrue(-114.5 < columns["longitude"]["upper"] < -112, columns["longitude"])

    def test_a_codebook_costs_nothing(self):
        self.write("book.csv", "column,lower,upper,values,description\nage,0,100,,years\nincome,0,100000,,\n"
                   "city,,,north|south|east,\nsmoker,,,true|false,\nelsewhere,1,2,,\n")
        result = self.succeed("schema", "infer", "people.csv", "--codebook", "book.csv", "--target", "sick",
                              "--positive", "yes", "--ignore", "cost", "-o", "book.toml")
        self.assertNotIn("Spent", result.err)
        self.assertNotIn("inferred", self.schema("book.toml"))
        self.assertEqual(self.columns("book.toml")["age"]["upper"], 100)
        self.assertEqual(self.columns("book.toml")["age"]["description"], "years")
        self.assertNotIn("description", self.columns("book.toml")["income"])
        self.fit(schema="book.toml")
        self.refuse(2, ["1 column without bounds or values: smoker", "--epsilon"], "schema", "infer", "people.csv",
                    "--codebook", self.write("less.csv", self.path("book.csv").read_text().replace("smoker", "x")),
                    "--target", "sick", "--positive", "yes", "--ignore", "cost", "-o", "no.toml")
        for line, problem in [("age,0,,", "has one bound"), ("age,5,1,", "not below"), ("age,a,1,", "no number"),
                              ("age,,,", "neither bounds nor values"), ("age,0,1", "has 3 cells"),
                              ('"age,0,1,', "quote")]:
            self.write("bad.csv", "column,lower,upper,values\n" + line + "\n")
            self.refuse(3, ["bad.csv:2", problem], "schema", "infer", "people.csv", "--codebook", "bad.csv", "-o", "n")

    def test_a_template_is_filled_in_and_what_it_has_is_kept(self):
        template = self.succeed("schema", "init", "big.csv").out
        template = template.replace('column = "FILL IN"', 'column = "sick"', 1)
        template = template.replace('name = "age"\nkind = "real"', 'name = "age"\nkind = "integer"\nmonotone = "up"')
        self.write("draft.toml", template)
        self.succeed("schema", "infer", "big.csv", "--schema", "draft.toml", "--epsilon", "1", "-o", "full.toml")
        age = self.columns("full.toml")["age"]
        self.assertEqual((age["kind"], age["monotone"]), ("integer", "up"))
        self.fit(data="big.csv", schema="full.toml")

    def test_refusals(self):
        infer = ["schema", "infer", "people.csv", "--target", "sick"]
        self.refuse(2, ["200 rows are too few", "Nothing was spent"], *infer, "--epsilon", "0.2", "-o", "s.toml")
        self.refuse(2, ["--output"], *infer, "--epsilon", "0.2")
        self.refuse(2, ["without bounds or values", "age"], *infer, "-o", "s.toml")
        self.refuse(2, ["no column 'sik'"], "schema", "infer", "people.csv", "--target", "sik", "--epsilon", "1", "-o",
                    "s.toml")
        self.refuse(2, ["delta"], *infer, "--epsilon", "1", "--delta", "0", "-o", "s.toml")
        for epsilon in ["0", "-1", "nan", "1e9"]:
            self.refuse(2, ["epsilon"], *infer, "--epsilon", epsilon, "-o", "s.toml")
        self.write("s.toml", "kept")
        result = self.refuse(2, ["s.toml exists", "give another path"], *infer, "--epsilon", "1", "-o", "s.toml")
        self.assertNotIn("--overwrite", result.err)  # there is none here

    def test_columns_that_records_name_are_refused_whatever_they_hold(self):
        told = set()
        for records in ("1\n-1\n", "1 1:1\n-1\n", "1 18446744073709551615:1\n", "\n", "text\n" * 500):
            self.write("data.libsvm", records)
            told.add(self.refuse(2, ["depends on its records", "--schema"], "schema", "infer", "data.libsvm", "--target",
                                 "label", "--epsilon", "1", "-o", "s.toml").err)
        self.assertEqual(len(told), 1, told)

    def test_what_was_spent_is_said_where_no_schema_comes_of_it(self):
        draft = 'version = 1\n[[column]]\nname = "age"\nkind = "real"\nlower = 2000\n'
        self.write("draft.toml", draft)
        self.refuse(3, ["age", "Count epsilon 1 and delta 1e-07 as spent"], "schema", "infer", "big.csv", "--schema",
                    "draft.toml", "--epsilon", "1", "-o", "n.toml")
        # What can be known before is refused before.
        self.infer()
        seal = self.columns()["age"]["inferred"]
        self.write("broken.toml", self.path("inferred.toml").read_text().replace(seal, "0" * 16)
                   + '[[column]]\nname = "cost2"\n')
        result = self.refuse(3, ["column 'age' was inferred"], "schema", "infer", "big.csv", "--schema", "broken.toml",
                             "--epsilon", "1", "-o", "n.toml")
        self.assertNotIn("spent", result.err)

    def test_an_interval_comes_along_when_rows_are_kept_out(self):
        self.write("one.toml", 'version = 1\n[target]\ncolumn = "cost"\nkind = "real"\nlower = -10\nupper = 10\n')
        self.fit("--loss", "absolute", "--method", "exponential", "--interval", "0.9", "--holdout", "0.2", data="big.csv",
                 schema="one.toml", budget=["--epsilon", "1", "--delta", "0"])
        self.assertEqual(self.model()["interval"]["confidence"], 0.9)
        self.succeed("verify", "model.json")

    def test_reproducible_noise_is_marked_in_every_model_made_with_it(self):
        self.infer("--seed", "1")
        fitted = self.fit(data="big.csv", schema="inferred.toml")
        self.assertFalse(self.model()["private"])
        self.assertIn("NOT private", fitted.out + fitted.err)

    def test_a_record_that_stands_out_changes_neither_status_nor_messages(self):
        shapes = set()
        for record in ["1e300,x,Atlantis,maybe,perhaps,0", ",,,,,", "30,100,north,true,yes,0"]:
            rows = cli_case.people(ROWS)
            text = cli_case.csv_text(rows[:-1]) + record + "\n"
            self.write("big.csv", text)
            self.path("inferred.toml").unlink(missing_ok=True)
            result = self.infer()
            shapes.add((result.out, result.err))
            self.assertNotIn("Atlantis", self.path("inferred.toml").read_text())
        self.assertEqual(len(shapes), 1, shapes)


if __name__ == "__main__":
    unittest.main()
