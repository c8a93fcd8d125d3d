# SPDX-License-Identifier: Apache-2.0
"""Models without privacy: nothing they come near may call them private, and nobody gets one by accident."""

import json
import unittest

from cli_case import BUDGET, CliCase

PLAIN = ["fit", "people.csv", "--schema", "schema.toml", "--method", "non-private"]


class NonPrivate(CliCase):
    def unsafe_fit(self, *arguments, output="plain.json"):
        return self.succeed(*PLAIN, "--unsafe", "-o", output, *arguments)

    def test_it_is_refused_without_unsafe_and_with_a_budget(self):
        self.refuse(2, ["protects nobody", "--unsafe"], *PLAIN, "-o", "m.json")
        self.refuse(2, ["leave them out"], *PLAIN, "--unsafe", *BUDGET, "-o", "m.json")
        self.refuse(2, ["--unsafe is for --method non-private"], "fit", "people.csv", "--schema", "schema.toml",
                    *BUDGET, "--unsafe", "-o", "m.json")
        # Before any record is read: the table need not even be there.
        self.refuse(2, ["--unsafe"], "fit", "none.csv", *PLAIN[2:], "-o", "m.json")

    def test_a_budget_stays_required_for_everyone_else(self):
        self.refuse(2, ["--epsilon"], "fit", "people.csv", "--schema", "schema.toml", "-o", "m.json")
        self.refuse(2, ["--epsilon"], "plan", "--rows", "100", "--schema", "schema.toml", "--method", "sgd")

    def test_everything_says_so_first(self):
        told = self.unsafe_fit()
        self.assertTrue(told.out.startswith("privacy   NOT private: made WITHOUT privacy"), told.out)
        self.assertIn("NO privacy", told.err)
        model = json.loads(self.path("plain.json").read_text())
        self.assertEqual((model["private"], model["guarantee"]["epsilon"]), (False, None))
        self.assertEqual(model["events"][0]["mechanism"], "unprotected")
        refused = self.run_program("verify", "plain.json")
        self.assertEqual(refused.status, 3)
        self.assertIn("it left without noise", refused.out)
        self.assertIn("made without privacy", refused.err)
        explained = self.succeed("explain", "plain.json")
        self.assertTrue(explained.out.startswith("NOT private: made WITHOUT privacy"), explained.out)
        self.succeed("report", "plain.json", "-o", "plain.html")
        page = self.path("plain.html").read_text()
        self.assertIn("This model is NOT private.", page)
        self.assertNotIn("does not verify", page)
        self.assertNotIn("was released with noise, follows", page)
        for claim in ("Noise is part of every number", "Noise for privacy", "adds noise drawn exactly",
                      "is not hidden", "times this epsilon", "Why the promise holds", "Add the epsilons", "That the noise was drawn"):
            self.assertNotIn(claim, page)
        for word in ("Nobody is protected", "There is no noise in them", "Nothing is proved about this model"):
            self.assertIn(word, page)
        for word in ("nan", "inf%"):
            self.assertNotIn(f">{word}", page)

    def test_an_account_knows_no_epsilon_of_it(self):
        self.unsafe_fit()
        self.fit("--method", "gradient-descent", "--steps", "5", output="model.json")
        told = self.succeed("account", "plain.json", "model.json").out
        self.assertIn("epsilon     NONE  no noise at all  plain.json", told)
        self.assertIn("Together: NOT private, because one of them has no noise", told)
        self.assertNotIn("nan", told)
        for currency in ("gaussian", "renyi"):
            self.assertIn("NOT private", self.succeed("account", "plain.json", "model.json", "--currency", currency,
                                                      "--delta", "1e-5").out)
        shown = self.succeed("account", "plain.json", "model.json", "--json").json()
        self.assertEqual((shown["epsilon"], shown["private"]), (None, False))

    def test_the_plan_says_so_first(self):
        told = self.succeed("plan", "--rows", "1000", "--schema", "schema.toml", "--method", "non-private").out
        self.assertTrue(told.startswith("privacy   NONE: no noise is added"), told)

    def test_auto_never_takes_it(self):
        told = self.succeed("plan", "--rows", "1000", "--schema", "schema.toml", *BUDGET, "--json").out
        self.assertNotIn("non-private", told)

    def test_it_is_the_minimum_and_the_same_every_time(self):
        self.unsafe_fit(output="a.json")
        self.unsafe_fit(output="b.json")
        first, second = (json.loads(self.path(name).read_text())["coefficients"] for name in ("a.json", "b.json"))
        self.assertEqual(first, second)
        shown = self.succeed("evaluate", "a.json", "people.csv", "--excess-risk", "--unsafe", "--json").json()
        self.assertAlmostEqual(shown["excess_risk"], 0, places=9)

    def test_other_losses_classes_and_networks(self):
        self.unsafe_fit("--hidden", "8", "--epochs", "5")
        self.succeed("fit", "people.csv", "--schema", "real.toml", "--method", "non-private", "--unsafe", "-o", "r.json")
        self.refuse(2, ["kink"], *PLAIN, "--unsafe", "--loss", "hinge", "-o", "m.json")
        self.refuse(2, ["leave", "--holdout"], *PLAIN, "--unsafe", "--holdout", "0.2", "-o", "m.json")

    def test_what_privacy_cost_is_shown_to_the_owner_alone(self):
        self.fit("--method", "gradient-descent", "--steps", "50", output="model.json")
        self.refuse(2, ["--unsafe"], "evaluate", "model.json", "people.csv", "--excess-risk")
        self.refuse(2, ["alone"], "evaluate", "model.json", "people.csv", "--excess-risk", "--unsafe", "--public")
        self.refuse(2, ["--unsafe is for"], "evaluate", "model.json", "people.csv", "--unsafe", "--public")
        shown = self.succeed("evaluate", "model.json", "people.csv", "--excess-risk", "--unsafe", "--json")
        numbers = shown.json()
        self.assertGreater(numbers["excess_risk"], 0)
        self.assertAlmostEqual(numbers["excess_risk"], numbers["risk"] - numbers["least_risk"], places=12)
        self.assertLess(numbers["excess_risk"], numbers["promised"])
        self.assertIn("NOT private", shown.err)
        text = self.succeed("evaluate", "model.json", "people.csv", "--excess-risk", "--unsafe").out
        for words in ("what privacy cost on these 200 rows", "promised", "forecast", "without privacy"):
            self.assertIn(words, text)

    def test_a_ledger_writes_down_the_look_and_charges_nothing(self):
        self.succeed("ledger", "create", "l.db")
        self.succeed("ledger", "register", "l.db", "people", "--epsilon", "2", "--delta", "1e-5")
        here = ["--ledger", "l.db", "--dataset", "people"]
        self.unsafe_fit(*here)
        self.fit(output="model.json")
        self.succeed("evaluate", "model.json", "people.csv", "--excess-risk", "--unsafe", *here)
        shown = self.succeed("ledger", "show", "l.db", "--json").json()["datasets"][0]
        self.assertEqual(shown["spent"]["epsilon"], 0)
        self.assertEqual([each["what"] for each in shown["looks"]],
                         ["fit --method non-private", "evaluate --excess-risk"])
        # The rows are those that the model was learned from, so the name in its schema holds for them.
        named = self.path("schema.toml").read_text().replace("version = 1\n", 'version = 1\n[ledger]\ndataset = "people"\n', 1)
        self.write("named.toml", named)
        self.fit("--ledger", "l.db", schema="named.toml", output="named.json")
        self.refuse(2, ["'people' is counted by a ledger"], "evaluate", "named.json", "people.csv", "--excess-risk", "--unsafe")


if __name__ == "__main__":
    unittest.main()
