# SPDX-License-Identifier: Apache-2.0
"""The accuracy table: mean and deviation over seeds of test accuracy (or R2) for every method that applies, for `auto`
and for the optimum without privacy, on the public datasets of DPERM_DATA. Writes accuracy.json, accuracy.md and
accuracy.svg; what accuracy.json holds already is kept unless it is measured again, so that a table may be made in
parts: problem by problem, or method by method.

    python bench/accuracy/run.py PROGRAM RESULTS [--only NAME ...] [--methods NAME ...] [--seeds 10]
        [--epsilons 0.1 0.5 1 3]
"""

import argparse
import json
import pathlib
import statistics
import subprocess
import sys
import time

import optimum
import page
import picture
import sets


# A method whose first fit takes longer than this is measured with SLOW_SEEDS seeds; the table says how many.
SLOW_SECONDS = 60
SLOW_SEEDS = 2


class Dperm:
    """The program, with encoded rows kept beside the data so that a second run skips parsing."""

    def __init__(self, program, folder):
        self.program, self.folder = program, folder

    def run(self, *arguments):
        return subprocess.run([self.program, *map(str, arguments)], capture_output=True, text=True)

    def methods(self, problem, epsilon):
        """Names of the methods that apply, best first, so that the first is what `auto` takes."""
        rows = optimum.row_count(problem.train)
        plan = self.run("plan", "--schema", problem.schema, "--rows", rows, *self.task(problem, epsilon), "--json")
        if plan.returncode != 0:
            raise SystemExit(f"{problem.name}: {plan.stderr}")
        return [entry["method"] for entry in json.loads(plan.stdout) if "plan" in entry]

    def task(self, problem, epsilon):
        return ["--epsilon", epsilon, "--delta", problem.delta, *problem.arguments]

    def score(self, problem, epsilon, method, seed):
        model = self.folder / "model.json"
        model.unlink(missing_ok=True)  # a fit does not replace a model
        tiles = [problem.schema.with_name(f"{problem.name}.{part}.tiles") for part in ("train", "test")]
        tiles = [self.folder / tile.name for tile in tiles]
        fit = self.run("fit", problem.train, "--schema", problem.schema, *self.task(problem, epsilon), "--method",
                       method, "--seed", seed, "--quiet", "--tiles", tiles[0], "-o", model)
        if fit.returncode != 0:
            raise SystemExit(f"{problem.name}, {method}: {fit.stderr}")
        report = json.loads(self.run("evaluate", model, problem.test, "--public", "--json", "--tiles", tiles[1]).stdout)
        if problem.metric == "accuracy":
            return report["accuracy"]
        return 1 - report["root_mean_square_error"] ** 2 / optimum.target_variance(problem)


def measure(dperm, problem, epsilons, seeds, methods, before):
    result = {"problem": problem.name, "metric": problem.metric, "delta": problem.delta,
              "optimum": optimum.score(problem), "trivial": optimum.trivial(problem), "epsilons": []}
    for epsilon in epsilons:
        names = dperm.methods(problem, epsilon)
        kept = next((each["methods"] for each in before.get("epsilons", []) if each["epsilon"] == epsilon), {})
        entry = {"epsilon": epsilon, "auto": names[0], "methods": {}}
        for name in names:
            if methods and name not in methods:
                if name in kept:
                    entry["methods"][name] = kept[name]
                continue
            start = time.perf_counter()
            scores = [dperm.score(problem, epsilon, name, 1)]
            count = min(seeds, SLOW_SEEDS) if time.perf_counter() - start > SLOW_SECONDS else seeds
            scores += [dperm.score(problem, epsilon, name, seed) for seed in range(2, count + 1)]
            entry["methods"][name] = {"mean": statistics.mean(scores), "seeds": count,
                                      "deviation": statistics.stdev(scores) if count > 1 else 0}
        result["epsilons"].append(entry)
        print_block(result, entry)
    return result


def print_block(result, entry):
    reference = "-" if result["optimum"] is None else f"{result['optimum']:.4f}"
    print(f"{result['problem']}, {result['metric']}, epsilon {entry['epsilon']:g}, without privacy {reference}, trivial "
          f"{result['trivial']:.4f}")
    for name, each in entry["methods"].items():
        print(f"  {'auto: ' if name == entry['auto'] else '':>6}{name:<26}{each['mean']:.4f} +- {each['deviation']:.4f}"
              f"  ({each['seeds']} seeds)")
    sys.stdout.flush()


def flag_parser(description, names, seeds):
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument("program", type=pathlib.Path)
    parser.add_argument("results", type=pathlib.Path)
    parser.add_argument("--only", nargs="*", default=names, choices=names)
    parser.add_argument("--seeds", type=int, default=seeds)
    parser.add_argument("--epsilons", type=float, nargs="*", default=[0.1, 0.5, 1, 3])
    return parser


def main():
    parser = flag_parser(__doc__, list(sets.PROBLEMS), 10)
    parser.add_argument("--methods", nargs="*", default=[], help="measure these alone")
    flags = parser.parse_args()
    data = sets.data_folder("accuracy")
    if not data:
        return
    folder = flags.results / "accuracy"
    folder.mkdir(parents=True, exist_ok=True)
    dperm = Dperm(flags.program.resolve(), folder)
    results = flags.results / "accuracy.json"
    measured = {block["problem"]: block for block in (json.loads(results.read_text()) if results.exists() else [])}
    for name in flags.only:
        problem = sets.make(name, data, folder)
        measured[name] = measure(dperm, problem, flags.epsilons, flags.seeds, flags.methods, measured.get(name, {}))
        table = [measured[each] for each in sets.PROBLEMS if each in measured]
        results.write_text(json.dumps(table, indent=2) + "\n")
        (flags.results / "accuracy.md").write_text(page.write(table))
        (flags.results / "accuracy.svg").write_text(picture.draw(table))


if __name__ == "__main__":
    main()
