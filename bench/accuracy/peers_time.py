# SPDX-License-Identifier: Apache-2.0
"""Accuracy and time side by side, all from Python and in one process: dperm, its private peers, plain scikit-learn.

Everybody starts from a table in memory with the same rows, bounds and splits, and ends with predictions for the test
rows. Peers get their features ready-made; dperm encodes them inside the time that is measured.

    python bench/accuracy/peers_time.py RESULTS [--only adult ...] [--seeds 3]
"""

import argparse
import json
import pathlib
import statistics
import time
import warnings

import numpy

import dperm
import more_sets
import optimum
import peers_programs
import peers_table
import sets

TABLES = ["adult", "bank", "credit", "covertype", "mnist-softmax"]
EPSILONS = [0.1, 0.5, 1, 3]
SAME_ACCURACY = 0.005


def dperm_program(kind, **parameters):
    """An estimator of dperm on the table as it was read."""

    def run(table, epsilon, seed):
        schema = dperm.Schema.read(table.problem.schema)
        model = kind(epsilon=epsilon, delta=table.problem.delta, bounds=schema, random_state=seed, **parameters)
        shares = model.fit(table.rows).predict_proba(table.test_rows)
        return shares[:, 1] if table.kind == "binary" else shares

    return run


def plain(table, epsilon, seed):
    from sklearn.linear_model import LogisticRegression

    model = LogisticRegression(max_iter=200).fit(table.x[:, 1:], table.y)
    return peers_programs.predicted(model, table.test_x[:, 1:], table)


def boosted(table, epsilon, seed):
    return peers_programs.boosted_additive(table, epsilon, seed, peers_programs.RATES[0])


PRIVATE = {
    "dperm": dperm_program(dperm.LogisticRegression, shape="auto"),
    "dperm objective-perturbation": dperm_program(dperm.LogisticRegression, method="objective-perturbation"),
    "diffprivlib": peers_programs.diffprivlib,
    "dp-ebm": boosted,
}
OF_DPERM = [name for name in PRIVATE if name.startswith("dperm")]


def measured(program, table, epsilon, seeds):
    """(mean accuracy, median seconds), or None where the program refuses or has no such model."""
    scores, seconds = [], []
    for seed in range(1, seeds + 1):
        start = time.perf_counter()
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                prediction = program(table, epsilon, seed)
        except ValueError as error:
            print(f"  {table.name}: {str(error)[:100]}")
            return None
        seconds.append(time.perf_counter() - start)
        scores.append(table.score(prediction)["accuracy"])
    return statistics.mean(scores), statistics.median(seconds)


def verdict(cells):
    """How much faster than each peer the quickest dperm is that is at least as accurate, up to half a point; and how
    much less accurate than that dperm the peer is, where it is no rival of the same accuracy."""
    ours = [cells[name] for name in OF_DPERM if cells.get(name)]
    words = []
    for name, (accuracy, seconds) in ((name, cell) for name, cell in cells.items() if name not in OF_DPERM and cell):
        equals = [(own_seconds, own) for own, own_seconds in ours if own >= accuracy - SAME_ACCURACY]
        if not equals:
            words.append(f"less accurate than {name}")
            continue
        own_seconds, own = min(equals)
        behind = own - accuracy
        which = "same accuracy" if behind <= SAME_ACCURACY else f"{100 * behind:.1f} points less accurate"
        words.append(f"{seconds / own_seconds:.1f} times {name} ({which})")
    return "speed " + ", ".join(words)


def measure(name, data, folder, seeds):
    table = peers_table.Table(more_sets.make(name, data, folder))
    table.rows, table.test_rows = (
        optimum.read_table(path, table.problem.schema) for path in (table.problem.train, table.problem.test)
    )
    found = {"scikit-learn, not private": measured(plain, table, None, 1)}
    print(
        f"{name}: {len(table.y)} rows; scikit-learn, not private: {told(found['scikit-learn, not private'])}",
        flush=True,
    )
    for epsilon in EPSILONS:
        cells = {}
        for program, function in PRIVATE.items():
            if program == "dp-ebm" and table.kind == "class":
                continue
            cells[program] = measured(function, table, epsilon, seeds)
        words = "; ".join(f"{program} {told(cell)}" for program, cell in cells.items())
        print(f"  epsilon {epsilon:<4g} {words}: {verdict(cells)}", flush=True)
        found[f"epsilon {epsilon:g}"] = cells
    return found


def told(cell):
    return f"{cell[0]:.4f} in {cell[1]:.2f} s" if cell else "refused"


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("results", type=pathlib.Path)
    parser.add_argument("--only", nargs="*", default=TABLES, choices=TABLES, metavar="TABLE")
    parser.add_argument("--seeds", type=int, default=3)
    flags = parser.parse_args()
    data = sets.data_folder("peers")
    if not data:
        return
    folder = flags.results / "peers"
    folder.mkdir(parents=True, exist_ok=True)
    numpy.seterr(over="ignore")
    found = {name: measure(name, data, folder, flags.seeds) for name in flags.only}
    (flags.results / "peers_time.json").write_text(json.dumps(found, indent=1) + "\n")


if __name__ == "__main__":
    main()
