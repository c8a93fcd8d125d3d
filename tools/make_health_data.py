# SPDX-License-Identifier: Apache-2.0
"""Makes examples/health/health_{train,test}.csv.gz from the RAND tables in the source of statsmodels.

Usage: python3 tools/make_health_data.py FOLDER     (statsmodels/datasets/randhie of a source tree or source archive)
FOLDER/randhie.csv is the extract that statsmodels shows, FOLDER/src/randhie.csv the full table it was made from, with
the number of the person (zper), which becomes the last column, `person`. Both have the same rows in the same order.
The split looks at row numbers only: of every five blocks of 50 consecutive rows the fifth is for testing. Consecutive
rows are often the same person in consecutive years, so blocks keep most persons on one side.
"""

import csv
import gzip
import hashlib
import pathlib
import sys

EXTRACT_SHA256 = "9f6c87d05aef087a82cc4465310c8cd3f38327be6eafa43bd81fb98c4f3d088c"
FULL_SHA256 = "fe64f3c8e987779daa6052dd756d9ce277e025330f5549126c7c2f6a3c9c5541"
SHARED = ("mdvis", "idp", "lpi", "fmde", "physlm", "disea", "hlthg", "hlthf", "hlthp")
BLOCK = 50
FOLDS = 5


def checked(path: pathlib.Path, digest: str) -> str:
    text = path.read_bytes()
    if hashlib.sha256(text).hexdigest() != digest:
        sys.exit(f"{path} is not the table the example was made from")
    return text.decode()


def persons(extract: str, full: str) -> list[str]:
    """The person's number of every row, having checked that the two tables agree in what both have."""
    rows, others = list(csv.DictReader(extract.splitlines())), list(csv.DictReader(full.splitlines()))
    if len(rows) != len(others):
        sys.exit("the tables have different numbers of rows")
    for row, other in zip(rows, others):
        if any(abs(float(row[name]) - float(other[name])) > 1e-6 for name in SHARED):
            sys.exit("the tables differ in a row")
    return [other["zper"] for other in others]


def is_test_row(row: int) -> bool:
    return row // BLOCK % FOLDS == FOLDS - 1


def write(path: pathlib.Path, lines: list[str]) -> None:
    # No name and no time in the header, so that the same rows always give the same bytes.
    with open(path, "wb") as raw, gzip.GzipFile(filename="", mode="wb", compresslevel=9, fileobj=raw, mtime=0) as file:
        file.write(("\n".join(lines) + "\n").encode())
    print(f"{path}: {len(lines) - 1} rows")


def main() -> None:
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    source = pathlib.Path(sys.argv[1])
    extract = checked(source / "randhie.csv", EXTRACT_SHA256)
    header, *rows = extract.splitlines()
    full = checked(source / "src" / "randhie.csv", FULL_SHA256)
    rows = [f"{row},{person}" for row, person in zip(rows, persons(extract, full))]
    header += ",person"
    folder = pathlib.Path(__file__).resolve().parent.parent / "examples" / "health"
    write(folder / "health_train.csv.gz", [header] + [row for i, row in enumerate(rows) if not is_test_row(i)])
    write(folder / "health_test.csv.gz", [header] + [row for i, row in enumerate(rows) if is_test_row(i)])


if __name__ == "__main__":
    main()
