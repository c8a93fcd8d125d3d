# SPDX-License-Identifier: Apache-2.0
"""Rows in parts, as dperm.spark keeps them on executors, here in one process: files, digests, answers."""

import os
import stat

import pyarrow
import pytest

import dperm
from dperm import _core
from people import people, schema

TABLE = pyarrow.Table.from_pandas(people())
CUTS = [0, 300, 300, 1200, 2000]


def write(table, path, name="part"):
    return _core.write_part(table.to_reader().__arrow_c_stream__(), schema()._core, name, str(path), 1)


def parts_of(folder, table=TABLE, cuts=CUTS):
    parts = []
    for place, (first, end) in enumerate(zip(cuts, cuts[1:], strict=False)):
        path = folder / f"part{place}"
        rows, digest = write(table.slice(first, end - first), path, f"part {place}")
        parts.append(_core.PartRows(schema()._core, f"part {place}", str(path), rows, digest, first))
    return parts


def dataset_of(parts):
    def ask(question):
        answers = [part.answer(question, 1) for part in reversed(parts)]
        total = answers[0]
        for each in answers[1:]:
            total = _core.add_answers(each, total)
        return total

    return dperm.Dataset(_core.remote_dataset(schema()._core, 2000, ask))


@pytest.mark.parametrize("method", ["objective-perturbation", "gradient-descent", "sgd"])
def test_models_are_those_of_all_rows(method, tmp_path):
    options = {} if method == "objective-perturbation" else {"options": {"steps": 10}}
    plan = dperm.plan(schema(), rows=2000, epsilon=1, delta=1e-6, method=method, **options)
    made = dperm.fit(plan, dataset_of(parts_of(tmp_path)), random_state=3)
    assert made.to_json() == dperm.fit(plan, dperm.read(TABLE, schema()), random_state=3).to_json()


def test_what_a_question_raises_ends_the_fit():
    def ask(_):
        raise LookupError("no way to the rows")

    plan = dperm.plan(schema(), rows=2000, epsilon=1, delta=1e-6)
    with pytest.raises(LookupError, match="no way"):
        dperm.fit(plan, dperm.Dataset(_core.remote_dataset(schema()._core, 2000, ask)))


def test_a_digest_tells_rows_and_their_order(tmp_path):
    first = write(TABLE, tmp_path / "a")
    assert stat.S_IMODE(os.stat(tmp_path / "a").st_mode) == 0o600
    assert write(TABLE, tmp_path / "b") == first
    swapped = TABLE.take([1, 0, *range(2, 2000)])
    assert write(swapped, tmp_path / "c")[1] != first[1]
    longer = pyarrow.concat_tables([TABLE, TABLE.slice(0, 1)])
    assert write(longer, tmp_path / "d")[1] != first[1]


def test_a_part_without_records_has_no_file(tmp_path):
    assert write(TABLE.slice(0, 0), tmp_path / "none")[0] == 0
    assert list(tmp_path.iterdir()) == []


def test_other_tiles_are_not_taken(tmp_path):
    path = str(tmp_path / "a")
    rows, digest = write(TABLE, path)
    described = schema()._core
    _core.PartRows(described, "part", path, rows, digest, 0)
    other = ("0" if digest[0] != "0" else "1") + digest[1:]
    for name, told_rows, told in [("another", rows, digest), ("part", rows - 1, digest), ("part", rows, other)]:
        with pytest.raises(dperm.DataError, match="not there any more"):
            _core.PartRows(described, name, path, told_rows, told, 0)
    with open(path, "r+b") as file:
        file.seek(-1, os.SEEK_END)
        file.write(b"\x01")
    with pytest.raises(dperm.DataError, match="damaged"):
        _core.PartRows(described, "part", path, rows, digest, 0)


def test_bytes_that_are_none_are_refused(tmp_path):
    (part,) = parts_of(tmp_path, cuts=[0, 2000])
    for question in (b"", b"DDPERMQ1", bytes(200)):
        with pytest.raises(dperm.InternalError):
            part.answer(question, 1)
    with pytest.raises(dperm.InternalError):
        _core.add_answers(bytes(100), bytes(100))
    with pytest.raises(dperm.InternalError):
        plan = dperm.plan(schema(), rows=2000, epsilon=1, delta=1e-6)
        dperm.fit(plan, dperm.Dataset(_core.remote_dataset(schema()._core, 2000, lambda question: question)))


def test_rows_stay_where_they_are(tmp_path):
    data = dataset_of(parts_of(tmp_path))
    held = dperm.plan(schema(), rows=2000, epsilon=1, delta=1e-6, holdout=0.2)
    with pytest.raises(dperm.ArgumentError, match="not sent one by one"):
        dperm.fit(held, data)
    plan = dperm.plan(schema(), rows=2000, epsilon=1, delta=1e-6, method="gradient-descent", options={"steps": 2})
    model = dperm.fit(plan, data)
    with pytest.raises(dperm.ArgumentError, match="not sent one by one"):
        dperm.evaluate(model, data, public=True)


def test_a_unit_needs_one_machine(tmp_path):
    described = _core.Schema.parse(schema().to_toml() + '\n[unit]\ncolumn = "id"\nrows = 2\n', "schema")
    with pytest.raises(dperm.ArgumentError, match="one machine"):
        _core.part_columns(described)


def test_what_is_told_about_a_part_has_one_length():
    """Spark writes lengths of results into its event log."""
    from dperm.spark._parts import Fact

    facts = [Fact(part, rows, 64 * "a", "1.0") for part, rows in ((0, 0), (7, 200), (70000, 10**12))]
    assert len({len(each.packed()) for each in facts}) == 1
    assert [Fact.unpacked(each.packed()) for each in facts] == facts
