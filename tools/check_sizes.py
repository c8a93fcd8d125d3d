# SPDX-License-Identifier: Apache-2.0
"""Fails on a file of more than 400 lines or a function of more than 60: too much for one reading."""

import pathlib
import re

import tree

MAXIMUM_FILE = 400
MAXIMUM_FUNCTION = 60
FIRST_LINE = re.compile(r"[A-Za-z_]")
NOT_A_FUNCTION = re.compile(r"(?:namespace|using|typedef|extern|friend)\b|(?:public|private|protected):")


def long_functions(text: str) -> list[tuple[int, int]]:
    """(first line, length) of the long functions. The house format puts a free function's first and last line at the
    margin, and nothing of its body; a member defined inside its class is not seen."""
    found = []
    first = None
    for number, line in enumerate(tree.code_only(text).splitlines(), start=1):
        if FIRST_LINE.match(line) and not NOT_A_FUNCTION.match(line):
            # A signature over several lines starts where the first of them is.
            first = number
        elif line == "}" and first is not None:
            if number - first + 1 > MAXIMUM_FUNCTION:
                found.append((first, number - first + 1))
            first = None
    return found


def problems(root: pathlib.Path) -> list[str]:
    found = []
    for path in tree.files(root, ".hpp", ".cpp", ".h", ".cc", ".cu", ".py", ".sh", ".cmake"):
        text, relative = tree.read(path), tree.name(path, root)
        lines = text.count("\n")
        if lines > MAXIMUM_FILE:
            found.append(f"{relative}: {lines} lines; at most {MAXIMUM_FILE}")
        if path.suffix in (".hpp", ".cpp", ".h", ".cc", ".cu"):
            for first, length in long_functions(text):
                found.append(f"{relative}:{first}: a function of {length} lines; at most {MAXIMUM_FUNCTION}")
    return found


if __name__ == "__main__":
    tree.run(problems, f"sizes: no file above {MAXIMUM_FILE} lines, no function above {MAXIMUM_FUNCTION}")
