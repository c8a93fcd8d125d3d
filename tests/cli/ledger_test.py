# SPDX-License-Identifier: Apache-2.0
"""dperm ledger, and what every command that opens records owes it."""

import json
import os
import shutil
import sqlite3
import unittest

import cli_case
from cli_case import BUDGET, CliCase
from model_file_test import Number, canonical, digest

HERE = ["--ledger", "l.db", "--dataset", "people"]


class LedgerCase(CliCase):
    def setUp(self):
        super().setUp()
        self.succeed("ledger", "create", "l.db")
        self.register("people")

    def register(self, name, *arguments, epsilon="2.5", delta="1e-5"):
        return self.succeed("ledger", "register", "l.db", name, "--epsilon", epsilon, "--delta", delta, *arguments)

    def state(self, name="people", ledger="l.db"):
        shown = self.succeed("ledger", "show", ledger, "--json").json()
        return next(each for each in shown["datasets"] if each["dataset"] == name)

    def spent(self, name="people"):
        return self.state(name)["spent"]["epsilon"]


class Ledger(LedgerCase):
    def test_a_fit_is_counted_and_its_model_says_where(self):
        told = self.fit(*HERE)
        self.assertIn("'people' has spent epsilon 1 of 2.5, delta 1e-06 of 1e-05", told.err)
        self.assertAlmostEqual(self.spent(), 1, places=3)
        mark = self.model()["ledger"]
        shown = self.succeed("ledger", "show", "l.db", "--json").json()
        self.assertEqual((mark["id"], mark["dataset"], mark["entry"]), (shown["ledger"], "people", 3))
        self.succeed("verify", "model.json")
        self.succeed("explain", "model.json")
        self.succeed("ledger", "check", "l.db", "model.json")
        text = self.succeed("ledger", "show", "l.db").out
        for words in ("cap        epsilon 2.5, delta 1e-05", "remaining  epsilon 1.5", "in 1 request\n",
                      "right at most", "looks      0 without protection"):
            self.assertIn(words, text)
        history = self.succeed("ledger", "history", "l.db", "people").out
        self.assertIn("fit: epsilon 1", history)
        self.assertIn("entry 3 came to its end", history)

    def test_more_than_the_cap_is_refused_and_costs_nothing(self):
        self.fit(*HERE)
        self.fit(*HERE)
        refused = self.refuse(4, ["does not fit", "epsilon 2 of 2.5", "Epsilon at most 0.5 at this delta would fit",
                                  "Nothing was spent"], "fit", "people.csv", "--schema", "schema.toml", *BUDGET, "-o",
                              "more.json", *HERE)
        self.assertNotIn("people.csv", refused.err)
        # Before any record is read: the table need not even be there.
        self.refuse(4, ["does not fit"], "fit", "none.csv", "--schema", "schema.toml", *BUDGET, "-o", "m.json", *HERE)
        self.fit(*HERE, budget=["--epsilon", "0.5", "--delta", "1e-6"])
        self.refuse(4, ["Nothing more fits"], "fit", "people.csv", "--schema", "schema.toml", "--epsilon", "0.1",
                    "--delta", "1e-6", "-o", "more.json", *HERE)
        # Replacing a model takes nothing back.
        self.assertAlmostEqual(self.spent(), 2.5, places=3)

    def test_every_way_to_name_it(self):
        self.write("named.toml", 'version = 1\n\n[ledger]\ndataset = "people"\n' + cli_case.BINARY.removeprefix("version = 1\n"))
        self.fit("--ledger", "l.db", schema="named.toml")
        self.assertIn('[ledger]\ndataset = \"people\"', self.model()["schema"])
        environment = {**os.environ, "DPERM_LEDGER": "l.db", "DPERM_DATASET": "people"}
        self.succeed("fit", "people.csv", "--schema", "schema.toml", *BUDGET, "--steps", "5", "--method",
                     "gradient-descent", "-o", "model.json", env=environment)
        self.assertAlmostEqual(self.spent(), 2, places=3)
        fit = ["fit", "people.csv", *BUDGET, "-o", "m.json"]
        self.refuse(2, ["name it with --ledger FILE", "DPERM_LEDGER"], *fit, "--schema", "named.toml")
        self.refuse(2, ["'people'", "'others'", "leave one of them out"], *fit, "--schema", "named.toml", "--ledger", "l.db",
                    "--dataset", "others")
        self.refuse(2, ["--dataset NAME", "DPERM_DATASET"], *fit, "--schema", "schema.toml", "--ledger", "l.db")
        self.refuse(2, ["no dataset 'peple'", "did you mean 'people'"], *fit, "--schema", "schema.toml", "--ledger", "l.db",
                    "--dataset", "peple")
        self.refuse(3, ["no such file", "dperm ledger create"], *fit, "--schema", "schema.toml", "--ledger", "none.db",
                    "--dataset", "people")
        self.refuse(3, ["it is no ledger, or it is damaged"], *fit, "--schema", "schema.toml", "--ledger", "people.csv",
                    "--dataset", "people")
        self.refuse(2, ["--request-id needs a --ledger"], *fit, "--schema", "schema.toml", "--request-id", "x")

    def test_evaluations_are_counted(self):
        self.fit("--ledger", "l.db", "--dataset", "people")
        self.register("unseen", epsilon="0.5")
        unseen = ["--ledger", "l.db", "--dataset", "unseen"]
        self.succeed("evaluate", "model.json", "people.csv", "--epsilon", "0.2", *unseen)
        self.succeed("evaluate", "model.json", "people.csv", "--epsilon", "0.2", "--metric", "accuracy", *unseen)
        self.assertAlmostEqual(self.spent("unseen"), 0.4, places=3)
        self.assertEqual(self.state("unseen")["unsettled"], 0)
        self.refuse(4, ["Epsilon at most 0.1 "], "evaluate", "model.json", "people.csv", "--epsilon", "0.2", *unseen)
        self.assertAlmostEqual(self.spent(), 1, places=3)

    def test_looks_are_written_down_and_charged_to_nothing(self):
        self.fit()
        for what, command in {"schema check": ["schema", "check", "people.csv", "--schema", "schema.toml"],
                              "schema init": ["schema", "init", "people.csv"],
                              "predict": ["predict", "model.json", "people.csv"],
                              "evaluate --public": ["evaluate", "model.json", "people.csv", "--public"],
                              "evaluate --seed": ["evaluate", "model.json", "people.csv", "--epsilon", "1", "--seed", "1"],
                              }.items():
            self.succeed(*command, *HERE)
            self.assertEqual(self.state()["looks"][-1]["what"], what)
        # A refusal by --strict tells something about the records: it is noted before they are read.
        self.write("odd.csv", self.path("people.csv").read_text() + "x,y,z,u,v,w\n")
        self.run_program("fit", "odd.csv", "--schema", "schema.toml", *BUDGET, "-o", "odd.json", "--strict", *HERE)
        self.assertEqual([look["what"] for look in self.state()["looks"]].count("fit --strict"), 1)
        self.assertEqual(self.spent(), 0)
        self.assertIn("looks      6 without protection, in no total: ", self.succeed("ledger", "show", "l.db").out)

    def test_a_model_without_protection_that_is_published_ends_the_promise(self):
        self.fit("--seed", "3", *HERE)
        look = self.state()["looks"][0]
        self.assertEqual((look["what"], look["model"], look["published"]), ("fit --seed", True, False))
        self.assertEqual(self.spent(), 0)
        self.succeed("ledger", "publish", "l.db", "--entry", look["entry"])
        self.assertIsNone(self.spent())
        self.assertIn("NOT PROTECTED", self.succeed("ledger", "show", "l.db").out)
        self.refuse(4, ["declared published", "no cap holds"], "fit", "people.csv", "--schema", "schema.toml", *BUDGET,
                    "-o", "m.json", *HERE)
        self.refuse(2, ["entry 1 is no look"], "ledger", "publish", "l.db", "--entry", "1")

    def test_a_request_asked_again_is_answered_from_the_ledger(self):
        self.fit(*HERE, "--request-id", "monday", output="a.json")
        again = self.fit(*HERE, "--request-id", "monday", output="b.json")
        self.assertIn("nothing is spent", again.err)
        self.assertEqual(self.path("a.json").read_bytes(), self.path("b.json").read_bytes())
        self.assertAlmostEqual(self.spent(), 1, places=3)
        self.refuse(2, ["the request 'monday' was another one"], "fit", "people.csv", "--schema", "schema.toml",
                    "--epsilon", "0.3", "--delta", "1e-6", "-o", "c.json", "--request-id", "monday", *HERE)

    def test_bounds_are_counted_where_they_are_inferred_or_with_the_first_fit(self):
        self.write("big.csv", cli_case.csv_text(cli_case.people(20000)))
        infer = ["schema", "infer", "big.csv", "--target", "sick", "--ignore", "cost", "--epsilon", "1"]
        self.succeed(*infer, "-o", "inside.toml", *HERE)
        self.assertAlmostEqual(self.spent(), 1)
        self.fit(*HERE, data="big.csv", schema="inside.toml")
        self.assertAlmostEqual(self.spent(), 2, places=3)
        self.register("others", epsilon="4")
        others = ["--ledger", "l.db", "--dataset", "others"]
        self.succeed(*infer, "-o", "outside.toml")
        self.fit(*others, data="big.csv", schema="outside.toml")
        self.assertAlmostEqual(self.spent("others"), 2, places=3)
        self.fit(*others, data="big.csv", schema="outside.toml")
        self.assertAlmostEqual(self.spent("others"), 3, places=3)
        self.refuse(4, ["Epsilon at most 0.5 "], *infer, "-o", "more.toml", *HERE)
        # Too few rows for the question: found out before noise is drawn, so nothing is spent.
        self.refuse(2, ["too few", "Nothing was spent"], "schema", "infer", "people.csv", "--target", "sick", "--ignore",
                    "cost", "--epsilon", "0.4", "-o", "small.toml", *HERE)

    def test_many_gaussian_releases_cost_less_than_their_sum(self):
        self.register("many", "--currency", "gaussian", epsilon="1", delta="1e-6")
        here = ["--ledger", "l.db", "--dataset", "many"]
        for _ in range(4):
            self.fit(*here, budget=["--epsilon", "0.3", "--delta", "1e-7"])
        self.assertLess(self.spent("many"), 0.8)
        refused = self.refuse(4, ["at this delta would fit"], "fit", "people.csv", "--schema", "schema.toml", "--epsilon",
                              "0.9", "--delta", "1e-7", "--method", "gradient-descent", "--steps", "5", "-o", "m.json",
                              *here)
        fits = refused.err.split("Epsilon at most ")[1].split()[0]
        self.assertGreater(float(fits), 0.3)
        self.fit(*here, budget=["--epsilon", fits, "--delta", "1e-7"])
        self.assertLessEqual(self.spent("many"), 1 + 1e-9)

    def test_a_renyi_ledger_takes_all_kinds(self):
        self.register("all", "--currency", "renyi", epsilon="2")
        here = ["--ledger", "l.db", "--dataset", "all"]
        small = ["--epsilon", "0.3", "--delta", "1e-6"]
        for _ in range(4):
            self.fit(*here, budget=small)
        self.fit(*here, "--method", "objective-perturbation", budget=small)
        self.fit(*here, "--method", "sgd", "--steps", "20", budget=small)
        self.succeed("evaluate", "model.json", "people.csv", "--epsilon", "0.2", *here)
        self.assertLess(self.spent("all"), 1.6)  # the epsilons add up to 2
        self.succeed("ledger", "check", "l.db")

    def test_a_cap_for_persons_needs_a_unit(self):
        self.register("visits", "--unit", "id")
        self.refuse(4, ["protects persons", "'id'", "protects rows"], "fit", "people.csv", "--schema", "schema.toml", *BUDGET,
                    "-o", "m.json", "--ledger", "l.db", "--dataset", "visits")

    def test_a_cap_for_persons_knows_who_is_nobody(self):
        table = [[f"p{number % 90}", *row] for number, row in enumerate(cli_case.people(200))]
        self.write("people.csv", cli_case.csv_text(table, "id," + cli_case.HEADER))
        unit = '\n[unit]\ncolumn = "id"\nrows = 3\n'
        self.write("unit.toml", cli_case.BINARY + unit)
        self.write("other.toml", cli_case.BINARY + unit + '\n[format]\nmissing = ["", "p1"]\n')
        self.register("visits", "--unit", "id")
        self.register("others", "--unit", "id", "--missing", "p1", "")
        def visits(name):
            return ["--ledger", "l.db", "--dataset", name]
        self.fit(*visits("visits"), schema="unit.toml", output="a.json")
        self.fit(*visits("others"), schema="other.toml", output="b.json")
        for schema, name in (("other.toml", "visits"), ("unit.toml", "others")):
            self.refuse(4, ["protects persons by the column 'id'", "--missing"], "fit", "people.csv", "--schema", schema,
                        *BUDGET, "-o", "m.json", *visits(name))
        self.refuse(4, ["--missing"], "ledger", "enter", "l.db", "visits", "b.json")
        self.refuse(2, ["do not add up"], "account", "a.json", "b.json")

    def test_a_restored_copy_shows_as_a_fork(self):
        shutil.copy(self.path("l.db"), self.path("copy.db"))
        self.fit(*HERE)
        shutil.copy(self.path("copy.db"), self.path("l.db"))
        self.fit(*HERE, output="other.json")
        self.succeed("ledger", "check", "l.db", "other.json")
        checked = self.run_program("ledger", "check", "l.db", "model.json", "--json")
        self.assertEqual(checked.status, 3)
        self.assertFalse(checked.json()["passed"])
        self.assertIn("restored from an older copy", checked.err)

    def test_an_edited_ledger_is_refused(self):
        self.fit(*HERE)
        with sqlite3.connect(self.path("l.db")) as database:
            database.execute("UPDATE entry SET body = replace(body, '\"epsilon\":2.5', '\"epsilon\":9.5')")
        database.close()
        self.refuse(3, ["it was changed: entry 2"], "fit", "people.csv", "--schema", "schema.toml", *BUDGET, "-o", "m.json",
                    *HERE)

    def test_models_add_up(self):
        self.fit(output="a.json")
        self.fit(output="b.json", budget=["--epsilon", "0.5", "--delta", "1e-7"])
        total = self.succeed("account", "a.json", "b.json", "a.json", "--json").json()
        self.assertAlmostEqual(total["epsilon"], 1.5, places=3)
        self.assertAlmostEqual(total["delta"], 1.1e-6)
        self.assertEqual(len(total["parts"]), 2)
        self.assertIn("Together: epsilon 1.5", self.succeed("account", "a.json", "b.json").out)
        tight = self.succeed("account", "a.json", "b.json", "--fixed-beforehand", "--delta", "1.1e-6", "--json").json()
        self.assertLess(tight["epsilon"], 1.2)
        filtered = self.succeed("account", "a.json", "b.json", "--currency", "gaussian", "--delta", "1.1e-6", "--json").json()
        self.assertTrue(tight["epsilon"] < filtered["epsilon"] < 1.5, filtered)
        self.fit("--seed", "1", output="c.json")
        self.assertIn("NOT private", self.succeed("account", "a.json", "c.json").out)
        self.refuse(2, ["--fixed-beforehand"], "account", "a.json", "gaussian:sigma=5")



