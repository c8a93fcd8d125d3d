# SPDX-License-Identifier: Apache-2.0
"""A person with several rows is protected: the schema's [unit], from reading to verification."""

import json
import unittest

import pyarrow as pa
import pyarrow.parquet

from cli_case import BUDGET, HEADER, SEEDED, CliCase, csv_text, people

UNIT = '\n[unit]\ncolumn = "person"\nrows = {rows}\n'


def with_persons(table, rows_each, nobody=()):
    """The same records, each person having `rows_each` of them in a row, those in `nobody` having none."""
    return [row + ["" if i in nobody else f"p{i // rows_each}"] for i, row in enumerate(table)]


class Unit(CliCase):
    def setUp(self):
        super().setUp()
        schema = (self.folder / "schema.toml").read_text()
        for rows in (1, 3, 5):
            self.write(f"unit{rows}.toml", schema + UNIT.format(rows=rows))
        self.table = with_persons(people(300), 4, nobody={7})
        self.write("persons.csv", csv_text(self.table, HEADER + ",person"))

    def fit(self, schema="unit3.toml", data="persons.csv", output="model.json", method=("--method", "gradient-descent", "--steps", "5"), budget=SEEDED):
        return self.run_program("fit", data, "--schema", schema, *budget, *method, "-o", output, "--overwrite")

    def test_fit_says_who_is_protected_and_verifies(self):
        words = "one person's rows (column person, at most 3)"
        made = self.fit(budget=BUDGET)
        self.assertEqual(made.status, 0, made.err)
        self.assertIn("one person (column person, at most 3 rows)", made.out)
        model = json.loads((self.folder / "model.json").read_text())
        self.assertEqual(model["plan"]["task"]["unit_rows"], 3)
        self.assertLessEqual(model["guarantee"]["epsilon"], 1)
        checked = self.run_program("verify", "model.json")
        self.assertEqual(checked.status, 0, checked.err)
        self.assertIn(words, checked.out)
        told = self.run_program("explain", "model.json")
        self.assertIn("A person is the unit", told.out)
        self.assertIn("the most that one person with all rows can change it", " ".join(told.out.split()))
        plan = self.run_program("plan", "--rows", "300", "--schema", "unit3.toml", *BUDGET, "--details")
        self.assertEqual(plan.status, 0, plan.err)
        self.assertIn(words, plan.out)

    def test_an_identifier_without_a_unit_is_named(self):
        schema = (self.folder / "schema.toml").read_text()
        self.write("named.toml", schema + '\n[[column]]\nname = "person"\nkind = "identifier"\n')
        words = "person names persons or records, and the schema has no [unit]"
        self.assertIn(words, self.fit("named.toml").err)
        self.assertIn(words, self.run_program("plan", "--rows", "300", "--schema", "named.toml", *BUDGET).err)
        self.assertNotIn("no [unit]", self.fit("unit3.toml").err)

    def test_a_column_of_the_file_that_names_persons_is_named_too(self):
        """By its name alone: the schema does not mention it, or ignores it."""
        words = "person names persons or records, it seems, and the schema has no [unit]"
        schema = (self.folder / "schema.toml").read_text()
        self.write("ignoring.toml", schema + '\n[[column]]\nname = "person"\nkind = "ignore"\n')
        for name in ("schema.toml", "ignoring.toml"):
            self.assertIn(words, self.fit(name).err)
        # Whatever the column holds.
        self.write("persons.csv", csv_text([row[:-1] + [""] for row in self.table], HEADER + ",person"))
        self.assertIn(words, self.fit("schema.toml").err)
        self.write("persons.csv", csv_text(self.table, HEADER + ",person_years"))
        self.assertNotIn("no [unit]", self.fit("schema.toml").err)

    def test_a_forecast_with_persons_kept_out_is_for_the_others(self):
        def forecast(rows, *more):
            done = self.run_program("plan", "--rows", str(rows), "--schema", "unit3.toml", *BUDGET, "--json", *more)
            self.assertEqual(done.status, 0, done.err)
            return {each["method"]: each["predicted"] for each in json.loads(done.out) if "predicted" in each}
        kept_out = forecast(20_000, "--holdout", "0.4")
        self.assertEqual(kept_out, forecast(12_000))
        self.assertNotEqual(kept_out, forecast(20_000))

    def test_noise_is_that_of_all_rows_of_a_person(self):
        self.fit("schema.toml", output="row.json")
        self.fit("unit5.toml", output="person.json")
        row, person = (json.loads((self.folder / name).read_text())["events"][0]
                       for name in ("row.json", "person.json"))
        self.assertAlmostEqual(person["sigma"] / row["sigma"], 5, places=5)
        self.assertAlmostEqual(person["l2_sensitivity"] / row["l2_sensitivity"], 5, places=9)

    def test_blank_rows_are_not_read(self):
        # What surplus rows and rows without an identifier hold changes nothing, to the last bit.
        self.fit()
        first = (self.folder / "model.json").read_text()
        changed = [row if i % 4 != 3 and i != 7 else ["99", "1", "west", "true", "yes", "9"] + row[-1:]
                   for i, row in enumerate(self.table)]
        self.write("persons.csv", csv_text(changed, HEADER + ",person"))
        self.fit()
        self.assertEqual((self.folder / "model.json").read_text(), first)
        changed[0] = ["99", "1", "west", "true", "yes", "9", "p0"]
        self.write("persons.csv", csv_text(changed, HEADER + ",person"))
        self.fit()
        self.assertNotEqual((self.folder / "model.json").read_text(), first)

    def test_formats_agree(self):
        self.fit()
        first = (self.folder / "model.json").read_text()
        names = (HEADER + ",person").split(",")
        columns = {name: [row[i] or None for row in self.table] for i, name in enumerate(names)}
        pa.parquet.write_table(pa.table(columns), self.folder / "persons.parquet")
        self.assertEqual(self.fit(data="persons.parquet").status, 0)
        self.assertEqual((self.folder / "model.json").read_text(), first)

    def test_an_edited_unit_is_found_out(self):
        self.fit(budget=BUDGET)
        path = self.folder / "model.json"
        text = path.read_text()
        for old, new in (('rows = 3', 'rows = 2'), ('"unit_rows": 3', '"unit_rows": 2')):
            self.assertIn(old, text)
            path.write_text(text.replace(old, new))
            self.assertEqual(self.run_program("verify", "model.json").status, 3)

    def test_nothing_of_how_many_rows_are_blank_is_told(self):
        outputs = []
        for each in (1, 4, 300):
            self.write("persons.csv", csv_text(with_persons(people(300), each), HEADER + ",person"))
            made = self.fit(budget=BUDGET)
            model = json.loads((self.folder / "model.json").read_text())
            for key in ("coefficients", "digest"):
                model.pop(key)
            outputs.append((made.status, made.err, json.dumps(model)))
        self.assertEqual(outputs[0], outputs[1])
        self.assertEqual(outputs[0], outputs[2])
        self.write("persons.csv", csv_text(with_persons(people(300), 4, nobody=range(300)), HEADER + ",person"))
        made = self.fit(budget=BUDGET)
        self.assertEqual((made.status, made.err), outputs[0][:2])

    def test_refusals_name_the_reason(self):
        for method, words in ((("--method", "objective-perturbation"), "proved private for one row"),
                              (("--method", "output-perturbation", "--solver", "permutation-sgd"), "one row of one batch"),
                              (("--method", "sgd", "--sampling", "fixed-size", "--batch", "30"), "fixed size"),
                              (("--method", "gradient-descent", "--tune", "steps=5,10"), "tuning"),
                              (("--method", "exponential", "--loss", "zero-one"), "blank rows")):
            with self.subTest(method=method):
                refused = self.fit(method=method)
                self.assertEqual(refused.status, 2)
                self.assertIn(words, " ".join(refused.err.split()))
        refused = self.fit(method=("--method", "gradient-descent", "--tiles", "rows.tiles"))
        self.assertEqual(refused.status, 2)
        self.assertIn("[unit]", refused.err)
        self.assertEqual(self.fit(data="people.csv").status, 3)

    def test_pure_objectives_and_samples_and_networks(self):
        for method, budget in ((("--method", "objective-perturbation"), ["--epsilon", "4", "--delta", "0", "--seed", "1"]),
                               (("--method", "sgd", "--batch", "30", "--steps", "20"), SEEDED),
                               (("--method", "sgd", "--batch", "30", "--steps", "20", "--neighbours", "add-remove"), SEEDED),
                               (("--method", "sgd", "--hidden", "4", "--steps", "20"), SEEDED),
                               (("--method", "constant"), SEEDED), ((), SEEDED)):
            with self.subTest(method=method):
                made = self.fit(method=method, budget=budget)
                self.assertEqual(made.status, 0, made.err)
                model = json.loads((self.folder / "model.json").read_text())
                self.assertLessEqual(model["guarantee"]["epsilon"], float(budget[1]))
                self.assertGreater(model["guarantee"]["epsilon"], 0.98 * float(budget[1]))
                checks = self.run_program("verify", "model.json", "--json").json()["checks"]
                self.assertEqual([each["check"] for each in checks if not each["passed"]],
                                 ["the model was made with secure randomness and without unsafe diagnostics"])

    def test_evaluation_and_prediction(self):
        self.fit(budget=BUDGET)
        released = self.run_program("evaluate", "model.json", "persons.csv", "--epsilon", "1", "--json")
        self.assertEqual(released.status, 0, released.err)
        self.assertLessEqual(released.json()["epsilon"], 1)
        told = self.run_program("evaluate", "model.json", "persons.csv", "--epsilon", "1")
        self.assertIn("one person's rows", told.out)
        # Rows to predict for, and rows declared public, need no identifier, and all of them count.
        self.assertEqual(len(self.run_program("predict", "model.json", "people.csv").out.splitlines()), 201)
        self.assertEqual(self.run_program("evaluate", "model.json", "people.csv", "--public", "--json").json()["rows"], 200)
        self.assertEqual(self.run_program("evaluate", "model.json", "people.csv", "--epsilon", "1").status, 3)

    def test_rows_kept_out_are_those_of_whole_persons(self):
        method = ("--method", "gradient-descent", "--steps", "5", "--holdout", "0.3")
        made = self.fit(method=method, budget=BUDGET)
        self.assertEqual(made.status, 0, made.err)
        self.assertIn("those of 30% of the persons are kept out", " ".join(made.err.split()))
        self.assertRegex(" ".join(made.out.split()), r"on about \d+ \(\+- \d+\) rows kept out")
        # A batch of all rows is possible, although fewer teach.
        self.assertEqual(self.fit(method=("--method", "sgd", "--batch", "250", "--steps", "5", "--holdout", "0.3"),
                                  budget=BUDGET, output="batch.json").status, 0)
        model = json.loads((self.folder / "model.json").read_text())
        self.assertEqual(model["plan"]["task"]["rows"], 300)
        self.assertLessEqual(model["guarantee"]["epsilon"], 1)
        training, judging = model["events"][0]["parts"]
        self.assertEqual(judging["events"][0]["l1_sensitivity"], 2 * 3)
        self.assertGreater(model["evaluation"]["rows_radius_95"], 0)
        for command in (("verify", "model.json"), ("explain", "model.json"), ("report", "model.json", "-o", "r.html")):
            done = self.run_program(*command)
            self.assertEqual(done.status, 0, done.err)
        self.assertIn("persons, picked at random, who were set aside", (self.folder / "r.html").read_text())
        # Almost without noise: every person kept out judges with all three rows that count.
        for seed in range(6):
            exact = ["--epsilon", "900", "--delta", "1e-6", "--seed", str(seed)]
            self.assertEqual(self.fit(method=method, budget=exact).status, 0)
            counts = json.loads((self.folder / "model.json").read_text())["evaluation"]["released"]
            self.assertEqual(sum(counts) % 3, 0, counts)
            self.assertGreater(sum(counts), 0)
            self.assertLess(sum(counts), 225)

    def test_nothing_of_how_many_persons_are_kept_out_is_told_without_noise(self):
        outputs = []
        for each in (1, 4, 300):
            self.write("persons.csv", csv_text(with_persons(people(300), each), HEADER + ",person"))
            made = self.fit(method=("--method", "gradient-descent", "--steps", "5", "--holdout", "0.3"), budget=BUDGET)
            model = json.loads((self.folder / "model.json").read_text())
            for key in ("coefficients", "digest", "evaluation"):
                model.pop(key)
            outputs.append((made.status, made.err, json.dumps(model)))
        self.assertEqual(outputs[0], outputs[1])
        self.assertEqual(outputs[0], outputs[2])

    def test_all_measures_for_persons(self):
        self.write("persons.csv", csv_text(with_persons(people(6000), 2), HEADER + ",person"))
        self.fit(budget=BUDGET)
        told = self.run_program("evaluate", "model.json", "persons.csv", "--epsilon", "2")
        self.assertEqual(told.status, 0, told.err)
        self.assertIn("rows that count, of 6000 rows", told.out)
        for words in ("accuracy", "AUC", "calibration", "one person's rows (column person, at most 3)"):
            self.assertIn(words, told.out)
        exact = self.run_program("evaluate", "model.json", "persons.csv", "--public", "--json").json()
        released = self.run_program("evaluate", "model.json", "persons.csv", "--epsilon", "2", "--json").json()
        self.assertEqual(released["events"][0]["l1_sensitivity"], 2 * 3)
        self.assertLessEqual(released["epsilon"], 2)
        for name in ("accuracy", "auc", "positive_share", "brier_score"):
            one, other = exact["measures"][name], released["measures"][name]
            self.assertLess(abs(one["value"] - other["value"]), 3 * other["radius_95"] + 1e-9, name)
        # Rows of a person may be alike: a third as many draws.
        for measure in exact["measures"].values():
            self.assertGreater(measure["radius_95_with_sampling"], 0)
        share = exact["measures"]["accuracy"]["value"]
        self.assertAlmostEqual(exact["measures"]["accuracy"]["radius_95_with_sampling"],
                               1.96 * (3 * share * (1 - share) / 6000) ** 0.5, delta=1e-3)
        single = self.run_program("evaluate", "model.json", "persons.csv", "--epsilon", "20", "--metric", "accuracy").out
        told = float(single.split("sampling error within ")[1].split(")")[0])
        self.assertGreater(told, 0.99 * 0.98 / (6000 / 3) ** 0.5)
        self.assertLess(told, 1.05 * 0.98 / (6000 / 3) ** 0.5)

    def test_check_tells_the_owner(self):
        checked = self.run_program("schema", "check", "persons.csv", "--schema", "unit3.toml", "--json")
        self.assertEqual(checked.status, 0, checked.err)
        self.assertEqual(checked.json()["unit"],
                         {"column": "person", "rows": 3, "persons": 75, "rows_without_identifier": 1,
                          "rows_beyond_the_first": 74, "blank_rows": 75, "most_rows_of_one_person": 4})
        told = self.run_program("schema", "check", "persons.csv", "--schema", "unit3.toml")
        self.assertIn("75 persons by person; 75 rows will be blank", told.out)
        self.assertIn("One person has 4 rows", told.out)
        self.assertIn("NOT private", told.err)
        self.assertIn("Nobody has more than 4 rows",
                      self.run_program("schema", "check", "persons.csv", "--schema", "unit5.toml").out)


if __name__ == "__main__":
    unittest.main()
