# SPDX-License-Identifier: Apache-2.0
"""What the Python package is asked, and the records that it is asked about. Loaded by python_worker.py alone, which runs
with the installed package.

A case is a function of a table in one of the containers below. Records are lists of Python objects; those of one group
are encoded alike.
"""

import datetime
import decimal
import numbers
import random

import numpy
import pandas
import polars
import pyarrow

import dperm

NAMES = ["age", "income", "city", "smoker", "admitted", "note", "sick", "cost"]
CITIES = ["north", "south", "east"]
ROWS = 90
BUDGET = {"epsilon": 1, "delta": 1e-6}
READY = "../ready.json"
PLAIN = "n"  # a note like all others


class Silent:
    """An object whose text cannot be had."""

    def __str__(self):
        raise ValueError("SECRET")

    __repr__ = __str__


COLUMNS = """version = 1

[[column]]
name = "age"
kind = "real"
lower = 0
upper = 100

[[column]]
name = "income"
kind = "real"
lower = 0
upper = 100000

[[column]]
name = "city"
kind = "category"
values = ["north", "south", "east"]
other = true

[[column]]
name = "smoker"
kind = "boolean"
missing = "category"

[[column]]
name = "admitted"
kind = "date"
lower = 2010-01-01
upper = 2029-12-31
"""
TARGETS = {
    "sick": 'kind = "binary"\npositive = "yes"',
    "ward": 'kind = "class"\nvalues = ["no", "yes"]',
    "cost": 'kind = "real"\nlower = -10\nupper = 10',
}


def schema(target: str = "sick") -> dperm.Schema:
    column = "sick" if target == "ward" else target
    return dperm.Schema.from_toml(f'{COLUMNS}\n[target]\ncolumn = "{column}"\n{TARGETS[target]}\n')


def ordinary() -> list:
    return [40, 20_000.0, "north", True, datetime.date(2020, 2, 3), PLAIN, "yes", 1.5]


# Cells that no kind of column can read. (A lone surrogate may be read as a missing cell: it has groups of its own.)
UNREADABLE = ["abc", b"\xff\xfe", 1 + 2j, numpy.complex128(3j), [1, 2], {}, (3,), object, "x" * 70_000, "a\0b"]
SURROGATES = ["\ud800", "\udfff"]
MISSING = [None, float("nan"), "", "NA", pandas.NA, pandas.NaT, numpy.datetime64("NaT"), decimal.Decimal("NaN")]
CELLS = {
    "age": [MISSING + UNREADABLE + SURROGATES + [Silent()], [101, 1e300, 10**400, decimal.Decimal("1e99"), "1000"], [-1, -1e300, "-5"], [40, 40.0, "40", numpy.int8(40)]],
    "income": [MISSING + UNREADABLE + SURROGATES, [100_001, 1e99]],
    "city": [MISSING, ["west", *UNREADABLE], SURROGATES],
    "smoker": [MISSING, [False, "no", 0, numpy.False_, *UNREADABLE], [True, "true", 1, numpy.True_], SURROGATES],
    "admitted": [[*MISSING, *UNREADABLE, *SURROGATES, "2020-02-30"], ["2031-01-01", datetime.date(2031, 1, 1), datetime.datetime(2040, 1, 1)]],
    "note": [["words", 1, 1.5, True, datetime.date(2020, 1, 1), *MISSING, *UNREADABLE, *SURROGATES, Silent()]],
    "sick": [["no", *MISSING, *UNREADABLE, *SURROGATES]],
    "cost": [MISSING + UNREADABLE + SURROGATES, [11, 1e9, "11"]],
}  # fmt: skip


def groups() -> dict[str, list[list]]:
    """Records by group."""
    made = {}
    for name, several in CELLS.items():
        for number, group in enumerate(several):
            made[f"{name} {number}"] = [[cell if each == name else old for each, old in zip(NAMES, ordinary())] for cell in group]
    return made


