# SPDX-License-Identifier: Apache-2.0
"""Brings the Arrow library of pyarrow into the process before the extension module asks for it.

The module is linked to one version of that library. Where another pyarrow is installed, one line says which it needs.
"""

import ctypes
import pathlib

import pyarrow

from dperm import _build


def load() -> None:
    if not _build.ARROW_VERSION:
        return  # linked to the system's Arrow
    folder = pathlib.Path(pyarrow.__file__).parent
    paths = [folder / name for name in _build.ARROW_FILES]
    if not all(path.exists() for path in paths):
        raise ImportError(
            f"dperm was built with the Arrow library of pyarrow {_build.ARROW_VERSION} and found pyarrow "
            f"{pyarrow.__version__}; run: pip install 'pyarrow=={_build.ARROW_VERSION}.*'"
        )
    for path in paths:
        ctypes.CDLL(str(path))
