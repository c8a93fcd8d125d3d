# SPDX-License-Identifier: Apache-2.0
"""Census-shaped rows in many Parquet files, to tiles in a mapped file and to a model: processor and wall time of both halves
and peak memory, for a small and a large number of rows. With --peers also scikit-learn's SGDClassifier (file by file, one
pass) and diffprivlib's logistic regression (all rows in memory), where they are installed.

    python bench/out_of_memory.py PROGRAM FOLDER [--rows 1000000 100000000] [--peers 1000000] [--threads 2]

FOLDER needs about 30 bytes a row for the files and 25 for the tiles. Files that are there already are used again, and
nothing is deleted. Writes FOLDER/out_of_memory.json.
"""

import argparse
import json
import pathlib
import resource
import subprocess
import sys
import time

import numpy
import pyarrow
import pyarrow.parquet

NUMBERS = 6
LEVELS = (9, 16, 7, 15, 6, 5, 2, 42)
FILE_ROWS = 1_000_000
BUDGET = ["--epsilon", "1", "--delta", "1e-9"]

# Peak memory counts what a process was before it became the program, so a small one starts it.
LAUNCHER = """
import os, sys, time
start = time.perf_counter()
child = os.spawnv(os.P_NOWAIT, sys.argv[1], sys.argv[1:])
_, status, usage = os.wait4(child, 0)
print(os.waitstatus_to_exitcode(status), time.perf_counter() - start, usage.ru_utime + usage.ru_stime, usage.ru_maxrss * 1024)
"""


def schema_text():
    text = 'version = 1\n[target]\ncolumn = "label"\nkind = "binary"\npositive = "1"\n'
    for j in range(NUMBERS):
        text += f'[[column]]\nname = "x{j}"\nkind = "real"\nlower = -3\nupper = 3\n'
    for c, levels in enumerate(LEVELS):
        values = json.dumps([f"v{level}" for level in range(levels)])
        text += f'[[column]]\nname = "c{c}"\nkind = "category"\nvalues = {values}\n'
    return text


def truth():
    draw = numpy.random.default_rng(7)
    return draw.normal(0, 0.4, NUMBERS), [draw.normal(0, 0.4, levels) for levels in LEVELS]


def table(number):
    """The rows of one file: (numbers, codes, labels)."""
    draw = numpy.random.default_rng(1000 + number)
    slopes, effects = truth()
    numbers = draw.standard_normal((NUMBERS, FILE_ROWS), dtype=numpy.float32)
    codes = [draw.integers(0, levels, FILE_ROWS, dtype=numpy.int8) for levels in LEVELS]
    score = slopes @ numbers - 0.5
    for effect, code in zip(effects, codes):
        score += effect[code]
    labels = (score + draw.logistic(size=FILE_ROWS) > 0).astype(numpy.int8)
    return numbers, codes, labels


def write_files(folder, rows):
    files = []
    for number in range(rows // FILE_ROWS):
        path = folder / f"census.{number:04}.parquet"
        files.append(path)
        if path.exists():
            continue
        numbers, codes, labels = table(number)
        columns = {f"x{j}": numbers[j] for j in range(NUMBERS)}
        for c, code in enumerate(codes):
            values = pyarrow.array([f"v{level}" for level in range(LEVELS[c])])
            columns[f"c{c}"] = pyarrow.DictionaryArray.from_arrays(pyarrow.array(code), values)
        columns["label"] = labels
        unfinished = path.with_suffix(".part")
        pyarrow.parquet.write_table(pyarrow.table(columns), unfinished, compression="none",
                                    use_dictionary=[f"c{c}" for c in range(len(LEVELS))])
        unfinished.rename(path)
    return files


def run(program, arguments):
    done = subprocess.run([sys.executable, "-I", "-S", "-c", LAUNCHER, program, *map(str, arguments)],
                          capture_output=True, text=True, check=True)
    lines = done.stdout.split("\n")
    code, wall, processor, peak = lines[-2].split()
    if code != "0":
        raise SystemExit(f"{' '.join(map(str, arguments))}: {done.stderr}")
    return {"wall": float(wall), "processor": float(processor), "peak_bytes": int(peak)}


def measure(flags, folder, rows):
    """Encoding and fitting apart: the second fit finds its tiles ready."""
    files = write_files(folder, rows)
    schema = folder / "schema.toml"
    schema.write_text(schema_text())
    tiles = folder / f"{rows}.tiles"
    tiles.unlink(missing_ok=True)
    model = folder / "model.json"
    common = ["fit", *files, "--schema", schema, *BUDGET, "--tiles", tiles, "--threads", flags.threads, "--seed", 1,
              "--quiet", "--overwrite", "-o", model]
    whole = run(flags.program, common)
    ready = run(flags.program, common)
    result = {"rows": rows, "whole": whole, "tiles_ready": ready, "tiles_bytes": tiles.stat().st_size,
              "method": json.loads(model.read_text())["plan"]["method"]}
    for what in ("whole", "tiles_ready"):
        each = result[what]
        print(f"{rows:>12} rows, {what:<12} {each['wall']:8.1f} s wall {each['processor']:8.1f} s processor "
              f"{1e9 * each['processor'] / rows:7.0f} ns a row {each['peak_bytes'] / 2**30:6.2f} GiB", flush=True)
    return result


def one_hot(numbers, codes):
    X = numpy.zeros((numbers.shape[1], NUMBERS + sum(LEVELS)), dtype=numpy.float32)
    X[:, :NUMBERS] = numbers.T
    first = NUMBERS
    for levels, code in zip(LEVELS, codes):
        X[numpy.arange(len(code)), first + code] = 1
        first += levels
    return X


def peers(rows):
    """Seconds of one process, making the features from arrays in memory not counted."""
    results = {}
    from sklearn.linear_model import SGDClassifier

    model = SGDClassifier(loss="log_loss", random_state=1)
    spent = 0.0
    for number in range(max(1, rows // FILE_ROWS)):
        numbers, codes, labels = table(number)
        X = one_hot(numbers[:, :rows], [code[:rows] for code in codes])
        start = time.process_time()
        model.partial_fit(X, labels[:rows], classes=[0, 1])
        spent += time.process_time() - start
    results["sklearn SGDClassifier, one pass"] = spent
    try:
        import diffprivlib.models
    except ImportError:
        pass
    else:
        numbers, codes, labels = table(0)
        take = min(rows, FILE_ROWS)
        X = one_hot(numbers[:, :take], [code[:take] for code in codes]).astype(numpy.float64)
        start = time.process_time()
        diffprivlib.models.LogisticRegression(epsilon=1, data_norm=20.0).fit(X, labels[:take])
        results[f"diffprivlib LogisticRegression, {take} rows"] = time.process_time() - start
    results["peak_bytes"] = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
    for name, value in results.items():
        print(f"{rows:>12} rows, {name}: {value:.1f}", flush=True)
    return {"rows": rows, **results}


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("program")
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--rows", type=int, nargs="*", default=[1_000_000, 100_000_000], help="multiples of a million")
    parser.add_argument("--peers", type=int, nargs="*", default=[])
    parser.add_argument("--threads", type=int, default=2)
    flags = parser.parse_args()
    flags.folder.mkdir(parents=True, exist_ok=True)
    results = {"fits": [measure(flags, flags.folder, rows) for rows in flags.rows], "peers": [peers(n) for n in flags.peers]}
    (flags.folder / "out_of_memory.json").write_text(json.dumps(results, indent=2) + "\n")


if __name__ == "__main__":
    main()
