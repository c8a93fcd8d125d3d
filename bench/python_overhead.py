# SPDX-License-Identifier: Apache-2.0
"""What the Python package adds to a fit: small tables, large tables, memory. Prints a table; nothing is asserted here.

python bench/python_overhead.py       (with the package installed; docs/python.md)
"""

import resource
import statistics
import time

import numpy
import pyarrow

import dperm


def seconds(work, repeats: int) -> tuple[float, float]:
    """Median of wall and of processor time."""
    wall, processor = [], []
    for _ in range(repeats):
        start, start_processor = time.perf_counter(), time.process_time()
        work()
        wall.append(time.perf_counter() - start)
        processor.append(time.process_time() - start_processor)
    return statistics.median(wall), statistics.median(processor)


def peak() -> float:
    """Largest resident memory so far, in MB."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e3


def show(what: str, wanted: str, wall: float, processor: float) -> None:
    print(f"{what:<66}{1e3 * wall:>10.3f} ms {1e3 * processor:>10.3f} ms   wanted: {wanted}")


def small() -> None:
    draw = numpy.random.default_rng(1)
    X = draw.uniform(0, 1, (20, 5))
    y = (X[:, 0] > 0.5).astype(int)
    common = {"epsilon": 1, "delta": 1e-3, "bounds": (0, 1), "classes": [0, 1]}
    planned = dperm.LogisticRegression(**common, method="objective-perturbation")
    planned.fit(X, y)
    show(
        "20 rows, plan made before (objective perturbation)", "under 0.5 ms", *seconds(lambda: planned.fit(X, y), 1001)
    )
    epsilons = iter(numpy.linspace(0.5, 2, 200))  # a new question each time: nothing is remembered

    def auto():
        dperm.LogisticRegression(**{**common, "epsilon": next(epsilons)}).fit(X, y)

    auto()
    show("20 rows, auto, planned anew", "under 30 ms", *seconds(auto, 51))


def large(rows: int = 1_000_000) -> None:
    draw = numpy.random.default_rng(2)
    names = [f"c{place}" for place in range(14)]
    table = pyarrow.table({name: draw.uniform(0, 1, rows) for name in names})
    labels = pyarrow.array((table["c0"].to_numpy() + draw.normal(0, 0.3, rows) > 0.5).astype("int8"))
    table = table.append_column("label", labels)
    common = {"epsilon": 1, "delta": 1e-8, "classes": [0, 1]}
    by_name = {"bounds": {name: (0, 1) for name in names}}
    auto = dperm.LogisticRegression(**common, **by_name)
    common["method"] = "objective-perturbation"
    model = dperm.LogisticRegression(**common, **by_name)
    before = peak()
    for each, what in ((auto, "auto"), (model, "objective perturbation")):
        show(
            f"{rows} rows by 14 columns from a pyarrow table, {what}",
            "under 2000 ms",
            *seconds(lambda: each.fit(table, "label"), 3),
        )
    more = peak() - before
    print(f"  table {table.nbytes / 1e6:.0f} MB, peak memory {more:.0f} MB more; wanted: at most half of the table")
    X = numpy.column_stack([table[name].to_numpy() for name in names])
    y = labels.to_numpy()
    place = dperm.LogisticRegression(**common, bounds=(0, 1))
    show(f"{rows} rows by 14 columns from a NumPy array", "under 2000 ms", *seconds(lambda: place.fit(X, y), 3))


if __name__ == "__main__":
    print(f"{'median of':<66}{'wall':>13} {'processor':>13}")
    small()
    large()
