# SPDX-License-Identifier: Apache-2.0
"""Tables through the package's own front door, up to the library: what comes out are the integers of every row.

The package hands records to dperm._core.read_stream or read_files. Here these two give them to the test's library
instead, which reads them with the same C++ code and shows the codes.
"""

from __future__ import annotations

import ctypes
import os
import warnings

import numpy
import pyarrow

import dperm
from dperm import _core

BLANK = -(2**31)

_library = ctypes.CDLL(os.environ["NEIGHBOUR_CODES"])
_HANDLE, _TEXT, _SIZE = ctypes.c_void_p, ctypes.c_char_p, ctypes.c_size_t
_OPTIONS = [_SIZE, ctypes.c_int, ctypes.c_bool]  # rows of a tile, threads, whether the target must be there
for _name, _result, _arguments in (
    ("stream", _HANDLE, [_HANDLE, _TEXT, *_OPTIONS]),
    ("files", _HANDLE, [_HANDLE, _SIZE, _TEXT, _TEXT, *_OPTIONS]),
    ("part", _HANDLE, [_TEXT] * 3),
    ("error", _TEXT, [_HANDLE]),
    ("rows", _SIZE, [_HANDLE]),
    ("width", _SIZE, [_HANDLE]),
    ("codes", ctypes.POINTER(ctypes.c_int32), [_HANDLE]),
    ("algorithms", _SIZE, []),
    ("replay", ctypes.c_int, [_HANDLE, _HANDLE, _SIZE, _SIZE, ctypes.c_double, ctypes.c_uint64, ctypes.c_bool, _TEXT, _SIZE]),
    ("free", None, [_HANDLE]),
):
    _function = getattr(_library, "neighbours_" + _name)
    _function.restype, _function.argtypes = _result, _arguments
_pointer = ctypes.pythonapi.PyCapsule_GetPointer
_pointer.restype, _pointer.argtypes = ctypes.c_void_p, [ctypes.py_object, ctypes.c_char_p]


class Codes:
    """The integers of every row, and no dataset."""

    handle = None

    def __init__(self, codes: numpy.ndarray):
        self.codes = codes
        self.rows = len(codes)


class Seen:
    """Records as the library encoded them."""

    def __init__(self, handle: int):
        self.handle = handle
        error = _library.neighbours_error(handle).decode("utf-8", "replace")
        if error:
            raise dperm.DataError(error)
        self.rows = _library.neighbours_rows(handle)
        width = _library.neighbours_width(handle)
        cells = _library.neighbours_codes(handle)
        self.codes = numpy.zeros((0, width), numpy.int32)
        if self.rows:
            self.codes = numpy.ctypeslib.as_array(cells, (self.rows, width)).copy()

    def __del__(self):
        _library.neighbours_free(self.handle)


class Settings:
    tile_height = 64
    threads = 1
    tamper = None  # a broken reader, which the harness must catch: from record batches to others


def _stream(capsule, schema, *rest, **named):
    if Settings.tamper is not None:
        capsule = Settings.tamper(pyarrow.RecordBatchReader._import_from_c_capsule(capsule)).__arrow_c_stream__()
    target_required = named.get("target_required", rest[2] if len(rest) > 2 else True)
    stream = _pointer(capsule, b"arrow_array_stream")
    return _taken(_library.neighbours_stream(stream, _toml(schema), Settings.tile_height, Settings.threads, target_required))


def _files(files, schema, tiles="", threads=0, strict=False, format="", target_required=True):
    paths = (ctypes.c_char_p * len(files))(*(os.fsencode(each) for each in files))
    options = Settings.tile_height, Settings.threads, target_required
    return _taken(_library.neighbours_files(paths, len(files), _toml(schema), format.encode(), *options))


_last: list = []


def _taken(handle):
    _last[:] = [Seen(handle)]
    raise _Stop


def _toml(schema) -> bytes:
    return schema.to_toml().encode()


class _Stop(Exception):
    """The records have been seen; nothing is fitted."""


def _estimator(data, schema: dperm.Schema, y) -> None:
    name = {"real": "LinearRegression", "class": "SoftmaxRegression"}.get(schema.target_kind, "LogisticRegression")
    made = getattr(dperm, name)(epsilon=1, delta=1e-6, bounds=schema)
    made._plan = lambda *_: None  # a plan needs more rows than these tables have
    made._shaped = lambda given: given
    made.fit(data, y)


# Where tables come in. Each hands the records to the library once.
DOORS = {
    "read": lambda data, schema, y: dperm.read(data, schema, y),
    "predict": lambda data, schema, y: dperm.read(data, schema, y, target_required=False),
    "fit": _estimator,
    "mean": lambda data, schema, y: dperm.mean(data, bounds=(-100, 100), epsilon=1, delta=1e-6),
}


def seen(data, schema: dperm.Schema, y=None, door: str = "read") -> Seen:
    """What a front door of the package makes of a table."""
    kept = _core.read_stream, _core.read_files
    _core.read_stream, _core.read_files = _stream, _files
    _last.clear()
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            DOORS[door](data, schema, y)
    except _Stop:
        pass
    finally:
        _core.read_stream, _core.read_files = kept
    return _last[0]


def part_seen(path: str, name: str, schema: dperm.Schema) -> Seen:
    """What was written of a part of a table."""
    return Seen(_library.neighbours_part(os.fsencode(path), name.encode(), _toml(schema._core)))


ALGORITHMS = _library.neighbours_algorithms()


def replay(first: Seen, second: Seen, algorithm: int, loss: int, l2_penalty: float, seed: int, moved: bool) -> tuple[int, str]:
    """Whether neighbours' sums keep to what the algorithm declares: 0, or 1 with words; -1 where it is not for them."""
    text = ctypes.create_string_buffer(500)
    result = _library.neighbours_replay(first.handle, second.handle, algorithm, loss, l2_penalty, seed, moved, text, len(text))
    return result, text.value.decode()
