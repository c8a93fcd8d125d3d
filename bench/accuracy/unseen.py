# SPDX-License-Identifier: Apache-2.0
"""Forecast against measured: what privacy costs `sgd` at its defaults, beside the interval that `dperm plan` prints, on
the tables that chose the forecast's constants and on those that did not. "Lost" is against the same columns in the same
shapes without privacy, with a ridge of 1/rows: points of test accuracy, or for a real target in [-1, 1] the root of the
squared test error added. Writes unseen.json and prints a table, the coverage, and the lines of
tests/support/measured_cells.hpp.

    python bench/accuracy/unseen.py PROGRAM RESULTS [--only NAME ...] [--seeds 5] [--epsilons 0.1 0.5 1 3]
"""

import json
import statistics
import tomllib

import numpy

import forecast
import more_sets
import optimum
import run
import sets

CHOSE = ["adult", "adult-1000", "adult-3000", "bank", "bank-1000", "california", "california-1000", "california-3000",
         "covertype", "covertype-3000", "credit", "credit-1000", "credit-3000", "power"]
UNSEEN = ["a9a", "acs", "acs-3000", "breast", "concrete", "diabetes", "energy", "fulton-married", "housing", "ijcnn1", "kdd",
          "kin8nm", "naval", "protein", "pums-income", "pums-married-1000", "wdbc", "wine", "yacht"]


def best_weights(x, y, is_real):
    return optimum.squared_weights(x, y, 1 / len(y)) if is_real else optimum.logistic_weights(x, y, 1 / len(y))


def quality(x, y, weights, is_real):
    """Right answers, or minus the mean squared error."""
    scores = x @ weights
    return -float(numpy.mean((y - scores) ** 2)) if is_real else float(numpy.mean((scores > 0) == (y > 0)))


def row_square(shaped):
    """As schema::Encoding::typical_square says."""
    total = 1.0
    for _, entry in optimum.columns_of(shaped):
        if entry["kind"] in ("category", "boolean"):
            total += 1
        elif entry["kind"] in ("real", "integer"):
            total += 1 if entry.get("shape") in ("curve", "steps") else 1 / 3
    return total


class Shapes:
    """Encoded rows and the best weights of a table, for each choice of shapes."""

    def __init__(self, problem, folder):
        self.problem, self.folder, self.known = problem, folder, {}
        self.is_real = problem.metric == "r2"

    def of(self, schema_text):
        if schema_text not in self.known:
            path = self.folder / "shaped.toml"
            path.write_text(schema_text)
            optimum.read_table.cache_clear()
            x, y = optimum.encode(self.problem.train, path)
            test = optimum.encode(self.problem.test, path)
            self.known = {schema_text: (test, quality(*test, best_weights(x, y, self.is_real), self.is_real))}
        return self.known[schema_text]


def measured(dperm, problem, epsilon, seeds):
    """What is lost, mean over seeds, and the model of the last one."""
    shapes, losses = Shapes(problem, dperm.folder), []
    for seed in range(1, seeds + 1):
        dperm.score(problem, epsilon, "sgd", seed)
        model = json.loads((dperm.folder / "model.json").read_text())
        test, best = shapes.of(model["schema"])
        weights = numpy.array([each["encoded"] for each in model["coefficients"]])
        weights /= numpy.sqrt(model["plan"]["task"]["columns"])
        losses.append(best - quality(*test, weights, shapes.is_real))
    lost = statistics.mean(losses)
    return (max(lost, 0) ** 0.5 if shapes.is_real else lost), model


def least_told(rows, is_real):
    """As dperm/planner/range.cpp says."""
    return (0.0625 * (8 / rows) ** 0.5) ** 0.5 if is_real else (0.4 / rows) ** 0.5


def cell(dperm, name, problem, epsilon, seeds):
    plans = forecast.plans(dperm.program, problem, epsilon)
    if plans[0]["method"] == "constant":
        return None  # too small for a model
    predicted = next(plan["predicted"] for plan in plans if plan["method"] == "sgd")
    is_real = problem.metric == "r2"
    told = "score_noise" if is_real else "accuracy_lost"
    lower, upper = predicted[told + "_lower"], predicted[told + "_upper"]
    lost, model = measured(dperm, problem, epsilon, seeds)
    task = model["plan"]["task"]
    return {"table": name, "chose": name in CHOSE, "real": is_real, "epsilon": epsilon, "rows": task["rows"],
            "weights": task["weights"], "columns": task["columns"], "row_square": row_square(tomllib.loads(model["schema"])),
            "expected": predicted[told], "lower": lower, "upper": upper, "lost": lost,
            "within": (lower == 0 or lost >= lower) and lost <= upper,
            "ratio": upper / max(lower, least_told(task["rows"], is_real))}


def line(each):
    unit = 1 if each["real"] else 100
    ends = f"{unit * each['lower']:.2g} to {unit * each['upper']:.2g}" if each["lower"] else f"less than {unit * each['upper']:.2g}"
    return (f"| {each['table']} | {each['epsilon']:g} | {unit * each['expected']:.2g} | {ends} | {unit * each['lost']:.2g} | "
            f"{'' if each['within'] else 'outside'} |")


def print_summary(cells):
    for chose in (True, False):
        part = [each for each in cells if each["chose"] == chose]
        if part:
            print(f"{'chose constants' if chose else 'unseen'}: {sum(each['within'] for each in part)} of {len(part)} within, "
                  f"median ratio of the ends {statistics.median(each['ratio'] for each in part):.2f}, "
                  f"{sum(each['lower'] == 0 for each in part)} without a lower end")
    for each in cells:
        print(f"    {{\"{each['table']}\", {str(each['chose']).lower()}, {str(each['real']).lower()}, {each['epsilon']:g}, "
              f"{each['rows']}, {each['weights']}, {each['columns']}, {each['row_square']:.4g}, {each['lost']:.4g}}},")


def main():
    flags = run.flag_parser(__doc__, [*CHOSE, *UNSEEN], 5).parse_args()
    data = sets.data_folder("unseen")
    if not data:
        return
    folder = flags.results / "accuracy"
    folder.mkdir(parents=True, exist_ok=True)
    dperm = run.Dperm(flags.program.resolve(), folder)
    print("| table | epsilon | expected | most often | measured | |\n| --- | --- | --- | --- | --- | --- |")
    cells = []
    for name in flags.only:
        problem = more_sets.make(name, data, folder)
        for epsilon in flags.epsilons:
            found = cell(dperm, name, problem, epsilon, flags.seeds)
            if found:
                cells.append(found)
                print(line(found), flush=True)
    print_summary(cells)
    (flags.results / "unseen.json").write_text(json.dumps(cells, indent=2) + "\n")


if __name__ == "__main__":
    main()
