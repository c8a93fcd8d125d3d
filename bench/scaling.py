# SPDX-License-Identifier: Apache-2.0
"""How `dperm fit` grows: processor time against rows (slope of a line through the logarithms; 1 is linear), and peak
memory against steps, batch and hypotheses. Tables are made in a temporary folder and encoded once, so that parsing is not
measured. Writes scaling.json.

    python bench/scaling.py PROGRAM RESULTS [--largest 20] [--largest-default 18]
"""

import argparse
import json
import math
import pathlib
import subprocess
import sys
import tempfile

import numpy

COLUMNS = 10
BUDGET = ["--epsilon", "1", "--delta", "1e-7"]
PURE = ["--epsilon", "1", "--delta", "0"]

# name: (target, arguments for n rows). The work per row is the same for every n.
FIXED = {
    "sufficient-statistics": ("real", lambda n: [*BUDGET, "--method", "sufficient-statistics"]),
    "objective-perturbation": ("label", lambda n: [*BUDGET, "--method", "objective-perturbation"]),
    "gradient-descent, 50 steps": ("label", lambda n: [*BUDGET, "--method", "gradient-descent", "--steps", 50]),
    "output-perturbation, 50 passes": ("label", lambda n: [*BUDGET, "--method", "output-perturbation", "--solver",
                                                           "gradient-descent", "--passes", 50]),
    "sgd, 160 steps of n/16 rows": ("label", lambda n: [*BUDGET, "--method", "sgd", "--steps", 160, "--batch", n // 16]),
    "sgd, 32 hidden units": ("label", lambda n: [*BUDGET, "--method", "sgd", "--steps", 32, "--batch", n // 16, "--hidden", 32]),
    "exponential, 2^17 thresholds": ("label", lambda n: [*PURE, "--loss", "zero-one", "--class", "thresholds(x0)"]),
    "exponential, 2^32 thresholds": ("label", lambda n: [*PURE, "--loss", "zero-one", "--class", f"thresholds(x0, parts={2**31})"]),
    "exponential, stumps on 10 columns": ("label", lambda n: [*PURE, "--loss", "zero-one", "--class", "stumps"]),
    "exponential, median among 2^31 points": ("alone", lambda n: [*PURE, "--loss", "absolute", "--method", "exponential"]),
}
DEFAULTS = {
    "gradient-descent": ("label", lambda n: [*BUDGET, "--method", "gradient-descent"]),
    "output-perturbation": ("label", lambda n: [*BUDGET, "--method", "output-perturbation"]),
    "sgd": ("label", lambda n: [*BUDGET, "--method", "sgd"]),
}
# What should not matter to memory: (name, target, little, much).
MEMORY = [
    ("gradient-descent, 20 and 200 steps", "label", *([*BUDGET, "--method", "gradient-descent", "--steps", t] for t in (20, 200))),
    ("gradient-descent on 2 threads, 2,000 and 20,000 steps", "label",
     *([*BUDGET, "--method", "gradient-descent", "--threads", 2, "--steps", t] for t in (2000, 20000))),
    ("sgd, 20 and 200 steps", "label", *([*BUDGET, "--method", "sgd", "--batch", 4096, "--steps", t] for t in (20, 200))),
    ("sgd, batches of 4,096 and 40,960", "label", *([*BUDGET, "--method", "sgd", "--batch", b, "--steps", 20] for b in (4096, 40960))),
    ("sgd, 32 hidden units, batches of 4,096 and 40,960", "label",
     *([*BUDGET, "--method", "sgd", "--batch", b, "--steps", 20, "--hidden", 32] for b in (4096, 40960))),
    ("permutation SGD, batches of 64 and 640", "label",
     *([*BUDGET, "--method", "output-perturbation", "--solver", "permutation-sgd", "--passes", 2, "--batch", b] for b in (64, 640))),
    ("median among 2^24 and 2^31 points", "alone",
     *([*PURE, "--loss", "absolute", "--method", "exponential", "--grid-bits", b] for b in (24, 31))),
    ("intervals, 2,081 and 131,329 rules", "label",
     *([*PURE, "--loss", "zero-one", "--class", f"intervals(x0, parts={parts})"] for parts in (64, 512))),
    ("thresholds, 2^17 and 2^32 rules", "label",
     *([*PURE, "--loss", "zero-one", "--class", f"thresholds(x0, parts={parts})"] for parts in (65535, 2**31))),
    ("thresholds on 1 column and on 10, 131,072 and 1,310,720 rules", "label",
     *([*PURE, "--loss", "zero-one", "--class", c] for c in ("thresholds(x0)", "stumps"))),
]

# Peak memory counts what a process was before it became the program, so a small one starts it.
LAUNCHER = """
import os, sys
child = os.spawnv(os.P_NOWAIT, sys.argv[1], sys.argv[1:])
_, status, usage = os.wait4(child, 0)
print(os.waitstatus_to_exitcode(status), usage.ru_utime + usage.ru_stime, usage.ru_maxrss * 1024)
"""


class Bench:
    def __init__(self, program, folder):
        self.program, self.folder = program, folder
        self.made = set()

    def table(self, rows):
        import pyarrow
        import pyarrow.feather

        path = self.folder / f"{rows}.arrow"
        if not path.exists():
            generator = numpy.random.default_rng(rows)
            x = generator.uniform(-1, 1, (rows, COLUMNS))
            score = x @ numpy.linspace(-2, 2, COLUMNS)
            columns = {f"x{j}": x[:, j] for j in range(COLUMNS)}
            columns["label"] = (score + generator.logistic(size=rows) > 0).astype(numpy.int8)
            columns["real"] = numpy.clip(score / 6 + generator.normal(0, 0.2, rows), -1, 1)
            columns["alone"] = columns["real"]
            pyarrow.feather.write_feather(pyarrow.table(columns), path, compression="uncompressed")
        return path

    def schema(self, target):
        path = self.folder / f"{target}.toml"
        text = f'version = 1\n[target]\ncolumn = "{target}"\n'
        text += 'kind = "binary"\npositive = "1"\n' if target == "label" else 'kind = "real"\nlower = -1\nupper = 1\n'
        if target != "alone":
            names = json.dumps([f"x{j}" for j in range(COLUMNS)])
            text += f'[[column]]\nnames = {names}\nkind = "real"\nlower = -1\nupper = 1\n'
        path.write_text(text)
        return path

    def fit(self, rows, target, arguments):
        """Processor seconds and peak memory of one fit from encoded rows."""
        command = [self.program, "fit", self.table(rows), "--schema", self.schema(target), "--tiles", self.folder / f"{target}.{rows}.tiles",
                   *([] if "--threads" in arguments else ["--threads", 1]), "--seed", 1, "--quiet", "-o", self.folder / "model.json", *arguments]
        key = (rows, target)
        if key not in self.made:  # the first fit encodes the rows
            self.made.add(key)
            self.fit(rows, target, arguments)
        (self.folder / "model.json").unlink(missing_ok=True)  # a fit does not replace a model
        done = subprocess.run([sys.executable, "-I", "-S", "-c", LAUNCHER, *map(str, command)], capture_output=True, text=True, check=True)
        code, seconds, peak = done.stdout.split()
        if code != "0":
            raise SystemExit(f"{' '.join(map(str, command))}: {done.stderr}")
        return float(seconds), int(peak)

    def passes(self):
        """How often the last fit looked at a row, as its plan says; nothing where that depends on the rows."""
        plan = json.loads((self.folder / "model.json").read_text())["plan"]
        event = plan["events"][-1]
        if event["mechanism"] == "sampled-gaussian":
            return event["repetitions"] * event["rate"]
        told = [step["value"] for step in plan["derivation"] if step["quantity"] == "passes"]
        return told[0] if told else event["repetitions"] if event["repetitions"] > 1 else None


def slope(rows, seconds):
    """Of log(seconds - those of the smallest table, which are mostly start-up) against log(rows), three largest tables."""
    pairs = [(math.log(n), math.log(t - seconds[0])) for n, t in zip(rows[-3:], seconds[-3:]) if t > seconds[0]]
    if len(pairs) < 2:
        return None
    x, y = zip(*pairs)
    return float(numpy.polyfit(x, y, 1)[0])


def grow(bench, cases, sizes):
    results = []
    for name, (target, arguments) in cases.items():
        rows = [1 << k for k in sizes]
        measured, passes = [], []
        for n in rows:
            measured.append(bench.fit(n, target, arguments(n)))
            passes.append(bench.passes())
        seconds = [each[0] for each in measured]
        results.append({"case": name, "rows": rows, "seconds": seconds, "peak_bytes": [each[1] for each in measured],
                        "passes": passes, "slope": slope(rows, seconds)})
        shown = " | ".join(f"{t:.2f}" for t in seconds)
        told = "" if passes[-1] is None else f" | {' '.join(f'{p:.0f}' for p in passes)}"
        found = "-" if results[-1]["slope"] is None else f"{results[-1]['slope']:.2f}"
        print(f"| {name} | {shown} | {found} | {measured[-1][1] / 2**20:.0f}{told} |", flush=True)
    return results


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("program", type=pathlib.Path)
    parser.add_argument("results", type=pathlib.Path)
    parser.add_argument("--largest", type=int, default=20, help="power of two of the rows")
    parser.add_argument("--largest-default", type=int, default=18, help="the same for default numbers of steps")
    flags = parser.parse_args()
    flags.results.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as folder:
        bench = Bench(flags.program.resolve(), pathlib.Path(folder))
        sizes = list(range(12, flags.largest + 1, 2))
        print("| seconds with rows: | " + " | ".join(f"2^{k}" for k in sizes) + " | slope | MiB |")
        report = {"fixed": grow(bench, FIXED, sizes)}
        sizes = list(range(12, flags.largest_default + 1, 2))
        print("| defaults: | " + " | ".join(f"2^{k}" for k in sizes) + " | slope | MiB | passes |")
        report["defaults"] = grow(bench, DEFAULTS, sizes)
        report["memory"] = []
        for name, target, little, much in MEMORY:
            peaks = [bench.fit(1 << flags.largest_default, target, arguments)[1] for arguments in (little, much)]
            report["memory"].append({"case": name, "peak_bytes": peaks})
            print(f"| {name} | {peaks[0] / 2**20:.1f} | {peaks[1] / 2**20:.1f} |", flush=True)
    (flags.results / "scaling.json").write_text(json.dumps(report, indent=2) + "\n")


if __name__ == "__main__":
    main()
