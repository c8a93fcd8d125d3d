# SPDX-License-Identifier: Apache-2.0
"""The seeded fits whose released numbers must never change by accident: one entry per case, the arguments of `dperm fit`
without data, seed and output. Together they run every algorithm, every loss and every kind of noise."""

import random

SEED = "20240229"
ROWS = 300
BUDGET = ["--epsilon", "1", "--delta", "1e-6"]
PURE = ["--epsilon", "1", "--delta", "0"]

AGE = '[[column]]\nname = "age"\nkind = "integer"\nlower = 0\nupper = 100\n'
INCOME = '[[column]]\nname = "income"\nkind = "real"\nlower = 0\nupper = 100000\nscale = "log"\n'
VISITS = '[[column]]\nname = "visits"\nkind = "integer"\nlower = 0\nupper = 20\nzero = "lower"\n'
CITY = '[[column]]\nname = "city"\nkind = "category"\nvalues = ["north", "south", "east"]\nother = true\n'
SMOKER = '[[column]]\nname = "smoker"\nkind = "boolean"\nmissing = "category"\n'
SICK = '[target]\ncolumn = "sick"\nkind = "binary"\npositive = "yes"\n'
COST = '[target]\ncolumn = "cost"\nkind = "real"\nlower = -10\nupper = 10\n'
WARD = '[target]\ncolumn = "ward"\nkind = "class"\nvalues = ["a", "b", "c"]\n'

ALL = [AGE, INCOME, VISITS, CITY, SMOKER]
SCHEMAS = {
    "sick": [*ALL, SICK],
    "cost": [*ALL, COST],
    "ward": [*ALL, WARD],
    "alone": [COST],
    "narrow": [AGE, SICK],
    "reals": [AGE, INCOME, COST],
}
RULES = "age >= 40\nage >= 60 and smoker = true\nnot (city = north)\n"


def write_inputs(folder):
    """The table, the schemas and the file of rules."""
    draw = random.Random(7)
    lines = ["age,income,visits,city,smoker,sick,cost,ward"]
    for _ in range(ROWS):
        age, income, visits = draw.randrange(0, 101), round(draw.uniform(0, 100000), 2), draw.randrange(0, 25)
        city, smoker = draw.choice(["north", "south", "east", "west"]), draw.choice(["true", "false", ""])
        score = age / 25 - 2 + (smoker == "true") + draw.gauss(0, 1)
        ward = "abc"[(score > -0.5) + (score > 1)]
        lines.append(f"{age},{income},{visits},{city},{smoker},{'yes' if score > 0 else 'no'},{score:.3f},{ward}")
    (folder / "people.csv").write_text("\n".join(lines) + "\n")
    for name, parts in SCHEMAS.items():
        (folder / f"{name}.toml").write_text("version = 1\n\n" + "\n".join(parts))
    (folder / "rules.txt").write_text(RULES)


def case(schema, method, *arguments, budget=BUDGET):
    chosen = ["--method", method] if method else []
    return ["--schema", f"{schema}.toml", *budget, *chosen, *map(str, arguments)]


def objective():
    name = "objective-perturbation"
    yield "objective_logistic", case("sick", name)
    yield "objective_pure", case("sick", name, budget=PURE)
    yield "objective_smoothed_hinge", case("sick", name, "--loss", "smoothed-hinge", "--margin", 1, "--smoothing", 0.2)
    yield "objective_huber", case("cost", name, "--loss", "huber", "--threshold", 0.3)
    yield "objective_huber_pure", case("cost", name, "--loss", "huber", budget=PURE)
    yield "objective_penalty", case("sick", name, "--l2-penalty", 0.05)
    for calibration in ("kst12", "amp"):
        yield f"objective_{calibration}", case("sick", name, "--calibration", calibration)
    yield "objective_cms11", case("sick", name, "--calibration", "cms11", budget=PURE)
    yield "objective_softmax", case("ward", name)
    yield "objective_softmax_pure", case("ward", name, budget=PURE)
    classes = ["--classes", "one-vs-rest"]
    yield "one_vs_rest_logistic", case("ward", name, *classes)
    yield "one_vs_rest_pure", case("ward", name, *classes, budget=PURE)
    yield "one_vs_rest_hinge", case("ward", name, *classes, "--binary-loss", "smoothed-hinge", "--binary-margin", 0.8,
                                    "--binary-smoothing", 0.3)


