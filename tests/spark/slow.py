# SPDX-License-Identifier: Apache-2.0
"""Tasks whose first attempt at partition 0 is late, so that Spark starts a copy of it elsewhere. Executors need this file."""

import time

from dperm.spark import _parts

LATE = 5  # seconds


def wait(part: int) -> None:
    from pyspark import TaskContext

    if part == 0 and TaskContext.get().attemptNumber() == 0:
        time.sleep(LATE)


def encoding(index, rows):
    wait(index)
    yield from rows


class Answer(_parts.Answer):
    def __call__(self, facts):
        for fact in facts:
            wait(fact.part)
            yield from super().__call__([fact])
