# SPDX-License-Identifier: Apache-2.0
"""Exit status 0 if every `name==version` line of a requirements file is already installed here."""

import importlib.metadata
import pathlib
import sys


def installed(requirement: str) -> bool:
    name, _, version = requirement.partition("==")
    try:
        return importlib.metadata.version(name) == version
    except importlib.metadata.PackageNotFoundError:
        return False


def main() -> int:
    lines = (line.split("#")[0].strip() for line in pathlib.Path(sys.argv[1]).read_text().splitlines())
    return 0 if all(installed(line) for line in lines if line) else 1


if __name__ == "__main__":
    sys.exit(main())
