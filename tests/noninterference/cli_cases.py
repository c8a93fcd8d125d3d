# SPDX-License-Identifier: Apache-2.0
"""What the program is asked, as lists of commands that run in one folder. `table.csv` holds the records."""

import gzip
import pathlib
import tempfile

import observe
import records
from records import golden_cases

QUICK = ["--epsilon", "1", "--delta", "1e-6", "--method", "gradient-descent", "--steps", "3", "--threads", "1"]
LEDGER = ["--ledger", "ledger.db", "--dataset", "people"]
JUDGED = ["evaluate", "ready.json", "table.csv"]
INFER = ["schema", "infer", "table.csv", "--target", "sick", "--positive", "yes", "--epsilon", "4", "--delta", "1e-6"]


def fit(schema: str, *more, data: str = "table.csv") -> list:
    return ["fit", data, "--schema", f"{schema}.toml", *QUICK, *more]


# Every algorithm, every loss and every kind of noise.
FITS = {
    name: [["fit", "table.csv", *arguments, "--details", "-o", "model.json"]]
    for name, arguments in golden_cases.CASES.items()
}

FLOWS = {
    "summary, page and what follows from the model": [
        fit("dated", "-o", "model.json", "--report", "page.html"), ["verify", "model.json"], ["explain", "model.json"],
        ["report", "model.json", "-o", "again.html"], ["account", "--file", "model.json", "--delta", "1e-6"],
        ["verify", "model.json", "--json"]],
    "JSON": [fit("dated", "--json")],
    "quiet": [fit("dated", "--quiet", "-o", "model.json")],
    "threads": [["fit", "table.csv", "--schema", "dated.toml", "--epsilon", "1", "--delta", "1e-6", "-o", "model.json"]],
    "tiles": [fit("dated", "--tiles", "rows.tiles", "-o", "model.json"), fit("dated", "--tiles", "rows.tiles", "-o", "again.json")],
    "held-out rows": [fit("dated", "--holdout", "0.3", "--holdout-groups", "city", "--details", "-o", "model.json")],
    "persons": [fit("persons", "--details", "-o", "model.json"), fit("persons", "--holdout", "0.3", "-o", "held.json")],
    "evaluation": [
        [*JUDGED, "--epsilon", "1"], [*JUDGED, "--epsilon", "1", "--json"], [*JUDGED, "--epsilon", "1", "--groups", "city"],
        [*JUDGED, "--epsilon", "1", "--metric", "accuracy"], [*JUDGED, "--epsilon", "1", "--metric", "auc"],
        [*JUDGED, "--epsilon", "1", "--delta", "1e-6", "--threshold", "0.4"]],
    "evaluation of a number": [["evaluate", "ready_cost.json", "table.csv", "--epsilon", "1"]],
    "evaluation of classes": [["evaluate", "ready_ward.json", "table.csv", "--epsilon", "1"]],
    "questions about columns": [[*INFER, "-o", "inferred.toml"]],
    "ledger": [
        fit("sick", *LEDGER, "--request-id", "one", "-o", "model.json"), fit("sick", *LEDGER, "--request-id", "one", "-o", "again.json"),
        [*JUDGED, "--epsilon", "1", *LEDGER, "--request-id", "two"],
        ["fit", "table.csv", "--schema", "sick.toml", "--epsilon", "50", "--delta", "1e-6", *LEDGER, "-o", "refused.json"],
        ["ledger", "show", "ledger.db"], ["ledger", "show", "ledger.db", "--json"], ["ledger", "history", "ledger.db"],
        ["ledger", "export", "ledger.db"], ["ledger", "enter", "ledger.db", "people", "ready.json"],
        ["ledger", "show", "ledger.db"]],
    "questions about columns, counted": [
        [*INFER, *LEDGER, "--request-id", "one", "-o", "inferred.toml"], ["ledger", "history", "ledger.db"]],
    "ledger of a tuned model": [
        ["fit", "table.csv", *golden_cases.CASES["tuned_descent"], *LEDGER, "-o", "model.json"],
        ["ledger", "history", "ledger.db"], ["ledger", "export", "ledger.db"]],
    "ledger named by the schema": [fit("named", "--ledger", "ledger.db", "-o", "model.json"), ["ledger", "export", "ledger.db"]],
    "refusals": [
        fit("sick", "-o", "none/model.json"), fit("absent", "-o", "model.json"), fit("sick", "-o", "table.csv"),
        ["fit", "table.csv", "--schema", "sick.toml", "--epsilon", "0", "--delta", "1e-6", "-o", "model.json"],
        fit("sick", "--loss", "squared", "-o", "model.json"), fit("other", "-o", "model.json"),
        ["evaluate", "ready.json", "table.csv"], ["schema", "infer", "table.csv", "--target", "nothing", "--epsilon", "1", "-o", "x.toml"],
        ["fit", "table.csv", "--schema", "table.csv", "--epsilon", "1", "--delta", "1e-6", "-o", "model.json"],
        ["verify", "table.csv"]],
}  # fmt: skip


