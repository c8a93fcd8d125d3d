# SPDX-License-Identifier: Apache-2.0
"""Mistakes are ValueErrors that name the parameter; Ctrl-C, threads and forks are survived."""

import contextlib
import io
import os
import signal
import subprocess
import sys
import threading
import time

import numpy
import pyarrow
import pytest

import dperm
from people import BOUNDS, people, schema

TABLE = people(500)


def logistic(**parameters):
    given = {"epsilon": 2, "delta": 1e-6, "bounds": BOUNDS, "classes": ["no", "yes"], **parameters}
    return dperm.LogisticRegression(**given)


@pytest.mark.parametrize(
    "field, parameters",
    [
        ("epsilon", {"epsilon": 0}),
        ("epsilon", {"epsilon": float("nan")}),
        ("epsilon", {"epsilon": "much"}),
        ("epsilon", {"epsilon": None}),
        ("delta", {"delta": -1}),
        ("delta", {"delta": 1}),
        ("l2_penalty", {"l2_penalty": -1}),
        ("momentum", {"method": "gradient-descent", "options": {"momentum": 2}}),
        ("bounds", {"bounds": None}),
        ("bounds", {"bounds": (0, 1, 2)}),
        ("bounds", {"bounds": ("low", "high")}),
        ("bounds", {"bounds": {"age": "wide"}}),
        ("bounds", {"bounds": (1, 0)}),
        ("bounds", {"bounds": (0, float("nan"))}),
        ("bounds", {"bounds": {**BOUNDS, "city": ["north", "north"]}}),
        ("bounds", {"bounds": {}}),
        ("classes", {"classes": ["no"]}),
        ("classes", {"classes": "no"}),
        ("classes", {"classes": 2}),
        ("shape", {"shape": "round"}),
        ("box", {"radius": 1, "box": 1}),
    ],
)
def test_a_mistake_names_its_parameter(field, parameters):
    with pytest.raises(ValueError, match=f"`{field}`") as caught:
        logistic(**parameters).fit(TABLE, "sick")
    assert caught.value.field == field and "schema:" not in str(caught.value)
    assert isinstance(caught.value, dperm.ArgumentError)


def test_mistakes_about_one_number_are_named_too():
    numbers = numpy.zeros(50)
    for bounds in ((1, 0), (0, float("inf")), (0, None), 3, None):
        with pytest.raises(dperm.ArgumentError, match="`bounds`"):
            dperm.mean(numbers, bounds=bounds, epsilon=1, delta=0)
        with pytest.raises(dperm.ArgumentError, match="`target_bounds`"):
            dperm.LinearRegression(epsilon=1, delta=1e-6, bounds=(0, 1), target_bounds=bounds).fit(
                numbers[:, None], numbers
            )


def test_unknown_names_are_told():
    with pytest.raises(dperm.ArgumentError, match="gradient-descent"):
        logistic(method="magic").fit(TABLE, "sick")
    with pytest.raises(dperm.ArgumentError, match="stepz"):
        logistic(options={"stepz": 3}).fit(TABLE, "sick")
    with pytest.raises(dperm.DataError, match="'height'"):
        logistic(bounds={**BOUNDS, "height": (0, 2)}).fit(TABLE, "sick")
    with pytest.raises(dperm.DataError, match="no.csv|no file"):
        dperm.read_model("no.csv")
    with pytest.raises(dperm.ArgumentError, match="`model` must be"):
        dperm.verify(3)


def test_no_message_holds_a_cell():
    table = TABLE.astype(object)
    table.loc[1, "city"] = "a village of one"
    table["parts"] = [["a village of one"]] * len(table)
    for bounds in (BOUNDS, {**BOUNDS, "parts": (0, 1)}, {**BOUNDS, "gone": (0, 1)}):
        try:
            logistic(bounds=bounds).fit(table, "sick")
        except ValueError as error:
            assert "village" not in str(error)


def long_fit() -> dperm.Plan:
    return dperm.plan(schema(), rows=500, epsilon=1, delta=1e-6, method="gradient-descent", options={"steps": 1000000})


def test_control_c_ends_a_fit_with_its_budget_spent():
    plan, data = long_fit(), dperm.read(TABLE, schema())
    timer = threading.Timer(0.3, os.kill, (os.getpid(), signal.SIGINT))
    start = time.monotonic()
    timer.start()
    with pytest.raises(KeyboardInterrupt, match="count its budget as spent: epsilon 1") as caught:
        dperm.fit(plan, data)
    assert time.monotonic() - start < 5
    assert isinstance(caught.value, dperm.FitInterrupted) and caught.value.guarantee == plan.guarantee


def repeated(times: int) -> pyarrow.Table:
    """A long table that takes the memory of a short one."""
    return pyarrow.concat_tables([pyarrow.Table.from_pandas(people(20000))] * times)


@contextlib.contextmanager
def alarms(handler, seconds: float, again: float = 0):
    """Runs the handler after some time, once or again and again, when Python comes to look for signals."""
    before = signal.signal(signal.SIGALRM, handler)
    signal.setitimer(signal.ITIMER_REAL, seconds, again)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


