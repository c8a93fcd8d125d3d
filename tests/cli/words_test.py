# SPDX-License-Identifier: Apache-2.0
"""What people read: short by default, whole with --details; help that shows what most need; colours only on a terminal;
plain words for what protects little or predicts nothing."""

import os
import pty
import random
import re
import subprocess
import unittest

from cli_case import BINARY, BUDGET, COLUMNS, HEADER, PROGRAM, CliCase, csv_text, people

SCREEN = 20  # lines
CLASSES = COLUMNS + '\n[target]\ncolumn = "sick"\nkind = "class"\nvalues = ["no", "yes"]\n'
NUMBER = 'version = 1\n[target]\ncolumn = "cost"\nkind = "real"\nlower = -10\nupper = 10\n'


def lines(*texts):
    return sum(len(text.splitlines()) for text in texts)


class Short(CliCase):
    def setUp(self):
        super().setUp()
        self.write("classes.toml", CLASSES)
        self.write("number.toml", NUMBER)
        self.write("many.csv", csv_text(people(2000)))

    def asks(self):
        return ([("schema.toml", method) for method in (["auto"], ["objective-perturbation"], ["sgd", "--hidden", "4"])] +
                [("schema.toml", ["exponential", "--loss", "zero-one"]), ("real.toml", ["auto"]),
                 ("classes.toml", ["auto"]), ("number.toml", ["auto"])])

    def test_a_plan_and_a_fit_fit_a_screen(self):
        for schema, method in self.asks():
            with self.subTest(schema=schema, method=method):
                plan = self.succeed("plan", "--schema", schema, "--rows", "2000", *BUDGET, "--method", *method)
                self.assertLessEqual(lines(plan.out, plan.err), SCREEN, plan.out)
                for label in ("learn  ", "expect  ", "proven  ", "privacy  ", "next  "):
                    self.assertRegex(plan.out, rf"(?m)^{label}")
                self.assertRegex(plan.out, r"guesses right at most \d\d\.\d% of the time \(a coin: 50%\)")
                fit = self.succeed("fit", "many.csv", "--schema", schema, *BUDGET, "--method", *method, "-o", "model.json",
                                   "--overwrite")
                self.assertLessEqual(lines(fit.out, fit.err), SCREEN, fit.out + fit.err)
                self.assertRegex(fit.out, r"(?m)^learned  ")
                self.assertRegex(fit.out, r"(?m)^spent  ")
                self.assertLessEqual(max(map(len, plan.out.splitlines() + fit.out.splitlines())), 111)
                explained = self.succeed("explain", "model.json")
                self.assertLessEqual(lines(explained.out, explained.err), SCREEN, explained.out)
                self.assertGreater(lines(self.succeed("explain", "model.json", "--details").out), lines(explained.out))

    def test_rows_kept_out_fit_on_it_too(self):
        fit = self.succeed("fit", "many.csv", "--schema", "schema.toml", *BUDGET, "--holdout", "0.25", "-o", "model.json")
        self.assertLessEqual(lines(fit.out, fit.err), SCREEN, fit.out + fit.err)
        self.assertRegex(fit.out, r"(?m)^judged +accuracy 0\.\d+ \+- 0\.\d+, AUC 0\.\d+ \+- 0\.\d+, on 500 rows kept out")

    def test_the_largest_effects_come_first_and_all_are_in_the_details(self):
        strong = ["--epsilon", "100", "--delta", "1e-3"]
        out = self.succeed("fit", "many.csv", "--schema", "real.toml", *strong, "--method", "sufficient-statistics", "-o",
                           "model.json").out
        effects = re.findall(r"(?m)^ {10}(\w+) +", out)
        self.assertEqual(effects[0], "age", "the target is age / 25 + smoker + noise")
        slope = float(re.search(r"age +\S+ from 0 to 100 \((\S+) per unit\)", out).group(1))
        self.assertAlmostEqual(slope, 1 / 25, delta=0.005)

    def test_an_interval_has_the_digits_that_it_means(self):
        out = self.succeed("fit", "many.csv", "--schema", "number.toml", *BUDGET, "-o", "model.json").out
        value, low, high = re.search(r"the mean of cost: (\S+) \(95% interval (\S+) to (\S+),", out).groups()
        self.assertLess(float(low), float(value))
        self.assertLess(float(value), float(high))
        radius = (float(high) - float(low)) / 2
        decimals = len(value.split(".")[1])
        self.assertEqual({len(low.split(".")[1]), len(high.split(".")[1])}, {decimals})
        self.assertTrue(10**-decimals < radius <= 100 * 10**-decimals, out)

    def test_noise_is_told_only_where_it_is_all_known(self):
        fit = ["fit", "many.csv", "--schema", "schema.toml", *BUDGET, "--details", "-o", "model.json", "--overwrite", "--method"]
        self.assertIn("noise (1 sd)", self.succeed(*fit, "output-perturbation").out)
        self.assertNotIn("noise (1 sd)", self.succeed(*fit, "objective-perturbation").out,
                         "the random term within the objective moves weights further than what is added at the end")