# Questions about columns are asked before a schema says what cells mean: no two records are alike for them.
NEVER_ALIKE = {name for name, commands in FLOWS.items() if any(command[:2] == INFER[:2] for command in commands)} - {"refusals"}


def prepared() -> dict[str, bytes]:
    """Files that every run finds: schemas, rules, models of other rows, and a ledger with one dataset."""
    inputs = {**records.schemas(), "rules.txt": golden_cases.RULES.encode()}
    inputs["other.toml"] = inputs["sick.toml"].replace(b'"income"', b'"wealth"')
    with tempfile.TemporaryDirectory(prefix="dperm_nonint_") as place:
        folder = observe.Folder(pathlib.Path(place) / "run")
        table = {"table.csv": records.table(records.line(records.ORDINARY), "middle")}
        made = folder.run(
            [fit("sick", "-o", "ready.json"), fit("cost", "-o", "ready_cost.json"), fit("ward", "-o", "ready_ward.json"),
             ["ledger", "create", "ledger.db"], ["ledger", "register", "ledger.db", "people", "--epsilon", "30", "--delta", "1e-3"]],
            {**inputs, **table},
        )  # fmt: skip
        wrong = {name: text for name, text in made.items() if name.endswith("status") and text != b"0"}
        if wrong:
            raise RuntimeError(f"what every run needs could not be made: {made}")
        for name in ("ready.json", "ready_cost.json", "ready_ward.json", "ledger.db"):
            inputs[name] = (folder.path / name).read_bytes()
    return inputs


LIBSVM = 'version = 1\n[target]\ncolumn = "label"\nkind = "binary"\npositive = "1"\n' + "".join(
    f'[[column]]\nname = "{name}"\nkind = "real"\nlower = 0\nupper = 10\n' for name in (1, 2, 3)
)


def _svm(rows: int = 12) -> bytes:
    return b"".join(f"{i % 2} 1:{i % 9} 2:{i % 7} 3:{i % 3}\n".encode() for i in range(rows))


def _csv(rows: int = 12) -> bytes:
    return records.table(records.line(records.ORDINARY), "first", records.others(rows))


def _formatted(schema: bytes, text: str) -> bytes:
    return schema.replace(b"version = 1\n", f"version = 1\n[format]\n{text}\n".encode(), 1)


def formats() -> dict[str, tuple[str, bytes, bytes, int]]:
    """Text formats: file name, content, schema and the line of the first record."""
    sick = records.schemas()["dated.toml"]
    names = ", ".join(f'"{name}"' for name in records.NAMES)
    return {
        "commas": ("t.csv", _csv(), sick, 1),
        "tabs": ("t.tsv", _csv().replace(b",", b"\t"), sick, 1),
        "semicolons": ("t.csv", _csv().replace(b",", b";"), _formatted(sick, 'delimiter = ";"'), 1),
        "no header": ("t.csv", _csv().split(b"\n", 1)[1], _formatted(sick, f"header = false\ncolumn_names = [{names}]"), 0),
        "compressed": ("t.csv.gz", _csv(), sick, 1),
        "standard input": ("-", _csv(), sick, 1),
        "LIBSVM": ("t.libsvm", _svm(), LIBSVM.encode(), 0),
        "LIBSVM compressed": ("t.libsvm.gz", _svm(), LIBSVM.encode(), 0),
    }


def format_run(name: str, record: bytes | None, number: int) -> tuple[list, dict[str, bytes]]:
    """Commands and inputs of a fit in this format, with `record` as the line of that number among records."""
    file, content, schema, first = formats()[name]
    lines = content.split(b"\n")
    if record is not None:
        lines[first + number % (len(lines) - 1 - first)] = record
    content = b"\n".join(lines)
    packed = gzip.compress(content, 1, mtime=0) if file.endswith(".gz") else content
    command = ["fit", file, "--schema", "format.toml", *QUICK, "--details", "-o", "model.json"]
    inputs = {"format.toml": schema, **({} if file == "-" else {file: packed})}
    return [[packed, *command] if file == "-" else command], inputs
