# SPDX-License-Identifier: Apache-2.0
"""Fails when a room uses a room it may not, or when code outside its place opens, draws or prints.

The table is that of ARCHITECTURE.md, and where that page has the table the two must agree. Checked besides:
the two openers of Sensitive stay where they belong, randomness comes from dperm/random, the library never prints.
"""

import pathlib
import re

import tree

# Room -> rooms it may include (itself is implied). Lowest first.
ALLOWED = {
    "core": set(),
    "random": {"core"},
    "schema": {"core"},
    "data": {"core", "schema"},
    "loss": {"core", "schema"},
    "engine": {"core", "random", "schema", "data", "loss"},
    "solve": {"core"},
    "privacy": {"core", "random"},
    "infer": {"core", "random", "schema", "data", "privacy"},
    "rules": {"core", "random", "schema", "engine"},
    "methods": {"core", "random", "schema", "loss", "engine", "solve", "privacy", "rules"},
    "planner": {"core", "schema", "loss", "privacy", "methods"},
    "model": {"core", "schema", "loss", "engine", "privacy", "infer", "rules", "methods"},
    "ledger": {"core", "random", "schema", "loss", "engine", "privacy", "model"},
    "report": {"core", "schema", "loss", "privacy", "infer", "methods", "planner", "model"},
    "audit": {
        *("core", "random", "schema", "data", "loss", "engine", "solve", "privacy", "rules", "methods", "planner"),
        *("model", "report"),
    },
}
# The public API, dperm/x.hpp and its implementation in dperm/api, stands on all rooms, and no room stands on it.
ALLOWED["api"] = set(ALLOWED)

INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]+(["<])([^">]+)[">]', re.M)
USES = re.compile(r"\bUSES\b((?:\s+[a-z_]+)*)")

# (what it is, pattern, predicate on the relative path: may it stand there?)
PLACES = [
    (
        "SensitiveTestAccess is for tests",
        re.compile(r"\bSensitiveTestAccess\b"),
        lambda path: path == "dperm/core/sensitive.hpp" or tree.is_test(path),
    ),
    (
        "DeclaredPublicAccess is for the shells, the audit and tests",
        re.compile(r"\bDeclaredPublicAccess\b"),
        lambda path: path == "dperm/core/sensitive.hpp"
        or path.startswith(("cli/", "dperm/api/", "dperm/audit/"))
        or tree.is_test(path),
    ),
    (
        "CuratorAccess is for the audit",
        re.compile(r"\bCuratorAccess\b"),
        lambda path: path == "dperm/privacy/curator/curator.hpp"
        or path.startswith("dperm/audit/")
        or tree.is_test(path),
    ),
    (
        "only the engine and who builds a dataset know where rows lie; all others ask engine/row_sums.hpp",
        re.compile(r"\bTileSet\b|\bTileSums\b|\bRowTable\b"),
        lambda path: path.startswith(("dperm/data/", "dperm/engine/", "bench/")) or tree.is_test(path),
    ),
    (
        "randomness comes from dperm/random",
        re.compile(
            r"\bstd::rand\b|\bsrand\s*\(|\brandom_device\b|\bmt19937(?:_64)?\b|\bminstd_rand0?\b"
            r"|\bdefault_random_engine\b|\branlux\w+|#[ \t]*include[ \t]*<random>"
        ),
        tree.is_test,
    ),
    (
        "bits of the operating system are drawn in dperm/random",
        re.compile(r"\brandombytes_\w+|\bgetrandom\s*\(|\bgetentropy\s*\(|\barc4random\w*|\bcrypto_stream\w*"),
        lambda path: path.startswith("dperm/random/") or tree.is_test(path),
    ),
    (
        "the library never prints",
        re.compile(r"\bstd::(?:cout|cerr|clog)\b|\b(?:f|v|vf)?printf\s*\(|\bf?puts\s*\(|\bfmt::print(?:ln)?\b"),
        lambda path: not path.startswith("dperm/") or tree.is_test(path),
    ),
    (
        "the library never ends the process",
        re.compile(r"\bstd::(?:abort|exit|quick_exit|_Exit|terminate)\b|(?<![\w.:>])(?:abort|_?exit)\s*\("),
        lambda path: not path.startswith("dperm/") or tree.is_test(path),
    ),
]


def room_of(path: str) -> str:
    """The room of a path that starts with dperm/."""
    parts = path.split("/")
    return "api" if len(parts) == 2 else parts[1]


def include_problems(root: pathlib.Path, path: pathlib.Path, text: str) -> list[str]:
    relative = tree.name(path, root)
    room = room_of(relative) if relative.startswith("dperm/") else None
    found = []
    for match in INCLUDE.finditer(text):
        target = match.group(2)
        where = f"{relative}:{tree.line_of(text, match.start(2))}"
        if target.startswith("tests/") and not tree.is_test(relative):
            found.append(f"{where}: only tests may include {target}")
        if target.startswith("cli/") and room:
            found.append(f"{where}: a room must not include the shell {target}")
        if match.group(1) == '"' and (path.parent / target).exists() and not (root / target).exists():
            found.append(f"{where}: name {target} by its path from the root")
        if not target.startswith("dperm/"):
            continue
        used = room_of(target)
        if used not in ALLOWED:
            found.append(f"{where}: there is no room '{used}'")
        elif room in ALLOWED and used != room and used not in ALLOWED[room]:
            found.append(f"{where}: {room} must not use {used} ({target})")
    return found


def build_file_problems(root: pathlib.Path) -> list[str]:
    """What a room links is held to the same table as what it includes."""
    found = []
    for room in ALLOWED:
        path = root / "dperm" / room / "CMakeLists.txt"
        if not path.exists():
            continue
        text = re.sub(r"#[^\n]*", "", tree.read(path))
        for match in USES.finditer(text):
            for used in match.group(1).split():
                used = used.removeprefix("dperm_")
                if used != room and used not in ALLOWED[room]:
                    found.append(f"{tree.name(path, root)}: {room} must not link {used}")
    return found


def documented_table(text: str) -> dict[str, set[str]]:
    """Room -> allowed rooms as a page's table states them; empty when the page has no such table."""
    table: dict[str, set[str]] = {}
    inside = False
    for line in text.splitlines():
        cells = [cell.strip().replace("`", "") for cell in line.strip().strip("|").split("|")]
        if not line.lstrip().startswith("|"):
            inside = False
        elif cells[0] == "room" and cells[-1] == "may use":
            inside = True
        elif inside and not set(cells[0]) <= set("-: "):
            allowed = cells[-1]
            if allowed == "all above":
                table[cells[0]] = set(table)
            else:
                table[cells[0]] = {word for word in re.findall(r"[a-z]+", allowed)}
    return table


def document_problems(root: pathlib.Path) -> list[str]:
    path = root / "ARCHITECTURE.md"
    table = documented_table(tree.read(path)) if path.exists() else {}
    return [
        f"ARCHITECTURE.md: room {room} may use {sorted(allowed)}, but tools/check_layers.py allows "
        f"{sorted(ALLOWED.get(room, set()))}"
        for room, allowed in table.items()
        if ALLOWED.get(room) != allowed
    ]


def problems(root: pathlib.Path) -> list[str]:
    found = []
    for path in tree.files(root, ".hpp", ".cpp", ".h", ".cc", ".cu"):
        relative = tree.name(path, root)
        text = tree.read(path)
        parts = relative.split("/")
        if parts[0] == "dperm" and room_of(relative) not in ALLOWED:
            found.append(f"{relative}: room '{parts[1]}' is not in the table")
        found += include_problems(root, path, text)
        code = tree.code_only(text)
        for rule, pattern, allowed in PLACES:
            if allowed(relative):
                continue
            for match in pattern.finditer(code):
                found.append(f"{relative}:{tree.line_of(code, match.start())}: {rule} ('{match.group()}')")
    return found + build_file_problems(root) + document_problems(root)


if __name__ == "__main__":
    tree.run(problems, "layers: every room uses only what it may")
