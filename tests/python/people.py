# SPDX-License-Identifier: Apache-2.0
"""A made-up table, the same for every test."""

import numpy
import pandas

import dperm

CITIES = ["north", "south", "west"]


def people(rows: int = 2000, seed: int = 5) -> pandas.DataFrame:
    draw = numpy.random.default_rng(seed)
    age = draw.integers(18, 90, rows)
    hours = draw.uniform(0, 60, rows)
    city = draw.choice(CITIES, rows)
    sick = (age + 10 * (city == "north") + draw.normal(0, 10, rows)) > 55
    cost = 20.0 * age + 3 * hours + draw.normal(0, 50, rows)
    return pandas.DataFrame(
        {"age": age, "hours": hours, "city": city, "sick": numpy.where(sick, "yes", "no"), "cost": cost}
    )


BOUNDS = {"age": (18, 90), "hours": (0, 60), "city": CITIES}


def schema(target: str = "sick") -> dperm.Schema:
    columns = [
        dperm.Column.number("age", 18, 90),
        dperm.Column.number("hours", 0, 60),
        dperm.Column.category("city", CITIES),
    ]
    targets = {
        "sick": dperm.Target.classes("sick", ["no", "yes"]),
        "cost": dperm.Target.number("cost", 0, 2000),
        "": None,
    }
    return dperm.Schema(columns, targets[target])
