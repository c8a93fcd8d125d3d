# SPDX-License-Identifier: Apache-2.0
"""Forecast against measured on tables that had no part in the forecast's constants: points of test accuracy lost to
privacy and excess risk of the training loss. Writes unseen.json and prints the table of docs/forecast.md.

    python bench/accuracy/unseen.py PROGRAM RESULTS [--only NAME ...] [--seeds 5] [--epsilons 0.1 0.5 1 3]
"""

import json
import statistics

import numpy

import forecast
import optimum
import run
import sets

TABLES = ["acs", "diabetes", "ijcnn1"]
METHODS = ["sgd", "objective-perturbation", "gradient-descent"]
SMALL_RIDGE = 1e-8  # keeps weights of categories that never occur finite


def log_loss(scores, target):
    return float(numpy.mean(numpy.logaddexp(0, -target * scores)))


def fitted_loss(folder, x, y, columns):
    weights = [each["encoded"] for each in json.loads((folder / "model.json").read_text())["coefficients"]]
    return log_loss(x @ (numpy.array(weights) / numpy.sqrt(columns)), y)


def measure(dperm, problem, epsilons, seeds):
    x, y = optimum.encode(problem.train, problem.schema)
    columns = 1 + len(list(optimum.columns_of(optimum.tomllib.loads(problem.schema.read_text()))))
    best = log_loss(x @ optimum.logistic_weights(x, y, SMALL_RIDGE), y)
    result = {"table": problem.name, "rows": len(y), "weights": x.shape[1], "accuracy": optimum.score(problem),
              "trivial": optimum.trivial(problem), "loss": best, "entries": []}
    for epsilon in epsilons:
        predicted = forecast.forecasts(dperm.program, problem, epsilon)
        auto = dperm.methods(problem, epsilon)[0]
        for method in METHODS:
            scores, risks = [], []
            for seed in range(1, seeds + 1):
                scores.append(result["accuracy"] - dperm.score(problem, epsilon, method, seed))
                risks.append(fitted_loss(dperm.folder, x, y, columns) - best)
            entry = {"epsilon": epsilon, "method": method, "auto": method == auto,
                     "predicted_lost": predicted[method]["accuracy_lost"], "lost": statistics.mean(scores),
                     "lost_deviation": statistics.stdev(scores), "predicted_risk": predicted[method]["excess_risk"],
                     "risk": statistics.mean(risks)}
            result["entries"].append(entry)
            print(f"| {problem.name} | {epsilon:g} | {method}{', auto' if entry['auto'] else ''} | {100 * entry['predicted_lost']:.1f} | "
                  f"{100 * entry['lost']:.1f} +- {100 * entry['lost_deviation']:.1f} | {entry['predicted_risk']:.4f} | {entry['risk']:.4f} |",
                  flush=True)
    return result


def main():
    flags = run.parsed_flags(__doc__, TABLES, 5)
    data = sets.data_folder("unseen")
    if not data:
        return
    folder = flags.results / "accuracy"
    folder.mkdir(parents=True, exist_ok=True)
    dperm = run.Dperm(flags.program.resolve(), folder)
    print("| table | epsilon | method | points lost: predicted | measured | excess risk: predicted | measured |")
    print("| --- | --- | --- | --- | --- | --- | --- |")
    table = [measure(dperm, sets.make(name, data, folder), flags.epsilons, flags.seeds) for name in flags.only]
    (flags.results / "unseen.json").write_text(json.dumps(table, indent=2) + "\n")


if __name__ == "__main__":
    main()
