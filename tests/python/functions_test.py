# SPDX-License-Identifier: Apache-2.0
"""Functions beside the estimators: accounting, planning, verification, evaluation, means and quantiles."""

import json
import os
import pathlib
import pickle
import subprocess
import warnings

import numpy
import pandas
import pytest

import dperm
from people import people, schema

TABLE = people()


def test_one_gaussian_release_costs_what_is_known():
    event = dperm.accounting.event("gaussian", l2_sensitivity=1, sigma=1)
    found = dperm.accounting.account(event, delta=1e-5)
    assert found.epsilon == pytest.approx(4.3766, abs=1e-3) and not found.pure
    assert dperm.accounting.delta_at([event], epsilon=found.epsilon) == pytest.approx(1e-5, rel=1e-2)
    noise = dperm.accounting.find_noise(event, epsilon=1, delta=1e-5)
    assert 0.999 < dperm.accounting.account(noise, delta=1e-5).epsilon <= 1
    assert dperm.accounting.find_steps(event, epsilon=20, delta=1e-5)["repetitions"] >= 8
    assert repr(event) == "Event(gaussian: l2_sensitivity=1, sigma=1, replace-one)"
    with pytest.raises(dperm.DataError, match="sigma"):
        dperm.accounting.account(dperm.accounting.event("gaussian", l2_sensitivity=1), delta=1e-5)
    with pytest.raises(dperm.DataError, match="unknown mechanism"):
        dperm.accounting.account(dperm.accounting.event("magic"), delta=1e-5)


def test_models_add_up():
    models = [dperm.LogisticRegression(epsilon=1, delta=1e-6, bounds=schema()).fit(TABLE).model_ for _ in range(2)]
    total = dperm.accounting.account(models[0].events + models[1].events, delta=2e-6)
    assert 1 < total.epsilon < 2 and total.delta == 2e-6


def test_the_command_line_accounts_the_same():
    event = dperm.accounting.event(
        "sampled-gaussian",
        contribution=1,
        sigma=2,
        rate=0.01,
        sampling="poisson",
        repetitions=1000,
        neighbours="add-remove",
    )
    found = dperm.accounting.account(event, delta=1e-6).epsilon
    done = subprocess.run(
        [
            os.environ["DPERM_PROGRAM"],
            "account",
            "sampled-gaussian:contribution=1,sigma=2,rate=0.01,sampling=poisson,count=1000",
            "--neighbours",
            "add-remove",
            "--delta",
            "1e-6",
            "--json",
        ],
        capture_output=True,
        text=True,
    )
    assert json.dumps(found)[:10] in done.stdout, done.stdout + done.stderr


def test_plans_and_comparisons_read_no_data():
    plan = dperm.plan(schema(), rows=2000, epsilon=1, delta=1e-6)
    assert plan is dperm.plan(schema(), rows=2000, epsilon=1, delta=1e-6), "asked again, it is the same one"
    assert plan.guarantee.epsilon <= 1 and plan.forecast.accuracy_lost is not None
    assert plan.derivation[0]["quantity"] and plan.events and plan.utility
    everything = dperm.compare(schema(), rows=2000, epsilon=1, delta=1e-6)
    assert everything[0].plan.algorithm == plan.algorithm and everything[0].plan.guarantee == plan.guarantee
    assert any(each.plan is None and each.refusal for each in everything)
    assert pickle.loads(pickle.dumps(plan)).details == plan.details
    assert len(dperm.budget_warnings(rows=2000, epsilon=50, delta=0.1)) == 2
    tuned = dperm.plan(schema(), rows=2000, epsilon=1, delta=1e-6, method="gradient-descent", tune="steps=5,20")
    assert tuned.algorithm == "tuned"


