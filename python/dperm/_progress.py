# SPDX-License-Identifier: Apache-2.0
"""A plain bar for long fits: public numbers only, step t of T. No times: they depend on records, and notebooks are kept."""

from __future__ import annotations

import contextlib
import sys


def _in_notebook() -> bool:
    shell = sys.modules.get("IPython") and sys.modules["IPython"].get_ipython()
    return shell is not None and type(shell).__name__ == "ZMQInteractiveShell"


@contextlib.contextmanager
def bar(wanted: bool):
    """What a fit calls with (step, steps), or None where nobody looks."""
    stream = sys.stderr
    if not wanted or not (stream.isatty() or _in_notebook()):
        yield None
        return

    def told(step: int, steps: int) -> None:
        filled = 30 * step // max(steps, 1)
        stream.write(f"\rfit [{'#' * filled}{'.' * (30 - filled)}] step {step} of {steps}\033[K")
        stream.flush()

    try:
        yield told
    finally:
        stream.write("\r" + " " * 78 + "\r")
        stream.flush()
