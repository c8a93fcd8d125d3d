# SPDX-License-Identifier: Apache-2.0
"""Parsing speed (CSV, gzip, Parquet, Arrow) and memory per row on a table of census shape, made in a temporary folder.

Environment: DPERM_BUILD (build tree with read_tiles), DPERM_RESULTS (where reading.json goes).
Usage: reading.py [ROWS]
"""
import gzip
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

import numpy as np
import pyarrow as pa
import pyarrow.csv
import pyarrow.feather
import pyarrow.parquet

LEVELS = (9, 16, 7, 15, 6, 5, 2, 42)
REALS = 6


def make_table(rows):
    generator = np.random.default_rng(1)
    columns = {f"r{j}": np.round(generator.uniform(-1, 1, rows), 4) for j in range(REALS)}
    for c, levels in enumerate(LEVELS):
        names = np.array([f"level-{k}" for k in range(levels)])
        columns[f"c{c}"] = names[generator.integers(0, levels, rows)]
    columns["label"] = np.where(generator.integers(0, 2, rows) == 1, "yes", "no")
    return pa.table(columns)


def write_schema(path):
    lines = ["version = 1", "[target]", 'column = "label"', 'kind = "binary"', 'positive = "yes"']
    for j in range(REALS):
        lines += ["[[column]]", f'name = "r{j}"', 'kind = "real"', "lower = -1", "upper = 1"]
    for c, levels in enumerate(LEVELS):
        values = ", ".join(f'"level-{k}"' for k in range(levels))
        lines += ["[[column]]", f'name = "c{c}"', 'kind = "category"', f"values = [{values}]"]
    path.write_text("\n".join(lines) + "\n")


def measure(program, schema, threads, tiles, data):
    output = subprocess.run(
        [program, schema, str(threads), str(tiles), data], check=True, capture_output=True, text=True
    ).stdout
    result = json.loads(output)
    size = os.path.getsize(data)
    result["megabytes_per_second"] = size / 1e6 / result["wall_seconds"]
    result["rows_per_second"] = result["rows"] / result["wall_seconds"]
    result["peak_bytes_per_row"] = result["peak_bytes"] / result["rows"]
    return result


def main():
    rows = int(sys.argv[1]) if len(sys.argv) > 1 else 1_000_000
    program = pathlib.Path(os.environ.get("DPERM_BUILD", "build/release")) / "bench" / "read_tiles"
    results = pathlib.Path(os.environ.get("DPERM_RESULTS", "build/bench"))
    results.mkdir(parents=True, exist_ok=True)
    report = {}
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        table = make_table(rows)
        schema = folder / "schema.toml"
        write_schema(schema)
        pa.csv.write_csv(table, folder / "data.csv", pa.csv.WriteOptions(quoting_style="none"))
        pa.parquet.write_table(table, folder / "data.parquet")
        pa.feather.write_feather(table, folder / "data.arrow", compression="uncompressed")
        with open(folder / "data.csv", "rb") as source, gzip.open(folder / "data.csv.gz", "wb", 1) as target:
            shutil.copyfileobj(source, target)
        del table
        for file in ("data.csv", "data.csv.gz", "data.parquet", "data.arrow"):
            for threads in (1, 2):
                report[f"{file}, {threads} thread{'s' * (threads > 1)}"] = measure(
                    program, schema, threads, "-", folder / file
                )
        report["data.csv into a tile file"] = measure(program, schema, 2, folder / "tiles", folder / "data.csv")
        report["tile file again"] = measure(program, schema, 2, folder / "tiles", folder / "data.csv")
    print(f"{'what':30}{'rows/s':>14}{'MB/s':>10}{'tile bytes/row':>16}{'peak bytes/row':>16}")
    for what, line in report.items():
        print(
            f"{what:30}{line['rows_per_second']:14,.0f}{line['megabytes_per_second']:10.0f}"
            f"{line['bytes_per_row']:16.1f}{line['peak_bytes_per_row']:16.1f}"
        )
    (results / "reading.json").write_text(json.dumps(report, indent=2) + "\n")


if __name__ == "__main__":
    main()
