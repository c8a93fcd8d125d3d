# SPDX-License-Identifier: Apache-2.0
"""What samples and fewer steps cost on large tables: the default fit beside one that looks at all rows in each of 1,000
steps, which is what the default was before it counted time. Test log loss and accuracy, means over seeds; a difference is
noise where it is within a few of its own standard errors. Writes large.json.

    python bench/accuracy/large.py PROGRAM RESULTS [--only NAME ...] [--seeds 8] [--epsilons 0.1 1 3] [--threads 2]

Tables: `three`, 200,000 generated rows of 3 columns; `acs` and `kdd`, all rows of DPERM_DATA's files but those to test on;
`census-1m` and `census-10m`, rows of bench/out_of_memory.py.
"""

import argparse
import json
import math
import pathlib
import statistics
import subprocess
import sys

import numpy
import sets

sys.path.insert(0, str(sets.HERE.parent))
import out_of_memory

MILLION = out_of_memory.FILE_ROWS


def three(data, folder):
    draw = numpy.random.default_rng(3)
    rows = draw.uniform(-1, 1, (250000, 3))
    labels = rows @ [2, -1, 0.5] + draw.logistic(size=len(rows)) > 0
    lines = [f"{a:.5f},{b:.5f},{c:.5f},{int(y)}" for (a, b, c), y in zip(rows, labels)]
    schema = 'version = 1\n[target]\ncolumn = "y"\nkind = "binary"\npositive = "1"\n[[column]]\nnames = ["a", "b", "c"]\n'
    train = sets.write(folder / "train.csv", "\n".join(["a,b,c,y", *lines[:200000]]) + "\n")
    test = sets.write(folder / "test.csv", "\n".join(["a,b,c,y", *lines[200000:]]) + "\n")
    return [train], test, sets.write(folder / "schema.toml", schema + 'kind = "real"\nlower = -1\nupper = 1\n')


def kdd(data, folder):
    """All of the ten-percent file but 25,000 rows."""
    lines = sets.text_of(data / "kddcup99_10pct" / "kddcup.data_10_percent.gz").splitlines()
    lines = [lines[i] for i in numpy.random.default_rng(sets.SPLIT_SEED).permutation(len(lines))]
    train = sets.write(folder / "train.csv", "\n".join(lines[25000:]) + "\n")
    return [train], sets.write(folder / "test.csv", "\n".join(lines[:25000]) + "\n"), sets.HERE / "schemas" / "kdd.toml"


def acs(data, folder):
    """All persons but the 50,000 that sets.py tests on."""
    small, test, schema = sets.acs(data, folder)
    tested = set(test.read_text().splitlines())
    header, *lines = sets.text_of(data / "acs_income_2018" / "acs_income_2018_coded.csv.gz").splitlines()
    groups = [name.split("-")[0] for name in json.loads(sets.text_of(data / "acs_income_2018" / "codebook.json.gz"))["Occupation"]]
    occupation = header.split(",").index("Occupation")
    rows = [header]
    for line in lines:
        cells = line.split(",")
        cells[occupation] = groups[int(cells[occupation])].split(",")[0]
        if ",".join(cells) not in tested:
            rows.append(",".join(cells))
    return [sets.write(folder / "large.csv", "\n".join(rows) + "\n")], test, schema


def census(millions):
    def make(data, folder):
        shared = folder.parent / "census"  # files are the same for every number of rows
        shared.mkdir(parents=True, exist_ok=True)
        files = out_of_memory.write_files(shared, (millions + 1) * MILLION)
        return files[1:], files[0], sets.write(shared / "schema.toml", out_of_memory.schema_text())

    return make


TABLES = {"three": three, "acs": acs, "kdd": kdd, "census-1m": census(1), "census-10m": census(10)}


class Program:
    def __init__(self, flags, folder):
        self.flags, self.folder = flags, folder

    def run(self, *arguments):
        done = subprocess.run([self.flags.program, *map(str, arguments)], capture_output=True, text=True)
        if done.returncode != 0:
            raise SystemExit(f"{' '.join(map(str, arguments))}: {done.stderr}")
        return done.stdout

    def measured(self, name, table, epsilon, seed, more):
        train, test, schema = table
        model, tiles = self.folder / "model.json", [self.folder / f"{name}.{part}.tiles" for part in ("train", "test")]
        self.run("fit", *train, "--schema", schema, "--epsilon", epsilon, "--delta", "1e-7", "--method", "sgd", "--seed", seed,
                 "--threads", self.flags.threads, "--quiet", "--overwrite", "--tiles", tiles[0], "-o", model, *more)
        told = json.loads(self.run("evaluate", model, test, "--public", "--json", "--tiles", tiles[1]))
        event = json.loads(model.read_text())["plan"]["events"][0]
        return {"log_loss": told["measures"]["log_loss"]["value"], "accuracy": told["accuracy"], "steps": event["repetitions"],
                "rate": event.get("rate", 1)}


def compared(default, whole, measure):
    """Means of both, their difference and its standard error over seeds."""
    pairs = [[each[measure] for each in fits] for fits in (default, whole)]
    means = [statistics.mean(each) for each in pairs]
    error = math.sqrt(sum(statistics.variance(each) / len(each) for each in pairs))
    return {"default": means[0], "all rows": means[1], "difference": means[0] - means[1], "standard error": error}


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("program", type=pathlib.Path)
    parser.add_argument("results", type=pathlib.Path)
    parser.add_argument("--only", nargs="*", default=list(TABLES), choices=list(TABLES))
    parser.add_argument("--seeds", type=int, default=8)
    parser.add_argument("--epsilons", type=float, nargs="*", default=[0.1, 1, 3])
    parser.add_argument("--threads", type=int, default=2)
    flags = parser.parse_args()
    flags.program = flags.program.resolve()
    data = sets.data_folder("large")
    if not data:
        return
    folder = flags.results / "large"
    folder.mkdir(parents=True, exist_ok=True)
    results = flags.results / "large.json"
    told = json.loads(results.read_text()) if results.exists() else {}
    program = Program(flags, folder)
    for name in flags.only:
        table = TABLES[name](data, folder / name)
        for epsilon in flags.epsilons:
            seeds = range(1, flags.seeds + 1)
            default = [program.measured(name, table, epsilon, seed, []) for seed in seeds]
            model = json.loads((folder / "model.json").read_text())
            all_rows = ["--batch", model["plan"]["task"]["rows"], "--steps", 1000]
            whole = [program.measured(name, table, epsilon, 100 + seed, all_rows) for seed in seeds]
            entry = {"rows": model["plan"]["task"]["rows"], "seeds": flags.seeds,
                     **{each: default[0][each] for each in ("steps", "rate")},
                     **{measure: compared(default, whole, measure) for measure in ("log_loss", "accuracy")}}
            told[f"{name}, epsilon {epsilon:g}"] = entry
            results.write_text(json.dumps(told, indent=2) + "\n")
            print(f"{name}, {entry['rows']} rows, epsilon {epsilon:g}: {entry['steps']} steps on {entry['rate']:.3g} of the rows", flush=True)
            for measure in ("log_loss", "accuracy"):
                each = entry[measure]
                print(f"  {measure}: {each['default']:.5f} default, {each['all rows']:.5f} all rows, difference "
                      f"{each['difference']:+.5f} +- {each['standard error']:.5f}", flush=True)


if __name__ == "__main__":
    main()
