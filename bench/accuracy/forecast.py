# SPDX-License-Identifier: Apache-2.0
"""Forecast against measured: reads accuracy.json of run.py, plans anew and prints points of accuracy or of R2 lost to
privacy, both ways.

    python bench/accuracy/forecast.py PROGRAM RESULTS
"""

import json
import pathlib
import subprocess
import sys

import numpy

import optimum
import sets


def plans(program, problem, epsilon):
    """What `dperm plan` says of every method, the one that auto takes first."""
    command = [program, "plan", "--schema", problem.schema, "--rows", optimum.row_count(problem.train), "--epsilon", epsilon,
               "--delta", problem.delta, *problem.arguments, "--json"]
    return json.loads(subprocess.run(list(map(str, command)), capture_output=True, text=True, check=True).stdout)


def forecasts(program, problem, epsilon):
    return {plan["method"]: plan["predicted"] for plan in plans(program, problem, epsilon) if "predicted" in plan}


def points_lost(predicted, problem, metric):
    """In percent; R2 falls by the excess risk over the target's variance, both of the encoded target."""
    if metric == "accuracy":
        return 100 * predicted["accuracy_lost"]
    return 100 * predicted["excess_risk"] / float(numpy.var(optimum.encode(problem.test, problem.schema)[1]))


def main():
    program, results = pathlib.Path(sys.argv[1]).resolve(), pathlib.Path(sys.argv[2])
    data = sets.data_folder("forecast")
    if not data:
        return
    print(f"{'table':<18}{'epsilon':>8}  {'method':<24}{'predicted':>10}{'measured':>10}{'difference':>12}")
    for block in json.loads((results / "accuracy.json").read_text()):
        if block["optimum"] is None:
            continue
        problem = sets.make(block["problem"], data, results / "accuracy")
        for entry in block["epsilons"]:
            predicted = forecasts(program, problem, entry["epsilon"])
            for method, measured in entry["methods"].items():
                if method not in predicted:
                    continue
                expected = points_lost(predicted[method], problem, block["metric"])
                lost = 100 * (block["optimum"] - measured["mean"])
                print(f"{block['problem']:<18}{entry['epsilon']:>8g}  {method:<24}{expected:>10.2f}{lost:>10.2f}{expected - lost:>+12.2f}"
                      f"{'  auto' if method == entry['auto'] else ''}")


if __name__ == "__main__":
    main()
