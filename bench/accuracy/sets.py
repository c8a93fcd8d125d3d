# SPDX-License-Identifier: Apache-2.0
"""The public datasets of the accuracy table: from the folder named by DPERM_DATA to a training file, a test file and a
schema each. Splits are the published ones, else 80/20 by a fixed permutation."""

import bz2
import csv
import dataclasses
import gzip
import json
import os
import pathlib
import tarfile

import numpy

HERE = pathlib.Path(__file__).resolve().parent
REAL_DATA = HERE.parent.parent / "tests" / "real_data"
SPLIT_SEED = 20


@dataclasses.dataclass
class Problem:
    """One row block of the table: data, schema, what is asked of it."""

    name: str
    train: pathlib.Path
    test: pathlib.Path
    schema: pathlib.Path
    arguments: list  # loss and model
    delta: float
    metric: str  # accuracy or r2


def data_folder(program):
    """The folder with the datasets; where there is none, says that the program is skipped."""
    if os.environ.get("DPERM_DATA"):
        return pathlib.Path(os.environ["DPERM_DATA"])
    print(f"{program}: skipped, DPERM_DATA does not name the folder with the datasets")
    return None


def text_of(path):
    with gzip.open(path, "rt") as source:
        return source.read()


def write(path, text):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    return path


def split_lines(folder, lines, header=None):
    order = numpy.random.default_rng(SPLIT_SEED).permutation(len(lines))
    cut = len(lines) * 4 // 5
    files = []
    for name, rows in (("train.csv", order[:cut]), ("test.csv", order[cut:])):
        chosen = [lines[i] for i in rows]
        files.append(write(folder / name, "\n".join(([header] if header else []) + chosen) + "\n"))
    return files


def adult(data, folder):
    train = write(folder / "train.csv", text_of(data / "adult" / "adult.data.gz"))
    test = write(folder / "test.csv", text_of(data / "adult" / "adult.test.gz").split("\n", 1)[1])  # a remark first
    return train, test, REAL_DATA / "adult.toml"


def bank(data, folder):
    header, *lines = text_of(data / "bank_marketing" / "bank-additional-full.csv.gz").split("\n")
    return *split_lines(folder, [line for line in lines if line], header), HERE / "schemas" / "bank.toml"


def credit(data, folder):
    header, *lines = text_of(data / "credit_default" / "UCI_Credit_Card.csv.gz").split("\n")
    return *split_lines(folder, [line for line in lines if line], header), HERE / "schemas" / "credit.toml"


def kdd(data, folder):
    # 70,000 rows of the ten-percent file, as in the literature on private learning.
    lines = text_of(data / "kddcup99_10pct" / "kddcup.data_10_percent.gz").splitlines()
    chosen = numpy.random.default_rng(SPLIT_SEED).permutation(len(lines))[:70000]
    return *split_lines(folder, [lines[i] for i in chosen]), HERE / "schemas" / "kdd.toml"


def covertype(data, folder, target):
    """The 0/1 columns of wilderness and soil become two category columns."""
    rows = csv.reader(text_of(data / "covertype" / "covtype_ramp_subset_rawunits.csv.gz").splitlines())
    header = next(rows)
    lines = [
        ",".join(row[:10] + [str(row[10:14].index("1") + 1), str(row[14:54].index("1") + 1), row[54]]) for row in rows
    ]
    train, test = split_lines(folder, lines, ",".join(header[:10] + ["Wilderness", "Soil", "Cover_Type"]))
    columns = (HERE / "schemas" / "covertype_columns.toml").read_text()
    schema = write(folder / "schema.toml", f'version = 1\n\n[target]\ncolumn = "Cover_Type"\n{target}\n\n{columns}')
    return train, test, schema


def covertype_binary(data, folder):
    return covertype(data, folder, 'kind = "binary"\npositive = "2"')


def covertype_classes(data, folder):
    return covertype(data, folder, 'kind = "class"\nvalues = ["1", "2", "3", "4", "5", "6", "7"]')


def acs(data, folder):
    """50,000 persons to learn from and 50,000 others to test on; an occupation becomes its major group."""
    groups = [name.split("-")[0] for name in json.loads(text_of(data / "acs_income_2018" / "codebook.json.gz"))["Occupation"]]
    header, *lines = text_of(data / "acs_income_2018" / "acs_income_2018_coded.csv.gz").splitlines()
    occupation = header.split(",").index("Occupation")
    order = numpy.random.default_rng(SPLIT_SEED).permutation(len(lines))

    def row(line):
        cells = line.split(",")
        cells[occupation] = groups[int(cells[occupation])].split(",")[0]
        return ",".join(cells)

    files = [
        write(folder / name, "\n".join([header] + [row(lines[i]) for i in rows]) + "\n")
        for name, rows in (("train.csv", order[:50000]), ("test.csv", order[50000:100000]))
    ]
    return *files, HERE / "schemas" / "acs.toml"


def diabetes(data, folder):
    header, *lines = text_of(data / "diabetes130" / "diabetic_data.csv.gz").splitlines()
    return *split_lines(folder, lines, header), HERE / "schemas" / "diabetes.toml"


