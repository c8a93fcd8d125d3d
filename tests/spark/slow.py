# SPDX-License-Identifier: Apache-2.0
"""Tasks whose first attempt at partition 0 is late where the job asks for it, so that Spark starts a copy of it elsewhere.
Executors need this file.
"""

import time

from dperm.spark import _parts

LATE = 20  # seconds; a copy that wins ends the job long before
PROPERTY = "test.late"  # of a job: "yes" or not set


def wait(part: int) -> None:
    from pyspark import TaskContext

    task = TaskContext.get()
    if part == 0 and task.attemptNumber() == 0 and task.getLocalProperty(PROPERTY) == "yes":
        time.sleep(LATE)


def encoding(index, rows):
    wait(index)
    yield from rows


class Answer(_parts.Answer):
    def __call__(self, facts):
        for fact in facts:
            wait(_parts.Fact.unpacked(fact).part)
            yield from super().__call__([fact])
