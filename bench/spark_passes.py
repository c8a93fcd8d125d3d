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

# What a pass may be, from little work a row to much. The first half of the passes is not counted: it opens tiles, and
# Java compiles.
PLANS = {
    "gradient": {"method": "gradient-descent", "options": {"steps": 60}},
    "clipped gradient of curves": {"method": "sgd", "options": {"steps": 60}},
    "network": {"method": "sgd", "options": {"steps": 16}, "hidden": (8,), "loss": "logistic"},
}


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


def passes(data, plan) -> tuple[list[float], float]:
    """Seconds of each warm pass, and of processors in a warm pass."""
    import dperm

    ask, seconds, used, steps = data._ask, [], [], plan.events[0]["repetitions"]

    def timed(question):
        start = time.perf_counter()
        answer = ask(question)
        seconds.append(time.perf_counter() - start)
        if len(seconds) in (steps // 2, steps):
            used.append(processor_seconds())
        return answer

    data._ask = timed
    dperm.fit(plan, data)
    data._ask = ask
    return sorted(seconds[steps // 2 :]), (used[1] - used[0]) / (steps - steps // 2)


def measure(executors: int, session, rows: int, partitions: int, kinds) -> None:
    import dperm
    import dperm.spark

    began = time.perf_counter()
    with dperm.spark.read(census(session, rows, partitions), schema(dperm)) as data:
        print(f"{executors} executors, {rows} rows in {partitions} partitions: encoded in {time.perf_counter() - began:.2f} s")
        for kind in kinds:
            task = dict(PLANS[kind], options=dict(PLANS[kind]["options"]))
            if task["method"] == "sgd":
                task["options"]["batch"] = rows
            seconds, used = passes(data, dperm.plan(schema(dperm), rows=rows, epsilon=1, delta=1e-9, **task))
            print(
                f"  {kind}: pass {1e3 * seconds[len(seconds) // 2]:.0f} ms (fastest {1e3 * seconds[0]:.0f}, processors "
                f"{1e3 * used:.0f}), load {os.getloadavg()[0]:.1f}",
                flush=True,
            )


def main() -> None:
    rows = int(sys.argv[1]) if len(sys.argv) > 1 else 24_000_000
    for executors in (1, 2):
        made = cluster.Cluster(executors)
        for partitions in (1, 2, 8):
            measure(executors, made.session, 1000, partitions, ["gradient"])
        measure(executors, made.session, rows, 2, ["gradient", "clipped gradient of curves"])
        measure(executors, made.session, rows // 12, 2, ["network"])
        made.stop()


if __name__ == "__main__":
    main()
