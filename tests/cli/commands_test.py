# SPDX-License-Identifier: Apache-2.0
"""Every command as a new user meets it: it works, results are on standard output, everything else on standard error, and
--json is JSON."""

import csv
import io
import json
import re
import unittest

from cli_case import BUDGET, ROOT, SEEDED, CliCase

HEALTH = ROOT / "examples" / "health"
COMMANDS = [["schema"], ["schema", "init"], ["schema", "check"], ["plan"], ["fit"], ["predict"], ["evaluate"],
            ["verify"], ["explain"]]


class Help(CliCase):
    def test_every_command_has_help_on_standard_output(self):
        for command in [[]] + COMMANDS:
            with self.subTest(command=command):
                result = self.succeed(*command, "--help")
                self.assertEqual(result.err, "")
                self.assertIn("Usage: dperm", result.out)
                self.assertLessEqual(max(map(len, result.out.splitlines())), 100)
                self.assertIn("Exit status: 0 done, 2 bad argument, 3 bad data, 4 budget refused", result.out)

    def test_every_command_offers_json(self):
        for command in COMMANDS[1:]:
            with self.subTest(command=command):
                self.assertIn("--json", self.succeed(*command, "--help-all").out)

    def test_the_version_is_a_result(self):
        self.assertRegex(self.succeed("--version").out, r"^dperm \d+\.\d+\.\d+\n$")


class SchemaCommand(CliCase):
    def test_init_writes_a_template_without_any_value(self):
        result = self.succeed("schema", "init", "people.csv")
        for name in ("age", "income", "city", "smoker", "sick", "cost"):
            self.assertIn(f'name = "{name}"', result.out)
        self.assertIn("FILL IN", result.out)
        for value in ("north", "south", "yes"):
            self.assertNotIn(f'"{value}"', result.out)
        self.assertIn("judged by the first records", result.err)

    def test_init_to_a_file_says_what_to_do_next(self):
        result = self.succeed("schema", "init", "people.csv", "-o", "new.toml")
        self.assertEqual(result.out, "")
        self.assertIn("from documentation, not from the data", result.err)
        self.assertIn("FILL IN", self.path("new.toml").read_text())

    def test_init_as_json_lists_names_and_types(self):
        columns = self.succeed("schema", "init", "people.csv", "--json").json()["columns"]
        self.assertEqual([c["name"] for c in columns], ["age", "income", "city", "smoker", "sick", "cost"])
        self.assertEqual([c["type"] for c in columns], ["number", "number", "text", "boolean", "boolean", "number"])

    def test_init_refuses_to_publish_a_first_record_as_names(self):
        self.write("bare.csv", "39,77516,north\n50,83311,south\n")
        result = self.refuse(2, ["bare.csv", "--no-header", "--header"], "schema", "init", "bare.csv")
        self.assertNotIn("77516", result.err)
        template = self.succeed("schema", "init", "bare.csv", "--no-header").out
        self.assertIn('column_names = ["column1", "column2", "column3"]', template)
        self.assertIn("header = false", template)
        self.assertNotIn("77516", template)
        self.assertIn('name = "77516"', self.succeed("schema", "init", "bare.csv", "--header").out)

    def test_init_notices_another_delimiter(self):
        self.write("semicolons.csv", "a;b\n1;2\n")
        self.refuse(2, ["semicolons.csv", "--delimiter ';'"], "schema", "init", "semicolons.csv")
        self.assertIn('delimiter = ";"', self.succeed("schema", "init", "semicolons.csv", "--delimiter", ";").out)
        self.write("tabs.txt", "a\tb\n1\t2\n")
        self.refuse(2, ["tabs.txt", "--delimiter"], "schema", "init", "tabs.txt")

    def test_a_filled_in_template_works(self):
        template = self.succeed("schema", "init", "people.csv").out
        filled = template.replace('column = "FILL IN"', 'column = "sick"', 1)
        filled = filled.replace('kind = "FILL IN"', 'kind = "binary"\npositive = "yes"', 1)
        filled = filled.replace('lower = "FILL IN"', "lower = 0").replace('upper = "FILL IN"', "upper = 100000")
        filled = filled.replace('values = ["FILL IN"]', 'values = ["north"]')
        head, *columns = filled.split("[[column]]")
        columns = [c for c in columns if 'name = "sick"' not in c]
        self.write("filled.toml", "[[column]]".join([head] + columns))
        self.fit(schema="filled.toml")

    def test_check_counts_and_says_that_counts_are_not_private(self):
        self.write("odd.csv", "age,income,city,smoker,sick,cost\n300,,moon,maybe,no,1\n")
        result = self.succeed("schema", "check", "odd.csv", "--schema", "schema.toml")
        self.assertIn("NOT private", result.err)
        self.assertIn("\n1 row\n", result.out)
        report = self.succeed("schema", "check", "odd.csv", "--schema", "schema.toml", "--json")
        self.assertIn("NOT private", report.err)
        self.assertFalse(report.json()["private"])
        counts = {c["name"]: c for c in report.json()["columns"]}
        self.assertEqual(counts["age"]["out_of_bounds"], 1)
        self.assertEqual(counts["income"]["missing"], 1)
        self.assertEqual(counts["city"]["unknown_values"], 1)
        self.assertEqual(counts["smoker"]["unreadable"], 1)