def test_budgets_that_protect_little_are_warned_of():
    with pytest.warns(dperm.SpendingWarning, match="weak promise"):
        dperm.plan(schema(), rows=2000, epsilon=6, delta=1e-6)
    with pytest.warns(dperm.SpendingWarning, match="hardly anybody"):
        dperm.LogisticRegression(epsilon=12, delta=1e-6, bounds=schema()).plan(2000)
    with pytest.warns(dperm.SpendingWarning, match="not below 1/rows"):
        dperm.plan(schema(), rows=2000, epsilon=1, delta=1e-3)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        dperm.plan(schema(), rows=2000, epsilon=4.9, delta=1e-6)


def test_a_changed_model_does_not_verify():
    model = dperm.fit(dperm.plan(schema(), rows=2000, epsilon=1, delta=1e-6), dperm.read(TABLE, schema()))
    assert (
        dperm.verify(model) and "passed" in repr(dperm.verify(model)) and "passed" in dperm.verify(model)._repr_html_()
    )
    with pytest.raises(dperm.DataError, match="digest"):
        dperm.Model.from_json(model.to_json().replace('"epsilon": 1.0', '"epsilon": 0.5'))


def test_evaluations_are_private_or_declared_public():
    model = dperm.LogisticRegression(epsilon=2, delta=1e-6, bounds=schema()).fit(TABLE).model_
    private = dperm.evaluate(model, TABLE, epsilon=1, groups="city")
    assert private.private and private.guarantee.epsilon == 1 and set(private.groups) >= {"north", "south", "west"}
    exact = dperm.evaluate(model, TABLE[["age", "hours", "city"]], TABLE["sick"], public=True)
    assert not exact.private and exact.guarantee is None and "NOT private" in repr(exact)
    assert abs(private["auc"].value - exact["auc"].value) < 0.1
    assert exact.all.roc and exact.all.calibration and "auc" in exact._repr_html_()
    for wrong in ({}, {"epsilon": 1, "public": True}):
        with pytest.raises(dperm.ArgumentError, match="public=True"):
            dperm.evaluate(model, TABLE, **wrong)


def test_means_medians_and_quantiles():
    ages = TABLE["age"].to_numpy()
    mean = dperm.mean(ages, bounds=(18, 90), epsilon=2, delta=0, random_state=1)
    assert float(mean) == pytest.approx(ages.mean(), abs=0.5) and mean.guarantee.epsilon <= 2 and mean.guarantee.pure
    assert mean.interval[0] < ages.mean() < mean.interval[1] and "95% interval" in repr(mean)
    assert float(dperm.median(ages, bounds=(18, 90), epsilon=2, delta=0, random_state=1)) == pytest.approx(
        numpy.median(ages), abs=2
    )
    assert float(dperm.quantile(ages, 0.9, bounds=(18, 90), epsilon=2, delta=0, random_state=1)) == pytest.approx(
        numpy.quantile(ages, 0.9), abs=2
    )
    for form in (ages.tolist(), TABLE["age"], ages.astype("float32")):
        assert float(dperm.mean(form, bounds=(18, 90), epsilon=2, delta=0, random_state=1)) == mean.value
    with pytest.raises(TypeError):
        dperm.mean(ages, epsilon=1, delta=0)


def test_pictures_of_released_numbers():
    import matplotlib

    matplotlib.use("Agg")
    additive = dperm.AdditiveClassifier(epsilon=5, delta=1e-6, bounds=schema()).fit(TABLE)
    assert [axis.get_xlabel() for axis in dperm.plots.curves(additive).axes] == ["age", "hours"]
    linear = dperm.LogisticRegression(epsilon=5, delta=1e-6, bounds=schema()).fit(TABLE)
    labels = [label.get_text() for label in dperm.plots.coefficients(linear).axes[0].get_yticklabels()]
    assert labels[::-1] == ["age", "hours", "city=north", "city=south", "city=west"]
    assert len(dperm.plots.evaluation(dperm.evaluate(linear, TABLE, epsilon=1)).axes) == 2
    with pytest.raises(dperm.ArgumentError, match="no curves"):
        dperm.plots.curves(linear)


