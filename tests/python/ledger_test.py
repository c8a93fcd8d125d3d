# SPDX-License-Identifier: Apache-2.0
"""Everything that opens records inside `counting` is charged or written down, and a cap refuses the rest."""

import contextlib
import math
import signal
import sqlite3
import sys
import threading
import warnings

import pytest
from people import people, schema

import dperm

FIT = {"method": "gradient-descent", "options": {"steps": 5}}


@pytest.fixture
def ledger(tmp_path):
    made = dperm.Ledger.create(tmp_path / "l.db")
    made.register("people", epsilon=3, delta=1e-5)
    return made


def planned(epsilon=1.0, **rest):
    return dperm.plan(schema(), rows=2000, epsilon=epsilon, delta=1e-6, **{**FIT, **rest})


def rows():
    return dperm.read(people(), schema())


def looks(ledger):
    return [each["what"] for each in ledger.history("people") if each["kind"] == "look"]


def test_fits_and_evaluations_are_charged(ledger):
    with ledger.counting("people"):
        model = dperm.fit(planned(), rows())
        assert ledger.spent("people").epsilon == pytest.approx(1, abs=1e-3)
        dperm.evaluate(model, people(), epsilon=0.5)
        assert ledger.spent("people").epsilon == pytest.approx(1.5, abs=1e-3)
    assert model.details["ledger"]["dataset"] == "people"
    dperm.fit(planned(), rows())  # outside: nobody counts
    assert ledger.spent("people").epsilon == pytest.approx(1.5, abs=1e-3)
    assert ledger.remaining("people").epsilon == pytest.approx(1.5, abs=1e-3)
    assert [each["kind"] for each in ledger.history("people")] == ["register", "reserve", "settle", "reserve", "settle"]
    assert ledger.problems() == []
    assert model.certificate.passed


def test_the_same_rows_under_another_name_are_shown_to_the_owner(ledger):
    table = people()
    named = dperm.Schema.from_toml(schema().to_toml() + "\n[ledger]\ndataset = 'copy'\n")
    ledger.register("copy", epsilon=3, delta=1e-5)
    ledger.register("others", epsilon=3, delta=1e-5)
    with pytest.raises(dperm.ArgumentError, match="dperm ledger fingerprints"):
        ledger.same_tables()
    ledger.keep_fingerprints()
    for name, rows, bounds in [("people", table, schema()), ("copy", table[::-1], named), ("others", table[:-1], schema())]:
        with ledger.counting(name):
            plan = dperm.plan(bounds, rows=len(rows), epsilon=1, delta=1e-6, **FIT)
            dperm.fit(plan, dperm.read(rows, bounds))
    (told,) = ledger.same_tables()
    assert "'copy' and 'people' hold the same rows" in told


def test_a_cap_for_persons_knows_who_is_nobody(ledger):
    table = people()
    table["id"] = [f"p{number % 900}" for number in range(len(table))]
    bounds = dperm.Schema.from_toml(schema().to_toml() + "\n[unit]\ncolumn = 'id'\nrows = 5\n")
    plan = dperm.plan(bounds, rows=len(table), epsilon=1, delta=1e-6, **FIT)
    ledger.register("visits", epsilon=3, delta=1e-5, unit="id")
    ledger.register("others", epsilon=3, delta=1e-5, unit="id", missing=["unknown"])
    with ledger.counting("visits"):
        dperm.fit(plan, dperm.read(table, bounds))
    with ledger.counting("others"), pytest.raises(dperm.BudgetError, match="'unknown'"):
        dperm.fit(plan, dperm.read(table, bounds))


def test_no_entry_tells_when_a_request_ended(ledger):
    with ledger.counting("people"):
        dperm.fit(planned(), rows())
    dates = {each["kind"]: each["date"] for each in ledger.history()}
    assert dates.pop("settle") == ""
    assert all(len(date) == len("2026-11-16") for date in dates.values())


def test_control_c_leaves_the_budget_spent(ledger):
    def stop(*_):
        raise KeyboardInterrupt

    plan, data = planned(options={"steps": 1000000}), rows()
    before = signal.signal(signal.SIGALRM, stop)
    signal.setitimer(signal.ITIMER_REAL, 0.3)
    try:
        with ledger.counting("people"), pytest.raises(dperm.FitInterrupted):
            dperm.fit(plan, data)
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
    assert ledger.spent("people").epsilon == pytest.approx(1, abs=1e-3)
    assert [each["kind"] for each in ledger.history("people")] == ["register", "reserve"]


