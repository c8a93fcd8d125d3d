# SPDX-License-Identifier: Apache-2.0
"""Predictions of any model, and warnings where people have several rows."""

import csv
import io
import os
import subprocess
import warnings

import numpy
import pytest

import dperm
from people import people, schema

TABLE = people()
BUDGET = {"epsilon": 2, "delta": 1e-6}


def fitted(target="sick", **task):
    plan = dperm.plan(schema(target), rows=len(TABLE), **BUDGET, **task)
    return dperm.fit(plan, dperm.read(TABLE, schema(target)))


def test_they_are_those_of_the_command_line(tmp_path):
    model = fitted()
    model.save(tmp_path / "m.json")
    TABLE.to_csv(tmp_path / "t.csv", index=False)
    command = [os.environ["DPERM_PROGRAM"], "predict", "m.json", "t.csv", "--labels", "--probabilities", "--threshold", "0.3"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=True)
    rows = list(csv.DictReader(io.StringIO(done.stdout)))
    for given in (model, tmp_path / "m.json"):
        told = dperm.predict(given, TABLE, threshold=0.3)
        assert told.column_names == [name for name in rows[0] if name != "row"]
        assert told["prediction"].to_pylist() == [row["prediction"] for row in rows]
        for name in told.column_names[1:]:
            assert numpy.allclose(told[name].to_numpy(), [float(row[name]) for row in rows], atol=1e-5)
    named = dperm.predict(model, TABLE, labels=["well", "ill"])["prediction"].to_pylist()
    assert set(named) == {"well", "ill"}
    with pytest.raises(dperm.ArgumentError, match="2 classes"):
        dperm.predict(model, TABLE, labels=["one"])
    with pytest.raises(dperm.ArgumentError, match="between 0 and 1"):
        dperm.predict(model, TABLE, threshold=1)


def test_intervals_hold_about_as_often_as_their_quantiles_say():
    models = [fitted("cost", loss="pinball", loss_parameters={"quantile": q}) for q in (0.1, 0.9)]
    told = dperm.predict(fitted("cost"), TABLE, interval=tuple(models)).to_pandas()
    held = ((told.lower <= TABLE.cost) & (TABLE.cost <= told.upper)).mean()
    assert 0.5 < held < 0.95  # 0.8 is what the quantiles say
    for wrong, words in ((models[::-1], "below"), ([models[0]], "two"), ([models[0], fitted("cost")], "quantile models")):
        with pytest.raises(dperm.ArgumentError, match=words):
            dperm.predict(models[0], TABLE, interval=tuple(wrong))


def test_labels_that_no_prediction_has_are_refused_by_score():
    made = dperm.LogisticRegression(bounds=dperm.Schema.from_toml(BINARY_TOML), **BUDGET).fit(TABLE)
    with pytest.raises(dperm.ArgumentError, match="none of the classes"), pytest.warns(dperm.NotPrivateWarning):
        made.score(TABLE, TABLE["sick"])


BINARY_TOML = """
version = 1

[target]
column = "sick"
kind = "binary"
positive = "yes"

[[column]]
name = "age"
kind = "integer"
lower = 18
upper = 90
"""


def test_a_column_that_names_persons_is_told(tmp_path):
    table = TABLE.assign(patient_nbr=numpy.arange(len(TABLE)) // 2)
    file = tmp_path / "t.csv"
    table.to_csv(file, index=False)
    plan = dperm.plan(schema(), rows=len(TABLE), **BUDGET)
    words = "patient_nbr names persons or records, it seems, and the schema has no unit"
    for data in (table, file):
        with pytest.warns(dperm.PrivacyWarning, match=words):
            dperm.fit(plan, dperm.read(data, schema()))
    with pytest.warns(dperm.PrivacyWarning, match=words):
        dperm.LogisticRegression(bounds=schema(), **BUDGET).fit(table)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        dperm.fit(plan, dperm.read(table.rename(columns={"patient_nbr": "years"}), schema()))
        unit = dperm.Schema.from_toml(schema().to_toml() + '\n[unit]\ncolumn = "patient_nbr"\nrows = 2\n')
        dperm.fit(dperm.plan(unit, rows=len(TABLE), **BUDGET), dperm.read(table, unit))
