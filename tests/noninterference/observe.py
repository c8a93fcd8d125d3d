# SPDX-License-Identifier: Apache-2.0
"""Everything that a run shows, as named bytes: statuses, streams, files with their rights, the ledger, and files that were
there for a while. Two observations are compared byte by byte, or with the declared fields of docs/released_fields.toml
taken out.

A run has a folder of its own, always under the same name while it runs. The clock, random bytes and the process number
are frozen (frozen.cpp), so that what differs between two runs differs by their records.
"""

import os
import pathlib
import shutil
import stat
import subprocess

import declared

PROGRAM = os.environ.get("DPERM_PROGRAM", "dperm")
FROZEN = os.environ.get("DPERM_FROZEN", "")
SECONDS = 1200 if "ASAN_OPTIONS" in os.environ else 300


def environment(folder: pathlib.Path, step: int = 0) -> dict[str, str]:
    """Of a run in this folder: a few words of ours and nothing else, so that machines do not differ by theirs."""
    kept = {name: os.environ[name] for name in ("PATH", "ASAN_OPTIONS", "UBSAN_OPTIONS", "JAVA_HOME") if name in os.environ}
    return {
        **kept,
        "HOME": str(folder),
        "TMPDIR": str(folder / "temporary"),
        "LC_ALL": "C.UTF-8",
        "PYTHONHASHSEED": "0",
        "OMP_NUM_THREADS": "1",
        "LD_PRELOAD": os.pathsep.join(filter(None, [os.environ.get("LD_PRELOAD", ""), FROZEN])),
        "FROZEN_LOG": str(folder / "made"),
        "FROZEN_STEP": str(step),
    }


class Folder:
    """Where runs happen, one after the other. `inputs` are written anew for each; what they hold is not observed."""

    def __init__(self, place: pathlib.Path):
        self.path = place

    def fresh(self, inputs: dict[str, bytes]) -> None:
        shutil.rmtree(self.path, ignore_errors=True)
        (self.path / "temporary").mkdir(parents=True)
        for name, content in inputs.items():
            (self.path / name).write_bytes(content)

    def files(self, inputs: dict[str, bytes]) -> dict[str, bytes]:
        found = {}
        for path in sorted(self.path.rglob("*")):
            name, about = str(path.relative_to(self.path)), path.lstat()
            rights = stat.filemode(about.st_mode).encode()
            if path.is_symlink() or not path.is_file():
                found[f"rights of {name}"] = rights
            elif name not in inputs or path.read_bytes() != inputs[name]:
                found[f"rights of {name}"] = rights
                found[f"file {name}"] = path.read_bytes()
        return found

    def run(self, commands, inputs: dict[str, bytes], step: int = 0) -> dict[str, bytes]:
        """All commands in order, whatever each comes to. A command is a list of arguments; bytes as the first of them are
        its standard input."""
        self.fresh(inputs)
        seen = {}
        for number, arguments in enumerate(commands, 1):
            given = arguments[0] if isinstance(arguments[0], bytes) else None
            words = [str(each) for each in (arguments[1:] if given is not None else arguments)]
            done = subprocess.run(
                [PROGRAM, *words], cwd=self.path, env=environment(self.path, step), input=given or b"",
                capture_output=True, timeout=SECONDS,
            )  # fmt: skip
            name = f"{number} {' '.join(words[:2])}"
            seen[f"{name}: status"] = str(done.returncode).encode()
            seen[f"{name}: standard output"] = done.stdout
            seen[f"{name}: standard error"] = done.stderr
        return {**seen, **self.files(inputs)}


def differences(one: dict[str, bytes], other: dict[str, bytes], kind: str = "") -> list[str]:
    """What tells two observations apart: every byte counts, except in declared fields of this kind."""
    found = [f"only one of them has '{name}'" for name in sorted(one.keys() ^ other.keys())]
    for name in sorted(one.keys() & other.keys()):
        first, second = one[name], other[name]
        if declared.holds_records(name):
            first, second = str(len(first)).encode(), str(len(second)).encode()
        elif first != second and kind:
            first, second = declared.without(name, first, kind), declared.without(name, second, kind)
        if first != second:
            found.append(f"{name}: {_where(first, second)}")
    return found


def _where(first: bytes, second: bytes) -> str:
    at = next((i for i, (a, b) in enumerate(zip(first, second)) if a != b), min(len(first), len(second)))
    start = max(0, at - 60)
    return f"byte {at}: ...{first[start : at + 60]!r} against ...{second[start : at + 60]!r}"