def test_pictures_have_the_axes_of_their_columns():
    import matplotlib

    matplotlib.use("Agg")
    table = TABLE.assign(day=pandas.Timestamp("2024-01-01") + pandas.to_timedelta(TABLE["age"], "D"))
    columns = [
        dperm.Column("day", kind="date", lower="2024-01-01", upper="2024-12-30"),
        dperm.Column("hours", kind="real", lower=0, upper=60, scale="log"),
    ]
    asked = dperm.Schema(columns, dperm.Target.classes("sick", ["no", "yes"]))
    day, hours = dperm.plots.curves(dperm.AdditiveClassifier(epsilon=5, delta=1e-6, bounds=asked).fit(table)).axes
    day.figure.canvas.draw()
    assert day.xaxis.get_ticklabels()[0].get_text().startswith("2024-")
    place = hours.get_xaxis().get_transform().transform
    knots = numpy.diff(place(hours.lines[0].get_xdata()))
    assert numpy.allclose(knots, knots[0])  # evenly on the scale that the effects are straight in


def test_a_report_of_models(tmp_path):
    made = dperm.LogisticRegression(epsilon=1, delta=1e-6, bounds=schema()).fit(TABLE)
    made.model_.save(tmp_path / "model.json")
    page = dperm.report(made, title="Who is sick?")
    assert page.html.startswith("<!DOCTYPE html>") and "Who is sick?" in page.html and "<script" not in page.html
    assert dperm.report(tmp_path / "model.json", title="Who is sick?") == page
    page.save(tmp_path / "report.html")
    with pytest.raises(FileExistsError):
        page.save(tmp_path / "report.html")
    assert "city=" in dperm.report(made, made.model_).html
    with pytest.raises(dperm.ArgumentError):
        dperm.report()


def test_a_time_limit_takes_what_keeps_to_it_or_refuses_before_anything_is_spent():
    asked = {"rows": 50_000_000, "epsilon": 1, "delta": 1e-9, "cores": 1}
    free = dperm.plan(schema(), **asked)
    assert free.cost.core_seconds > 5 and free.cost.rounds > free.cost.passes
    assert pickle.loads(pickle.dumps(free)).cost == free.cost
    limit = 0.8 * free.cost.core_seconds
    bounded = dperm.plan(schema(), time_limit=limit, **asked)
    assert bounded.method != free.method and bounded.cost.core_seconds <= limit
    with pytest.raises(dperm.ArgumentError, match="once the rows are read"):
        dperm.plan(schema(), method=free.method, time_limit=limit, **asked)
    refused = {
        each.method: each.refusal for each in dperm.compare(schema(), time_limit=limit, **asked) if not each.plan
    }
    assert "are allowed" in refused[free.method]
    # Jobs take their time, however many cores there are.
    assert dperm.plan(schema(), time_limit=10, **asked | {"cores": 1000}).method == free.method
    with pytest.raises(dperm.ArgumentError, match="once the rows are read"):
        dperm.plan(schema(), method="sgd", time_limit=10, pass_overhead=0.5, **asked | {"cores": 1000})
    for wrong in (0, -1, float("nan")):
        with pytest.raises(dperm.ArgumentError, match="time_limit"):
            dperm.plan(schema(), time_limit=wrong, **asked)


def test_estimators_keep_to_a_time_limit():
    made = dperm.LogisticRegression(epsilon=1, delta=1e-9, bounds=schema(), time_limit=1e-6, threads=1)
    with pytest.raises(dperm.ArgumentError, match="once the rows are read"):
        made.fit(TABLE)
    assert made.set_params(time_limit=100).fit(TABLE).plan_.cost.core_seconds < 100


def test_every_form_of_model_tells_its_weights():
    files = sorted((pathlib.Path(__file__).parents[1] / "golden").glob("version*/*.json"))
    assert len(files) > 100
    for path in files:
        model = dperm.read_model(path)
        if "rule" in model.details:
            expected = [model.details["rule"]["number"]]
        elif "network_weights" in model.details:
            expected = model.details["network_weights"]
        else:
            expected = [each["encoded"] for each in model.details["coefficients"]]
        assert isinstance(model.weights, numpy.ndarray), path
        assert model.weights.tolist() == expected and expected, path