def output():
    name = "output-perturbation"
    yield "output_auto", case("sick", name)
    yield "output_pure", case("sick", name, budget=PURE)
    yield "output_certified", case("sick", name, "--solver", "certified")
    yield "output_certified_ball", case("sick", name, "--solver", "certified", "--radius", 3, "--l2-penalty", 0.02)
    yield "output_certified_huber", case("cost", name, "--solver", "certified", "--loss", "huber", "--box", 1)
    yield "output_certified_softmax", case("ward", name, "--solver", "certified")
    yield "output_textbook", case("sick", name, "--noise", "textbook",
                                  budget=["--epsilon", "0.5", "--delta", "1e-6"])
    yield "output_descent", case("sick", name, "--solver", "gradient-descent")
    yield "output_descent_given", case("sick", name, "--passes", 20, "--step-size", 1, "--radius", 4)
    yield "output_descent_squared", case("cost", name, "--solver", "gradient-descent", "--loss", "squared", "--radius", 2)
    yield "output_descent_softmax", case("ward", name, "--solver", "gradient-descent")
    yield "output_sgd", case("sick", name, "--solver", "permutation-sgd")
    yield "output_sgd_batch", case("sick", name, "--batch", 32, "--l2-penalty", 0.1)
    yield "output_sgd_pure", case("sick", name, "--solver", "permutation-sgd", "--passes", 3, budget=PURE)


def descent():
    name = "gradient-descent"
    yield "descent_logistic", case("sick", name)
    yield "descent_given", case("sick", name, "--steps", 12, "--step-size", 2, "--average-fraction", 0.25)
    yield "descent_last", case("sick", name, "--steps", 12, "--average-fraction", 0, "--momentum", 0.5)
    yield "descent_strongly_convex", case("sick", name, "--schedule", "strongly-convex", "--l2-penalty", 0.1)
    yield "descent_automatic_schedule", case("sick", name, "--l2-penalty", 0.1, "--box", 2)
    for loss in ("hinge", "smoothed-hinge"):
        yield f"descent_{loss.replace('-', '_')}", case("sick", name, "--loss", loss)
    for loss in ("squared", "absolute", "huber"):
        yield f"descent_{loss}", case("cost", name, "--loss", loss)
    yield "descent_pinball", case("cost", name, "--loss", "pinball", "--quantile", 0.9)
    yield "descent_softmax", case("ward", name)
    yield "newton", case("sick", name, "--order", "second")
    yield "newton_given", case("sick", name, "--order", "second", "--steps", 3, "--damping", 0.05, "--radius", 5)


def samples():
    name = "sgd"
    yield "sgd_logistic", case("sick", name)
    yield "sgd_given", case("sick", name, "--batch", 40, "--steps", 30, "--clip", 0.5, "--learning-rate", 0.2)
    yield "sgd_epochs", case("sick", name, "--batch", 50, "--epochs", 4, "--optimiser", "momentum")
    yield "sgd_fixed_size", case("sick", name, "--batch", 30, "--steps", 25, "--sampling", "fixed-size")
    yield "sgd_add_remove", case("sick", name, "--batch", 30, "--steps", 25, "--neighbours", "add-remove")
    yield "sgd_plain_ball", case("sick", name, "--optimiser", "plain", "--radius", 4)
    yield "sgd_plain_box", case("cost", name, "--optimiser", "plain", "--box", 1, "--loss", "absolute")
    yield "sgd_squared", case("cost", name, "--average-fraction", 0.5)
    yield "sgd_pinball", case("cost", name, "--loss", "pinball", "--quantile", 0.25, "--steps", 40)
    yield "sgd_softmax", case("ward", name, "--steps", 40)
    yield "network", case("sick", name, "--hidden", "6,3", "--activation", "relu", "--steps", 40)
    yield "network_tanh", case("cost", name, "--hidden", 5, "--activation", "tanh", "--steps", 40, "--init-seed", 3)
    yield "network_softmax", case("ward", name, "--hidden", 4, "--activation", "relu", "--steps", 40)