def ijcnn1(data, folder):
    """From LIBSVM to CSV: what a line does not mention is 0."""
    files = []
    for name, part in (("train.csv", "trn"), ("test.csv", "tst")):
        lines = [",".join([f"i{j}" for j in range(1, 11)] + [f"r{j}" for j in range(1, 13)] + ["label"])]
        for line in bz2.decompress((data / "ijcnn1" / f"ijcnn1.{part}.bz2").read_bytes()).decode().splitlines():
            label, *pairs = line.split()
            cells = ["0"] * 22 + [str(int(float(label)))]
            for pair in pairs:
                index, value = pair.split(":")
                cells[int(index) - 1] = value
            lines.append(",".join(cells))
        files.append(write(folder / name, "\n".join(lines) + "\n"))
    return *files, HERE / "schemas" / "ijcnn1.toml"


def california(data, folder):
    lines = text_of(data / "california_housing" / "cal_housing.data.gz").split("\n")
    return *split_lines(folder, [line for line in lines if line]), REAL_DATA / "california.toml"


def protein(data, folder):
    with tarfile.open(data / "uci_regression_splits" / "UCI_Datasets.tar.gz") as archive:
        def member(name):
            return archive.extractfile(f"UCI_Datasets/protein-tertiary-structure/data/{name}").read().decode()

        lines = [" ".join(line.split()) for line in member("data.txt").splitlines() if line.strip()]
        parts = [[int(float(i)) for i in member(f"index_{part}_0.txt").split()] for part in ("train", "test")]
    files = [
        write(folder / f"{name}.csv", "\n".join(lines[i] for i in rows) + "\n") for name, rows in zip(("train", "test"), parts)
    ]
    return *files, HERE / "schemas" / "protein.toml"


def idx_file(path, header_bytes):
    with gzip.open(path, "rb") as source:
        return numpy.frombuffer(source.read(), dtype=numpy.uint8, offset=header_bytes)


def mnist(data, folder):
    import pyarrow
    import pyarrow.parquet

    files = []
    for name, part in (("train", "train"), ("test", "t10k")):
        pixels = idx_file(data / "mnist" / f"{part}-images-idx3-ubyte.gz", 16).reshape(-1, 784)
        labels = idx_file(data / "mnist" / f"{part}-labels-idx1-ubyte.gz", 8)
        columns = {str(j + 1): pixels[:, j] for j in range(784)} | {"digit": labels.astype(str)}
        files.append(folder / f"{name}.parquet")
        folder.mkdir(parents=True, exist_ok=True)
        pyarrow.parquet.write_table(pyarrow.table(columns), files[-1])
    digits = ", ".join(f'"{digit}"' for digit in range(10))
    schema = f'version = 1\n\n[target]\ncolumn = "digit"\nkind = "class"\nvalues = [{digits}]\n\n'
    schema += '[[column]]\nrange = [1, 784]\nkind = "integer"\nlower = 0\nupper = 255\nzero = "lower"\n'
    return *files, write(folder / "schema.toml", schema)


# name: (maker, loss and model, delta, metric)
PROBLEMS = {
    "adult": (adult, ["--loss", "logistic"], 1e-6, "accuracy"),
    "adult-svm": (adult, ["--loss", "smoothed-hinge"], 1e-6, "accuracy"),
    "bank": (bank, ["--loss", "logistic"], 1e-6, "accuracy"),
    "bank-svm": (bank, ["--loss", "smoothed-hinge"], 1e-6, "accuracy"),
    "credit": (credit, ["--loss", "logistic"], 1e-6, "accuracy"),
    "covertype": (covertype_binary, ["--loss", "logistic"], 1e-6, "accuracy"),
    "covertype-svm": (covertype_binary, ["--loss", "smoothed-hinge"], 1e-6, "accuracy"),
    "kdd": (kdd, ["--loss", "logistic"], 1e-6, "accuracy"),
    "kdd-svm": (kdd, ["--loss", "smoothed-hinge"], 1e-6, "accuracy"),
    "acs": (acs, ["--loss", "logistic"], 1e-6, "accuracy"),
    "diabetes": (diabetes, ["--loss", "logistic"], 1e-6, "accuracy"),
    "ijcnn1": (ijcnn1, ["--loss", "logistic"], 1e-6, "accuracy"),
    "california": (california, ["--loss", "squared"], 1e-6, "r2"),
    "protein": (protein, ["--loss", "squared"], 1e-6, "r2"),
    "covertype-softmax": (covertype_classes, ["--loss", "softmax"], 1e-6, "accuracy"),
    "mnist-softmax": (mnist, ["--loss", "softmax"], 2.8e-10, "accuracy"),  # 1/n^2
    "covertype-mlp": (covertype_classes, ["--loss", "softmax", "--hidden", "64"], 1e-6, "accuracy"),
    "mnist-mlp": (mnist, ["--loss", "softmax", "--hidden", "256", "--neighbours", "add-remove"], 1e-5, "accuracy"),
}


def make(name, data, folder):
    maker, arguments, delta, metric = PROBLEMS[name]
    train, test, schema = maker(data, folder / maker.__name__)
    return Problem(name, train, test, schema, arguments, delta, metric)
