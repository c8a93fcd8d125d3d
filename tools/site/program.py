# SPDX-License-Identifier: Apache-2.0
"""Asks the program for what reference pages say, so that they cannot tell anything else than the program does."""

import json
import os
import pathlib
import subprocess
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
HEALTH = ROOT / "examples" / "health"
_chosen = ["dperm"]


class Problem(Exception):
    """The pages and the program disagree, or the program does not answer."""


def choose(path: str) -> None:
    _chosen[0] = os.path.abspath(path)


def run(*arguments: str, status: int = 0, folder: str | None = None) -> subprocess.CompletedProcess:
    environment = dict(os.environ, NO_COLOR="1", COLUMNS="100", OMP_NUM_THREADS="1")
    try:
        result = subprocess.run([_chosen[0], *map(str, arguments)], capture_output=True, text=True, cwd=folder, env=environment)
    except OSError as error:
        raise Problem(f"{_chosen[0]} does not run ({error.strerror}); make build makes it") from error
    if result.returncode != status:
        raise Problem(f"dperm {' '.join(map(str, arguments))} ended with {result.returncode}: {result.stderr.strip()}")
    return result


def ask_json(*arguments: str) -> object:
    return json.loads(run(*arguments, "--json").stdout)


def folder() -> tempfile.TemporaryDirectory:
    return tempfile.TemporaryDirectory(prefix="dperm-site-")
