# SPDX-License-Identifier: Apache-2.0
"""Schemas from every place they may come from."""

import pickle

import pandas
import polars
import pyarrow
import pytest

import dperm
from people import BOUNDS, CITIES, people, schema


def test_python_and_toml_say_the_same():
    text = """version = 1
[[column]]
name = "age"
kind = "real"
lower = 18
upper = 90
[[column]]
name = "hours"
kind = "real"
lower = 0
upper = 60
[[column]]
name = "city"
kind = "category"
values = ["north", "south", "west"]
[target]
column = "sick"
kind = "binary"
positive = "yes"
"""
    assert dperm.Schema.from_toml(text) == schema()
    assert dperm.Schema.from_toml(schema().to_toml()) == schema()
    assert pickle.loads(pickle.dumps(schema())) == schema()
    assert repr(schema()) == "Schema(age: real, hours: real, city: category; target sick: binary)"
    assert "city" in schema()._repr_html_()


def test_a_file_is_read(tmp_path):
    (tmp_path / "schema.toml").write_text(schema().to_toml())
    assert dperm.Schema.read(tmp_path / "schema.toml") == schema()


@pytest.mark.parametrize(
    "values, target", [([0, 1], [1]), ([False, True], [True]), (['a"b\\', "\u00fc\u007f\t"], ["\u00fc\u007f\t"])]
)
def test_values_of_every_type_and_any_letters(values, target):
    made = dperm.Schema([dperm.Column.category("x", values)], dperm.Target.classes("y", values))
    assert dperm.Schema.from_toml(made.to_toml()) == made
    assert made.target_kind == "binary" and len(made._core.target_positive) == 1
    assert dperm.Target.classes("y", values).keys["positive"] == target


def test_mistakes_are_named_by_the_library():
    with pytest.raises(dperm.ArgumentError, match="^column 'age': lower") as caught:
        dperm.Schema([dperm.Column.number("age", 90, 18)])
    assert caught.value.field == "columns"
    with pytest.raises(dperm.DataError, match="schema:2: column 'age'"):  # a text has lines
        dperm.Schema.from_toml('version = 1\n[[column]]\nname = "age"\nlower = 90\nupper = 18\n')
    with pytest.raises(dperm.ArgumentError, match="^target 'cost': lower"):
        schema("").with_target(dperm.Target.number("cost", 1, 0))
    with pytest.raises(dperm.ArgumentError, match="colour"):
        dperm.Schema([dperm.Column.number("age", 0, 1, colour="red")])
    with pytest.raises(dperm.ArgumentError, match="has the target 'sick' already"):
        schema().with_target(dperm.Target.number("cost", 0, 1))


def test_a_codebook_costs_nothing(tmp_path):
    (tmp_path / "codebook.csv").write_text(
        "column,lower,upper,values\nage,18,90,\ncity,,,north|south|west\ncost,0,2000,\n"
    )
    made = dperm.Schema.from_codebook(tmp_path / "codebook.csv", target="cost", target_kind="real")
    assert made.columns == ["age", "city"] and made.target == "cost"
    (tmp_path / "gaps.csv").write_text("column,lower,upper,values\nage,,,\ncost,0,2000,\n")
    with pytest.raises(ValueError):
        dperm.Schema.from_codebook(tmp_path / "gaps.csv", target="cost", target_kind="real")


def test_types_only_propose():
    table = people(10)
    table["city"] = table["city"].astype("category")
    draft = dperm.Schema.propose(table)
    assert "depend on its records" in repr(draft) and "depend on its records" in draft.to_toml()
    assert draft.missing == {
        "age": ("lower", "upper"),
        "hours": ("lower", "upper"),
        "city": ("values",),
        "sick": ("values",),
        "cost": ("lower", "upper"),
    }
    assert "north" not in draft.to_toml() and "FILL IN" in draft.to_toml()
    with pytest.raises(dperm.ArgumentError, match="age: lower and upper"):
        draft.fill(hours=(0, 60), city=CITIES, cost=None, target=dperm.Target.classes("sick", ["no", "yes"]))
    made = draft.fill(BOUNDS, cost=None, target=dperm.Target.classes("sick", ["no", "yes"]))
    assert made.columns == ["age", "hours", "city"] and made.kinds["age"] == "integer"


def test_types_of_files_are_the_command_lines_to_tell():
    with pytest.raises(dperm.ArgumentError, match="dperm schema init"):
        dperm.Schema.propose("people.csv")


def test_levels_are_taken_only_where_they_are_public():
    levels = pandas.DataFrame({"city": pandas.Categorical(["north", "west"], categories=CITIES)})
    assert "values" in dperm.Schema.propose(levels).missing["city"]
    assert dperm.Schema.propose(levels, public_categories=True).columns[0].keys["values"] == CITIES
    arrow = pyarrow.table({"city": pyarrow.array(["north", "west"]).dictionary_encode()})
    assert "values" in dperm.Schema.propose(arrow).missing["city"]
    assert dperm.Schema.propose(arrow, public_categories=True).missing == {}
    frame = polars.DataFrame(
        {"city": ["north"], "kind": ["a"]}, schema={"city": polars.Enum(CITIES), "kind": polars.Categorical()}
    )
    assert dperm.Schema.propose(frame).missing == {"kind": ("values",)}
    assert dperm.Schema.propose(frame).columns[0].keys["values"] == CITIES


def test_records_are_asked_privately():
    table = people(4000)
    found = dperm.infer_schema(table[["age", "city", "sick"]], epsilon=4, delta=1e-6, target="sick", random_state=3)
    assert found.asked == ["age", "city", "sick"] and found.epsilon == 4
    assert found.columns == ["age", "city"]
    fitted = dperm.LogisticRegression(epsilon=1, delta=1e-6, bounds=found, random_state=3).fit(table)
    assert fitted.total_guarantee_.epsilon == pytest.approx(fitted.guarantee_.epsilon + 4)
    draft = dperm.Schema.propose(table[["age", "city", "sick"]])
    assert dperm.Schema.infer(table, epsilon=4, delta=1e-6, target="sick", draft=draft).columns == ["age", "city"]
