# SPDX-License-Identifier: Apache-2.0
"""Deletes the tiles of an executor when it ends, however it ends.

A process of its own, started with an executor's first tiles: whoever kills an executor does not let it tidy up. It ends
by itself when the tiles were deleted before. Run as a program it needs nothing but Python.
"""

import os
import select
import shutil
import subprocess
import sys

PAUSE = 5  # seconds between looks whether the tiles are still there


def start(process: int, homes: list[str]) -> None:
    """Deletes these folders when the process ends."""
    end = os.pidfd_open(process)  # here, where the process lives: its number cannot be another's yet
    try:
        subprocess.Popen(
            [sys.executable, "-I", "-S", os.path.abspath(__file__), str(end), *homes],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            cwd="/",
            pass_fds=[end],
            start_new_session=True,  # signals to the executor's processes are not for this one
        )
    finally:
        os.close(end)


def main() -> None:
    end, homes = int(sys.argv[1]), sys.argv[2:]
    while any(os.path.isdir(each) for each in homes):
        if select.select([end], [], [], PAUSE)[0]:
            for each in homes:
                shutil.rmtree(each, ignore_errors=True)
            return


if __name__ == "__main__":
    main()