def others() -> list[list]:
    draw, made = random.Random(12), []
    for _ in range(ROWS):
        age, smoker = draw.randrange(101), draw.random() < 0.5
        score = age / 25 - 2 + smoker + draw.gauss(0, 1)
        day = datetime.date(2020, draw.randrange(1, 13), draw.randrange(1, 29))
        made.append([age, draw.uniform(0, 1e5), draw.choice(CITIES), smoker, day, PLAIN, "yes" if score > 0 else "no", score])
    return made


def rows_with(record: list, where: str) -> list[list]:
    made = others()
    made[{"first": 0, "middle": ROWS // 2, "last": ROWS - 1}[where]] = record
    return made


# --- containers, built with declared types: what pandas or NumPy infer is the caller's own conversion ---


def object_frame(rows) -> pandas.DataFrame:
    return pandas.DataFrame({name: pandas.Series([row[i] for row in rows], dtype=object) for i, name in enumerate(NAMES)})


def categorical_frame(rows) -> pandas.DataFrame:
    """A column that no schema names is a Categorical of whatever its cells are."""
    frame = object_frame(rows)
    notes = [hashable(cell) for cell in frame["note"]]
    frame["note"] = pandas.Categorical([number if note is PLAIN else note for number, note in enumerate(notes)])
    return frame


def hashable(cell):
    try:
        hash(cell)
    except TypeError:
        return None
    return cell


CONTAINERS = {"pandas": object_frame, "pandas with a Categorical": categorical_frame}


# --- cases: (name, function of rows) ---


def _estimator(name: str, **more):
    kind = getattr(dperm, name)
    target = TARGET_OF.get(name, "cost" if "Regress" in name else "sick")

    def fitted(table):
        return kind(**BUDGET, bounds=schema(target), random_state=None, **more).fit(table)

    return fitted


TARGET_OF = {"LogisticRegression": "sick", "SoftmaxRegression": "ward"}
ESTIMATORS = {
    "LogisticRegression": {},
    "SoftmaxRegression": {},
    "LinearSVC": {},
    "LinearRegression": {},
    "QuantileRegressor": {},
    "HuberRegressor": {},
    "AdditiveClassifier": {},
    "AdditiveRegressor": {},
    "MLPClassifier": {"hidden": (4,), "options": {"steps": 5}},
    "MLPRegressor": {"hidden": (4,), "options": {"steps": 5}},
    "RuleClassifier": {},
}


def read(table):
    return dperm.read(table, schema())


def fit(table):
    rows = dperm.read(table, schema())
    plan = dperm.plan(schema(), rows=rows.rows, **BUDGET, method="gradient-descent", options={"steps": 3})
    return dperm.fit(plan, rows)


def evaluate(table):
    """A model of other rows, which the worker has made."""
    return [dperm.evaluate(READY, table, epsilon=1), dperm.evaluate(READY, table, epsilon=1, groups="city")]


def held_out(table):
    fitted = dperm.LogisticRegression(**BUDGET, bounds=schema(), holdout=0.3).fit(table)
    return [fitted, dperm.held_out(fitted)]


def infer(table):
    return dperm.infer_schema(table, epsilon=8, delta=1e-6, target="sick", positive="yes", ignored=("note", "cost"))


def ledger(table):
    made = dperm.Ledger.create("ledger.db")
    made.register("people", epsilon=9, delta=1e-3)
    told = []
    with made.counting("people"):
        told.append(fit(table))
        told += evaluate(table)
    told += [made.spent("people"), made.remaining("people"), made.history(), made.problems()]
    return told


def notebook(table):
    """A fit that shows how far it is."""
    import sys
    import types

    shell = type("ZMQInteractiveShell", (), {})()
    sys.modules["IPython"] = types.SimpleNamespace(get_ipython=lambda: shell)
    try:
        rows = dperm.read(table, schema())
        plan = dperm.plan(schema(), rows=rows.rows, **BUDGET, method="gradient-descent", options={"steps": 4})
        return dperm.fit(plan, rows, verbose=True)
    finally:
        del sys.modules["IPython"]


def unnamed_features(table):
    """Only two columns have bounds; the others are not read."""
    return dperm.LogisticRegression(**BUDGET, bounds={"age": (0, 100), "city": CITIES}, classes=["no", "yes"]).fit(table, "sick")


OF_FRAMES = {
    "read": read,
    "fit": fit,
    "evaluate": evaluate,
    "held-out rows": held_out,
    "infer": infer,
    "ledger": ledger,
    "notebook": notebook,
    "columns without bounds": unnamed_features,
    **{name: _estimator(name, **more) for name, more in ESTIMATORS.items()},
}


def _numbers(rows) -> list:
    return [row[0] for row in rows]


def _location(function, **more):
    return lambda cells: function(cells, bounds=(0, 100), epsilon=1, delta=0, **more)


def _by_place(kind, rows, made):
    """Columns without names: numbers alone, and labels beside them."""
    features = made([[row[0], row[1], row[3]] for row in rows])
    return kind(**BUDGET, bounds=([0, 0, 0], [100, 1e5, 1]), classes=["no", "yes"]).fit(features, [row[6] for row in rows])


def _objects(rows) -> numpy.ndarray:
    made = numpy.empty((len(rows), len(rows[0])), dtype=object)
    for at, row in enumerate(rows):
        for place, cell in enumerate(row):
            made[at, place] = cell
    return made


def arrow_table(rows) -> pyarrow.Table:
    """Texts: what is missing stays missing, and what is not a text becomes one."""
    return pyarrow.table({name: pyarrow.array([_text(row[place]) for row in rows], pyarrow.string()) for place, name in enumerate(NAMES)})


def _text(cell) -> str | None:
    if cell is None or cell is pandas.NA or cell is pandas.NaT:
        return None
    if isinstance(cell, (float, decimal.Decimal, numpy.datetime64)) and cell != cell:
        return None
    if isinstance(cell, (str, numbers.Number, numpy.bool_, datetime.date)) and not isinstance(cell, complex):
        return str(cell).encode("utf-8", "replace").decode()
    return "unreadable"


def _lazy(rows):
    """A query of the caller's that fails on a text where it wants numbers."""
    texts = [str(row[0]) if not isinstance(row[0], str) else row[0] for row in rows]
    frame = arrow_table(rows).set_column(0, "age", pyarrow.array(texts))
    return polars.from_arrow(frame).lazy().with_columns(polars.col("age").cast(polars.Int64))


OF_ROWS = {
    "mean of a list": lambda rows: _location(dperm.mean)(_numbers(rows)),
    "median of a list": lambda rows: _location(dperm.median)(_numbers(rows)),
    "quantile of objects": lambda rows: _location(dperm.quantile, q=0.9)(pandas.Series(_numbers(rows), dtype=object)),
    "list of lists": lambda rows: _by_place(dperm.LogisticRegression, rows, list),
    "list of booleans": lambda rows: dperm.mean([row[3] for row in rows], bounds=(0, 1), epsilon=1, delta=0),
    "object array": lambda rows: _by_place(dperm.LogisticRegression, rows, _objects),
    "labels in a list": lambda rows: dperm.LogisticRegression(**BUDGET, bounds=(0, 100), classes=["no", "yes"]).fit([[row[0]] for row in others()], [row[6] for row in rows]),
    "Arrow table": lambda rows: fit(arrow_table(rows)),
    "Polars": lambda rows: fit(polars.from_arrow(arrow_table(rows))),
    "Polars, lazy": lambda rows: fit(polars.from_arrow(arrow_table(rows)).lazy()),
}  # fmt: skip


CASES = {
    **{f"{container}, {name}": (lambda rows, c=make, f=case: f(c(rows))) for container, make in CONTAINERS.items() for name, case in OF_FRAMES.items()},
    **OF_ROWS,
}  # fmt: skip
# A query that fails: it may, because it is the caller's; what it says must not quote a cell. Compared among texts alone.
FAILING = {"Polars, lazy, with a cast": lambda rows: fit(_lazy(rows))}


# What these calls read as numbers are booleans elsewhere: their texts are not alike.
NOT_ALIKE = {name: ["smoker 1", "smoker 2"] for name in ("list of lists", "list of booleans", "object array")}
