# SPDX-License-Identifier: Apache-2.0
"""Estimators in the company of scikit-learn, and what they tell after a fit."""

import inspect
import pickle
import warnings

import numpy
import pandas
import pytest
from sklearn.base import clone
from sklearn.compose import ColumnTransformer
from sklearn.exceptions import NotFittedError
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer, MinMaxScaler

import dperm
from dperm import estimators
from people import BOUNDS, people, schema

TABLE = people()
CLASSES = ["no", "yes"]
EVERY = [getattr(estimators, name) for name in estimators.__all__]


def logistic(**parameters):
    given = {"epsilon": 2, "delta": 1e-6, "bounds": BOUNDS, "classes": CLASSES, **parameters}
    return dperm.LogisticRegression(**given)


@pytest.mark.parametrize("kind", EVERY, ids=lambda kind: kind.__name__)
def test_parameters_go_by_name_and_privacy_has_no_default(kind):
    parameters = inspect.signature(kind).parameters
    assert all(each.kind is inspect.Parameter.KEYWORD_ONLY for each in parameters.values())
    without = [name for name, each in parameters.items() if each.default is inspect.Parameter.empty]
    assert without == ["epsilon", "delta", "bounds"]
    assert parameters["method"].default == "auto" and parameters["random_state"].default is None
    assert {"classes", "target_bounds"} & set(parameters)
    assert kind.__doc__


def test_a_fit_tells_what_it_cost():
    made = logistic().fit(TABLE, "sick")
    assert made.model_.is_private and made.guarantee_.epsilon <= 2 and made.guarantee_.delta == 1e-6
    assert made.plan_.guarantee == made.guarantee_ and made.plan_.rows == 2000
    assert made.certificate_ and all(check.passed for check in made.certificate_.checks)
    assert made.coef_names_ == ["age", "hours", "city=north", "city=south", "city=west"]
    assert made.coef_.shape == (1, 5) and made.intercept_.shape == (1,)
    assert made.coef_[0, 0] > 0.02, "older people are sick more often"
    assert list(made.classes_) == CLASSES and list(made.feature_names_in_) == ["age", "hours", "city"]
    assert not [name for name in vars(made) if "iter" in name or "loss" in name], "what was not released does not exist"


def test_before_a_fit_nothing_is_told():
    for name in ("guarantee_", "certificate_", "coef_", "model_", "plan_", "classes_"):
        assert not hasattr(logistic(), name)
    with pytest.raises(NotFittedError):
        logistic().predict(TABLE)


def test_a_plan_needs_no_records():
    made = logistic()
    plan = made.plan(rows=2000)
    assert plan.guarantee.epsilon <= 2 and "how epsilon follows" in plan._repr_html_()
    assert made.fit(TABLE, "sick").plan_.to_json() == plan.to_json()
    arrays = dperm.LinearRegression(epsilon=1, delta=1e-6, bounds=(0, 1), target_bounds=(0, 1))
    assert arrays.plan(rows=100, columns=3).details["task"]["weights"] == 4


def test_a_seed_makes_a_model_that_is_not_private():
    made = logistic(random_state=4).fit(TABLE, "sick")
    assert not made.model_.is_private and not made.certificate_ and "NOT private" in repr(made.model_)
    assert made.model_ == logistic(random_state=4).fit(TABLE, "sick").model_
    assert made.model_ != logistic(random_state=5).fit(TABLE, "sick").model_
    assert not numpy.array_equal(logistic().fit(TABLE, "sick").coef_, logistic().fit(TABLE, "sick").coef_)
    for wrong in (-1, 0.5, True, numpy.random.RandomState(0)):
        with pytest.raises(dperm.ArgumentError, match="random_state"):
            logistic(random_state=wrong).fit(TABLE, "sick")


def test_a_pickle_holds_the_model_file_and_no_record():
    table = TABLE.copy()
    table.loc[0, "city"] = "the secret village"
    made = logistic(random_state=4).fit(table, "sick")
    text = pickle.dumps(made)
    assert b"secret" not in text
    again = pickle.loads(text)
    assert (
        again.model_ == made.model_ and again.guarantee_ == made.guarantee_ and again.certificate_ == made.certificate_
    )
    assert numpy.array_equal(again.predict_proba(TABLE), made.predict_proba(TABLE))
    assert again.plan_.details == made.plan_.details
    with pytest.raises(dperm.ArgumentError, match="not run"):
        dperm.fit(again.plan_, dperm.read(TABLE, schema()))


