# SPDX-License-Identifier: Apache-2.0
"""Runs cases of python_cases.py one after the other and writes down everything that each shows. Usage: python_worker.py
RUNS ANSWERS, where RUNS is a file with a JSON list of [case, group, number of the record in it, place] and ANSWERS the file to
write; with --list before them it tells which cases and groups there are.

It runs with frozen.cpp loaded, which is begun anew for every case.
"""

import contextlib
import ctypes
import gc
import json
import os
import pathlib
import shutil
import sys
import tempfile
import traceback
import warnings

import numpy
import python_cases

import dperm

FROZEN = ctypes.CDLL(None)
DEEPEST = 6


def told(value, depth: int = 0):
    """A value with all of its attributes, as JSON."""
    if value is None or isinstance(value, (bool, int, str)):
        return value
    if isinstance(value, float):
        return repr(value)
    if isinstance(value, numpy.ndarray):
        return {"type": str(value.dtype), "shape": list(value.shape), "cells": told(value.tolist(), depth)}
    if isinstance(value, (list, tuple)):
        return [told(each, depth + 1) for each in value]
    if isinstance(value, dict):
        return {str(key): told(each, depth + 1) for key, each in value.items()}
    kind = type(value)
    if depth > DEEPEST or kind.__module__.partition(".")[0] != "dperm":
        return f"{kind.__module__}.{kind.__qualname__}"
    made = {"repr": repr(value), "html": _html(value)}
    if isinstance(value, dperm.Model):
        made["json"] = json.loads(value.to_json())
    return {kind.__qualname__: {**made, **{name: told(each, depth + 1) for name, each in _attributes(value)}}}


def _html(value) -> str:
    return value._repr_html_() if hasattr(value, "_repr_html_") else ""


def _attributes(value):
    """Whatever has a public name and is not a function."""
    for name in dir(value):
        if name.startswith("_"):
            continue
        try:
            found = getattr(value, name)
        except Exception as error:
            found = f"{type(error).__name__}: {error}"
        if not callable(found):
            yield name, found


def raised(error: BaseException) -> dict:
    """An exception as a program or a person sees it: with all that it says was its cause."""
    lines = traceback.format_exception(error)
    return {"type": type(error).__qualname__, "text": str(error), "arguments": told(list(map(str, error.args))),
            "attributes": told({name: str(each) for name, each in vars(error).items()}), "shown": "".join(lines)}  # fmt: skip


@contextlib.contextmanager
def streams(folder: pathlib.Path):
    """Standard output and error, also of code that is not Python's, into files of this folder."""
    kept = [os.dup(number) for number in (1, 2)]
    for number, name in ((1, "standard output"), (2, "standard error")):
        descriptor = os.open(folder / name, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
        os.dup2(descriptor, number)
        os.close(descriptor)
    try:
        yield
    finally:
        sys.stdout.flush()
        sys.stderr.flush()
        for number, old in zip((1, 2), kept):
            os.dup2(old, number)
            os.close(old)


def shown(case, rows) -> dict[str, bytes]:
    """The result, the exception and the warnings of a call."""
    result = {}
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            result["result"] = told(case(rows))
        except Exception as error:
            result["exception"] = raised(error)
    result["warnings"] = [f"{each.category.__qualname__}: {each.message} ({each.lineno})" for each in caught]
    return {name: json.dumps(each).encode() for name, each in result.items()}


def observed(case, rows, place: pathlib.Path) -> dict[str, str]:
    """Names and what was seen, as texts in Latin-1."""
    for each in ("run", "seen", "temporary"):
        shutil.rmtree(place / each, ignore_errors=True)
        (place / each).mkdir()
    os.chdir(place / "run")
    tempfile.tempdir = str(place / "temporary")
    tempfile._name_sequence = None
    log = pathlib.Path(os.environ["FROZEN_LOG"])
    log.unlink(missing_ok=True)
    FROZEN.frozen_reset()
    with streams(place / "seen"):
        made = shown(case, rows)
    made.update({path.name: path.read_bytes() for path in (place / "seen").iterdir()})
    for path in sorted([*(place / "run").rglob("*"), *(place / "temporary").rglob("*")]):
        name = path.relative_to(place)
        made[f"rights of {name}"] = oct(path.lstat().st_mode).encode()
        if path.is_file():
            made[f"file {name}"] = path.read_bytes()
    made["made"] = log.read_bytes() if log.exists() else b""
    where = str(place).encode()
    return {name: each.replace(where, b"FOLDER").decode("latin-1") for name, each in made.items()}


def in_child(function) -> None:
    """Every run begins with the same state: that of a process in which nothing has run yet."""
    child = os.fork()
    if child == 0:
        status = 1
        try:
            function()
            status = 0
        except BaseException:
            traceback.print_exc()
        finally:
            sys.stderr.flush()
            os._exit(status)
    if os.waitpid(child, 0)[1] != 0:
        raise RuntimeError("a run ended badly")


def main() -> None:
    runs, answers = json.loads(pathlib.Path(sys.argv[-2]).read_text()), pathlib.Path(sys.argv[-1])
    every, groups = {**python_cases.CASES, **python_cases.FAILING}, python_cases.groups()
    if sys.argv[1] == "--list":
        texts = [number for number, cell in enumerate(python_cases.CELLS["age"][0]) if isinstance(cell, str) and cell and cell not in python_cases.SURROGATES]
        failing = {"cases": list(python_cases.FAILING), "numbers": texts}
        sizes = {name: len(each) for name, each in groups.items()}
        answers.write_text(json.dumps([list(every)[: len(python_cases.CASES)], failing, sizes, python_cases.NOT_ALIKE]))
        return
    gc.freeze()  # a child does not touch what it does not need
    place, one = answers.parent / "place", answers.parent / "one.json"
    place.mkdir()
    in_child(lambda: python_cases.fit(python_cases.object_frame(python_cases.others())).save(place / "ready.json"))
    made = []
    for case, group, number, where in runs:
        rows = python_cases.rows_with(groups[group][number], where)
        in_child(lambda: one.write_text(json.dumps(observed(every[case], rows, place))))  # noqa: B023
        made.append(json.loads(one.read_text()))
    answers.write_text(json.dumps(made))


if __name__ == "__main__":
    main()
