# SPDX-License-Identifier: Apache-2.0
"""Rules from finite classes under zero-one loss: fit, predict, evaluate, verify, explain and plan, end to end."""

import csv
import io
import json
import math
import unittest

from cli_case import COLUMNS, CliCase, csv_text, people
from model_file_test import Number, canonical, digest

CLASSES = ["stumps", "thresholds(age)", "thresholds(age, parts=20)", "thresholds(age, parts=4294967296)",
           "intervals(age, parts=20)", "conjunctions(literals=2)", "rectangles(age, income, parts=6)", "halfspaces(coefficients=2, parts=16)"]
PURE = ["--epsilon", "1", "--delta", "0"]
RULES = """# what the clinic proposes
age >= 50
age >= 60 and smoker = true   # the second
not (20 <= age < 60)

city != "north"
never
"""


class Rules(CliCase):
    def setUp(self):
        super().setUp()
        self.write("people.csv", csv_text(people(2000)))

    def fit_rule(self, rules, *arguments, data="people.csv", output="model.json"):
        return self.succeed("fit", data, "--schema", "schema.toml", "--loss", "zero-one", "--class", rules, *PURE, "-o",
                            output, *arguments)

    def predictions(self, model="model.json", data="people.csv"):
        out = self.succeed("predict", model, data).out
        return [int(row["prediction"]) for row in csv.DictReader(io.StringIO(out))]

    def refuse_fit(self, status, words, *arguments):
        self.refuse(status, words, "fit", "people.csv", "--schema", "schema.toml", *PURE, "-o", "m.json", *arguments)

    def test_every_class_fits_verifies_predicts_and_explains(self):
        labels = [row[4] == "yes" for row in people(2000)]
        for rules in CLASSES:
            with self.subTest(rules=rules):
                shown = self.fit_rule(rules).out
                model = self.model()
                self.assertIn(model["rule"]["text"], shown)
                self.assertTrue(model["guarantee"]["pure"])
                self.assertLessEqual(model["guarantee"]["epsilon"], 1)
                self.assertEqual(model["events"][0]["mechanism"], "permute-and-flip")
                self.assertLess(model["rule"]["number"], model["plan"]["task"]["rule_count"])
                self.assertIn("verified:", self.succeed("verify", "model.json").out)
                self.assertIn("rules in the class", self.succeed("explain", "model.json", "--details").out)
                right = sum(a == b for a, b in zip(self.predictions(), labels)) / 2000
                public = self.succeed("evaluate", "model.json", "people.csv", "--public", "--json").json()
                self.assertAlmostEqual(public["accuracy"], right, delta=1e-12)
                private = self.succeed("evaluate", "model.json", "people.csv", "--epsilon", "5", "--json").json()
                self.assertAlmostEqual(private["accuracy"], right, delta=0.02)
                if "age" in rules or rules in ("stumps", CLASSES[-1]):
                    self.assertGreater(right, 0.7)

    def test_the_text_is_what_the_rule_says(self):
        self.fit_rule("thresholds(age)")
        text = self.model()["rule"]["text"]
        self.assertRegex(text, r"^age >= [0-9.]+$")
        limit = float(text.split()[-1])
        expected = [int(int(row[0]) >= limit) for row in people(2000)]
        self.assertEqual(self.predictions(), expected)

    def test_a_delta_is_not_used(self):
        self.succeed("fit", "people.csv", "--schema", "schema.toml", "--class", "stumps", "--epsilon", "1", "--delta",
                     "1e-6", "-o", "model.json")
        self.assertTrue(self.model()["guarantee"]["pure"])
        self.assertEqual(self.model()["plan"]["task"]["loss"]["name"], "zero-one")

    def test_the_zero_one_loss_alone_chooses_among_stumps(self):
        self.succeed("fit", "people.csv", "--schema", "schema.toml", "--loss", "zero-one", *PURE, "-o", "model.json")
        self.assertEqual(self.model()["plan"]["task"]["rules"], "stumps")

    def test_a_file_of_rules_is_kept_in_the_model(self):
        self.write("rules.txt", RULES)
        self.fit_rule("rules.txt", "--choice", "exponential")
        self.path("rules.txt").unlink()
        task = self.model()["plan"]["task"]
        self.assertEqual(task["rules"].split("\n")[0], "rules")
        self.assertEqual(task["rule_count"], 5)
        self.assertEqual(self.model()["events"][0]["mechanism"], "exponential")
        self.assertEqual(self.model()["rule"]["text"], "age >= 50")
        self.succeed("verify", "model.json")
        self.assertEqual(self.predictions(), [int(int(row[0]) >= 50) for row in people(2000)])

    def test_models_can_be_rules(self):
        self.succeed("fit", "people.csv", "--schema", "schema.toml", "--epsilon", "5", "--delta", "1e-6", "--shape", "linear",
                     "-o", "linear.json")
        self.fit_rule("conjunctions(literals=1)", output="weak.json")
        self.write("rules.txt", "never\nmodel linear.json\nmodel weak.json\n")
        self.fit_rule("rules.txt")
        self.assertRegex(self.model()["rule"]["text"], r"^score\(.*\) > 0$")
        self.assertEqual(self.model()["rule"]["number"], 1)
        self.assertEqual(self.predictions(), self.predictions("linear.json"))
        self.succeed("verify", "model.json")

    def test_a_model_with_curves_is_no_rule(self):
        self.succeed("fit", "people.csv", "--schema", "schema.toml", "--epsilon", "5", "--delta", "1e-6", "--shape", "curve:4",
                     "-o", "curved.json")
        self.write("rules.txt", "never\nmodel curved.json\n")
        self.refuse_fit(3, ["rules.txt:2:", "has curves", "whose shape is linear"], "--class", "rules.txt")

    def test_models_of_other_tables_are_refused(self):
        self.write("other.toml", self.path("schema.toml").read_text().replace("upper = 100\n", "upper = 90\n"))
        self.succeed("fit", "people.csv", "--schema", "other.toml", "--epsilon", "1", "--delta", "1e-6", "-o", "other.json")
        self.write("rules.txt", "never\nmodel other.json\n")
        self.refuse_fit(3, ["rules.txt:2:", "other.json", "another schema"], "--class", "rules.txt")
        self.write("rules.txt", "model nowhere.json\n")
        self.refuse_fit(3, ["rules.txt:1:", "nowhere.json"], "--class", "rules.txt")

    def test_bad_files_of_rules(self):
        for text, words in (("age >= old", ["rules.txt:1:", "a number", "'old'"]),
                            ("\n\nheight < 3", ["rules.txt:3:", "age, income, city, smoker", "'height'"]),
                            ("city = paris", ["north, south, east, (other), (none)", "'paris'"]),
                            ("age = 3", ["<, <=, > or >="]),
                            ("age >= 3 or age < 2", ["'and' or the end", "'or'", "not (opposite of a and"]),
                            ("not (age >= 3", ["')'", "the end"]),
                            ('city = "north', ["closing double quote"]),
                            ("score(1, 2) > 0", ["a score takes 9 weights"]),
                            ("# nothing\n", ["rules.txt", "no rules"])):
            with self.subTest(text=text):
                self.write("rules.txt", text)
                self.refuse_fit(3, words, "--class", "rules.txt")

    def test_tasks_that_make_no_sense(self):
        self.refuse_fit(2, ["zero-one"], "--loss", "logistic", "--class", "stumps")
        self.refuse_fit(2, ["no class 'trees'", "stumps", "file of rules"], "--class", "trees")
        self.refuse_fit(2, ["'height'", "age, income"], "--class", "thresholds(height)")
        self.refuse_fit(2, ["1 column name; got 0", "thresholds(age)"], "--class", "thresholds")
        self.refuse_fit(2, ["closing parenthesis"], "--class", "thresholds(age")
        self.refuse_fit(2, ["integer"], "--class", "intervals(age, parts=many)")
        self.refuse_fit(2, ["integer", "4294967296"], "--class", "thresholds(age, parts=4294967297)")
        self.refuse_fit(2, ["at least one part"], "--class", "thresholds(age, parts=0)")
        self.refuse_fit(2, ["more than 4194304", "fewer parts"], "--class", "intervals(age, parts=60000)")
        self.refuse_fit(2, ["--radius"], "--class", "stumps", "--radius", "1")
        self.refuse_fit(2, ["--l2-penalty"], "--class", "stumps", "--l2-penalty", "1")
        self.refuse_fit(2, ["rules"], "--class", "stumps", "--method", "output-perturbation")
        self.refuse_fit(2, ["choice"], "--class", "stumps", "--choice", "best")
        self.refuse_fit(2, ["failure-probability"], "--class", "stumps", "--failure-probability", "0")
        self.refuse(2, ["zero-one", "binary"], "fit", "people.csv", "--schema", "real.toml", *PURE, "--class", "stumps", "-o",
                    "m.json")
        self.write("classes.toml", COLUMNS + '\n[target]\ncolumn = "city2"\nkind = "class"\nvalues = ["a", "b"]\n')
        self.refuse(2, ["zero-one", "softmax"], "fit", "people.csv", "--schema", "classes.toml", *PURE, "--class", "stumps",
                    "-o", "m.json")
        self.write("words.toml", 'version = 1\n[[column]]\nname = "smoker"\nkind = "boolean"\n'
                   '[[column]]\nname = "age"\nkind = "ignore"\n[[column]]\nname = "income"\nkind = "ignore"\n'
                   '[[column]]\nname = "city"\nkind = "ignore"\n[[column]]\nname = "cost"\nkind = "ignore"\n'
                   '[target]\ncolumn = "sick"\nkind = "binary"\npositive = "yes"\n')
        self.refuse(2, ["no real or integer column 'age'", "another class"], "fit", "people.csv", "--schema", "words.toml",
                    *PURE, "--class", "thresholds(age)", "-o", "m.json")

    def test_the_model_is_not_written_over_the_rules(self):
        self.write("rules.txt", RULES)
        self.refuse(2, ["overwrite"], "fit", "people.csv", "--schema", "schema.toml", *PURE, "--class", "rules.txt", "-o",
                    "rules.txt")

    def test_one_row_one_class_and_a_missing_column(self):
        self.write("one.csv", csv_text(people(1)))
        for rules in CLASSES:
            self.fit_rule(rules, data="one.csv")
            self.succeed("verify", "model.json")
        table = [row[:4] + ["no", row[5]] for row in people(500)]
        self.write("one_class.csv", csv_text(table))
        self.fit_rule("stumps", data="one_class.csv")
        self.assertLess(sum(self.predictions(data="one_class.csv")), 100)
        self.write("short.csv", "\n".join(",".join(r[1:]) for r in [["x", "income", "city", "smoker", "sick", "cost"], *people(3)]))
        self.refuse(3, ["age"], "predict", "model.json", "short.csv")
        self.refuse(2, ["accuracy"], "evaluate", "model.json", "people.csv", "--public", "--metric", "loss")

    def edited(self, change, renewed=True):
        model = json.loads(self.path("model.json").read_text(), parse_float=Number, parse_int=Number)
        change(model)
        if renewed:
            model["digest"] = digest(model)
        self.write("edited.json", canonical(model))
        result = self.run_program("verify", "edited.json")
        self.assertEqual(result.status, 3, result.out)
        return result.out + result.err

    def test_edits_are_found(self):
        self.fit_rule("stumps")
        self.assertIn("digest", self.edited(lambda m: m["rule"].update(number=Number("5")), renewed=False))
        self.assertIn("text", self.edited(lambda m: m["rule"].update(number=Number("5"))))
        self.assertIn("text", self.edited(lambda m: m["rule"].update(text="age >= 1")))
        for number in ("99999999", "-1", "1e300"):
            self.edited(lambda m: m["rule"].update(number=Number(number)))
        task = lambda m: m["plan"]["task"]
        self.edited(lambda m: task(m).update(rule_count=Number("2")))
        self.edited(lambda m: task(m).update(rules="thresholds(age)"))
        self.edited(lambda m: m["plan"]["options"].update(choice="exponential"))
        self.edited(lambda m: m["plan"]["options"].update(failure_probability="0.4"))
        self.edited(lambda m: m["plan"]["utility"].update(excess_risk=Number("0.001")))

    def test_plan_says_how_many_rows_learn(self):
        arguments = ["plan", "--schema", "schema.toml", "--rows", "2000", "--class", "stumps", *PURE, "--target-risk", "0.05",
                     "--failure-probability", "0.01"]
        plans = self.succeed(*arguments, "--json").json()
        rules = 2 * 2 * 65536 + 2 * 5 + 2 * 3
        chosen = plans[0]
        self.assertEqual(chosen["plan"]["task"]["rule_count"], rules)
        everything, one = math.log(3 * rules / 0.01), math.log(3 / 0.01)
        a, b = math.sqrt(everything / 2) + math.sqrt(one / 2), 2 * everything
        agnostic = math.ceil(((a + math.sqrt(a * a + 4 * 0.05 * b)) / (2 * 0.05)) ** 2)
        self.assertEqual(chosen["learning"]["rows_agnostic"], agnostic)
        self.assertEqual(chosen["learning"]["rows_realisable"], math.ceil(8 * math.log(2 * rules / 0.01) / 0.05))
        self.assertAlmostEqual(chosen["plan"]["utility"]["excess_risk"], 2 * math.log(rules) / 2000, delta=1e-9)
        self.assertAlmostEqual(chosen["rows_for_target_risk"], 2 * math.log(rules) / 0.05, delta=0.02 * 2000)
        self.assertTrue(all("refusal" in each for each in plans[1:]))
        text = self.succeed(*arguments).out
        self.assertIn(f"{agnostic} rows (any distribution)", text)
        self.assertIn("with probability 0.99", text)
        self.succeed(*arguments, "--picture", "plan.svg")
        self.refuse(2, ["--target-risk"], "plan", "--schema", "schema.toml", "--rows", "9", "--class", "stumps", *PURE, "--target-risk",
                    "1.5")


if __name__ == "__main__":
    unittest.main()
