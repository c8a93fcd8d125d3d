# SPDX-License-Identifier: Apache-2.0
"""The planner page's grids (web/planner/grid) are what the library says today: points at random, planned anew.

Fails where the library's numbers have changed: `make planner-data` writes the grids again (minutes).
"""

import json
import random
import unittest

import plan_numbers
from plan_numbers import KINDS, PAGE

POINTS = 12  # of every kind
WORDS_OF_EVERY = 3  # the words of `dperm plan` are asked for as well, for every third
ZERO = 29 * 9000


def read(kind):
    text = (PAGE / "grid" / f"{kind}.js").read_text()
    head = text[text.index("...{") + 3:text.index(", lines: [")]
    return json.loads(head), [line.strip('",') for line in text.splitlines()[2:-1]]


def number(letters, alphabet):
    code = sum(alphabet.index(letter) * 64 ** (2 - i) for i, letter in enumerate(letters))
    if code >= ZERO:
        return {ZERO: 0, ZERO + 1: "infinity", ZERO + 2: None}[code]
    return float(f"{1000 + code % 9000}e{code // 9000 - 23}")


def values(count):
    return json.dumps([f"value {i}" for i in range(1, count + 1)])


TARGETS = {
    "classify": 'kind = "binary"\npositive = ["yes"]',
    "classes": 'kind = "class"\nvalues = {classes}',
    "number": 'kind = "real"\nlower = 0\nupper = 1',
}


def schema_of(kind, head, numbers, categories, classes):
    target = TARGETS.get(kind, TARGETS["number"]).replace("{classes}", values(classes))
    text = f'version = 1\n[target]\ncolumn = "y"\n{target}\n'
    for i in range(numbers):
        text += f'[[column]]\nname = "x{i}"\nkind = "real"\nlower = 0\nupper = 1\n'
    for i in range(categories):
        text += f'[[column]]\nname = "c{i}"\nkind = "category"\nvalues = {values(head["values_of_a_category"])}\n'
    return text


class Answers:
    """The answers of one kind of question, by the places of its sliders."""

    def __init__(self, kind):
        self.head, self.lines = read(kind)
        self.axes = self.head["axes"]
        self.tables = len(self.axes["classes"]) * len(self.axes["numbers"]) * len(self.axes["categories"])
        self.width = 2 + 3 * len(self.head["fields"])

    def line(self, at):
        table = at["classes"] * len(self.axes["numbers"]) + at["numbers"]
        table = table * len(self.axes["categories"]) + at["categories"]
        return self.lines[(table * len(self.axes["delta"]) + at["delta"]) * len(self.axes["epsilon"]) + at["epsilon"]]

    def answer(self, at):
        text = self.line(at)[at["rows"] * self.width:(at["rows"] + 1) * self.width]
        methods, alphabet = self.head["methods"], self.head["alphabet"]
        answer = {name: methods[alphabet.index(text[i])] for i, name in enumerate(("method", "best_method"))}
        for i, field in enumerate(self.head["fields"]):
            answer[field] = number(text[2 + 3 * i:5 + 3 * i], alphabet)
        return answer


class Grid(unittest.TestCase):
    def test_points_at_random(self):
        for kind in KINDS:
            answers, chance = Answers(kind), random.Random(7)
            for point in range(POINTS):
                at = {axis: chance.randrange(len(found)) for axis, found in answers.axes.items()}
                asked = {axis: answers.axes[axis][i] for axis, i in at.items()}
                if not answers.line(at):  # no columns at all
                    self.assertEqual((asked["numbers"], asked["categories"]), (0, 0))
                    continue
                self.check_point(kind, answers, at, asked, words=point % WORDS_OF_EVERY == 0)

    def check_point(self, kind, answers, at, asked, words):
        schema = schema_of(kind, answers.head, asked["numbers"], asked["categories"], asked["classes"])
        command = (f"dperm plan --schema schema.toml --rows {asked['rows']} --epsilon {asked['epsilon']} "
                   f"--delta {asked['delta']} --loss {answers.head['loss']}")
        answer = answers.answer(at)
        what = f"{kind} {asked}: if the library now plans otherwise, make planner-data"
        plan_numbers.check(self, answer, plan_numbers.answer_of(schema, command), what)
        if words:
            guesses = plan_numbers.percent_above(answer["right_guesses"])
            self.assertAlmostEqual(guesses, plan_numbers.right_guesses_of(schema, command), places=6)

    def test_every_line_is_there(self):
        for kind in KINDS:
            answers = Answers(kind)
            budgets = len(answers.axes["delta"]) * len(answers.axes["epsilon"])
            self.assertEqual(len(answers.lines), answers.tables * budgets)
            lengths = [len(line) for line in answers.lines]
            without_columns = kind in ("classify", "number")  # one table of these has none: there is nothing to say
            self.assertEqual(lengths.count(0), budgets if without_columns else 0)
            self.assertEqual(set(lengths) - {0}, {len(answers.axes["rows"]) * answers.width})


if __name__ == "__main__":
    unittest.main()