def test_scores_are_exact_and_say_so():
    made = logistic().fit(TABLE, "sick")
    with pytest.warns(dperm.NotPrivateWarning, match="exact"):
        score = made.score(TABLE, TABLE["sick"])
    assert score == (made.predict(TABLE) == TABLE["sick"]).mean() > 0.75
    told = dperm.evaluate(made, TABLE, epsilon=1)
    assert abs(told["accuracy"].value - score) < 0.1 and told.guarantee.epsilon == 1
    assert dperm.evaluate(made, TABLE, public=True)["accuracy"].value == pytest.approx(score)


def test_cross_validation_works_and_says_what_it_spends():
    features = TABLE[["age", "hours", "city"]]
    with pytest.warns(dperm.PrivacyWarning) as caught:
        scores = cross_val_score(logistic(), features, TABLE["sick"], cv=3)
    assert len(scores) == 3 and min(scores) > 0.7
    words = [str(each.message) for each in caught]
    assert any("fit number 3 of clones" in word and "epsilon 6" in word and "k-1" in word for word in words)
    assert any("exact number" in word for word in words)


def test_clones_say_what_they_spend_in_other_processes_too():
    one = logistic()
    first, second = (pickle.loads(pickle.dumps(clone(one))) for _ in range(2))  # as n_jobs=2 sends them
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        first.fit(TABLE, "sick")
    with pytest.warns(dperm.SpendingWarning, match="fit number 2 of clones"):
        second.fit(TABLE, "sick")


def test_one_fit_of_one_estimator_warns_of_nothing():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        clone(logistic()).fit(TABLE, "sick").predict(TABLE)


@pytest.mark.filterwarnings("ignore::dperm.PrivacyWarning")
def test_searches_and_pipelines():
    search = GridSearchCV(logistic(), {"epsilon": [1, 4]}, cv=2).fit(TABLE[["age", "hours", "city"]], TABLE["sick"])
    assert search.best_estimator_.guarantee_.epsilon <= 4
    scaled = make_pipeline(
        MinMaxScaler(), dperm.LogisticRegression(epsilon=2, delta=1e-6, bounds=(0, 1), classes=CLASSES)
    )
    scaled.fit(TABLE[["age", "hours"]], TABLE["sick"])
    assert scaled[-1].n_features_in_ == 2 and scaled.score(TABLE[["age", "hours"]], TABLE["sick"]) > 0.75
    columns = ColumnTransformer(
        [("age", FunctionTransformer(lambda cells: cells / 100), ["age"]), ("rest", "passthrough", ["hours"])]
    )
    made = make_pipeline(
        columns, dperm.LinearRegression(epsilon=2, delta=1e-6, bounds=([0, 0], [1, 60]), target_bounds=(0, 2000))
    )
    assert made.fit(TABLE, TABLE["cost"]).score(TABLE, TABLE["cost"]) > 0.5


def test_classes_are_declared_and_never_discovered():
    with pytest.raises(dperm.ArgumentError, match="`classes` must be declared"):
        logistic(classes=None).fit(TABLE, "sick")
    made = logistic(classes=["yes", "no", "unheard of"]).fit(TABLE, "sick")
    assert made.predict_proba(TABLE).shape == (2000, 3) and made.coef_.shape == (3, 5)
    assert list(logistic(classes=["yes", "no"]).fit(TABLE, "sick").classes_) == ["yes", "no"]
    labels = numpy.where(TABLE["sick"] == "yes", 1.0, -1.0)
    numeric = logistic(classes=[-1, 1]).fit(TABLE[["age", "hours", "city"]], labels)
    assert numeric.predict(TABLE).dtype == int and (numeric.predict(TABLE) == labels).mean() > 0.75


def test_a_schema_of_two_classes_knows_the_positive_one_alone():
    made = dperm.LogisticRegression(epsilon=5, delta=1e-6, bounds=schema()).fit(TABLE)
    assert list(made.classes_) == [0, 1] and set(made.predict(TABLE)) == {0, 1}
    named = dperm.LogisticRegression(epsilon=5, delta=1e-6, bounds=schema(), classes=CLASSES).fit(TABLE)
    assert set(named.predict(TABLE)) == set(CLASSES)
    for wrong in (["yes", "no"], ["no", "maybe"]):
        with pytest.raises(dperm.ArgumentError, match="`classes` differ"):
            dperm.LogisticRegression(epsilon=5, delta=1e-6, bounds=schema(), classes=wrong).fit(TABLE)
    three = dperm.Schema([dperm.Column.number("age", 18, 90)], dperm.Target.classes("city", ["north", "south", "west"]))
    made = dperm.LogisticRegression(epsilon=5, delta=1e-6, bounds=three).fit(TABLE)
    assert list(made.classes_) == ["north", "south", "west"]
    with pytest.raises(dperm.ArgumentError, match="`classes` differ"):
        dperm.LogisticRegression(epsilon=5, delta=1e-6, bounds=three, classes=["south", "north", "west"]).fit(TABLE)
    numbers = dperm.Schema([dperm.Column.number("age", 18, 90)], dperm.Target.classes("target", [-1, 1]))
    labels = numpy.where(TABLE["sick"] == "yes", 1, -1)
    made = dperm.LogisticRegression(epsilon=5, delta=1e-6, bounds=numbers, classes=[-1.0, 1.0]).fit(
        TABLE[["age"]], labels
    )
    assert set(made.predict(TABLE[["age"]])) == {-1, 1}


