# SPDX-License-Identifier: Apache-2.0
"""The planner page (web/planner) in headless Chromium: it works, and its numbers are those of `dperm plan --json`."""

import json
import random
import re
import unittest

import plan_numbers
from browser_case import DESK, BrowserCase
from plan_numbers import KINDS, PAGE, UNIT

ADDRESS = (PAGE / "index.html").as_uri()
SLIDERS = ("rows", "epsilon", "numbers", "categories")
RANDOM_SETTINGS = 40
WORDS_OF_EVERY = 5  # the words of `dperm plan` are asked for as well, for every fifth


def move(page, slider, step):
    page.eval_on_selector(f"#{slider}", "(e, step) => { e.value = step; e.dispatchEvent(new Event('input')); }", step)


def take(page, group, number):
    page.locator(f"#{group} label").nth(number).click()


def steps(page, slider):
    return int(page.get_attribute(f"#{slider}", "max"))


def shown(page):
    return json.loads(page.get_attribute("#answer", "data-answer"))


def question(page):
    return page.text_content("#schema-text"), page.text_content("#command-text")


def first_number(text):
    return float(re.search(r"\d[\d.]*", text.replace(",", "")).group(0).rstrip("."))


class Page(BrowserCase):
    def settle(self, page, kind, chance):
        """A setting at random, made with the controls that a user has."""
        take(page, "kind", KINDS.index(kind))
        for slider in SLIDERS:
            if page.is_visible(f"#{slider}"):
                lowest = 1 if slider == "numbers" else 0  # a model needs a column
                move(page, slider, chance.randint(min(lowest, steps(page, slider)), steps(page, slider)))
        for group in ("classes", "delta"):
            if page.is_visible(f"#{group}"):
                take(page, group, chance.randrange(page.locator(f"#{group} label").count()))

    def test_opens(self):
        self.check_page(ADDRESS)
        for asked, view in (("#kind=classes&classes=10&rows=1000000", "phone"),
                            ("#kind=number&rows=200&epsilon=0.05", "dark"),
                            ("#kind=classify&rows=10000000&epsilon=10", "phone"),
                            ("#kind=median&delta=0", "dark"),
                            ("#kind=classify&numbers=0&categories=0", "phone")):
            with self.subTest(asked):
                self.check_page(ADDRESS + asked, views=(view,))

    def test_same_numbers_as_dperm_plan(self):
        chance = random.Random(20)
        with self.opened(ADDRESS) as page:
            for i in range(RANDOM_SETTINGS):
                kind = KINDS[i % len(KINDS)]
                self.settle(page, kind, chance)
                schema, command = question(page)
                answer, plan = shown(page), plan_numbers.answer_of(schema, command)
                plan_numbers.check(self, answer, plan, f"{kind}: {page.url}")
                self.check_headline(page, kind, plan)
                if i % WORDS_OF_EVERY == 0:
                    share = first_number(page.text_content("#fact-guess .value"))
                    self.assertAlmostEqual(share, plan_numbers.right_guesses_of(schema, command), places=6)

    def check_headline(self, page, kind, plan):
        headline, meaning = page.text_content("#headline"), page.text_content("#meaning")
        if plan["method"] == "constant":
            self.assertIn("Too few rows", headline)
            self.assertAlmostEqual(first_number(meaning) / plan["worth_rows"], 1, delta=0.11)  # two digits, rounded up
            return
        if kind == "median" and plan["bound"] >= 1:
            self.assertIn("Nothing of use", headline)
            return
        true = plan["told"] if kind in ("classify", "number", "classes") else plan["bound"]
        true = UNIT[kind] * (true**0.5 if kind == "mean" else true)  # a mean's excess risk is its squared error
        if UNIT[kind] == 100 and true < 0.1:
            self.assertIn("less than", headline)
            true = 100 * plan["told_upper"]
        if "\u207b" not in headline:  # a power of ten below a thousandth
            rounding = 0.051 if kind in ("classify", "number", "classes") else 0.11
            self.assertAlmostEqual(first_number(headline) / true, 1, delta=rounding, msg=headline)

    def test_rows_that_are_enough_are_the_first(self):
        with self.opened(ADDRESS + "#kind=classify&rows=20000&epsilon=0.5") as page:
            schema, command = question(page)
            row = page.locator("#needed-table tbody tr").nth(2)
            self.assertIn("1 point", row.text_content())
            enough = int(row.locator("td").first.text_content().replace(",", ""))
            sizes = page.evaluate("Answers.grids.classify.axes.rows")
            before = sizes[sizes.index(enough) - 1]
            for rows, keeps in ((before, False), (enough, True)):
                plan = plan_numbers.answer_of(schema, command.replace("--rows 20000", f"--rows {rows}"))
                self.assertEqual(plan["told"] <= 0.01, keeps, rows)

    def test_keyboard_and_address(self):
        with self.opened(ADDRESS + "#kind=number&rows=50000&epsilon=2&numbers=10", size=DESK) as page:
            self.assertEqual(page.text_content("#rows-out"), "50,000 rows")
            self.assertTrue(page.is_checked('input[name="kind"][value="number"]'))
            before = page.text_content("#headline")
            page.focus("#rows")
            page.keyboard.press("ArrowRight")
            self.assertEqual(page.text_content("#rows-out"), "100,000 rows")
            self.assertEqual(page.get_attribute("#rows", "aria-valuetext"), "100,000 rows")
            self.assertNotEqual(page.text_content("#headline"), before)
            self.assertIn("rows=100000", page.url)
            page.focus('input[name="delta"]:checked')
            page.keyboard.press("ArrowRight")
            self.assertIn("delta=1e-9", page.url)
            page.keyboard.press("ArrowLeft")  # the choice keeps the focus
            self.assertIn("delta=0.000001", page.url)

    def test_the_librarys_warnings_are_shown(self):
        with self.opened(ADDRESS + "#kind=classify&rows=10000000&epsilon=10&delta=1e-6") as page:
            text = page.text_content("#warnings")
            self.assertIn("delta 1e-06 is not below 1/rows", text)
            self.assertIn("epsilon 10 protects hardly anybody", text)
            self.assertEqual(page.locator("#warnings .loud").count(), 2)
            move(page, "epsilon", 6)
            move(page, "rows", 8)
            self.assertEqual(page.text_content("#warnings"), "")


if __name__ == "__main__":
    unittest.main()