class PlanCommand(CliCase):
    def test_compares_methods_without_data(self):
        result = self.succeed("plan", "--schema", "schema.toml", "--rows", "30000", *BUDGET, "--details")
        for word in ("predicted risk", "at most", "gradient-descent", "output-perturbation", "power at most 0.13",
                     "for every table and every loss this steep"):
            self.assertIn(word, result.out)
        table = result.out.split("floor:")[0]
        self.assertLessEqual(max(map(len, table.splitlines())), 120, table)
        self.assertEqual(result.err, "")

    def test_tells_time_and_memory_and_keeps_to_a_limit(self):
        asked = ["plan", "--schema", "schema.toml", "--rows", "100000000", *BUDGET]
        self.assertRegex(self.succeed(*asked).out, r"(?m)^time +about \d+ s on \d+ cores?, .* [\d.]+ GB of memory")
        plans = self.succeed(*asked, "--json").json()
        first = plans[0]["cost"]["core_seconds"]
        self.assertGreater(first, 10)
        bounded = self.succeed(*asked, "--json", "--time-limit", "1e6").json()
        self.assertEqual([each["method"] for each in bounded], [each["method"] for each in plans])
        self.refuse(2, ["once the rows are read"], *asked, "--time-limit", "0.001")
        self.refuse(2, ["once the rows are read"], *asked, "--time-limit", "0.001", "--method", "sgd", "--tune", "clip=0.5,1")

    def test_huge_tables_are_told_in_words_that_fit(self):
        """What is below a tenth of a point needs no advice, and what is large is told to two digits."""
        told = " ".join(self.succeed("plan", "--schema", "schema.toml", "--rows", "1e11", "--epsilon", "1", "--delta",
                                     "1e-12").out.split())
        self.assertIn("from 100000000000 rows", told)
        self.assertIn("expect to lose less than 0.1 points of accuracy to privacy, which nobody would notice time", told)
        self.assertRegex(told, r"; [\d.]+ TB of memory, rows included \(less with --tiles FILE, which keeps them on disk\)")
        real = " ".join(self.succeed("plan", "--schema", "real.toml", "--rows", "1e9", *BUDGET).out.split())
        self.assertRegex(real, r"move by about [\d.]+, root mean square, in the target's unit \(up to [\d.]+ where the "
                               r"target is skewed\)")
        self.refuse(2, ["--rows must be an integer, such as 30000 or 3e4"], "plan", "--schema", "schema.toml", "--rows",
                    "1.5e3", *BUDGET)
        self.refuse(2, ["--rows must be an integer"], "plan", "--schema", "schema.toml", "--rows", "2e19", *BUDGET)

    def test_more_rows_are_told_by_the_same_end(self):
        """Where less than so many points are lost, twice the rows make it less than fewer; what stays is not told."""
        told = " ".join(self.succeed("plan", "--schema", "schema.toml", "--rows", "200000", *BUDGET).out.split())
        found = re.search(r"to lose less than ([\d.]+) points of accuracy to privacy; 400000 rows would make it less than "
                          r"([\d.]+) time", told)
        lost, of_more = map(float, found.groups())
        self.assertLess(of_more, lost)
        self.assertGreaterEqual(of_more, 0.1)

    def test_json_and_the_number_of_rows_for_a_target(self):
        plans = self.succeed("plan", "--schema", "schema.toml", "--rows", "30000", *BUDGET, "--target-risk", "0.2",
                             "--json").json()
        risks = [p["predicted"]["excess_risk"] for p in plans if "predicted" in p]
        self.assertGreater(len(risks), 3)
        self.assertEqual(risks[1:], sorted(risks[1:]), "all with lines; the first has curves")
        for plan in plans:
            told = plan.get("predicted", {})
            self.assertLessEqual(told.get("accuracy_lost_lower", 0), told.get("accuracy_lost", 1))
            self.assertLessEqual(told.get("accuracy_lost", 0), told.get("accuracy_lost_upper", 1))
        for plan in plans:
            if "plan" in plan:
                self.assertLessEqual(plan["plan"]["guarantee"]["epsilon"], 1)
                if plan["plan"]["utility"]["excess_risk"] is not None:
                    self.assertGreater(plan["rows_for_target_risk"], 0)

    def test_says_in_plain_words_what_to_expect(self):
        task = ["plan", "--schema", "schema.toml", "--rows", "3000", *BUDGET]
        result = self.succeed(*task, "--plot", "--target-accuracy-loss", "0.01", "--method", "objective-perturbation")
        words = re.search(r"expect to lose about ([\d.]+) points of accuracy to privacy \(most often less than ([\d.]+)\); "
                          r"6000 rows would make it ([\d.]+), epsilon 2 would make it ([\d.]+)", " ".join(result.out.split()))
        lost, high, more_rows, more_epsilon = map(float, words.groups())
        self.assertLess(lost, high)
        self.assertLess(max(more_rows, more_epsilon), lost)
        self.assertIn("for a predicted loss of 1 point of accuracy", result.out)
        self.assertIn("predicted points of accuracy lost against rows", result.out)
        predicted = self.succeed(*task, "--method", "objective-perturbation", "--json").json()[0]["predicted"]
        self.assertAlmostEqual(100 * predicted["accuracy_lost"], lost, delta=0.05 * lost)

    def test_all_numbers_are_about_the_method_that_is_taken(self):
        task = ["plan", "--schema", "schema.toml", "--rows", "3000", *BUDGET]
        taken = self.succeed(*task, "--json").json()[0]
        self.assertEqual(taken["method"], self.succeed(*task, "--method", taken["method"], "--json").json()[0]["method"])
        text = self.succeed(*task, "--target-accuracy-loss", "0.01", "--plot", "--details").out
        lost = float(re.search(taken["method"] + r": with .* expect to lose about ([\d.]+) points", text).group(1))
        self.assertAlmostEqual(100 * taken["predicted"]["accuracy_lost"], lost, delta=0.05 * lost)
        self.assertRegex(text, rf"  {taken['method']} +\d+ rows at epsilon 1; epsilon [\d.]+ with 3000 rows")
        self.assertRegex(text, rf"          [a-h] {taken['method']}\n")

    def test_says_why_there_is_no_prediction(self):
        task = ["plan", "--schema", "schema.toml", "--rows", "3000", *BUDGET, "--hidden", "4"]
        self.assertIn("expect    to lose about", self.succeed(*task).out)
        out = self.succeed(*task, "--steps", "100", "--details").out
        self.assertRegex(out, r"\nsgd +no prediction ")
        self.assertIn("no prediction for sgd: it was measured with its own settings", out)

    def test_steps_on_samples_promise_something_or_say_what_they_lack(self):
        task = ["plan", "--schema", "schema.toml", "--rows", "3000", *BUDGET, "--method", "sgd"]
        self.assertIn("needs --optimiser plain and --radius or --box", self.succeed(*task).out)
        self.assertIn("needs --clip auto or at least", self.succeed(*task, "--optimiser", "plain", "--radius", "1",
                                                                    "--clip", "0.1").out)
        self.assertRegex(self.succeed(*task, "--optimiser", "plain", "--radius", "1").out,
                         r"proven +for every table: mean loss at most 0\.0\d+ above")

    def test_a_mean_is_told_in_its_unit_and_no_floor_above_its_bound(self):
        self.write("cost.toml", 'version = 1\n[target]\ncolumn = "cost"\nkind = "real"\nlower = 0\nupper = 1000\n')
        out = self.succeed("plan", "--schema", "cost.toml", "--rows", "2000", *BUDGET, "--details").out
        # Laplace noise of deviation sqrt(8) / (epsilon n) in units of half the bounds' width.
        self.assertIn("the mean is off by at most 0.71, root mean square", out)
        self.assertIn("the target scaled to [-1, 1]", out)
        self.assertNotIn("floor:", out)
        fit = ["fit", "people.csv", "--schema", "cost.toml", *SEEDED, "-o", "number.json", "--overwrite"]
        for loss, words in ((["squared"], "mean"), (["absolute"], "median"), (["pinball", "--quantile", "0.9"], "quantile 0.9")):
            self.assertRegex(self.succeed(*fit, "--loss", *loss).out, rf"^learned   the {words} of cost: [-\d.e]+[; ]")

    def test_the_order_of_points_is_claimed_only_where_it_holds(self):
        task = ["plan", "--schema", "schema.toml", "--rows", "30000", *BUDGET, "--details"]
        self.assertIn("methods are in this order, 0.01 added for lines.\n", self.succeed(*task).out)
        self.assertIn("methods are in this order, but for sgd, measured best", self.succeed(*task, "--shape", "linear").out)
        self.assertIn("in this order, those that clip last", self.succeed(*task, "--shape", "linear", "--radius", "5").out)

    def test_linear_regression_promises_only_with_the_ridge_of_its_theorem(self):
        task = ["plan", "--schema", "real.toml", "--rows", "30000", *BUDGET, "--method", "sufficient-statistics", "--details"]
        self.assertIn("nothing is proven for every table: the theorem of sufficient-statistics needs --ridge certified",
                      self.succeed(*task).out)
        self.assertRegex(self.succeed(*task, "--ridge", "certified").out,
                         r"above that of the best weights of norm up to [\d.]+, with probability 0.85\n")
        self.assertIn("with probability 0.85, if no row is longer than --row-norm 1.2\n",
                      self.succeed(*task, "--ridge", "certified", "--row-norm", "1.2").out)

    def test_a_table_too_small_for_a_model_gets_a_constant_and_is_told_so(self):
        result = self.succeed("plan", "--schema", "schema.toml", "--rows", "40", "--epsilon", "0.1", "--delta", "1e-6")
        self.assertIn("one answer for all rows", result.out)
        self.assertIn("expect    the table is too small for a model at this epsilon", result.out)
        self.assertRegex(" ".join(result.out.split()), r"with [\d.]+ times the rows \(\d+\) or epsilon [\d.]+ a model would be worth it")
        worth = self.succeed("plan", "--schema", "schema.toml", "--rows", "40", "--epsilon", "0.1", "--delta", "1e-6",
                             "--json").json()[0]["model_worth_from"]
        taken = self.succeed("plan", "--schema", "schema.toml", "--rows", worth["rows"], "--epsilon", "0.1", "--delta",
                             "1e-6", "--json").json()[0]["method"]
        self.assertEqual(taken, "sgd")

    def test_a_target_says_where_nothing_is_proven(self):
        result = self.succeed("plan", "--schema", "schema.toml", "--rows", "3000", *BUDGET, "--method", "sgd",
                              "--target-risk", "0.1")
        self.assertIn("nothing is proven for it", result.out)

    def test_expects_distances_in_the_unit_of_a_real_target(self):
        result = self.succeed("plan", "--schema", "real.toml", "--rows", "30000", *BUDGET)
        self.assertIn("expect    predictions to move by about", result.out)
        self.refuse(2, ["--target-accuracy-loss", "classification"], "plan", "--schema", "real.toml", "--rows", "30000",
                    *BUDGET, "--target-accuracy-loss", "0.01")

    def test_a_share_outside_0_to_1_is_no_accuracy_loss(self):
        self.refuse(2, ["--target-accuracy-loss", "0.01"], "plan", "--schema", "schema.toml", "--rows", "30000", *BUDGET,
                    "--target-accuracy-loss", "2")

    def test_warns_when_the_budget_protects_nobody(self):
        result = self.succeed("plan", "--schema", "schema.toml", "--rows", "100", "--epsilon", "20", "--delta", "0.1")
        self.assertIn("WARNING: delta 0.1 is not below 1/rows", result.err)
        self.assertIn("WARNING: epsilon 20", result.err)


