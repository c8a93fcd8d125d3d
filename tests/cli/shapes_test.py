# SPDX-License-Identifier: Apache-2.0
"""Curves, steps, categories in order, pairs and directions, end to end: fitted, shown, drawn, verified."""

import unittest
import xml.etree.ElementTree

from cli_case import BUDGET, CliCase, csv_text, people

SHAPES = """version = 1
pairs = [["age", "income", 2]]

[target]
column = "sick"
kind = "binary"
positive = "yes"

[[column]]
name = "age"
kind = "integer"
lower = 0
upper = 100
pieces = 5

[[column]]
name = "income"
kind = "real"
lower = 0
upper = 100000
scale = "log"
shape = "linear"

[[column]]
name = "cost"
kind = "real"
lower = -10
upper = 10
shape = "steps"
pieces = 4

[[column]]
name = "city"
kind = "category"
values = ["north", "south", "east", "west"]
ordered = true
pieces = 3

[[column]]
name = "smoker"
kind = "boolean"
"""
DOWN = SHAPES.replace('pairs = [["age", "income", 2]]', "").replace("pieces = 5", 'pieces = 5\nmonotone = "down"')
OBJECTIVE = ["--method", "objective-perturbation"]
LARGE = ["--epsilon", "100", "--delta", "1e-6"]
SEED = ["--seed", "4"]  # the same every time: what is learned can be compared


def block(text, name):
    """The numbers of the block that begins with this name: what stands beside it, and the effects below."""
    lines = text.splitlines()
    at = next(i for i, line in enumerate(lines) if line.split()[:1] == [name])
    return lines[at].split()[1:], lines[at + 1].split()


class Shapes(CliCase):
    def setUp(self):
        super().setUp()
        self.write("schema.toml", SHAPES)
        self.write("down.toml", DOWN)
        self.write("people.csv", csv_text(people(2000)))

    def test_effects_are_shown_in_the_columns_units(self):
        text = self.fit(*OBJECTIVE, *SEED, "--details", budget=LARGE).out
        values, effects = block(text, "age")
        self.assertEqual(values, ["0", "20", "40", "60", "80", "100"])
        self.assertGreater(float(effects[-1]), float(effects[0]) + 0.5, "the old are sick")
        self.assertEqual(block(text, "cost")[0], ["-10..-5", "-5..0", "0..5", "5..10"])
        self.assertEqual(block(text, "city")[0], ["north", "south", "east", "west"])
        self.assertIn("age (down) * income (across)", text)
        self.assertIn("smoker=true", text)
        self.assertNotIn("age@", text, "knots are not coefficients a line each")
        for name in ("intercept", "income"):  # a line of the table of coefficients
            self.assertEqual(text.count(f"\n{name} "), 1)
        self.assertLess(max(map(len, text.splitlines()[:-4])), 121)
        self.fit(*OBJECTIVE, budget=LARGE, output="secure.json")
        self.succeed("verify", "secure.json")

    def test_the_file_says_what_each_weight_is_per(self):
        self.fit(*OBJECTIVE)
        per = {each["name"]: each["per"] for each in self.model()["coefficients"]}
        self.assertEqual(per["intercept"], "before the effects of all columns")
        self.assertEqual(per["age"], "half of its range")
        self.assertEqual(per["age@20"], "at this value")
        self.assertEqual(per["cost[-10,-5)"], "in this range")
        self.assertEqual(per["age@50*income@100000"], "at these values")
        self.assertEqual(per["income"], "unit of log(1 + value - 0)")

    def test_a_picture_of_all_effects(self):
        self.fit(*OBJECTIVE)
        result = self.succeed("explain", "model.json", "--curves", "effects.svg")
        self.assertIn("so they tell nothing about the records", result.out)
        self.assertIn("effects.svg written", result.err)
        svg = xml.etree.ElementTree.fromstring(self.path("effects.svg").read_text())
        words = [each.text for each in svg.iter() if each.tag.endswith("text")]
        for word in ("age", "cost", "city", "smoker", "income x age", "effect on the log-odds that sick is positive"):
            self.assertIn(word, words)
        self.assertNotIn("income", words, "one coefficient is no curve")

    def test_pictures_that_cannot_be_drawn(self):
        self.fit(*OBJECTIVE)
        self.refuse(2, ["--curves draws SVG", "effects.png"], "explain", "model.json", "--curves", "effects.png")
        self.refuse(3, ["effects.svg"], "explain", "model.json", "--curves", "nowhere/effects.svg")
        self.write("linear.toml", SHAPES[: SHAPES.index('[[column]]\nname = "cost"')].replace("pieces = 5", 'shape = "linear"')
                   .replace('pairs = [["age", "income", 2]]', ""))
        self.fit(*OBJECTIVE, schema="linear.toml")
        self.refuse(2, ["no curve to draw"], "explain", "model.json", "--curves", "effects.svg")

    def test_a_direction_is_kept_and_verified(self):
        values, effects = block(self.fit(*OBJECTIVE, *SEED, "--details", schema="down.toml", budget=LARGE).out, "age")
        numbers = list(map(float, effects))
        self.assertEqual(numbers, sorted(numbers, reverse=True), "it may only fall, though the old are sick")
        self.assertLess(numbers[0] - numbers[-1], 0.5, "flat is the nearest to what rises")
        self.assertEqual(len(values), 6)
        self.fit(*OBJECTIVE, schema="down.toml", budget=LARGE, output="secure.json")
        self.succeed("verify", "secure.json")
        self.succeed("predict", "model.json", "people.csv")

    def test_a_direction_that_cannot_be_kept_is_refused_before_reading(self):
        both = SHAPES.replace("pieces = 5", 'pieces = 5\nmonotone = "up"')
        self.write("both.toml", both)
        ask = ["fit", "nothing.csv", *BUDGET, "-o", "model.json", "--schema"]
        self.refuse(2, ["monotone", "pair"], *ask, "both.toml")
        self.refuse(2, ["monotone", "box"], *ask, "down.toml", "--box", "1")
        self.refuse(2, ["monotone", "network"], *ask, "down.toml", "--hidden", "4")
        self.refuse(2, ["monotone", "rule"], *ask, "down.toml", "--loss", "zero-one", "--class", "stumps")
        classes = DOWN.replace('kind = "binary"\npositive = "yes"', 'kind = "class"\nvalues = ["no", "yes"]')
        self.write("classes.toml", classes)
        self.refuse(2, ["monotone", "classes"], *ask, "classes.toml")

    def test_a_class_has_a_line_of_effects(self):
        classes = SHAPES.replace('kind = "binary"\npositive = "yes"', 'kind = "class"\nvalues = ["no", "yes"]')
        self.write("classes.toml", classes)
        text = self.fit(*OBJECTIVE, "--details", schema="classes.toml").out
        lines = text.splitlines()
        at = next(i for i, line in enumerate(lines) if line.startswith("age  "))
        self.assertEqual([line.split()[0] for line in lines[at + 1 : at + 3]], ["no", "yes"])
        self.assertIn("age (down) * income (across), yes", text)
        self.succeed("explain", "model.json", "--curves", "effects.svg")


if __name__ == "__main__":
    unittest.main()
