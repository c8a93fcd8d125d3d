# SPDX-License-Identifier: Apache-2.0
"""The same table in every form gives the same model; what cells hold never leads to a refusal."""

import duckdb
import numpy
import pandas
import polars
import pyarrow
import pyarrow.dataset
import pyarrow.parquet
import pytest
import scipy.sparse

import dperm
from people import people, schema

TABLE = people()
FEATURES, LABELS = TABLE[["age", "hours", "city"]], TABLE["sick"]
ARROW = pyarrow.Table.from_pandas(TABLE, preserve_index=False)


def fitted(X, y=None, bounds=None):
    return (
        dperm.LogisticRegression(
            epsilon=1, delta=1e-6, bounds=bounds or schema(), random_state=1, method="objective-perturbation"
        )
        .fit(X, y)
        .model_
    )


EXPECTED = fitted(ARROW).to_json()


class Exporter:
    """Nothing but the Arrow C stream interface."""

    def __init__(self, table):
        self.table = table

    def __arrow_c_stream__(self, requested_schema=None):
        return self.table.__arrow_c_stream__(requested_schema)


FORMS = {
    "pandas": lambda: (TABLE, None),
    "pandas and labels": lambda: (FEATURES, LABELS),
    "pandas and an array": lambda: (FEATURES, LABELS.to_numpy()),
    "pandas and a list": lambda: (FEATURES, LABELS.tolist()),
    "pandas, named target": lambda: (TABLE, "sick"),
    "pandas with objects": lambda: (TABLE.astype(object), None),
    "pandas with categories": lambda: (TABLE.astype({"city": "category"}), None),
    "pandas with Arrow types": lambda: (TABLE.convert_dtypes(dtype_backend="pyarrow"), None),
    "polars": lambda: (polars.from_pandas(TABLE), None),
    "polars, lazy": lambda: (polars.from_pandas(TABLE).lazy(), None),
    "polars and a series": lambda: (polars.from_pandas(FEATURES), polars.from_pandas(TABLE)["sick"]),
    "polars enum": lambda: (
        polars.from_pandas(TABLE).with_columns(polars.col("city").cast(polars.Enum(["west", "south", "north"]))),
        None,
    ),
    "arrow table": lambda: (ARROW, None),
    "arrow batches": lambda: (pyarrow.Table.from_batches(ARROW.to_batches(max_chunksize=77)), None),
    "arrow reader": lambda: (ARROW.to_reader(), None),
    "arrow table and labels": lambda: (ARROW.drop_columns(["sick"]), ARROW["sick"]),
    "arrow reader and labels": lambda: (ARROW.drop_columns(["sick"]).to_reader(max_chunksize=300), LABELS),
    "arrow dataset": lambda: (pyarrow.dataset.dataset(ARROW), None),
    "duckdb": lambda: (duckdb.from_arrow(ARROW), None),
    "anything with a stream": lambda: (Exporter(ARROW), None),
}


@pytest.mark.parametrize("form", FORMS)
def test_every_form_gives_the_same_bits(form):
    X, y = FORMS[form]()
    assert fitted(X, y).to_json() == EXPECTED


@pytest.mark.parametrize("name", ["people.csv", "people.parquet", "people.arrow"])
def test_files_are_read_by_the_library(tmp_path, name):
    path = tmp_path / name
    if name.endswith("csv"):
        TABLE.to_csv(path, index=False)
    elif name.endswith("parquet"):
        pyarrow.parquet.write_table(ARROW, path)
    else:
        with pyarrow.ipc.new_file(path, ARROW.schema) as file:
            file.write_table(ARROW)
    assert fitted(path).to_json() == EXPECTED == fitted([str(path)]).to_json()
    data = dperm.read(path, schema(), tiles=tmp_path / "tiles")
    assert fitted(data).to_json() == EXPECTED
    with pytest.raises(dperm.ArgumentError, match="the Schema it was read by"):
        fitted(data, bounds=schema("cost"))
    assert (tmp_path / "tiles").exists() and data.rows == len(data) == 2000
    assert repr(data) == "Dataset(2000 rows, 3 columns)"


NUMBERS = TABLE[["age", "hours"]].to_numpy(dtype=float)
COST = dperm.Schema(
    [dperm.Column.number("x0", 18, 90), dperm.Column.number("x1", 0, 60)], dperm.Target.number("target", 0, 2000)
)


def regression(X):
    made = dperm.LinearRegression(
        epsilon=1, delta=1e-6, bounds=([18, 0], [90, 60]), target_bounds=(0, 2000), random_state=1
    )
    return made.fit(X, TABLE["cost"])