class Earlier(LedgerCase):
    """What was published before the table had a ledger."""

    def test_models_are_entered_once_with_the_bounds_they_share(self):
        self.write("draft.toml", "version = 1\n" + "".join(f'[[column]]\nname = "{name}"\n' for name in ("age", "income", "sick")))
        self.write("many.csv", cli_case.csv_text(cli_case.people(5000)))
        self.succeed("schema", "infer", "many.csv", "--schema", "draft.toml", "--target", "sick", "--target-kind", "binary",
                     "--positive", "yes", "--epsilon", "0.25", "--delta", "1e-7", "-o", "s.toml")
        for name in ("a.json", "b.json"):
            self.fit(schema="s.toml", output=name, budget=["--epsilon", "0.5", "--delta", "1e-6"])
        told = self.succeed("ledger", "enter", "l.db", "people", "a.json")
        self.assertIn("spent      epsilon 0.75", told.out)
        self.succeed("ledger", "enter", "l.db", "people", "b.json", "--note", "board meeting")
        self.assertAlmostEqual(self.spent(), 1.25, places=3)
        self.succeed("ledger", "check", "l.db", "a.json", "b.json")
        self.refuse(2, ["a.json", "counted already, by entry 3"], "ledger", "enter", "l.db", "people", "a.json")
        history = self.succeed("ledger", "history", "l.db").out
        self.assertIn("enter     'people' enter: epsilon 0.5", history)
        self.assertIn("board meeting (b.json)", history)
        self.fit(*HERE, schema="s.toml", budget=["--epsilon", "0.5", "--delta", "1e-6"])
        self.assertAlmostEqual(self.spent(), 1.75, places=3)
        self.refuse(2, ["model.json", "counted already, by entry 5"], "ledger", "enter", "l.db", "people", "model.json")
        self.succeed("ledger", "check", "l.db")

    def test_by_hand_and_beyond_the_cap(self):
        enter = ["ledger", "enter", "l.db", "people"]
        self.succeed(*enter, "--epsilon", "2", "--delta", "1e-6", "--note", "means of 2023")
        self.assertEqual(self.state()["unsettled"], 0)
        told = self.succeed(*enter, "--epsilon", "1", "--note", "report 7", "--json")
        self.assertAlmostEqual(told.json()["spent"]["epsilon"], 3)
        self.assertEqual(told.json()["remaining"], {"epsilon": 0, "delta": 0})
        self.assertIn("more is spent than the cap promises", told.err)
        self.refuse(4, ["Nothing more fits"], "fit", "people.csv", "--schema", "schema.toml", "--epsilon", "0.1", "--delta",
                    "1e-6", "-o", "m.json", *HERE)
        self.refuse(2, ["--note"], *enter, "--epsilon", "1")
        self.refuse(2, ["model files", "--epsilon"], *enter)
        self.refuse(2, ["without line breaks"], *enter, "--epsilon", "1", "--note", "two\nlines")
        self.refuse(2, ["no dataset 'peple'"], "ledger", "enter", "l.db", "peple", "--epsilon", "1", "--note", "x")

    def test_what_is_not_private_is_a_look_until_it_was_published(self):
        self.fit("--seed", "1")
        told = self.succeed("ledger", "enter", "l.db", "people", "model.json")
        self.assertIn("not private", told.err)
        self.assertIn("dperm ledger publish l.db --entry 3", told.err)
        self.assertEqual(len(self.state()["looks"]), 1)
        self.assertAlmostEqual(self.spent(), 1, places=3)
        self.succeed("ledger", "publish", "l.db", "--entry", "3")
        self.assertTrue(self.state()["unprotected"])

    def test_a_model_that_does_not_verify_or_protects_others_is_refused(self):
        self.fit()
        model = json.loads(self.path("model.json").read_text(), parse_float=Number, parse_int=Number)
        model["guarantee"]["epsilon"] = Number("0.001")
        model["digest"] = digest(model)
        self.write("forged.json", canonical(model))
        self.refuse(3, ["forged.json", "does not verify"], "ledger", "enter", "l.db", "people", "forged.json")
        self.register("persons", "--unit", "id")
        self.refuse(4, ["model.json", "protects persons"], "ledger", "enter", "l.db", "persons", "model.json")
        self.assertEqual(self.spent(), 0)

    def test_a_restored_ledger_gets_back_what_it_lost(self):
        shutil.copy(self.path("l.db"), self.path("old.db"))
        self.fit(*HERE)
        shutil.copy(self.path("old.db"), self.path("l.db"))
        told = self.run_program("ledger", "check", "l.db", "model.json")
        self.assertEqual(told.status, 3)
        self.assertIn("does not have the model's entry 3", told.err)
        self.succeed("ledger", "enter", "l.db", "people", "model.json")
        self.assertAlmostEqual(self.spent(), 1, places=3)
        self.succeed("ledger", "check", "l.db", "model.json")


if __name__ == "__main__":
    unittest.main()
