# SPDX-License-Identifier: Apache-2.0
"""Prints the headers that are installed: the public ones, right in dperm/, and those of the rooms that they include.

Fails when one of them includes a header that is neither ours nor of the standard library: users of the library must not
need what it is built on.
"""

import pathlib
import re
import sys

import tree

INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]+(["<])([^">]+)[">]', re.M)
STANDARD = re.compile(r"[a-z_]+(?:\.h)?")  # <vector>, <cstdint>; not <arrow/api.h>


def closure(root: pathlib.Path) -> tuple[list[str], list[str]]:
    """Headers to install, and what is wrong with them."""
    waiting = [tree.name(path, root) for path in sorted((root / "dperm").glob("*.hpp"))]
    found, problems = [], []
    while waiting:
        name = waiting.pop(0)
        if name in found:
            continue
        found.append(name)
        for quote, target in INCLUDE.findall(tree.read(root / name)):
            if target.startswith("dperm/"):
                waiting.append(target)
            elif quote == '"' or not STANDARD.fullmatch(target):
                problems.append(f"{name}: a header that is installed must not include {target}")
    return sorted(found), problems


if __name__ == "__main__":
    headers, problems = closure(pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else ".").resolve())
    if problems:
        sys.exit("\n".join(problems))
    print("\n".join(headers))
