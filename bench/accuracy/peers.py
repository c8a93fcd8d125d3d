# SPDX-License-Identifier: Apache-2.0
"""Accuracy of dperm beside its peers on public tables, in one run: same encoding, bounds, rows, epsilon and delta.
Writes peers.json after every cell, and from it peers.md and peers.svg. What peers.json holds already is kept, so that
the table may be made in parts; --again measures the chosen cells anew.

    python bench/accuracy/peers.py PROGRAM RESULTS [--only TABLE ...] [--programs dperm dp-ebm ...] [--seeds 5]
"""

import argparse
import csv
import io
import json
import os
import pathlib
import subprocess
import time

import numpy

import more_sets
import optimum
import peers_page
import peers_programs
import peers_table
import sets

EPSILONS = [0.1, 0.5, 1, 3]
SLOW_SECONDS, SLOW_SEEDS = (
    60,
    2,
)  # a program whose first fit takes longer is measured with fewer seeds; the page says how many
PROGRAMS = ["references", *peers_programs.PRIVATE, "dperm"]


class Store:
    """peers.json: scores by 'table | epsilon | program | seed'."""

    def __init__(self, path):
        self.path = path
        self.content = json.loads(path.read_text()) if path.exists() else {"tables": {}, "cells": {}}

    def key(self, table, epsilon, program, seed):
        return f"{table} | {epsilon:g} | {program} | {seed}"

    def has(self, *cell):
        return self.key(*cell) in self.content["cells"]

    def get(self, *cell):
        return self.content["cells"][self.key(*cell)]

    def put(self, cell, scores):
        self.content["cells"][self.key(*cell)] = scores
        self.save()

    def describe(self, table):
        self.content["tables"][table.name] = {
            "rows": len(table.y),
            "test_rows": len(table.test_y),
            "columns": table.columns,
            "features": table.x.shape[1],
            "kind": table.kind,
            "delta": table.problem.delta,
        }
        self.save()

    def save(self):
        """Whole or not at all: an interrupted run loses no cell."""
        beside = self.path.with_suffix(".new")
        beside.write_text(json.dumps(self.content, indent=1) + "\n")
        os.replace(beside, self.path)


class Dperm:
    def __init__(self, program, folder):
        self.program, self.folder = program, folder
        # Where models need not be linear, a method named by hand is measured on the linear one.
        self.linear = ["--shape", "linear"] if "--shape" in self.run("fit", "--help").stdout else []

    def run(self, *arguments):
        return subprocess.run([self.program, *map(str, arguments)], capture_output=True, text=True)

    def task(self, problem, epsilon):
        return ["--schema", problem.schema, "--epsilon", epsilon, "--delta", problem.delta, *problem.arguments]

    def methods(self, table, epsilon):
        plan = self.run("plan", "--rows", len(table.y), *self.task(table.problem, epsilon), "--json")
        if plan.returncode != 0:
            raise SystemExit(f"{table.name}: {plan.stderr}")
        return [entry["method"] for entry in json.loads(plan.stdout) if "plan" in entry]

    def predictions(self, table, epsilon, seed, method):
        """None where the program refuses."""
        problem, model = table.problem, self.folder / "model.json"
        chosen = ["--method", method, *self.linear] if method else []
        output = ["--seed", seed, "--quiet", "--overwrite", "-o", model]
        fit = self.run("fit", problem.train, *self.task(problem, epsilon), *chosen, *output)
        if fit.returncode != 0:
            print(f"{table.name}, epsilon {epsilon:g}, {method or 'defaults'}: {fit.stderr.strip()}")
            return None
        answer = self.run("predict", model, problem.test)
        if answer.returncode != 0:
            raise SystemExit(f"{table.name}: {answer.stderr}")
        return decoded(list(csv.DictReader(io.StringIO(answer.stdout))), table)


