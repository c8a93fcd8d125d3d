# SPDX-License-Identifier: Apache-2.0
"""What inferred bounds and values cost: `schema infer` at epsilon 0.2 and `fit` at epsilon 1 on every table of at least
10,000 rows and at most 60 columns, beside the same fit with bounds from documentation.

    python bench/accuracy/inferred.py PROGRAM FOLDER [--only adult,bank] [--seeds 5]
"""

import argparse
import json
import pathlib
import statistics
import subprocess
import tomllib

import more_sets
import optimum
import sets

INFER, FIT = 0.2, 1.0
NAMES = ["adult", "bank", "credit", "covertype", "kdd", "acs", "diabetes", "ijcnn1", "fulton-married", "california",
         "protein", "naval"]


def quoted(value):
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, list):
        return "[" + ", ".join(map(quoted, value)) + "]"
    return json.dumps(value) if isinstance(value, str) else repr(value)


def draft(schema, path, kinds):
    """The documented schema without bounds and the values of its columns, and without their kinds unless `kinds`."""
    content = tomllib.loads(pathlib.Path(schema).read_text())
    text = "version = 1\n"
    for table in ("format", "target"):
        if table in content:
            known = {k: v for k, v in content[table].items() if k not in ("lower", "upper")}
            text += f"\n[{table}]\n" + "".join(f"{k} = {quoted(v)}\n" for k, v in known.items())
    for column in content["column"]:
        text += "\n[[column]]\n"
        kept = [k for k in ("name", "names", "range") if k in column] + (["kind"] if kinds or column["kind"] == "ignore" else [])
        text += "".join(f"{k} = {quoted(column[k])}\n" for k in kept)
    path.write_text(text)
    return path


def measure(program, problem, schema, seed, folder):
    model = folder / "inferred_model.json"
    model.unlink(missing_ok=True)
    subprocess.run(
        [program, "fit", problem.train, "--schema", schema, "--epsilon", str(FIT), "--delta", str(problem.delta),
         *problem.arguments, "--seed", str(seed), "--quiet", "-o", model],
        check=True, capture_output=True,
    )
    out = subprocess.run([program, "evaluate", model, problem.test, "--public", "--json"], check=True, capture_output=True)
    found = json.loads(out.stdout)
    if problem.metric == "accuracy":
        return found["accuracy"]
    return 1 - found["root_mean_square_error"] ** 2 / optimum.target_variance(problem)


def main():
    options = argparse.ArgumentParser()
    options.add_argument("program", type=pathlib.Path)
    options.add_argument("folder", type=pathlib.Path)
    options.add_argument("--only", default=",".join(NAMES))
    options.add_argument("--seeds", type=int, default=5)
    options.add_argument("--kinds", action="store_true", help="kinds of columns are documented; only bounds and values are not")
    asked = options.parse_args()
    program, folder = asked.program.resolve(), asked.folder / "inferred"
    folder.mkdir(parents=True, exist_ok=True)
    data = sets.data_folder("inferred")
    if data is None:
        return
    print(f"{'table':<12}{'columns':>8}{'documented':>12}{'inferred':>10}{'lost':>8}{'2 se':>8}  points")
    for name in asked.only.split(","):
        problem = (sets if name in sets.PROBLEMS else more_sets).make(name, data, folder)
        sketch = draft(problem.schema, folder / f"{name}.draft.toml", asked.kinds)
        documented, inferred = [], []
        for seed in range(1, asked.seeds + 1):
            full = folder / f"{name}.{seed}.toml"
            full.unlink(missing_ok=True)
            subprocess.run(
                [program, "schema", "infer", problem.train, "--schema", sketch, "--epsilon", str(INFER), "--seed",
                 str(seed), "-o", full],
                check=True, capture_output=True,
            )
            documented.append(measure(program, problem, problem.schema, seed, folder))
            inferred.append(measure(program, problem, full, seed, folder))
        columns = sum(c["kind"] != "ignore" for c in tomllib.loads(full.read_text())["column"])
        lost = [100 * (a - b) for a, b in zip(documented, inferred)]
        error = 2 * statistics.stdev(lost) / len(lost) ** 0.5 if len(lost) > 1 else float("nan")
        print(f"{name:<12}{columns:>8}{statistics.mean(documented):>12.4f}{statistics.mean(inferred):>10.4f}"
              f"{statistics.mean(lost):>8.2f}{error:>8.2f}", flush=True)


if __name__ == "__main__":
    main()
