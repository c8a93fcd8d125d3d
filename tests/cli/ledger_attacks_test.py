# SPDX-License-Identifier: Apache-2.0
"""Careless and hostile uses of a ledger: outputs over it, names that JSON cannot hold, marks that were copied, requests
that changed behind the same words."""

import json
import os
import subprocess
import unittest

from cli_case import BUDGET, csv_text, people
from ledger_test import HERE, LedgerCase
from model_file_test import Number, canonical, digest


class Attacks(LedgerCase):
    def test_no_output_replaces_a_ledger(self):
        self.fit(output="first.json")
        before = self.path("l.db").read_bytes()
        fit = ["fit", "people.csv", "--schema", "schema.toml", *BUDGET, "-o", "l.db", "--overwrite"]
        self.refuse(2, ["would overwrite 'l.db'"], *fit, *HERE)
        for words in (fit, ["predict", "first.json", "people.csv", "-o", "l.db", "--overwrite"]):
            self.refuse(3, ["l.db: is a database"], *words)
        self.assertEqual(self.path("l.db").read_bytes(), before)

    def test_names_that_json_cannot_hold_are_refused_before_anything_is_spent(self):
        name = os.fsdecode(b"caf\xe9")
        for words in (["register", "l.db", name, "--epsilon", "1", "--delta", "1e-6"],
                      ["register", "l.db", "persons", "--unit", name, "--epsilon", "1", "--delta", "1e-6"],
                      ["enter", "l.db", "people", "--epsilon", "1", "--note", name]):
            self.refuse(2, ["UTF-8"], "ledger", *words)
        self.refuse(2, ["UTF-8"], "fit", "people.csv", "--schema", "schema.toml", *BUDGET, "-o", "m.json", *HERE,
                    "--request-id", name)
        self.refuse(2, ["at most 200 bytes"], "fit", "people.csv", "--schema", "schema.toml", *BUDGET, "-o", "m.json", *HERE,
                    "--request-id", "x" * 201)
        self.assertEqual(self.spent(), 0)
        self.succeed("ledger", "export", "l.db")

    def test_a_copied_mark_hides_no_model(self):
        self.fit(*HERE, output="counted.json")
        self.fit(output="uncounted.json")
        model = json.loads(self.path("uncounted.json").read_text(), parse_float=Number, parse_int=Number)
        model["ledger"] = json.loads(self.path("counted.json").read_text(), parse_int=Number)["ledger"]
        model["digest"] = digest(model)
        self.write("marked.json", canonical(model))
        self.succeed("ledger", "check", "l.db", "counted.json")
        told = self.run_program("ledger", "check", "l.db", "marked.json")
        self.assertEqual(told.status, 3)
        self.assertIn("marked.json: entry 3 of the ledger counted another model", told.err)
        self.refuse(2, ["counted already, by entry 3"], "ledger", "enter", "l.db", "people", "counted.json")
        self.succeed("ledger", "enter", "l.db", "people", "marked.json")
        self.assertAlmostEqual(self.spent(), 2, places=3)
        self.succeed("ledger", "check", "l.db", "marked.json")

    def test_a_request_is_what_its_files_say(self):
        self.write("rules.txt", "age >= 50\nnever\n")
        words = ["fit", "people.csv", "--schema", "schema.toml", "--loss", "zero-one", "--class", "rules.txt", "--epsilon", "1",
                 "--delta", "0", *HERE, "--request-id", "rules"]
        self.succeed(*words, "-o", "a.json")
        self.assertIn("nothing is spent", self.succeed(*words, "-o", "b.json", "--details").err)
        self.write("rules.txt", "age >= 20\nnever\n")
        self.refuse(2, ["the request 'rules' was another one"], *words, "-o", "c.json")

    def test_bounds_are_those_that_the_draft_asks_for(self):
        self.write("big.csv", csv_text(people(20000)))
        draft = "version = 1\n[[column]]\nname = 'age'\n"
        self.write("draft.toml", draft)
        words = ["schema", "infer", "big.csv", "--schema", "draft.toml", "--epsilon", "1", *HERE, "--request-id", "bounds"]
        self.succeed(*words, "-o", "a.toml")
        self.assertIn("nothing is spent", self.succeed(*words, "-o", "b.toml").err)
        self.assertEqual(self.path("a.toml").read_text(), self.path("b.toml").read_text())
        self.write("draft.toml", draft.replace("age", "income"))
        self.refuse(2, ["the request 'bounds' was another one"], *words, "-o", "c.toml")
        self.assertAlmostEqual(self.spent(), 1)

    def test_a_failing_output_says_what_was_spent(self):
        with open("/dev/full", "w", encoding="utf-8") as full:
            told = self.run_program("fit", "people.csv", "--schema", "schema.toml", *BUDGET, "--json", *HERE, "--request-id",
                                    "monday", capture_output=False, stdout=full, stderr=subprocess.PIPE)
        self.assertEqual(told.status, 3)
        self.assertIn("its budget is spent; the ledger keeps it", told.err)

    def test_an_evaluation_that_was_lost_is_had_again(self):
        self.fit(output="model.json")
        words = ["evaluate", "model.json", "people.csv", "--epsilon", "0.5", *HERE]
        with open("/dev/full", "w", encoding="utf-8") as full:
            lost = self.run_program(*words, "--request-id", "monday", capture_output=False, stdout=full,
                                    stderr=subprocess.PIPE)
        self.assertEqual(lost.status, 3)
        self.assertIn("The ledger keeps the result, and epsilon 0.5, delta 0 is spent", lost.err)
        again = [self.succeed(*words, "--request-id", "monday", "--threads", str(threads)) for threads in (1, 2)]
        self.assertIn("request 'monday': it is returned, and nothing is spent", again[0].err)
        self.assertIn("Spent on these rows: pure (epsilon 0.5)", again[0].out)
        self.assertEqual(again[0].out, again[1].out)
        one = ["--metric", "accuracy", "--request-id", "one", "--json"]
        first, second = self.succeed(*words, *one), self.succeed(*words, *one)
        self.assertEqual(first.json(), second.json())
        self.assertAlmostEqual(self.spent(), 1, places=6)
        # Other words, another form and another model behind the same name are other requests.
        self.refuse(2, ["the request 'monday' was another one"], *words, "--json", "--request-id", "monday")
        self.refuse(2, ["the request 'one' was another one"], *words, "--request-id", "one")
        self.fit("--overwrite", output="model.json")
        self.refuse(2, ["the request 'monday' was another one"], *words, "--request-id", "monday")
        self.assertAlmostEqual(self.spent(), 1, places=6)

    def test_a_tiny_cap_is_shown(self):
        self.register("tiny", epsilon="5e-324")
        self.assertNotIn("nan", self.succeed("ledger", "show", "l.db").out)


if __name__ == "__main__":
    unittest.main()
