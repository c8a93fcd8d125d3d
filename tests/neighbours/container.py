# SPDX-License-Identifier: Apache-2.0
"""What a container of tables is."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import pyarrow

from columns import ARROW_CELLS, Cells


@dataclass(frozen=True)
class Container:
    name: str
    cells: list[Cells]
    # (columns by name, draw, folder) -> table. Where `by_place`, columns are the features in order.
    make: Callable
    by_place: bool = False
    one_type: bool = False  # all columns have the same
    files: bool = False
    # (table, schema) -> codes, where the table does not go through dperm.read
    read: Callable | None = None


def choice(draw, options):
    return options[int(draw.integers(len(options)))]


def table(columns, draw) -> pyarrow.Table:
    made = pyarrow.table(list(columns.values()), names=list(columns))
    cut = int(draw.integers(1, 8)) if draw.random() < 0.5 else made.num_rows + 1
    batches = made.to_batches(max_chunksize=cut)
    return pyarrow.Table.from_batches(batches, made.schema) if batches else made


def without(*words: str) -> list[Cells]:
    return [each for each in ARROW_CELLS if not any(word in each.name for word in words)]


def only(*names: str) -> list[Cells]:
    return [each for each in ARROW_CELLS if each.name in names]