def test_the_positive_class_is_the_second():
    both = [
        logistic(classes=order, epsilon=50, random_state=1).fit(TABLE, "sick")
        for order in (["no", "yes"], ["yes", "no"])
    ]
    old = pandas.DataFrame({"age": [89], "hours": [10.0], "city": ["north"]})
    assert [made.predict(old)[0] for made in both] == ["yes", "yes"]
    assert both[0].predict_proba(old)[0, 1] > 0.8 and both[1].predict_proba(old)[0, 0] > 0.8


def test_the_other_families():
    additive = dperm.AdditiveClassifier(epsilon=20, delta=1e-6, bounds=BOUNDS, classes=CLASSES).fit(TABLE, "sick")
    assert [curve.name for curve in additive.curves_] == ["age", "hours"] and additive.surfaces_ == []
    assert additive.curves_[0].effects[-1] > additive.curves_[0].effects[0]
    rule = dperm.RuleClassifier(epsilon=20, delta=0, bounds=BOUNDS, classes=CLASSES).fit(TABLE, "sick")
    assert rule.rule_.startswith("age >= ") and rule.guarantee_.pure
    with pytest.raises(dperm.ArgumentError, match="Only binary"):
        dperm.RuleClassifier(epsilon=20, delta=0, bounds=BOUNDS, classes=[1, 2, 3]).fit(TABLE, "sick")
    svc = dperm.LinearSVC(epsilon=5, delta=1e-6, bounds=BOUNDS, classes=CLASSES).fit(TABLE, "sick")
    assert numpy.array_equal(svc.decision_function(TABLE) > 0, svc.predict(TABLE) == "yes") and not hasattr(
        svc, "predict_proba"
    )
    softmax = dperm.SoftmaxRegression(epsilon=5, delta=1e-6, bounds=BOUNDS, classes=CLASSES).fit(TABLE, "sick")
    assert softmax.coef_.shape == (2, 5)
    upper = dperm.QuantileRegressor(epsilon=20, delta=1e-6, bounds=BOUNDS, target_bounds=(0, 2000), quantile=0.9).fit(
        TABLE, "cost"
    )
    assert 0.7 < (TABLE["cost"] <= upper.predict(TABLE)).mean() < 1
    network = dperm.MLPRegressor(
        epsilon=20, delta=1e-6, bounds=BOUNDS, target_bounds=(0, 2000), hidden=(8,), options={"steps": 200}
    )
    assert numpy.corrcoef(network.fit(TABLE, "cost").predict(TABLE), TABLE["cost"])[0, 1] > 0.7


def test_rows_kept_out_judge_within_the_budget():
    made = logistic(holdout=0.3).fit(TABLE, "sick")
    assert made.guarantee_.epsilon <= 2 and 0.5 < dperm.held_out(made)["accuracy"].value < 1
    assert dperm.held_out(logistic().fit(TABLE, "sick")) is None


def test_cards_show_released_numbers_only():
    made = logistic().fit(TABLE, "sick")
    card = made._repr_html_()
    assert "Private model" in card and "city=west" in card and repr(made) in made._repr_mimebundle_()["text/plain"]
    assert "LogisticRegression" in logistic()._repr_html_()
    assert "how epsilon follows" in card and "<svg" not in card
    given = {**BOUNDS, "city": dperm.Column("city", kind="category", values=BOUNDS["city"], ordered=True)}
    curves = dperm.AdditiveClassifier(epsilon=2, delta=1e-6, bounds=given, classes=["no", "yes"]).fit(TABLE, "sick")
    card = curves._repr_html_()
    assert card.count("<svg") == len(curves.curves_) == 3 and "18 to 90" in card and "age@" not in card
    assert "interval" in dperm.mean(TABLE["age"], bounds=(18, 90), epsilon=1, delta=0)._repr_html_()
    methods = dperm.compare(schema(), rows=2000, epsilon=1, delta=1e-6)
    assert "linear regression" in methods._repr_html_() and repr(methods[0]) in repr(methods)
