# SPDX-License-Identifier: Apache-2.0
"""What a pass costs on Spark: a job's overhead, and the speed-up from one executor to two, on this machine.

Usage: spark_passes.py [ROWS]     (with the package installed; starts clusters of processes, one core an executor)
Seconds of the clock are those of this machine alone if nothing else runs on it: the load is printed beside them.
Processor time, of the driver, the executors and their Python workers together, suffers less from company.
"""

import os
import pathlib
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "tests" / "spark"))
import cluster

PASSES = 60
WARM = 30  # the first passes open tiles, and Java compiles


def processor_seconds() -> float:
    """Of this process and all below it that are alive."""
    parents, used = {}, {}
    for path in pathlib.Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = path.read_text().rpartition(")")[2].split()
        except OSError:  # it has just ended
            continue
        process = int(path.parent.name)
        parents[process], used[process] = int(fields[1]), int(fields[11]) + int(fields[12])
    total = 0
    for process in used:
        above = process
        while above in parents and above != os.getpid():
            above = parents[above]
        total += used[process] if above == os.getpid() else 0
    return total / os.sysconf("SC_CLK_TCK")


def census(session, rows: int, partitions: int):
    """Rows shaped as those of a census: six numbers, eight categories, made where they lie."""
    from pyspark.sql import functions

    frame = session.range(0, rows, 1, partitions)
    spread = [functions.pmod(functions.xxhash64("id", functions.lit(j)), functions.lit(1000)) for j in range(15)]
    numbers = [spread[j].cast("double").alias(f"n{j}") for j in range(6)]
    categories = [functions.pmod(spread[6 + c], functions.lit(8)).cast("string").alias(f"c{c}") for c in range(8)]
    return frame.select(*numbers, *categories, functions.pmod(spread[14], functions.lit(2)).cast("string").alias("y"))


def schema(dperm):
    numbers = [dperm.Column.number(f"n{j}", 0, 1000) for j in range(6)]
    categories = [dperm.Column.category(f"c{c}", [str(i) for i in range(8)]) for c in range(8)]
    return dperm.Schema(numbers + categories, dperm.Target.classes("y", ["0", "1"]))


def measured(session, rows: int, partitions: int) -> tuple[float, list[float], float]:
    """Seconds to encode, of each warm pass of a gradient descent, and of processors in a warm pass."""
    import dperm
    import dperm.spark

    described = schema(dperm)
    began = time.perf_counter()
    with dperm.spark.read(census(session, rows, partitions), described) as data:
        encoded = time.perf_counter() - began
        plan = dperm.plan(
            described, rows=rows, epsilon=1, delta=1e-6, method="gradient-descent", options={"steps": PASSES}
        )
        ask, seconds, used = data._ask, [], []

        def timed(question):
            start = time.perf_counter()
            answer = ask(question)
            seconds.append(time.perf_counter() - start)
            if len(seconds) in (WARM, PASSES):
                used.append(processor_seconds())
            return answer

        data._ask = timed
        dperm.fit(plan, data)
    return encoded, sorted(seconds[WARM:]), (used[1] - used[0]) / (PASSES - WARM)


def main() -> None:
    rows = int(sys.argv[1]) if len(sys.argv) > 1 else 8_000_000
    for executors in (1, 2):
        made = cluster.Cluster(executors)
        for n, partitions in ((1000, 1), (1000, 2), (1000, 8), (rows, 2)):
            encoded, seconds, used = measured(made.session, n, partitions)
            middle = seconds[len(seconds) // 2]
            print(
                f"{executors} executors, {n} rows in {partitions} partitions: encoded in {encoded:.2f} s, "
                f"pass {1e3 * middle:.0f} ms (fastest {1e3 * seconds[0]:.0f}, processors {1e3 * used:.0f}), "
                f"load {os.getloadavg()[0]:.1f}",
                flush=True,
            )
        made.stop()


if __name__ == "__main__":
    main()
