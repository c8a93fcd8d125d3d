# SPDX-License-Identifier: Apache-2.0
"""Fails on a C++ file that is not in the house format (.clang-format). `--fix` formats instead.

Formatting differs between versions of the tool, so only one version counts; without it the check is skipped.
"""

import pathlib
import shutil
import subprocess
import sys

import tree

TOOL = "clang-format-19"


def problems(root: pathlib.Path, fix: bool = False) -> list[str]:
    paths = tree.files(root, ".hpp", ".cpp", ".h", ".cc", ".cu")
    if not paths:
        return []
    command = [TOOL, "-i"] if fix else [TOOL, "--dry-run", "-Werror", "--ferror-limit=1"]
    result = subprocess.run(command + [str(path) for path in paths], capture_output=True, text=True, cwd=root)
    if result.returncode == 0:
        return []
    lines = [line for line in result.stderr.splitlines() if "error:" in line]
    return [line.replace(f"{root}/", "") for line in lines] or [result.stderr.strip()]


def main() -> None:
    if not shutil.which(TOOL):
        print(f"skipped: {TOOL} is not installed")
        return
    fix = "--fix" in sys.argv
    if fix:
        sys.argv.remove("--fix")
    tree.run(lambda root: problems(root, fix), "format: every C++ file is in the house format")


if __name__ == "__main__":
    main()