class Help(CliCase):
    def options(self, text):
        return set(re.findall(r"(?m)^  (?:-\w,)?(--[\w-]+)", text))

    def test_help_shows_what_most_need_and_all_on_demand(self):
        for command in ("fit", "plan"):
            short, whole = self.succeed(command, "--help").out, self.succeed(command, "--help-all").out
            few = self.options(short) - {"--help", "--help-all"}
            self.assertTrue({"--schema", "--epsilon", "--delta", "--loss", "--method", "--holdout", "--details"} <= few)
            self.assertLessEqual(len(few), 14)
            self.assertLessEqual(lines(short), 50)
            self.assertGreater(len(self.options(whole)), 40)
            self.assertTrue(few <= self.options(whole))
            for topic in ("penalty, curves, networks and rules", "tuning", "sgd"):
                self.assertIn(topic, " ".join(short.split()))

    def test_the_whole_program_at_once(self):
        out = self.succeed("--help-all").out
        for word in ("schema", "--hidden", "--target-risk", "--tune"):
            self.assertIn(word, out)


class Warnings(CliCase):
    def plan(self, epsilon):
        return self.succeed("plan", "--schema", "schema.toml", "--rows", "3000", "--epsilon", epsilon, "--delta", "1e-6").err

    def test_a_large_epsilon_is_plainly_and_a_huge_one_loudly_warned_of(self):
        self.assertEqual(self.plan("4.9"), "")
        self.assertRegex(self.plan("5"), r"^warning: epsilon 5 is a weak promise: .*factor of 148")
        self.assertRegex(self.plan("10"), r"^WARNING: epsilon 10 protects hardly anybody: .*factor of 2.2e\+04")

    def test_a_model_that_is_expected_to_be_no_better_than_a_constant_says_so(self):
        out = self.succeed("plan", "--schema", "schema.toml", "--rows", "40", "--epsilon", "0.1", "--delta", "1e-6", "--method",
                           "sgd").out
        self.assertIn("WARNING: the table is too small for a model at this epsilon", out)
        out = self.succeed("plan", "--schema", "schema.toml", "--rows", "100000", *BUDGET, "--method", "sgd").out
        self.assertNotIn("WARNING", out)

    def test_a_model_that_is_found_to_be_no_better_than_a_constant_says_so(self):
        draw = random.Random(5)
        table = people(4000)
        for row in table:
            row[4] = draw.choice(["yes", "no", "no", "no", "no"])  # has nothing to do with the others
        self.write("chance.csv", csv_text(table))
        fit = ["--schema", "schema.toml", "--epsilon", "4", "--delta", "1e-6", "--holdout", "0.3", "-o", "model.json", "--overwrite",
               "--seed", "1"]
        out = " ".join(self.succeed("fit", "chance.csv", *fit).out.split())
        self.assertRegex(out, r"Its answers are (no|not clearly) better than always the same answer, which is right for a share "
                              r"of 0\.(7|8)")
        self.write("real.csv", csv_text(people(4000)))
        self.assertNotIn("always the same answer", " ".join(self.succeed("fit", "real.csv", *fit).out.split()))


class Colours(CliCase):
    def on_a_terminal(self, *arguments, **environment):
        """What the program writes where its standard output and error are a terminal."""
        ours, theirs = pty.openpty()
        env = {k: v for k, v in os.environ.items() if k != "NO_COLOR"} | environment
        process = subprocess.Popen([PROGRAM, *map(str, arguments)], cwd=self.folder, stdout=theirs, stderr=theirs, env=env)
        os.close(theirs)
        out = b""
        while True:
            try:
                part = os.read(ours, 65536)
            except OSError:  # the other side is closed
                break
            if not part:
                break
            out += part
        os.close(ours)
        self.assertEqual(process.wait(timeout=60), 0, out)
        return out

    def test_red_is_for_terminals_that_want_it(self):
        ask = ["plan", "--schema", "schema.toml", "--rows", "3000", "--epsilon", "20", "--delta", "1e-6"]
        self.assertIn(b"\033[31mWARNING: epsilon 20", self.on_a_terminal(*ask))
        self.assertNotIn(b"\033", self.on_a_terminal(*ask, NO_COLOR="1"))
        self.assertIn(b"\033[31m", self.on_a_terminal(*ask, NO_COLOR=""), "an empty NO_COLOR asks for nothing")
        plain = self.succeed(*ask)
        self.assertNotIn("\033", plain.out + plain.err)


if __name__ == "__main__":
    unittest.main()
