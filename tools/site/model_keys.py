# SPDX-License-Identifier: Apache-2.0
"""What model files hold, taken from files that the program writes while the site is built. The words about their keys are
those of docs/model_file.md, which must describe every key that is found and every kind of event."""

import json
import pathlib
import re

import program

DATA = program.HEALTH / "health_train.csv.gz"
SCHEMA = program.HEALTH / "schema.toml"
NUMBER = 'version = 1\n[target]\ncolumn = "mdvis"\nkind = "real"\nlower = 0\nupper = 77\n'
# Seeded, so that a page shows the same numbers until the program changes.
SEEDED = ["--delta", "1e-6", "--seed", "1", "--quiet"]
KINDS = {
    "linear": ["--epsilon", "1", "--method", "objective-perturbation"],
    "additive, rows kept out": ["--epsilon", "1", "--holdout", "0.2"],
    "network": ["--epsilon", "1", "--hidden", "4", "--steps", "5"],
    "rule": ["--epsilon", "1", "--loss", "zero-one"],
    "one number": ["--epsilon", "1"],
    "tuned": ["--epsilon", "1", "--method", "gradient-descent", "--tune", "steps=5,10"],
}
SHORT_FORMS = {"pure", "laplace"}  # of the command line, in no model file
LONG = 3  # entries of a list that the shown file keeps


def files() -> dict[str, dict]:
    found = {}
    with program.folder() as folder:
        number = pathlib.Path(folder, "number.toml")
        number.write_text(NUMBER)
        for index, (kind, arguments) in enumerate(KINDS.items()):
            output = pathlib.Path(folder, f"{index}.json")
            schema = number if kind == "one number" else SCHEMA
            program.run("fit", DATA, "--schema", schema, *arguments, *SEEDED, "-o", output)
            found[kind] = json.loads(output.read_text())
    return found


def described(page: pathlib.Path) -> dict[str, set[str]]:
    """{heading: names in backticks in the first cells of its tables}; the first table has no heading."""
    found: dict[str, set[str]] = {}
    heading = ""
    for line in page.read_text().splitlines():
        if line.startswith("## "):
            heading = line[3:]
        elif line.startswith("| `"):
            found.setdefault(heading, set()).update(re.findall(r"`([a-z0-9_-]+)`", line.split("|")[1]))
    return found


def check(models: dict[str, dict], page: pathlib.Path) -> None:
    words = described(page)
    parts = {"": lambda model: set(model), "The plan": lambda model: set(model["plan"])}
    for heading, keys in parts.items():
        found = set().union(*(keys(model) for model in models.values()))
        if missing := found - words.get(heading, set()):
            raise program.Problem(f"model_file.md does not describe {sorted(missing)} ({heading or 'top level'})")
    refused = program.run("account", "no-such-event:x=1", "--delta", "1e-6", status=2).stderr
    listed = re.search(r"choose one of ([a-z, -]+)", " ".join(refused.split()))
    if not listed:
        raise program.Problem(f"no list of events in: {refused.strip()}")
    events = {name.strip() for name in listed.group(1).split(",")} - SHORT_FORMS
    if missing := events - words.get("Events", set()):
        raise program.Problem(f"model_file.md does not describe the events {sorted(missing)}")


def shortened(value: object) -> object:
    """The same with long lists and texts cut."""
    if isinstance(value, dict):
        return {key: shortened(each) for key, each in value.items()}
    if isinstance(value, list):
        kept = [shortened(each) for each in value[:LONG]]
        return kept + [f"... {len(value) - LONG} more"] if len(value) > LONG else kept
    if isinstance(value, str) and len(value) > 100:
        return value[:90] + " ..."
    return value


def section(page: pathlib.Path) -> str:
    models = files()
    check(models, page)
    keys = list(dict.fromkeys(key for model in models.values() for key in model))
    lines = ["## Which model has which key", "", "As the program writes them.", "",
             "| key | " + " | ".join(models) + " |", "| --- |" + " --- |" * len(models)]
    lines += [f"| `{key}` | " + " | ".join("yes" if key in model else "" for model in models.values()) + " |" for key in keys]
    lines += ["", "## A whole file", "", "A linear model of the bundled health data, with a fixed seed (so it says itself that it is not private). Lists and texts are cut.",
              "", "```json", json.dumps(shortened(models["linear"]), indent=2), "```"]
    return "\n".join(lines)