class FitAndUse(CliCase):
    def setUp(self):
        super().setUp()
        self.fit()

    def test_fit_separates_results_from_talk(self):
        result = self.fit(output="other.json")
        self.assertIn("learned   effects on the log-odds that sick is positive", result.out)
        self.assertIn("spent     epsilon 1, delta 1e-06, for one row", result.out)
        self.assertIn("by gradient-descent", result.err)
        self.assertIn("other.json written", result.err)
        self.assertNotIn("step ", result.err, "a progress bar belongs on a terminal only")

    def test_fit_json_prints_exactly_the_model_file(self):
        result = self.fit("--json")
        self.assertEqual(result.out, self.path("model.json").read_text())
        self.assertTrue(result.json()["private"])

    def test_quiet_prints_nothing(self):
        result = self.fit("--quiet")
        self.assertEqual((result.out, result.err), ("", ""))

    def test_a_seeded_fit_claims_no_privacy(self):
        result = self.fit(budget=SEEDED, output="seeded.json")
        self.assertIn("NOT private", result.out)
        self.assertNotIn("differential privacy", result.out)
        self.assertIn("WARNING", result.err)
        self.assertFalse(self.model("seeded.json")["private"])

    def test_unsafe_diagnostics_mark_the_model(self):
        result = self.fit("--unsafe-diagnostics", output="unsafe.json")
        self.assertIn("NOT private", result.out)
        self.assertFalse(self.model("unsafe.json")["private"])

    def test_two_secure_fits_differ(self):
        self.fit(output="again.json")
        self.assertNotEqual(self.weights(), self.weights("again.json"))

    def test_predict_as_csv_json_and_to_a_file(self):
        self.write("new.csv", "smoker,city,age,income\ntrue,north,90,10\nfalse,south,1,5\n")  # no target, other order
        result = self.succeed("predict", "model.json", "new.csv")
        self.assertEqual(result.err, "")
        rows = list(csv.DictReader(io.StringIO(result.out)))
        self.assertEqual([r["row"] for r in rows], ["1", "2"])
        for row in rows:
            self.assertEqual(row["prediction"], "1" if float(row["probability"]) > 0.5 else "0")
        lines = self.succeed("predict", "model.json", "new.csv", "--json").out.splitlines()
        self.assertEqual([json.loads(line)["probability"] for line in lines], [float(r["probability"]) for r in rows])
        self.assertEqual(self.succeed("predict", "model.json", "new.csv", "-o", "p.csv").out, "")
        self.assertEqual(self.path("p.csv").read_text(), result.out)

    def test_evaluate_in_the_open_and_privately(self):
        result = self.succeed("evaluate", "model.json", "people.csv", "--public")
        self.assertRegex(result.out, r"^on 200 rows declared public \(exact; 95% for sampling\):\n  accuracy +0\.\d+ ")
        self.assertIn("exact", result.err)
        exact = self.succeed("evaluate", "model.json", "people.csv", "--public", "--json").json()
        self.assertFalse(exact["private"])
        noisy = self.succeed("evaluate", "model.json", "people.csv", "--epsilon", "1", "--json").json()
        self.assertTrue(noisy["private"])
        self.assertEqual(noisy["epsilon"], 1)
        self.assertIn("Spent on these rows: pure (epsilon 1)",
                      self.succeed("evaluate", "model.json", "people.csv", "--epsilon", "1").out)
        seeded = self.succeed("evaluate", "model.json", "people.csv", "--epsilon", "1", "--seed", "3", "--json")
        self.assertFalse(seeded.json()["private"])
        self.assertIn("NOT private", seeded.err)

    def test_accuracy_is_what_the_predictions_say(self):
        labels = [row["sick"] == "yes" for row in csv.DictReader(io.StringIO(self.path("people.csv").read_text()))]
        out = self.succeed("predict", "model.json", "people.csv").out
        guesses = [row["prediction"] == "1" for row in csv.DictReader(io.StringIO(out))]
        share = sum(a == b for a, b in zip(labels, guesses)) / len(labels)
        exact = self.succeed("evaluate", "model.json", "people.csv", "--public", "--json").json()
        self.assertAlmostEqual(exact["accuracy"], share, places=12)

    def test_verify_and_explain(self):
        result = self.succeed("verify", "model.json")
        self.assertIn("verified: (epsilon 1, delta 1e-06)-differential privacy", result.out)
        self.assertTrue(self.succeed("verify", "model.json", "--json").json()["verified"])
        self.assertNotIn("how epsilon follows", self.succeed("explain", "model.json").out)
        self.assertIn("how epsilon follows", self.succeed("explain", "model.json", "--details").out)
        self.assertEqual(self.succeed("explain", "model.json", "--json").json()["method"], "gradient-descent")


class BundledExample(CliCase):
    def test_the_health_demo_runs(self):
        data, schema = HEALTH / "health_train.csv.gz", HEALTH / "schema.toml"
        self.succeed("fit", data, "--schema", schema, *BUDGET, "-o", "health.json")
        self.succeed("verify", "health.json")
        result = self.succeed("evaluate", "health.json", HEALTH / "health_test.csv.gz", "--public", "--json").json()
        self.assertEqual(result["rows"], 4000)
        self.assertGreater(result["accuracy"], 0.6)


if __name__ == "__main__":
    unittest.main()
