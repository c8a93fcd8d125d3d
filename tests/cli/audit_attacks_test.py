# SPDX-License-Identifier: Apache-2.0
"""dperm audit reconstruction and dperm audit membership: what comes out without privacy must not with it, and real rows
are looked at only where their owner says so."""

import unittest
import xml.etree.ElementTree as xml

from cli_case import CliCase

REAL = ["--schema", "schema.toml", "--data", "people.csv"]


class Attacks(CliCase):
    def test_a_row_comes_out_without_privacy_and_not_at_epsilon_one(self):
        found = self.succeed("audit", "reconstruction", "--rows", "300", "--targets", "10", "--epsilons", "1,900",
                             "--picture", "r.svg", "--json").json()
        bare, weak, strong = found["levels"]
        self.assertEqual((bare["epsilon"], weak["epsilon"], strong["epsilon"]), (None, 900, 1))
        self.assertLess(bare["typical_error"], 1e-6)
        self.assertEqual((bare["rows_recovered"], bare["found"]), (10, 10))
        self.assertEqual(strong["rows_recovered"], 0)
        self.assertGreater(strong["mean_error"], found["prior_error"])
        self.assertLess(weak["mean_error"], strong["mean_error"])
        self.assertTrue(xml.parse(self.path("r.svg")).getroot().tag.endswith("svg"))

    def test_it_is_told_in_words_with_a_row_that_was_made_up(self):
        text = self.succeed("audit", "reconstruction", "--rows", "200", "--targets", "5", "--epsilons", "1").out
        text = " ".join(text.split())
        for words in ("computed 5 of 5 rows to the last digit", "no model at all", "one of the rows", "workclass",
                      "All rows were made up"):
            self.assertIn(words, text)

    def test_real_rows_need_unsafe_and_are_not_printed(self):
        for verb in ("reconstruction", "membership"):
            self.refuse(2, ["--unsafe"], "audit", verb, *REAL)
        told = self.succeed("audit", "reconstruction", *REAL, "--unsafe", "--targets", "5", "--epsilons", "1")
        self.assertNotIn("one of the rows", told.out)
        self.assertIn("owner's eyes", told.out)
        self.assertIn("5 of 5", told.out)
        self.assertIn("WARNING", told.err)

    def test_a_ledger_writes_the_look_down(self):
        self.succeed("ledger", "create", "l.db")
        self.succeed("ledger", "register", "l.db", "people", "--epsilon", "2", "--delta", "1e-5")
        here = ["--ledger", "l.db", "--dataset", "people"]
        self.succeed("audit", "reconstruction", *REAL, "--unsafe", "--targets", "2", "--epsilons", "1", *here)
        self.succeed("audit", "membership", *REAL, "--unsafe", "--models", "4", *here)
        looks = self.succeed("ledger", "show", "l.db", "--json").json()["datasets"][0]["looks"]
        self.assertEqual([each["what"] for each in looks], ["audit reconstruction", "audit membership"])

    def test_kinks_curves_and_networks_are_refused(self):
        self.refuse(2, ["kink"], "audit", "reconstruction", "--loss", "hinge")
        self.refuse(2, ["linear"], "audit", "reconstruction", "--hidden", "4")

    def test_membership_of_a_network_without_privacy_and_with_it(self):
        command = ["audit", "membership", *REAL, "--unsafe", "--models", "6", "--hidden", "64", "--activation", "relu",
                   "--epsilon", "1", "--delta", "1e-6", "--method", "sgd", "--steps", "10", "--batch", "50"]
        bare, private = self.succeed(*command, "--picture", "m.svg", "--json").json()
        self.assertEqual((bare["trained_on"], bare["rows"], bare["models"]), (100, 200, 6))
        self.assertEqual([each["attack"] for each in bare["attacks"]],
                         ["loss threshold", "shadow models", "LiRA offline", "LiRA online"])
        self.assertGreater(bare["accuracy_members"], bare["accuracy_strangers"] + 0.05)
        self.assertGreater(bare["attacks"][3]["area"], private["attacks"][3]["area"] + 0.03)
        self.assertLess(abs(private["attacks"][3]["area"] - 0.5), 0.06)
        self.assertTrue(xml.parse(self.path("m.svg")).getroot().tag.endswith("svg"))
        text = self.succeed(*command).out
        for words in ("Without privacy: ", "With epsilon 1: ", "found at 0.1% wrong", "owner's eyes"):
            self.assertIn(words, text)
        self.assertEqual(self.succeed(*command).out, text, "the same seed says the same")

    def test_a_picture_replaces_nothing_but_a_picture(self):
        self.write("model.json", '{"weights": []}')
        self.write("kept.svg", '{"weights": []}')
        self.write("drawing.svg", '<?xml version="1.0"?>\n<svg/>\n')
        few = {"membership": ["--schema", "schema.toml", "--models", "4", "--rows", "60"],
               "reconstruction": ["--rows", "60", "--targets", "2", "--epsilons", "1"]}
        for verb, flags in few.items():
            use = ["audit", verb, *flags, "--picture"]
            self.refuse(2, ["--picture", ".svg", "model.json"], *use, "model.json")
            for name in ("kept.svg", "drawing.svg"):
                self.refuse(2, ["--picture", name, "give another path"], *use, name)
            self.write("new.svg", "")
            for _ in range(2):  # over an empty file, and over a picture
                self.succeed(*use, "new.svg")
                self.assertTrue(self.path("new.svg").read_text().startswith("<svg "))

    def test_membership_wants_a_schema_and_a_method_that_protects(self):
        self.refuse(2, ["--schema"], "audit", "membership")
        self.refuse(2, ["in any case"], "audit", "membership", "--schema", "schema.toml", "--method", "non-private")


if __name__ == "__main__":
    unittest.main()
