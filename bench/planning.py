# SPDX-License-Identifier: Apache-2.0
"""How long `dperm plan` takes, start included: wall and processor time, the best of several runs of each task.

    python bench/planning.py PROGRAM RESULTS [--runs 9]

Writes planning.json.
"""

import argparse
import json
import pathlib
import resource
import subprocess
import tempfile
import time

ROOT = pathlib.Path(__file__).parent.parent
ADULT, CALIFORNIA, MNIST = (str(ROOT / "tests/real_data" / f"{name}.toml") for name in ("adult", "california", "mnist"))
USUAL = ["--rows", "30000", "--epsilon", "0.5", "--delta", "1e-6"]

QUESTIONS = {
    "adult": [ADULT, *USUAL],
    "adult, a million rows": [ADULT, "--rows", "1000000", "--epsilon", "0.5", "--delta", "1e-6"],
    "adult, epsilon 0.05": [ADULT, "--rows", "30000", "--epsilon", "0.05", "--delta", "1e-6"],
    "adult, epsilon 5": [ADULT, "--rows", "30000", "--epsilon", "5", "--delta", "1e-6"],
    "adult, delta 1e-9": [ADULT, "--rows", "30000", "--epsilon", "0.5", "--delta", "1e-9"],
    "adult, add-remove": [ADULT, *USUAL, "--method", "sgd", "--neighbours", "add-remove"],
    "adult, samples of fixed size": [ADULT, *USUAL, "--method", "sgd", "--sampling", "fixed-size"],
    "adult, batches of 16": [ADULT, *USUAL, "--method", "sgd", "--batch", "16"],
    "adult, proven sgd": [ADULT, *USUAL, "--method", "sgd", "--optimiser", "plain", "--radius", "5"],
    "adult, hidden layer": [ADULT, *USUAL, "--hidden", "64"],
    "california": [CALIFORNIA, *USUAL],
    "digits, softmax": [MNIST, "--rows", "60000", "--epsilon", "1", "--delta", "1e-6"],
    "digits, hidden layer, add-remove": [MNIST, "--rows", "60000", "--epsilon", "3", "--delta", "1e-5", "--hidden", "256",
                                         "--method", "sgd", "--neighbours", "add-remove"],
    "adult, plot": [ADULT, *USUAL, "--plot"],
    "adult, picture": [ADULT, *USUAL, "--picture", "PICTURE"],
    "adult, rows and epsilon for a loss of accuracy": [ADULT, *USUAL, "--target-accuracy-loss", "0.01"],
    "adult, rows and epsilon for a proven risk": [ADULT, *USUAL, "--target-risk", "0.1"],
    "adult, sgd, rows and epsilon for a proven risk": [ADULT, *USUAL, "--method", "sgd", "--optimiser", "plain", "--radius", "5",
                                                       "--target-risk", "0.5"],
}


def spent():
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


def measured(command, runs):
    wall, processor = [], []
    for _ in range(runs):
        start, before = time.perf_counter(), spent()
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        wall.append(time.perf_counter() - start)
        processor.append(spent() - before)
    return {"wall_s": round(min(wall), 4), "processor_s": round(min(processor), 4)}


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("program")
    parser.add_argument("results", type=pathlib.Path)
    parser.add_argument("--runs", type=int, default=9)
    options = parser.parse_args()
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        for name, arguments in QUESTIONS.items():
            arguments = [f"{folder}/plan.svg" if a == "PICTURE" else a for a in arguments]
            row = {"task": name, **measured([options.program, "plan", "--schema", *arguments], options.runs)}
            rows.append(row)
            print(f"{name:<48}{1e3 * row['wall_s']:7.0f} ms wall{1e3 * row['processor_s']:7.0f} ms processor", flush=True)
    (options.results / "planning.json").write_text(json.dumps(rows, indent=1) + "\n")


if __name__ == "__main__":
    main()