def test_signals_are_noticed_in_the_middle_of_a_call():
    table = repeated(120)
    plan = dperm.plan(schema(), rows=len(table), epsilon=1, delta=1e-8, method="objective-perturbation")
    seen = []

    def looks_during(work):
        seen.clear()
        with alarms(lambda *_: seen.append(1), 0.005, 0.005):
            made = work()
            during = len(seen)
        return made, during

    data, looks = looks_during(lambda: dperm.read(table, schema(), threads=1))
    assert looks > 2  # one comes right after a call, whatever happened in it
    _, looks = looks_during(lambda: dperm.fit(plan, data, threads=1))
    assert looks > 2


def test_control_c_in_the_middle_of_a_pass_or_of_reading():
    def stop(*_):
        raise KeyboardInterrupt

    table = repeated(120)
    plan = dperm.plan(schema(), rows=len(table), epsilon=1, delta=1e-8, method="objective-perturbation")
    data = dperm.read(table, schema())
    with pytest.raises(dperm.FitInterrupted, match="the fit was stopped"), alarms(stop, 0.2):
        for _ in range(100):
            dperm.fit(plan, data, threads=1)
    # Arrays of this order go over block by block, by a generator of Python's.
    X, y = numpy.zeros((1000000, 20), dtype=numpy.float32), numpy.zeros(1000000)
    wide = dperm.Schema([dperm.Column.number(f"x{place}", 0, 1) for place in range(20)], dperm.Target.number("y", 0, 1))
    for given in ((table, schema()), (X, wide, y)):
        with pytest.raises(KeyboardInterrupt) as caught, alarms(stop, 0.2):
            for _ in range(100):
                dperm.read(*given, threads=1)
        assert not isinstance(caught.value, dperm.FitInterrupted)  # no noise was drawn
    model = dperm.fit(plan, data)
    with pytest.raises(dperm.FitInterrupted, match="the evaluation was stopped.*epsilon 1"), alarms(stop, 0.2):
        for _ in range(100):
            dperm.evaluate(model, data, epsilon=1, threads=1)
    assert len(dperm.read(table, schema())) == len(table)


def test_other_threads_go_on_during_a_fit():
    plan = dperm.plan(schema(), rows=500, epsilon=1, delta=1e-6, method="gradient-descent", options={"steps": 100000})
    data, counted, done = dperm.read(TABLE, schema()), [0], []
    worker = threading.Thread(target=lambda: done.append(dperm.fit(plan, data, threads=1)))
    worker.start()
    while worker.is_alive():
        counted[0] += 1
        time.sleep(0.001)
    assert done and counted[0] > 3


def test_fits_in_several_threads_at_once():
    expected = logistic(random_state=1).fit(TABLE, "sick").model_.to_json()
    found = []
    workers = [
        threading.Thread(target=lambda: found.append(logistic(random_state=1).fit(TABLE, "sick").model_.to_json()))
        for _ in range(4)
    ]
    for each in workers:
        each.start()
    for each in workers:
        each.join()
    assert found == [expected] * 4


def test_after_a_fork_children_work():
    code = """
import os, sys
sys.path.insert(0, {folder!r})
import dperm
from people import BOUNDS, people
table = people(3000)
noise = dperm.LogisticRegression(epsilon=2, delta=1e-6, bounds=BOUNDS, classes=["no", "yes"])
def made():
    return dperm.LogisticRegression(**{{**noise.get_params(), "random_state": 1}}).fit(table, "sick")
expected = made().model_.to_json()
read, write = os.pipe()
if os.fork() == 0:
    same = made().model_.to_json() == expected and made().predict(table).shape == (3000,)
    os.write(write, (b"same " if same else b"other ") + repr(float(noise.fit(table, "sick").intercept_[0])).encode())
    os._exit(0)
os.close(write)
answer = os.read(read, 100).decode().split()
print(answer[0], float(answer[1]) != float(noise.fit(table, "sick").intercept_[0]))
"""
    done = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", code.format(folder=os.path.dirname(__file__))],
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert done.stdout.split() == ["same", "True"], done.stderr


def test_arrays_are_not_written_to():
    X = numpy.random.default_rng(0).uniform(0, 1, (50, 2))
    y, before = X[:, 0].copy(), X.copy()
    X.flags.writeable = y.flags.writeable = False
    made = dperm.LinearRegression(epsilon=1, delta=1e-6, bounds=(0, 1), target_bounds=(0, 1)).fit(X, y)
    made.predict(X)
    assert numpy.array_equal(X, before)


def test_progress_shows_fixed_steps_and_no_times(monkeypatch):
    """Notebooks keep what is shown, and times depend on records: the same for fits that take 1 and 200 times as long."""
    shown = []
    for rows in (300, 60000):
        screen = io.StringIO()
        screen.isatty = lambda: True
        monkeypatch.setattr(sys, "stderr", screen)
        logistic(verbose=True, method="gradient-descent", options={"steps": 300}).fit(people(rows), "sick")
        monkeypatch.undo()
        shown.append(screen.getvalue())
    assert "step 297 of 300" in shown[0]
    assert shown[0] == shown[1]


def test_a_protected_process_leaves_no_core_dump():
    code = "import resource, dperm; dperm.protect_process(); print(resource.getrlimit(resource.RLIMIT_CORE))"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True).stdout == "(0, 0)\n"