def statistics():
    name = "sufficient-statistics"
    yield "statistics", case("cost", name)
    yield "statistics_certified", case("cost", name, "--ridge", "certified")
    yield "statistics_reals", case("reals", name)
    yield "statistics_given", case("reals", name, "--row-norm", 1.2, "--neighbours", "add-remove", "--l2-penalty", 0.01)


def exponential():
    name = "exponential"
    yield "location_mean", case("alone", name, "--loss", "squared")
    yield "location_mean_pure", case("alone", name, "--loss", "squared", budget=PURE)
    yield "location_mean_gaussian", case("alone", name, "--loss", "squared", "--mean-noise", "gaussian")
    yield "location_median", case("alone", name, "--loss", "absolute")
    yield "location_quantile", case("alone", name, "--loss", "pinball", "--quantile", 0.9, "--choice", "exponential")
    yield "location_loss_score", case("alone", name, "--loss", "absolute", "--score", "loss", "--grid-bits", 12)
    yield "location_quantile_loss_score", case("alone", name, "--loss", "pinball", "--quantile", 0.3, "--score", "loss")
    yield "ball", case("narrow", name, budget=PURE)
    yield "ball_box", case("narrow", name, "--box", 2, "--grid-bits", 8, "--loss", "hinge")
    yield "regularised", case("sick", name, "--regularised", "yes", "--l2-penalty", 0.5)
    yield "regularised_narrow", case("narrow", name, "--regularised", "yes", "--l2-penalty", 1)
    yield "rules_stumps", case("sick", name, "--class", "stumps")
    yield "rules_thresholds", case("sick", name, "--class", "thresholds(age, parts=1000)", "--choice", "exponential")
    yield "rules_intervals", case("sick", name, "--class", "intervals(age)")
    yield "rules_conjunctions", case("sick", name, "--class", "conjunctions(literals=2)")
    yield "rules_rectangles", case("sick", name, "--class", "rectangles(age, income, parts=8)")
    yield "rules_halfspaces", case("sick", name, "--class", "halfspaces(coefficients=1)")
    yield "rules_listed", case("sick", name, "--class", "rules.txt", "--failure-probability", 0.1)


def constants():
    name = "constant"
    yield "constant_logistic", case("sick", name)
    yield "constant_logistic_gaussian", case("sick", name, "--noise", "gaussian", "--l2-penalty", 0.05)
    yield "constant_hinge", case("sick", name, "--loss", "hinge", "--radius", 1, budget=PURE)
    yield "constant_smoothed_hinge", case("sick", name, "--loss", "smoothed-hinge")
    yield "constant_softmax", case("ward", name)
    yield "constant_softmax_ball", case("ward", name, "--radius", 0.5, "--noise", "gaussian")
    yield "constant_squared", case("cost", name, "--l2-penalty", 0.1)
    yield "constant_absolute", case("cost", name, "--loss", "absolute")
    yield "constant_pinball", case("cost", name, "--loss", "pinball", "--quantile", 0.9, budget=PURE)
    yield "constant_huber", case("cost", name, "--loss", "huber", "--threshold", 2)
    yield "constant_alone", case("alone", name)


def chosen():
    yield "auto_binary", case("sick", None)
    yield "auto_real", case("cost", None)
    yield "auto_classes", case("ward", None)
    yield "auto_mean", case("alone", None)
    yield "auto_pure", case("sick", None, budget=PURE)
    yield "tuned_descent", case("sick", "gradient-descent", "--tune", "steps=5,10", "--tune", "l2-penalty=0.01,0.1",
                                "--tune-repetitions", 3, budget=["--epsilon", "3", "--delta", "1e-5"])
    yield "tuned_geometric", case("sick", "output-perturbation", "--tune", "radius=2,4", "--tune-distribution", "geometric",
                                  "--solver", "gradient-descent", budget=["--epsilon", "4", "--delta", "1e-5"])
    yield "tuned_pure", case("sick", "output-perturbation", "--tune", "l2_penalty=0.05,0.5", "--tune-holdout", 0.4,
                             budget=["--epsilon", "6", "--delta", "0"])
    yield "tuned_sgd", case("sick", "sgd", "--tune", "clip=0.5,1", "--batch", 60, "--steps", 20,
                            budget=["--epsilon", "5", "--delta", "1e-5"])


CASES = {
    name: arguments
    for part in (objective, output, descent, samples, statistics, exponential, constants, chosen)
    for name, arguments in part()
}