@pytest.mark.parametrize("form", ["C", "F", "list", "frame", "csr", "csc", "strided", "object", "text", "swapped"])
def test_arrays_of_every_make(form):
    wide = numpy.zeros((2000, 4))
    wide[:, ::2] = NUMBERS
    made = {
        "C": lambda: numpy.ascontiguousarray(NUMBERS),
        "F": lambda: numpy.asfortranarray(NUMBERS),
        "list": NUMBERS.tolist,
        "frame": lambda: pandas.DataFrame(NUMBERS, columns=["x0", "x1"]),
        "csr": lambda: scipy.sparse.csr_array(NUMBERS),
        "csc": lambda: scipy.sparse.csc_matrix(NUMBERS),
        "strided": lambda: wide[:, ::2],
        "object": lambda: NUMBERS.astype(object),
        "text": lambda: NUMBERS.astype(str),
        "swapped": lambda: NUMBERS.astype(">f8"),
    }[form]()
    found = regression(made)
    assert found.model_.to_json() == regression(NUMBERS).model_.to_json()
    assert numpy.array_equal(found.predict(made), regression(NUMBERS).predict(NUMBERS))


def test_blocks_do_not_show(monkeypatch):
    from dperm import _inputs

    expected = regression(NUMBERS).model_.to_json()
    monkeypatch.setattr(_inputs, "BLOCK_ROWS", 333)
    monkeypatch.setattr(_inputs, "SPARSE_BLOCK_CELLS", 999)
    assert (
        regression(NUMBERS).model_.to_json() == expected == regression(scipy.sparse.csr_array(NUMBERS)).model_.to_json()
    )


def test_single_precision_is_read_as_it_is():
    single = NUMBERS.astype(numpy.float32)
    assert regression(single).model_.to_json() == regression(single.astype(float)).model_.to_json()


@pytest.mark.parametrize("odd", [numpy.nan, numpy.inf, -numpy.inf, 1e300])
def test_odd_numbers_are_no_errors(odd):
    X, y = NUMBERS.copy(), TABLE["cost"].to_numpy().copy()
    X[7, 0] = y[9] = odd
    made = dperm.LinearRegression(epsilon=1, delta=1e-6, bounds=([18, 0], [90, 60]), target_bounds=(0, 2000)).fit(X, y)
    assert numpy.isfinite(made.predict(X)).all()


@pytest.mark.parametrize("odd", ["elsewhere", "", None, numpy.nan, 7, 1.5, b"\xff", {"a": 1}, "\ud800", object()])
def test_odd_cells_are_no_errors_and_change_no_other_cell(odd):
    table = TABLE.astype(object)
    table.loc[3, "city"] = table.loc[4, "sick"] = table.loc[5, "age"] = None
    expected = fitted(table).to_json()
    table.at[3, "city"] = table.at[4, "sick"] = table.at[5, "age"] = odd
    if not isinstance(odd, (int, float)) or odd != odd:
        assert fitted(table).to_json() == expected
    else:
        fitted(table)


def test_an_odd_cell_does_not_change_how_others_are_read():
    made = dperm.Schema([dperm.Column.category("x", ["1", "2"])], dperm.Target.classes("y", [0, 1]))
    tables = [[[1.0], [2.0], [odd], [2.0]] for odd in (3.0, "three", None)]
    models = [
        dperm.LogisticRegression(epsilon=1, delta=0, bounds=made, random_state=2).fit(X, [0, 1, 0, 1]).model_
        for X in (*tables, *(numpy.array(X, dtype=object) for X in tables))
    ]
    assert all(model.to_json() == models[0].to_json() for model in models)


@pytest.mark.parametrize(
    "X, y, words",
    [
        (numpy.zeros((3, 2), dtype=complex), [0, 0, 0], "Complex data not supported"),
        (numpy.zeros(3), [0, 0, 0], "Reshape your data"),
        (numpy.zeros((0, 2)), [], "0 sample"),
        (numpy.zeros((3, 0)), [0, 0, 0], "0 feature"),
        (numpy.zeros((3, 2)), [0, 0], r"inconsistent numbers of samples: \[3, 2\]"),
        (numpy.zeros((3, 5)), [0, 0, 0], "one for each of the 5 columns"),
        ([1, 2, 3], [0, 0, 0], "Reshape your data"),
        (pandas.DataFrame([[1, 2]], columns=["a", "a"]), [0], "two columns are called 'a'"),
    ],
)
def test_what_is_refused_is_refused_by_shape_type_and_name(X, y, words):
    with pytest.raises(ValueError, match=words):
        dperm.LinearRegression(epsilon=1, delta=0, bounds=([0, 0], [1, 1]), target_bounds=(0, 1)).fit(X, y)


@pytest.mark.parametrize("count", [1999, 1000, 2001])
def test_labels_of_a_stream_are_counted(count):
    labels = pyarrow.array(["no"] * count)
    with pytest.raises(dperm.ArgumentError, match=rf"inconsistent numbers of samples: \[2000, {count}\]"):
        fitted(ARROW.drop_columns(["sick"]).to_reader(max_chunksize=300), labels)


def test_records_are_not_pickled():
    import pickle

    with pytest.raises(TypeError, match="records are not pickled"):
        pickle.dumps(dperm.read(TABLE, schema()))