def decoded(lines, table):
    """Of several classes the program names one and its probability: the rest is taken as even, so that only the accuracy
    of such a table is exact."""
    if len(lines) != len(table.test_y):
        raise SystemExit(f"{table.name}: {len(lines)} predictions for {len(table.test_y)} rows")
    if table.kind == "real":
        return optimum.encoded_number(
            numpy.array([float(line["prediction"]) for line in lines]), table.schema["target"]
        )
    if table.kind == "binary":
        return numpy.array([float(line.get("probability") or line["prediction"]) for line in lines])
    values = table.schema["target"]["values"]
    shares = numpy.zeros((len(lines), len(values)))
    for row, line in zip(shares, lines):
        sure = float(line.get("probability") or 1)
        row[:] = (1 - sure) / (len(values) - 1)
        row[values.index(line["prediction"])] = sure
    return shares


def private_programs(flags, dperm, table, epsilon):
    """(name in the table of results, function of a seed) of everything to be measured with this epsilon."""
    for name in flags.programs:
        function, rates, kinds = peers_programs.PRIVATE.get(name, (None, (), ()))
        if table.kind not in kinds:
            continue
        for rate in rates:
            extra = () if rate is None else (rate,)
            yield (
                (name if rate is None else f"{name} {rate:g}"),
                lambda seed, f=function, e=extra: f(table, epsilon, seed, *e),
            )
    if "dperm" in flags.programs:
        yield "dperm", lambda seed: dperm.predictions(table, epsilon, seed, None)
        for method in dperm.methods(table, epsilon) if flags.methods else ():
            yield f"dperm {method}", lambda seed, m=method: dperm.predictions(table, epsilon, seed, m)


def measure_cell(store, flags, table, epsilon, name, function):
    seeds = flags.seeds
    for seed in range(1, flags.seeds + 1):
        if seed > seeds:
            break
        cell = (table.name, epsilon, name, seed)
        if flags.again or not store.has(*cell):
            start = time.perf_counter()
            prediction = function(seed)
            if prediction is None:
                return
            scores = table.score(prediction) | {"seconds": round(time.perf_counter() - start, 3)}
            store.put(cell, scores)
            told = " ".join(f"{key} {value:.4f}" for key, value in scores.items())
            print(f"{table.name:18} {epsilon:4g} {name:28} {seed} {told}", flush=True)
        if store.get(*cell)["seconds"] > SLOW_SECONDS:
            seeds = min(seeds, SLOW_SEEDS)


def measure(store, flags, dperm, name, data, folder):
    table = peers_table.Table(more_sets.make(name, data, folder))
    store.describe(table)
    if "references" in flags.programs:
        for reference, function in peers_programs.WITHOUT_PRIVACY.items():
            if not store.has(name, 0, reference, 0) or flags.again:
                store.put((name, 0, reference, 0), table.score(function(table, None, 0)))
    for epsilon in flags.epsilons:
        for program, function in private_programs(flags, dperm, table, epsilon):
            measure_cell(store, flags, table, epsilon, program, function)


def parsed_flags():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("program", type=pathlib.Path)
    parser.add_argument("results", type=pathlib.Path)
    parser.add_argument("--only", nargs="*", default=more_sets.NAMES, choices=more_sets.NAMES, metavar="TABLE")
    parser.add_argument("--programs", nargs="*", default=PROGRAMS, choices=PROGRAMS, metavar="PROGRAM")
    parser.add_argument("--no-methods", dest="methods", action="store_false", help="dperm with its defaults only")
    parser.add_argument("--seeds", type=int, default=5)
    parser.add_argument("--epsilons", type=float, nargs="*", default=EPSILONS)
    parser.add_argument("--again", action="store_true")
    return parser.parse_args()


def main():
    flags = parsed_flags()
    data = sets.data_folder("peers")
    if not data:
        return
    folder = flags.results / "peers"
    folder.mkdir(parents=True, exist_ok=True)
    store = Store(flags.results / "peers.json")
    dperm = Dperm(flags.program.resolve(), folder)
    for name in flags.only:
        measure(store, flags, dperm, name, data, folder)
        (flags.results / "peers.md").write_text(peers_page.write(store.content))
        (flags.results / "peers.svg").write_text(peers_page.draw(store.content))


if __name__ == "__main__":
    main()