@pytest.mark.parametrize("strict", [False, True])
def test_a_result_that_the_ledger_cannot_keep_is_returned_and_told(ledger, strict, monkeypatch):
    def execute(sql):
        with contextlib.closing(sqlite3.connect(ledger.path, isolation_level=None)) as file:
            return file.execute(sql).fetchall()

    @contextlib.contextmanager
    def told(_):
        yield lambda *_: execute("DROP TABLE IF EXISTS result")

    ((table,),) = execute("SELECT sql FROM sqlite_master WHERE name = 'result'")
    monkeypatch.setattr("dperm._progress.bar", told)
    plan = planned(options={"steps": 50000})  # so long that its progress is told
    unraised = []
    monkeypatch.setattr(sys, "unraisablehook", lambda what: unraised.append(str(what.exc_value)))
    with ledger.counting("people"), warnings.catch_warnings(record=not strict) as warned:
        warnings.simplefilter("error" if strict else "always")
        model = dperm.fit(plan, rows())
    execute(table)
    (problem,) = unraised if strict else [str(each.message) for each in warned if each.category is dperm.SpendingWarning]
    assert "The result is yours all the same; entry 3 stays spent without it" in problem
    assert model.certificate.passed
    assert ledger.spent("people").epsilon == pytest.approx(1, abs=1e-3)


def test_threads_do_not_count_for_each_other(ledger):
    ledger.register("others", epsilon=3, delta=1e-5)
    refused, opened = [], []

    def other():
        try:
            with ledger.counting("others"):
                opened.append("others")
        except dperm.ArgumentError as error:
            refused.append(str(error))
        with ledger.counting("people"):
            opened.append("people")

    with ledger.counting("people"), ledger.counting("others"), ledger.counting("people"):
        pass  # one thread may change its mind
    with ledger.counting("people"):
        thread = threading.Thread(target=other)
        thread.start()
        thread.join()
    assert opened == ["people"]
    assert "another thread counts for the dataset 'people'" in refused[0]


def test_a_cap_refuses_before_anything_is_spent(ledger):
    with ledger.counting("people"):
        with pytest.raises(dperm.BudgetError, match="at most 3 at this delta would fit"):
            dperm.fit(planned(epsilon=4), rows())
        model = dperm.fit(planned(epsilon=2.5), rows())
        with pytest.raises(dperm.BudgetError, match="does not fit"):
            dperm.evaluate(model, people(), epsilon=1)
    assert len(ledger.history()) == 4


def test_estimators_and_their_predictions(ledger):
    table = people()
    with ledger.counting("people"):
        estimator = dperm.LogisticRegression(epsilon=1, delta=1e-6, bounds=schema()).fit(table)
        estimator.predict(table)
        dperm.predict(estimator, table)
    assert ledger.spent("people").epsilon == pytest.approx(1, abs=1e-3)
    assert looks(ledger) == ["predict", "predict"]


def test_private_numbers_are_charged(ledger):
    with ledger.counting("people"):
        dperm.median(people()["age"], bounds=(0, 100), epsilon=0.25, delta=0)
    assert ledger.spent("people").epsilon == pytest.approx(0.25)


def test_inferred_bounds_count_once(ledger):
    table = people()
    with ledger.counting("people"):
        found = dperm.infer_schema(table, epsilon=0.5, delta=1e-7, target=schema().target)
        assert ledger.spent("people").epsilon == pytest.approx(0.5)
        plan = dperm.plan(found, rows=2000, epsilon=1, delta=1e-6, **FIT)
        dperm.fit(plan, dperm.read(table, found))
    assert ledger.spent("people").epsilon == pytest.approx(1.5, abs=1e-3)


def test_what_is_not_private_is_written_down(ledger):
    table = people()
    with ledger.counting("people"):
        model = dperm.fit(planned(), rows(), random_state=1)
        dperm.evaluate(model, table, public=True)
        dperm.evaluate(model, table, epsilon=1, random_state=1)
        dperm.read(table, schema(), strict=True)
        dperm.Schema.propose(table)
        exact = dperm.plan(schema(), rows=2000, epsilon=math.inf, delta=0, method="non-private")
        dperm.fit(exact, rows(), unsafe=True)
    assert looks(ledger) == [
        "fit with a fixed seed",
        "evaluation of public rows",
        "evaluation with a fixed seed",
        "read with strict",
        "schema draft from a table's types",
        "fit without noise",
    ]
    assert ledger.spent("people").epsilon == 0
    ledger.publish(3)
    assert ledger.spent("people").epsilon == math.inf


def test_a_request_is_answered_once(ledger):
    with ledger.counting("people", request_id="monday"):
        first = dperm.fit(planned(), rows())
        assert dperm.fit(planned(), rows()) == first
        with pytest.raises(dperm.ArgumentError, match="was another one"):
            dperm.fit(planned(epsilon=0.5), rows())
    assert ledger.spent("people").epsilon == pytest.approx(1, abs=1e-3)


