# SPDX-License-Identifier: Apache-2.0
"""Makes examples/health/health_{train,test}.csv.gz from the RAND table that statsmodels bundles.

Usage: python3 tools/make_health_data.py [randhie.csv]     (without an argument: the copy inside statsmodels)
The split looks at row numbers only: of every five blocks of 50 consecutive rows the fifth is for testing. Consecutive
rows are often the same person in consecutive years, so blocks keep most persons on one side.
"""

import gzip
import hashlib
import importlib.util
import pathlib
import sys

SOURCE_SHA256 = "9f6c87d05aef087a82cc4465310c8cd3f38327be6eafa43bd81fb98c4f3d088c"
BLOCK = 50
FOLDS = 5


def source_path() -> pathlib.Path:
    if len(sys.argv) > 1:
        return pathlib.Path(sys.argv[1])
    found = importlib.util.find_spec("statsmodels")
    if found is None or found.origin is None:
        sys.exit("statsmodels is not installed here; name the file randhie.csv as an argument")
    return pathlib.Path(found.origin).parent / "datasets" / "randhie" / "randhie.csv"


def is_test_row(row: int) -> bool:
    return row // BLOCK % FOLDS == FOLDS - 1


def write(path: pathlib.Path, lines: list[bytes]) -> None:
    # No name and no time in the header, so that the same rows always give the same bytes.
    with open(path, "wb") as raw, gzip.GzipFile(filename="", mode="wb", compresslevel=9, fileobj=raw, mtime=0) as file:
        file.write(b"\n".join(lines) + b"\n")
    print(f"{path}: {len(lines) - 1} rows")


def main() -> None:
    text = source_path().read_bytes()
    if hashlib.sha256(text).hexdigest() != SOURCE_SHA256:
        sys.exit(f"{source_path()} is not the table the example was made from")
    header, *rows = text.splitlines()
    folder = pathlib.Path(__file__).resolve().parent.parent / "examples" / "health"
    write(folder / "health_train.csv.gz", [header] + [row for i, row in enumerate(rows) if not is_test_row(i)])
    write(folder / "health_test.csv.gz", [header] + [row for i, row in enumerate(rows) if is_test_row(i)])


if __name__ == "__main__":
    main()
