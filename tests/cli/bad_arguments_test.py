# SPDX-License-Identifier: Apache-2.0
"""Wrong tasks: refused with status 2 before anything is read or written, naming the option and the way out."""

import unittest

from cli_case import BUDGET, COLUMNS, CliCase


class BadArguments(CliCase):
    def refuse_fit(self, words, *arguments, status=2, schema="schema.toml", budget=BUDGET):
        return self.refuse(status, words, "fit", "people.csv", "--schema", schema, *budget, "-o", "model.json", *arguments)

    def test_commands(self):
        self.refuse(2, ["name a command", "fit", "plan"])
        self.refuse(2, ["there is no command 'fitt'", "fit", "plan"], "fitt")
        self.refuse(2, ["name a command: init, infer, check"], "schema")
        self.refuse(2, ["--loud"], "--loud")

    def test_missing_arguments_are_named(self):
        self.refuse(2, ["DATA", "dperm fit --help"], "fit")
        self.refuse(2, ["--schema"], "fit", "people.csv", *BUDGET)
        self.refuse(2, ["--epsilon"], "fit", "people.csv", "--schema", "schema.toml", "--delta", "0")
        self.refuse(2, ["--delta"], "fit", "people.csv", "--schema", "schema.toml", "--epsilon", "1")
        self.refuse(2, ["--rows"], "plan", "--schema", "schema.toml", *BUDGET)
        self.refuse(2, ["MODEL"], "verify")
        self.refuse(2, ["--epsilon is given 2 times", "once"], "fit", "people.csv", "--epsilon", "1", "--epsilon", "2")
        self.refuse(2, ["--output", "--json", "lost"], "fit", "people.csv", "--schema", "schema.toml", *BUDGET)

    def test_epsilon(self):
        for text in ("0", "-1", "nan", "inf", "-inf"):
            with self.subTest(epsilon=text):
                self.refuse_fit(["--epsilon must be positive and finite"], budget=["--epsilon", text, "--delta", "1e-6"])
        self.refuse_fit(["--epsilon must be at most 1000", "no privacy"], budget=["--epsilon", "1e9", "--delta", "1e-6"])
        for text in ("one", "", "1,5", "1 2", "0x1", "1e400", "1e-400", "--delta"):
            with self.subTest(epsilon=text):
                self.refuse_fit(["--epsilon"], budget=[f"--epsilon={text}", "--delta", "1e-6"])

    def test_delta(self):
        for text in ("1", "2", "-1e-6", "nan", "inf"):
            with self.subTest(delta=text):
                self.refuse_fit(["--delta must be at least 0 and below 1"], budget=["--epsilon", "1", "--delta", text])
        for text in ("", "1e-6x", "1e-999"):
            with self.subTest(delta=text):
                self.refuse_fit(["--delta must be a number"], budget=["--epsilon", "1", f"--delta={text}"])

    def test_delta_zero_where_one_is_needed(self):
        pure = ["--epsilon", "1", "--delta", "0"]
        self.refuse_fit(["needs delta > 0", "output-perturbation"], "--method", "gradient-descent", budget=pure)
        self.refuse_fit(["--delta above 0", "--noise pure"], "--method", "output-perturbation", "--noise", "gaussian", budget=pure)
        self.refuse_fit(["gradient-descent:", "output-perturbation:", "kink"], "--loss", "hinge", budget=pure)

    def test_text_of_the_user_is_quoted_as_it_is(self):
        self.refuse_fit(["no method '`'"], "--method", "`")
        self.refuse_fit(["there is no method"], "--method", "`" + "a" * 100_000 + "`")
        self.refuse_fit(["there is no method"], "--method", "`a = " + "b" * 100_000)

    def test_options_of_siblings_and_of_tuning_are_named_as_flags(self):
        self.refuse_fit(["--damping is an option of --order second"], "--method", "gradient-descent", "--damping", "0.1")
        tune = ["--method", "gradient-descent", "--tune", "steps=3,10"]
        self.refuse_fit(["--tune-holdout must"], *tune, "--tune-holdout", "2")
        self.refuse_fit(["--tune-distribution must be one of"], *tune, "--tune-distribution", "foo")

    def test_names(self):
        self.refuse_fit(["loss 'log'", "logistic"], "--loss", "log")
        self.refuse_fit(["no method 'adam'", "gradient-descent"], "--method", "adam")
        self.refuse_fit(["there is no option --epsilom; did you mean '--epsilon'?\n"], "--epsilom", "1")
        self.refuse_fit(["there is no option -c\n"], "-c", "0.5")
        self.refuse(2, ["cannot tell what 'more' is for"], "plan", "--schema", "schema.toml", "--rows", "9", *BUDGET, "more")
        self.refuse_fit(["noise", "textbook", "'loud'"], "--noise", "loud")
        self.refuse_fit(["no option --noise"], "--method", "gradient-descent", "--noise", "gaussian")

    def test_numbers_of_other_options(self):
        for option, text in (("--radius", "0"), ("--radius", "nan"), ("--radius", "-1"), ("--box", "inf"),
                             ("--l2-penalty", "-1"), ("--l2-penalty", "nan"), ("--l2-penalty", ""), ("--steps", "0"),
                             ("--steps", "1.5"), ("--steps", "1e9"), ("--steps", "many"), ("--step-size", "nan"),
                             ("--average-fraction", "2"), ("--seed", "-1"), ("--seed", "1.5"), ("--threads", "-1"),
                             ("--threads", "99999"), ("--threads", "two")):
            with self.subTest(option=option, text=text):
                result = self.refuse_fit([], f"{option}={text}")
                self.assertIn(option.strip("-").replace("-", "_"), result.err.replace("-", "_"))
        self.refuse_fit(["--radius", "--box"], "--radius", "1", "--box", "1")
        self.refuse_fit(["quantile"], "--loss", "pinball", "--quantile", "1", schema="real.toml")
        self.refuse_fit(["smoothing"], "--loss", "smoothed-hinge", "--smoothing", "nan")
        self.refuse_fit(["margin"], "--loss", "smoothed-hinge", "--margin", "-1")
        self.refuse_fit(["threshold"], "--loss", "huber", "--threshold", "0", schema="real.toml")
        self.refuse_fit(["width of a hidden layer", "1000000000"], "--hidden=1e9")
        for width in ("-3", "abc", "2.5", "1e-9"):
            self.refuse_fit(["--hidden must be an integer", f"'{width}'"], f"--hidden={width}")
        self.refuse_fit(["--hidden must be an integer", "''"], "--hidden=5,,6")

    def test_fields_of_the_library_are_named_as_flags(self):
        for option, text in (("--radius", "-1"), ("--box", "0"), ("--l2-penalty", "-1"), ("--average-fraction", "2")):
            with self.subTest(option=option):
                result = self.refuse_fit([f"{option} must be"], f"{option}={text}")
                self.assertNotIn("`", result.err)
        self.refuse_fit(["--quantile must be strictly between 0 and 1"], "--loss", "pinball", "--quantile", "1",
                        schema="real.toml")
        self.refuse_fit(["--loss 'logit' is unknown"], "--loss", "logit")
        self.refuse_fit(["--activation 'step' is unknown"], "--activation", "step")

    def test_a_parameter_of_another_loss(self):
        self.refuse_fit(["--quantile belongs to --loss pinball", "squared"], "--quantile", "0.9", schema="real.toml")
        self.refuse_fit(["--threshold belongs to --loss huber"], "--threshold", "1", schema="real.toml")
        for option in ("--margin", "--smoothing"):
            self.refuse_fit([f"{option} belongs to --loss smoothed-hinge", "logistic"], option, "0.5")

    def test_a_loss_that_does_not_fit_the_target(self):
        self.refuse_fit(["--loss squared needs a target of kind real", "logistic"], "--loss", "squared")
        self.refuse_fit(["--loss logistic needs a target of kind binary", "squared"], "--loss", "logistic",
                        schema="real.toml")

    def test_targets_no_loss_fits(self):
        self.write("none.toml", COLUMNS)
        self.refuse_fit(["no [target]"], schema="none.toml")
        classes = COLUMNS + '\n[target]\ncolumn = "city"\nkind = "class"\nvalues = ["north", "south"]\n'
        classes = classes.replace('name = "city"', 'name = "town"')
        self.write("classes.toml", classes)
        self.refuse_fit(["kind binary", "kind class", "softmax"], "--loss", "logistic", schema="classes.toml")

    def test_plan(self):
        base = ["plan", "--schema", "schema.toml", *BUDGET]
        for rows in ("0", "-5", "1e-5", "1.5e0", "1e30", "many", "", "18446744073709551616"):
            with self.subTest(rows=rows):
                self.refuse(2, ["row"], *base, f"--rows={rows}")
        self.refuse(2, ["too many rows"], *base, "--rows", "18446744073709551615")
        self.refuse(2, ["--picture", ".svg", "'plan.png'"], *base, "--rows", "1000", "--picture", "plan.png")
        for risk in ("0", "-1", "nan", "inf"):
            with self.subTest(risk=risk):
                self.refuse(2, ["--target-risk must be positive"], *base, "--rows", "1000", "--target-risk", risk)

    def test_evaluate(self):
        self.fit()
        self.refuse(2, ["--public", "--epsilon"], "evaluate", "model.json", "people.csv")
        self.refuse(2, ["--public", "--epsilon"], "evaluate", "model.json", "people.csv", "--public", "--epsilon", "1")
        for text in ("0", "nan", "-1", "1e9"):
            with self.subTest(epsilon=text):
                self.refuse(2, ["epsilon must be"], "evaluate", "model.json", "people.csv", "--epsilon", text)
        self.refuse(2, ["metric", "accuracy", "loss"], "evaluate", "model.json", "people.csv", "--public", "--metric", "f1")
        self.fit("--loss", "squared", schema="real.toml")
        self.refuse(2, ["accuracy needs a classification"], "evaluate", "model.json", "people.csv", "--public",
                    "--metric", "accuracy")

    def test_schema_init(self):
        self.refuse(2, ["--delimiter must be one character"], "schema", "init", "people.csv", "--delimiter", "ab")
        self.refuse(2, ["--header", "--no-header"], "schema", "init", "people.csv", "--header", "--no-header")


if __name__ == "__main__":
    unittest.main()
