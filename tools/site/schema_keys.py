# SPDX-License-Identifier: Apache-2.0
"""Which keys schema.toml may have, asked of the program: it names them when it refuses a key that it does not know. The words
about them are those of docs/schema_keys.md, which must describe exactly these keys."""

import pathlib
import re

import program

UNKNOWN = "no_such_key"
TARGET = '[target]\ncolumn = "t"\nkind = "binary"\npositive = 1\n'
COLUMN = '[[column]]\nname = "a"\nkind = "boolean"\n'
TARGET_KINDS = ["binary", "real", "class"]
COLUMN_KINDS = {kind: f'kind = "{kind}"' for kind in ("real", "integer", "category", "boolean", "date")}
COLUMN_KINDS |= {"one part of a date": 'kind = "date"\npart = "month"', "days": 'kind = "days"', "ignore": 'kind = "ignore"'}
KNOWN = re.compile(r"Known here: ([a-z_, ]+)")
# Written by `schema infer`, and not for people to write: docs/infer.md tells what they are.
BY_THE_PROGRAM = {"inferred"}


def known_keys(folder: str, text: str) -> list[str]:
    """The keys that stand in the message about UNKNOWN."""
    path = pathlib.Path(folder, "schema.toml")
    path.write_text(text)
    result = program.run("plan", "--schema", path, "--rows", "1000", "--epsilon", "1", "--delta", "1e-6", status=3)
    found = KNOWN.search(" ".join(result.stderr.split()))
    if not found:
        raise program.Problem(f"no list of keys in: {result.stderr.strip()}")
    return [key.strip() for key in found.group(1).split(",") if key.strip() not in BY_THE_PROGRAM]


def asked() -> dict[str, dict[str, list[str]]]:
    """{heading of the page: {kind: keys}}."""
    unknown = f"{UNKNOWN} = 1\n"
    with program.folder() as folder:
        def ask(text: str) -> list[str]:
            return known_keys(folder, text)

        return {
            "Top level": {"": ask(f"version = 1\n{unknown}{TARGET}{COLUMN}")},
            "`[format]`": {"": ask(f"version = 1\n[format]\n{unknown}{TARGET}{COLUMN}")},
            "`[unit]`": {"": ask(f"version = 1\n[unit]\n{unknown}{TARGET}{COLUMN}")},
            "`[target]`": {kind: ask(f'version = 1\n[target]\ncolumn = "t"\nkind = "{kind}"\n{unknown}{COLUMN}') for kind in TARGET_KINDS},
            "`[[column]]`": {
                kind: ask(f'version = 1\n[[column]]\nname = "a"\n{line}\n{unknown}{TARGET}') for kind, line in COLUMN_KINDS.items()
            },
        }


def described(page: pathlib.Path) -> dict[str, set[str]]:
    """{heading: keys in the first cells of the table below it}."""
    found: dict[str, set[str]] = {}
    heading = ""
    for line in page.read_text().splitlines():
        if line.startswith("## "):
            heading = line[3:].split(",")[0].strip()
        elif line.startswith("| `"):
            cell = line.split("|")[1]
            names = re.findall(r"`\[*([a-z_]+)[^`]*`", cell)
            found.setdefault(heading, set()).update(names)
    return found


def check(known: dict[str, dict[str, list[str]]], words: dict[str, set[str]]) -> None:
    for heading, kinds in known.items():
        of_program = {key for keys in kinds.values() for key in keys}
        of_page = words.get(heading, set())
        if missing := of_program - of_page:
            raise program.Problem(f"schema_keys.md, {heading}: the program knows {sorted(missing)}, the page does not")
        if extra := of_page - of_program:
            raise program.Problem(f"schema_keys.md, {heading}: the page has {sorted(extra)}, the program does not know it")


def table(page: pathlib.Path) -> str:
    known = asked()
    check(known, described(page))
    kinds = {kind: keys for kind, keys in known["`[[column]]`"].items() if kind != "ignore"}
    keys = list(dict.fromkeys(key for each in kinds.values() for key in each))
    lines = ["## Keys by kind of column", "", "As the program reads them. Columns that are ignored may keep any key.", "",
             "| key | " + " | ".join(kinds) + " |", "| --- |" + " --- |" * len(kinds)]
    lines += [f"| `{key}` | " + " | ".join("yes" if key in kinds[kind] else "" for kind in kinds) + " |" for key in keys]
    return "\n".join(lines)
