# SPDX-License-Identifier: Apache-2.0
"""Estimators and the command line give the same model file, byte for byte, for the same data, schema and seed."""

import os
import subprocess

import numpy
import pytest

import dperm
from people import people, schema

TABLE = people()
COMMON = {"epsilon": 1, "random_state": 11}

CASES = {
    "logistic": ("sick", dperm.LogisticRegression, {"delta": 1e-6}, ["--shape", "linear"]),
    "objective": (
        "sick",
        dperm.LogisticRegression,
        {"delta": 1e-6, "method": "objective-perturbation", "l2_penalty": 0.01},
        ["--shape", "linear", "--method", "objective-perturbation", "--l2-penalty", "0.01"],
    ),
    "descent": (
        "sick",
        dperm.LogisticRegression,
        {"delta": 1e-6, "method": "gradient-descent", "options": {"steps": 20}, "radius": 4},
        ["--shape", "linear", "--method", "gradient-descent", "--steps", "20", "--radius", "4"],
    ),
    "svc": (
        "sick",
        dperm.LinearSVC,
        {"delta": 1e-6, "margin": 0.4},
        ["--shape", "linear", "--loss", "smoothed-hinge", "--margin", "0.4", "--smoothing", "0.35"],
    ),
    "additive": ("sick", dperm.AdditiveClassifier, {"delta": 1e-6, "shape": "curve:6"}, ["--shape", "curve:6"]),
    "auto shape": ("sick", dperm.LogisticRegression, {"delta": 1e-6, "shape": "auto"}, []),
    "network": (
        "sick",
        dperm.MLPClassifier,
        {"delta": 1e-6, "hidden": (6, 4), "activation": "tanh", "options": {"steps": 10}},
        ["--hidden", "6,4", "--activation", "tanh", "--steps", "10", "--shape", "linear"],
    ),
    "rule": (
        "sick",
        dperm.RuleClassifier,
        {"delta": 0, "rules": "conjunctions(literals=2)"},
        ["--loss", "zero-one", "--class", "conjunctions(literals=2)", "--shape", "linear"],
    ),
    "linear": ("cost", dperm.LinearRegression, {"delta": 1e-6}, ["--shape", "linear"]),
    "quantile": (
        "cost",
        dperm.QuantileRegressor,
        {"delta": 1e-6, "quantile": 0.9},
        ["--shape", "linear", "--loss", "pinball", "--quantile", "0.9"],
    ),
    "huber": (
        "cost",
        dperm.HuberRegressor,
        {"delta": 1e-6, "threshold": 0.2},
        ["--shape", "linear", "--loss", "huber", "--threshold", "0.2"],
    ),
    "holdout": (
        "sick",
        dperm.LogisticRegression,
        {"delta": 1e-6, "holdout": 0.25, "method": "gradient-descent"},
        ["--shape", "linear", "--holdout", "0.25", "--method", "gradient-descent"],
    ),
}


def of_the_command_line(folder, target, flags, delta) -> str:
    TABLE.to_csv(folder / "people.csv", index=False)
    (folder / "schema.toml").write_text(schema(target).to_toml())
    done = subprocess.run(
        [
            os.environ["DPERM_PROGRAM"],
            "fit",
            folder / "people.csv",
            "--schema",
            folder / "schema.toml",
            "--epsilon",
            "1",
            "--delta",
            repr(delta),
            "--seed",
            "11",
            "--json",
            "--quiet",
            *flags,
        ],
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.mark.parametrize("case", CASES)
def test_the_model_files_are_equal(case, tmp_path):
    target, kind, parameters, flags = CASES[case]
    made = kind(**COMMON, **parameters, bounds=schema(target)).fit(TABLE)
    assert made.model_.to_json() == of_the_command_line(tmp_path, target, flags, parameters["delta"])


def test_the_functions_give_the_same(tmp_path):
    plan = dperm.plan(schema(), rows=2000, epsilon=1, delta=1e-6)
    model = dperm.fit(plan, dperm.read(TABLE, schema()), random_state=11)
    assert model.to_json() == of_the_command_line(tmp_path, "sick", [], 1e-6)
    assert model.plan.details == plan.details


def test_predictions_are_those_of_the_command_line(tmp_path):
    made = dperm.LogisticRegression(**COMMON, delta=1e-6, bounds=schema(), classes=["no", "yes"]).fit(TABLE)
    made.model_.save(tmp_path / "model.json")
    TABLE.to_csv(tmp_path / "people.csv", index=False)
    done = subprocess.run(
        [os.environ["DPERM_PROGRAM"], "predict", tmp_path / "model.json", tmp_path / "people.csv"],
        capture_output=True,
        text=True,
    )
    lines = [line.split(",") for line in done.stdout.splitlines()]
    told = numpy.array([float(line[-1]) for line in lines[1:]])
    assert numpy.allclose(made.predict_proba(TABLE)[:, 1], told, atol=1e-5)
    with pytest.raises(dperm.ArgumentError, match="already exists"):
        made.model_.save(tmp_path / "model.json")
    assert dperm.read_model(tmp_path / "model.json") == made.model_


def test_threads_do_not_change_a_bit():
    made = [
        dperm.LogisticRegression(**COMMON, delta=1e-6, bounds=schema(), threads=threads).fit(TABLE).model_
        for threads in (1, 2)
    ]
    assert made[0].to_json() == made[1].to_json()
