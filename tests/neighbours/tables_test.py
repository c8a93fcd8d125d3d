# SPDX-License-Identifier: Apache-2.0
"""A bounded part of `make neighbours`: what a record becomes depends on that record alone, in every container.

The lists of kinds and types are compared with the library's own, so that what is added there is covered here. Broken
readers show that the harness can fail.
"""

import pathlib
import re

import pyarrow
import pyarrow.compute
import pytest

import cases
import columns
import containers
import kinds
import neighbours
from reading import Settings

SOURCE = pathlib.Path(__file__).resolve().parents[2]
# Names in arrow::Type of the types that the tables have.
ARROW_NAMES = {"null": "NA", "halffloat": "HALF_FLOAT", "float": "FLOAT", "double": "DOUBLE", "date32[day]": "DATE32", "date64[ms]": "DATE64"}  # fmt: skip


def text_of(path: str) -> str:
    return (SOURCE / path).read_text()


def members(text: str, name: str) -> set[str]:
    (body,) = re.findall(rf"enum class {name} \{{(.*?)\}};", text, re.DOTALL)
    return {f"{name}::{each.strip()}" for each in re.sub(r"//[^\n]*", "", body).split(",") if each.strip()}


@pytest.mark.parametrize("name", kinds.LISTS)
def test_every_kind_of_the_library_is_in_the_list(name):
    covered = set().union(*(each.covers for each in kinds.FEATURES + kinds.TARGETS))
    assert members(text_of("dperm/schema/schema.hpp"), name) == {each for each in covered if each.startswith(name + "::")}


def arrow_name(cells: columns.Cells) -> str:
    name = cells.name.removeprefix("arrow ")
    plain = re.split(r"[(<\[]", name)[0].split(" ")[0]
    return ARROW_NAMES.get(name, plain.upper())


def test_every_type_that_cells_may_have_is_in_the_list():
    text = text_of("dperm/data/source/cells.hpp")
    read = set(re.findall(r"case Type::(\w+):", text[text.index("void map_cells") :]))
    held = {arrow_name(each) for each in columns.ARROW_CELLS}
    assert read - held == set(), "types of map_cells without a container"


def test_every_file_format_is_in_the_list():
    found = members(text_of("dperm/data/source/files.hpp"), "FileFormat")
    of = {"csv": "csv", "parquet": "parquet", "arrow file": "ipc_file", "arrow stream file": "ipc_stream", "libsvm": "libsvm"}
    of["Arrow reader"] = "stream"
    names = {each.name for each in containers.CONTAINERS}
    assert found == {f"FileFormat::{format}" for name, format in of.items() if name in names}


def told(harness: neighbours.Harness) -> str:
    return "\n".join(f"{count} x {key}\n{harness.findings.first[key]}" for key, count in harness.findings.counts.most_common(10))


def test_every_type_and_kind(tmp_path):
    harness = neighbours.Harness(1)
    neighbours.sweep(harness, str(tmp_path), bounded=True)
    assert not harness.findings.counts, told(harness)


def test_drawn_tables(tmp_path):
    harness = neighbours.Harness(2)
    neighbours.draw(harness, str(tmp_path), cases=250)
    assert not harness.findings.counts, told(harness)
    assert all(harness.tables[each.name] > 5 for each in containers.CONTAINERS), harness.tables  # they were read
    assert sum(harness.replays.values()) > 50  # sums of neighbours beside their declared sensitivity


# --- readers that look at other records ---


def batches(reader, change):
    return pyarrow.RecordBatchReader.from_batches(reader.schema, (change(batch) for batch in reader))


def rounded_beside_a_missing_cell(reader):
    """One missing cell, and the batch's numbers are whole ones."""

    def change(batch):
        def one(cells):
            return pyarrow.compute.floor(cells) if cells.type == pyarrow.float64() and cells.null_count else cells

        return pyarrow.RecordBatch.from_arrays([one(each) for each in batch.columns], schema=batch.schema)

    return batches(reader, change)


def one_row_late(reader):
    """Every table's first record is read as the last."""
    table = reader.read_all()
    return pyarrow.concat_tables([table.slice(1), table.slice(0, 1)]).to_reader()


def false_beside_true(reader):
    """The first record decides what a boolean column is."""

    def change(batch):
        def one(cells):
            first = cells.type == pyarrow.bool_() and len(cells) and cells[0].as_py()
            return pyarrow.nulls(len(cells), cells.type) if first else cells

        return pyarrow.RecordBatch.from_arrays([one(each) for each in batch.columns], schema=batch.schema)

    return batches(reader, change)


@pytest.fixture
def no_references():
    """What records become alone is remembered: not what a broken reader makes of them."""
    cases.forget()
    yield
    cases.forget()


@pytest.mark.parametrize("tamper", [rounded_beside_a_missing_cell, one_row_late, false_beside_true])
def test_a_reader_that_looks_at_other_records_is_caught(tmp_path, monkeypatch, no_references, tamper):
    monkeypatch.setattr(Settings, "tamper", staticmethod(tamper))
    harness = neighbours.Harness(3)
    (container,) = [each for each in containers.CONTAINERS if each.name == "Arrow table"]
    for cells in [each for each in container.cells if each.name in ("arrow bool", "arrow double")]:
        for seed in range(5):
            harness.take(cases.every_kind(container, cells, str(tmp_path), "default", seed))
    assert any(key[0] == "code" for key in harness.findings.counts)
