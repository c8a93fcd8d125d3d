# SPDX-License-Identifier: Apache-2.0
"""dperm fit --tune: a grid, its refusals, and what the model file says about the choice."""

import unittest

from cli_case import BUDGET, CliCase, csv_text, people

GRID = ["--method", "gradient-descent", "--tune", "l2_penalty=0.001,0.1", "--tune", "steps=3,10"]


class Tuning(CliCase):
    def setUp(self):
        super().setUp()
        self.write("many.csv", csv_text(people(1500)))

    def tune(self, *arguments, **options):
        return self.fit(*arguments, data="many.csv", **options)

    def test_a_tuned_model_is_verified_used_and_explained(self):
        shown = self.tune(*GRID)
        model = self.model()
        self.assertIn(model["tuning"]["candidate"], [f"l2_penalty={p};steps={s}" for p in ("0.001", "0.1") for s in (3, 10)])
        self.assertIn(f"Chosen: {model['tuning']['candidate']}", shown.out)
        self.assertGreater(model["tuning"]["score"], 0.5)
        self.assertEqual(model["plan"]["method"], "tuned")
        self.assertEqual([e["mechanism"] for e in model["events"]], ["selection"])
        self.assertLessEqual(model["guarantee"]["epsilon"], 1)
        self.assertGreater(model["guarantee"]["epsilon"], 0.999)
        self.succeed("verify", "model.json")
        self.succeed("explain", "model.json")
        self.assertEqual(len(self.succeed("predict", "model.json", "people.csv").out.splitlines()), 201)
        self.succeed("evaluate", "model.json", "people.csv", "--epsilon", "1")

    def test_losers_and_their_number_stay_inside(self):
        """Seeds differ in the number of runs; what is printed and written differs in released numbers alone."""
        kept = {"candidate", "score", "score_noise"}
        for seed in ("1", "2", "3"):
            shown = self.tune(*GRID, "--seed", seed)
            model = self.model()
            self.assertEqual(set(model["tuning"]), kept)
            self.assertEqual(model["events"][0]["repetitions"], 1)
            self.assertNotIn("run 1", shown.out + shown.err)
            self.assertNotIn("%", shown.err)

    def test_a_changed_base_is_noticed(self):
        self.tune(*GRID)
        text = self.path("model.json").read_text()
        self.write("more.json", text.replace("l2_penalty=0.1;steps=10", "l2_penalty=0.1;steps=11"))
        self.refuse(3, ["digest"], "verify", "more.json")

    def test_sampled_runs_are_tuned_and_verified(self):
        self.tune("--method", "sgd", "--batch", "300", "--tune", "steps=5,20", "--tune", "learning_rate=0.05,0.2",
                  budget=["--epsilon", "3", "--delta", "1e-6"])
        event = self.model()["events"][0]
        self.assertEqual(event["mechanism"], "selection")
        kinds = [[each["mechanism"] for each in part["events"]] for part in event["alternatives"]]
        self.assertEqual(kinds, [["sampled-gaussian"], ["sampled-gaussian"], ["gaussian"]])
        self.succeed("verify", "model.json")
        self.succeed("explain", "model.json")
        self.assertIn("epsilon", self.succeed("account", "--file", "model.json", "--delta", "1e-6").out)

    def plan(self, *arguments, rows="1500", budget=BUDGET):
        return self.succeed("plan", "--schema", "schema.toml", "--rows", rows, *budget, *arguments)

    def test_a_plan_without_data_shows_what_the_choice_costs(self):
        shown = self.plan(*GRID, "--details").out
        for words in ("tuned over 4 settings, from l2_penalty=0.001;steps=3 to l2_penalty=0.1;steps=10", "10 on average", "l2_penalty=0.1;steps=10: epsilon 0.5",
                      "expect to lose about", "rows that train", "1200", "noise of a score", "That epsilon means"):
            self.assertIn(words, shown)

    def test_the_plan_as_json_is_the_one_that_a_fit_makes(self):
        for method in (GRID, ["--method", "sgd", "--batch", "300", "--tune", "steps=5,20"]):
            (entry,) = self.plan(*method, "--json").json()
            self.assertEqual(entry["method"], "tuned")
            self.tune(*method)
            plan = self.model()["plan"]
            self.assertEqual(entry["plan"], plan)
            for run in entry["runs"]:
                self.assertLess(run["plan"]["guarantee"]["epsilon"], 0.7)
                self.assertEqual(run["plan"]["task"]["rows"], 1200)
        self.assertEqual([run["candidate"] for run in entry["runs"]], ["steps=5;batch=300", "steps=20;batch=300"])

    def test_a_plan_refuses_what_a_fit_refuses(self):
        def refuse(words, *arguments, rows="1500", budget=BUDGET):
            self.refuse(2, words, "plan", "--schema", "schema.toml", "--rows", rows, *budget, *arguments)

        refuse(["--method", "auto"], "--tune", "steps=3,10")
        refuse(["one candidate"], "--method", "gradient-descent", "--tune", "steps=3")
        refuse(["held-out rows are too few"], *GRID, rows="200")
        refuse(["--tune NAME"], "--method", "gradient-descent", "--tune-repetitions", "5")
        refuse(["Gaussian noise", "--delta 0"], "--method", "objective-perturbation", "--tune", "l2_penalty=0.01,0.1")
        refuse(["Poisson samples"], "--method", "sgd", "--sampling", "fixed-size", "--tune", "steps=3,10")
        refuse(["replace-one"], "--method", "sgd", "--neighbours", "add-remove", "--tune", "steps=3,10")
        refuse(["targets and pictures"], *GRID, "--target-risk", "0.1")

    def test_pure_epsilon(self):
        self.tune("--method", "output-perturbation", "--tune", "l2_penalty=0.01,0.1", budget=["--epsilon", "2", "--delta", "0"])
        model = self.model()
        self.assertTrue(model["guarantee"]["pure"])
        self.assertAlmostEqual(model["events"][0]["base_epsilon"], 1, 5)
        self.succeed("verify", "model.json")

    def test_names_may_be_written_as_flags_are_and_single_values_are_fixed(self):
        self.tune("--method", "gradient-descent", "--tune", "l2-penalty=0.001,0.1", "--steps", "4", "--tune-distribution", "geometric",
                  "--tune-repetitions", "3", "--tune-holdout", "0.3")
        options = self.model()["plan"]["options"]
        self.assertEqual(options["candidates"], "l2_penalty=0.001;steps=4 | l2_penalty=0.1;steps=4")
        self.assertEqual((options["distribution"], options["repetitions"], options["holdout"]), ("geometric", "3", "0.3"))

    def test_bad_grids_are_refused(self):
        def refuse(words, *arguments, data="many.csv", budget=BUDGET):
            self.refuse(2, words, "fit", data, "--schema", "schema.toml", *budget, "-o", "model.json", *arguments)

        descent = ["--method", "gradient-descent"]
        refuse(["--method", "auto"], "--tune", "steps=3,10")
        refuse(["'batch' cannot be tuned", "steps"], *descent, "--tune", "batch=3,10")
        refuse(["one candidate"], *descent, "--tune", "steps=3")
        refuse(["name=value"], *descent, "--tune", "steps")
        refuse(["candidate steps=none"], *descent, "--tune", "steps=3,none")
        refuse(["given twice"], *descent, "--tune", "steps=3,10", "--steps", "4")
        refuse(["given and tuned"], *descent, "--tune", "l2_penalty=0.1,0.2", "--l2-penalty", "1")
        refuse(["held-out rows are too few"], *GRID, data="people.csv")
        refuse(["Gaussian", "--delta 0"], "--method", "objective-perturbation", "--tune", "l2_penalty=0.01,0.1")
        refuse(["--tune NAME"], *descent, "--tune-repetitions", "5")
        refuse(["no pure epsilon"], "--method", "output-perturbation", "--tune", "l2_penalty=0.01,0.1", "--tune-distribution", "poisson",
               budget=["--epsilon", "1", "--delta", "0"])


if __name__ == "__main__":
    unittest.main()
