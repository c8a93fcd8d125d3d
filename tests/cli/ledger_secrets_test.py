# SPDX-License-Identifier: Apache-2.0
"""What a ledger must not tell, and how it must not be gone round: guesses of records, times, evaluations of rows that
nobody names."""

import json
import sqlite3
import unittest

import cli_case
from ledger_test import HERE, LedgerCase


class Secrets(LedgerCase):
    def test_a_ledger_confirms_no_guess(self):
        # Whoever has a copy of the ledger and all rows but one tries what the last one is.
        self.fit(*HERE)
        table = self.path("people.csv").read_text().splitlines()
        self.assertEqual(sorted(each.name for each in self.folder.iterdir() if each.name.startswith("l.db")), ["l.db"])
        for name, guess in (("right", table), ("wrong", [*table[:-1], "1,2,north,true,yes,0"])):
            self.write("guess.csv", "\n".join(guess) + "\n")
            self.refuse(2, ["dperm ledger fingerprints"], "ledger", "register", "l.db", name, "--epsilon", "1", "--delta",
                        "1e-6", "--data", "guess.csv", "--schema", "schema.toml")
        with sqlite3.connect(self.path("l.db")) as database:
            tables = {name for (name,) in database.execute("SELECT name FROM sqlite_master WHERE type = 'table'")}
            meta = [key for (key,) in database.execute("SELECT key FROM meta")]
        database.close()
        self.assertEqual((tables, meta), ({"meta", "entry", "result"}, ["id"]))
        checked = self.succeed("ledger", "check", "l.db")
        self.assertIn("No fingerprints of tables are kept", checked.err)
        self.assertIsNone(self.succeed("ledger", "check", "l.db", "--json").json()["alike"])

    def test_the_same_table_under_another_name_is_shown_to_the_owner_who_asks_for_it(self):
        told = self.succeed("ledger", "fingerprints", "l.db")
        self.assertIn("NOT private", told.err)
        kept = self.path("l.db.fingerprints")
        self.assertEqual(kept.stat().st_mode & 0o777, 0o600)
        self.refuse(3, ["l.db.fingerprints"], "ledger", "fingerprints", "l.db")
        self.fit(*HERE)
        rows = self.path("people.csv").read_text().splitlines()
        self.write("shuffled.csv", "\n".join([rows[0], *reversed(rows[1:])]) + "\n")
        told = self.register("again", "--data", "shuffled.csv", "--schema", "schema.toml")
        self.assertIn("'again' and 'people' hold the same rows", told.err)
        self.assertIn("NOT private", told.err)
        quiet = self.register("different", "--data", "schema.toml")
        self.assertNotIn("hold the same", quiet.err)
        # A fit says nothing of it, and nothing of it is in what leaves, nor in the ledger.
        fitted = self.fit("--ledger", "l.db", "--dataset", "different")
        self.assertNotIn("same", fitted.err)
        checked = self.succeed("ledger", "check", "l.db")
        self.assertIn("'different' and 'people' hold the same file", checked.out)
        lines = kept.read_text().splitlines()
        self.assertIn("can find out that one by trying", kept.read_text().replace("\n# ", " "))
        records = [json.loads(line) for line in lines if not line.startswith("#")]
        secrets = [records[0]["key"], *(each["value"] for each in records[1:])]
        self.assertEqual(len(secrets), 8)
        exported = self.succeed("ledger", "export", "l.db").out
        for secret in secrets:
            self.assertNotIn(secret, exported)
            self.assertNotIn(secret, self.path("model.json").read_text())
            self.assertNotIn(secret.encode(), self.path("l.db").read_bytes())
        self.assertEqual(json.loads(exported)["entries"][0]["kind"], "create")
        # The ledger does not need it.
        kept.unlink()
        self.succeed("ledger", "check", "l.db")
        self.fit(*HERE)
        self.assertFalse(kept.exists())

    def test_nothing_tells_when_a_request_ended(self):
        # How long a tuned fit took tells how often it ran, which must stay secret.
        self.fit(*HERE)
        self.fit("--seed", "1", *HERE)
        told = [self.succeed("ledger", *words).out for words in (["export", "l.db"], ["history", "l.db"],
                ["history", "l.db", "--json"], ["show", "l.db"], ["show", "l.db", "--json"])]
        for text in told:
            self.assertNotRegex(text, r"\b\d\d:\d\d")
        dates = [(each["kind"], each["date"]) for each in json.loads(told[0])["entries"]]
        self.assertEqual([kind for kind, date in dates if not date], ["settle"])
        for kind, date in dates:
            if kind != "settle":
                self.assertRegex(date, r"^\d{4}-\d\d-\d\d$")

    def test_rows_that_a_named_model_is_judged_on_are_named(self):
        self.write("named.toml", 'version = 1\n\n[ledger]\ndataset = "people"\n' + cli_case.BINARY.removeprefix("version = 1\n"))
        self.fit("--ledger", "l.db", schema="named.toml", output="schema.json")
        self.fit(*HERE, output="mark.json")
        self.register("unseen")
        for model in ("schema.json", "mark.json"):
            words = ["evaluate", model, "people.csv", "--epsilon", "0.1"]
            for silent in ([], ["--metric", "accuracy"], ["--seed", "1"], ["--ledger", "l.db"]):
                self.refuse(2, ["learned from the dataset 'people'", "--dataset", "--other-rows"], *words, *silent)
            # Before a record is read.
            self.refuse(2, ["--other-rows"], "evaluate", model, "none.csv", "--epsilon", "0.1")
            before = self.succeed("ledger", "history", "l.db").out
            self.succeed(*words, "--other-rows")
            self.succeed(*words, "--other-rows", "--ledger", "l.db")
            self.succeed("evaluate", model, "people.csv", "--public")
            self.succeed("predict", model, "people.csv")
            self.assertEqual(self.succeed("ledger", "history", "l.db").out, before)
            self.succeed(*words, "--ledger", "l.db", "--dataset", "unseen")
            self.refuse(2, ["--other-rows", "'people'", "leave one"], *words, "--other-rows", *HERE)
            self.refuse(2, ["DPERM_LEDGER"], *words, "--dataset", "people")
            self.refuse(2, ["--other-rows goes with --epsilon"], "evaluate", model, "people.csv", "--public", "--other-rows")
            self.refuse(2, ["--request-id needs"], *words, "--other-rows", "--ledger", "l.db", "--request-id", "x")
        self.assertAlmostEqual(self.spent("unseen"), 0.2)
        self.assertAlmostEqual(self.spent(), 2, places=3)


if __name__ == "__main__":
    unittest.main()
