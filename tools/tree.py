# SPDX-License-Identifier: Apache-2.0
"""What the tree checks share: which files belong to the tree, C++ without comments and strings, and the exit status.

A check is a module with problems(root) -> list of messages; `python3 tools/check_x.py ROOT` prints them.
"""

import os
import pathlib
import re
import sys

SKIPPED_FOLDERS = {".git", ".venv", ".deps", ".cache", "build", "__pycache__", "node_modules"}

# Longest first: a raw string may hold quotes and slashes, a string may hold slashes, a character may be a quote.
# The digit before an apostrophe keeps 1'000 from opening a character.
TOKENS = re.compile(
    r'R"(?P<tag>[^\s()\\]{0,16})\(.*?\)(?P=tag)"'
    r'|"(?:\\.|[^"\\\n])*"'
    r"|(?<![0-9A-Fa-f])'(?:\\.|[^'\\\n])+'"
    r"|//[^\n]*"
    r"|/\*.*?\*/",
    re.S,
)


def files(root: pathlib.Path, *suffixes: str) -> list[pathlib.Path]:
    """Files of the tree with one of these suffixes, sorted; build products and environments are not part of it."""
    found = []
    for folder, subfolders, names in os.walk(root):
        # A folder called shared is no part of the tree at its root, and one like any other further down.
        skipped = SKIPPED_FOLDERS | ({"shared"} if pathlib.Path(folder) == root else set())
        subfolders[:] = [name for name in subfolders if name not in skipped]
        found += [pathlib.Path(folder, name) for name in names if pathlib.Path(name).suffix in suffixes]
    return sorted(found)


def read(path: pathlib.Path) -> str:
    return path.read_text(encoding="utf-8", errors="surrogateescape")


def _keep_lines(text: str) -> str:
    return "\n" * text.count("\n")


def code_only(text: str) -> str:
    """C++ text with comments and the contents of literals removed; line numbers stay."""

    def replacement(match: re.Match) -> str:
        token = match.group()
        if token.startswith("/"):
            return " " + _keep_lines(token)
        return '""' + _keep_lines(token)

    return TOKENS.sub(replacement, text)


def comments_only(text: str) -> str:
    """C++ text with everything but comments removed; line numbers stay."""
    result, end = [], 0
    for match in TOKENS.finditer(text):
        result.append(_keep_lines(text[end : match.start()]))
        result.append(match.group() if match.group().startswith("/") else _keep_lines(match.group()))
        end = match.end()
    return "".join(result)


def line_of(text: str, position: int) -> int:
    return text.count("\n", 0, position) + 1


def name(path: pathlib.Path, root: pathlib.Path) -> str:
    return path.relative_to(root).as_posix()


def is_test(relative: str) -> bool:
    """Test programs, their helpers, benchmarks and fuzz targets: never part of what is installed."""
    return relative.endswith("_test.cpp") or relative.startswith(("tests/", "bench/", "fuzz/"))


def run(problems, good: str) -> None:
    root = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else ".").resolve()
    found = problems(root)
    print("\n".join(found) if found else good)
    sys.exit(1 if found else 0)
