# SPDX-License-Identifier: Apache-2.0
"""Models of every kind, for tests of the report: fitted on small made-up tables."""

import json
import random
import re

from cli_case import BINARY, BUDGET, REAL, csv_text, people
from model_file_test import Number, canonical, digest

CLASSES = """version = 1
[target]
column = "kind"
kind = "class"
values = ["left", "middle", "right"]
[[column]]
names = ["x", "y"]
kind = "real"
lower = -1
upper = 1
"""
SHAPES = BINARY.replace("version = 1\n", 'version = 1\npairs = [["age", "income", 2]]\n').replace(
    "upper = 100\n", "upper = 100\npieces = 5\n")
MEAN = '[target]\ncolumn = "cost"\nkind = "real"\nlower = -10\nupper = 10\n'
EVIL = ['<script>alert(1)</script>', '"onload="alert(2)', "]]><b>&amp;", "a\u202eb\u0085c"]
HOSTILE = BINARY.replace('name = "age"', f"name = {json.dumps(EVIL[0])}").replace(
    '"north"', json.dumps(EVIL[1])).replace('"south"', json.dumps(EVIL[2])).replace(
    'name = "income"', f"name = {json.dumps(EVIL[3])}")


def slices(rows):
    draw = random.Random(5)
    lines = ["x,y,kind"]
    for _ in range(rows):
        x, y = draw.uniform(-1, 1), draw.uniform(-1, 1)
        place = 0 if x < -0.3 else 2 if x > 0.3 else 1
        lines.append(f"{x:.4f},{y:.4f},{['left', 'middle', 'right'][place if draw.random() > 0.1 else 1]}")
    return "\n".join(lines) + "\n"


# Name -> arguments of fit, the budget aside.
FITS = {
    "linear": ["people.csv", "--schema", "schema.toml", "--method", "output-perturbation", "--l2-penalty", "0.1"],
    "judged": ["people.csv", "--schema", "schema.toml", "--method", "objective-perturbation", "--holdout", "0.3",
               "--holdout-groups", "city"],
    "regression": ["people.csv", "--schema", "real.toml", "--method", "sufficient-statistics", "--holdout", "0.3"],
    "additive": ["people.csv", "--schema", "shapes.toml", "--method", "sgd", "--steps", "60"],
    "softmax": ["slices.csv", "--schema", "classes.toml", "--method", "objective-perturbation", "--holdout", "0.3"],
    "network": ["slices.csv", "--schema", "classes.toml", "--hidden", "6", "--steps", "20"],
    "rule": ["people.csv", "--schema", "schema.toml", "--loss", "zero-one", "--class", "stumps", "--delta", "0"],
    "mean": ["people.csv", "--schema", "mean.toml", "--loss", "squared"],
    "median": ["people.csv", "--schema", "mean.toml", "--loss", "absolute", "--delta", "0"],
    "seeded": ["people.csv", "--schema", "schema.toml", "--method", "gradient-descent", "--steps", "5", "--seed", "7"],
    "open": ["people.csv", "--schema", "schema.toml", "--method", "gradient-descent", "--steps", "5",
             "--unsafe-diagnostics"],
    "hostile": ["hostile.csv", "--schema", "hostile.toml", "--method", "gradient-descent", "--steps", "5"],
}


def forged(model_text):
    """The file with a guarantee that it does not have, and a digest that fits."""
    file = json.loads(model_text, parse_float=Number, parse_int=Number)
    file["guarantee"]["epsilon"] = Number("0.01")
    file["digest"] = digest(file)
    return canonical(file)


def write_tables(case, rows=3000):
    table = people(rows)
    case.write("schema.toml", BINARY)
    case.write("real.toml", REAL)
    case.write("shapes.toml", SHAPES)
    case.write("mean.toml", "version = 1\n" + MEAN)
    case.write("classes.toml", CLASSES)
    case.write("hostile.toml", HOSTILE)
    case.write("people.csv", csv_text(table))
    case.write("slices.csv", slices(rows))
    evil = [[f'"{EVIL[1]}"'.replace('"onload', '""onload').replace('"alert', '""alert') if cell == "north" else cell
             for cell in row] for row in table[:500]]
    header = "age,income,city,smoker,sick,cost".replace("age", EVIL[0]).replace("income", EVIL[3])
    case.write("hostile.csv", csv_text(evil, header))


def fit(case, name):
    """The model file of one kind, fitted in the case's folder."""
    arguments = list(FITS[name])
    delta = arguments[arguments.index("--delta") + 1] if "--delta" in arguments else BUDGET[3]
    if "--delta" in arguments:
        del arguments[arguments.index("--delta"):arguments.index("--delta") + 2]
    case.succeed("fit", *arguments, "--epsilon", "1", "--delta", delta, "-o", f"{name}.json", "--quiet")
    return case.path(f"{name}.json")


def visible_text(html):
    """What a reader sees: without markup, style and scripts."""
    html = re.sub(r"<(style|title|desc)\b.*?</\1>", " ", html, flags=re.S)
    return re.sub(r"\s+", " ", re.sub(r"<[^>]*>", " ", html))