def test_a_schema_that_names_its_dataset_is_counted_or_refused(ledger, monkeypatch):
    named = dperm.Schema.from_toml(schema().to_toml() + '\n[ledger]\ndataset = "people"\n')
    plan = dperm.plan(named, rows=2000, epsilon=1, delta=1e-6, **FIT)
    data = dperm.read(people(), named)
    with pytest.raises(dperm.ArgumentError, match="DPERM_LEDGER"):
        dperm.fit(plan, data)
    monkeypatch.setenv("DPERM_LEDGER", ledger.path)
    dperm.fit(plan, data)
    assert ledger.spent("people").epsilon == pytest.approx(1, abs=1e-3)
    ledger.register("others", epsilon=3, delta=1e-5)
    with ledger.counting("others"), pytest.raises(dperm.ArgumentError, match="dataset 'people'"):
        dperm.fit(plan, data)
    with pytest.raises(dperm.ArgumentError, match="counts by dataset"):
        dperm.fit(planned(), rows())
    monkeypatch.setenv("DPERM_DATASET", "people")
    dperm.fit(planned(), rows())
    assert ledger.spent("people").epsilon == pytest.approx(2, abs=1e-3)


def test_rows_that_a_named_model_is_judged_on_are_named(ledger, monkeypatch):
    named = dperm.Schema.from_toml(schema().to_toml() + '\n[ledger]\ndataset = "people"\n')
    table = people()
    ledger.register("unseen", epsilon=3, delta=1e-5)
    with ledger.counting("people"):
        by_schema = dperm.fit(dperm.plan(named, rows=2000, epsilon=1, delta=1e-6, **FIT), dperm.read(table, named))
        by_mark = dperm.fit(planned(), rows())
        estimator = dperm.LogisticRegression(epsilon=0.5, delta=1e-6, bounds=schema()).fit(table)
    before = ledger.history()
    for model in (by_schema, by_mark, estimator):
        with pytest.raises(dperm.ArgumentError, match="learned from the dataset 'people'"):
            dperm.evaluate(model, table, epsilon=0.1)
        with pytest.raises(dperm.ArgumentError, match="other_rows"):
            dperm.evaluate(model, "none.csv", epsilon=0.1)  # before a record is read
        assert dperm.evaluate(model, table, epsilon=0.1, other_rows=True).private
        dperm.evaluate(model, table, public=True)
        with ledger.counting("people"), pytest.raises(dperm.ArgumentError, match="leave one"):
            dperm.evaluate(model, table, epsilon=0.1, other_rows=True)
    with pytest.raises(dperm.ArgumentError, match="counted by a ledger"):
        dperm.read(table, named, strict=True)
    monkeypatch.setenv("DPERM_LEDGER", ledger.path)
    with pytest.raises(dperm.ArgumentError, match="counts by dataset"):
        dperm.evaluate(by_schema, table, epsilon=0.1)
    assert dperm.evaluate(by_schema, table, epsilon=0.1, other_rows=True).private
    assert ledger.history() == before
    monkeypatch.setenv("DPERM_DATASET", "unseen")
    dperm.evaluate(by_schema, table, epsilon=0.1)
    assert ledger.spent("unseen").epsilon == pytest.approx(0.1)
    assert ledger.spent("people").epsilon == pytest.approx(2.5, abs=1e-3)


def test_other_threads_are_counted(ledger):
    with ledger.counting("people"):
        workers = [threading.Thread(target=lambda: dperm.fit(planned(epsilon=0.5), rows())) for _ in range(2)]
        for each in workers:
            each.start()
        for each in workers:
            each.join()
    assert ledger.spent("people").epsilon == pytest.approx(1, abs=1e-3)


def test_earlier_spending_is_entered(ledger):
    model = dperm.fit(planned(), rows())
    ledger.enter("people", model)
    with pytest.raises(dperm.ArgumentError, match="counted already"):
        ledger.enter("people", model)
    ledger.enter("people", epsilon=0.5, note="means of 2023")
    assert ledger.spent("people").epsilon == pytest.approx(1.5, abs=1e-3)
    with pytest.raises(dperm.ArgumentError, match="note"):
        ledger.enter("people", epsilon=0.5)


def test_unknown_names_and_files(ledger, tmp_path):
    with pytest.raises(dperm.ArgumentError, match="no dataset 'peple'"), ledger.counting("peple"):
        pass
    with pytest.raises(dperm.DataError, match="no such file"):
        dperm.Ledger(tmp_path / "none.db")
