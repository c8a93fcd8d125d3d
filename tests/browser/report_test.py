# SPDX-License-Identifier: Apache-2.0
"""Reports in headless Chromium: every kind of model on a phone, at a desk, in dark and on paper."""

import pathlib
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "cli"))
import report_models  # noqa: E402
from browser_case import DESK, BrowserCase  # noqa: E402
from cli_case import CliCase  # noqa: E402

# Everything is in at least one of them: pictures of each kind, groups, warnings, hostile names, several models.
PAGES = {
    "judged": ["judged"], "regression": ["regression"], "additive": ["additive"], "softmax": ["softmax"],
    "network": ["network"], "rule": ["rule"], "mean": ["mean"], "seeded": ["seeded"], "forged": ["forged"],
    "hostile": ["hostile"], "several": ["linear", "rule", "judged"],
}
# Rows of tables and pictures that a page of paper cuts in two, by where each page ends.
SPLIT = """height => [...document.querySelectorAll('tr, figure, .figures')].filter(e => {
  const box = e.getBoundingClientRect();
  return box.height > height;
}).map(e => e.tagName + ' ' + e.textContent.slice(0, 40))"""


class Report(BrowserCase, CliCase):
    @classmethod
    def setUpClass(cls):
        BrowserCase.setUpClass.__func__(cls)

    def setUp(self):
        CliCase.setUp(self)
        report_models.write_tables(self, rows=1200)

    def page(self, name):
        for model in PAGES[name]:
            if model == "forged":
                self.write("forged.json", report_models.forged(report_models.fit(self, "linear").read_text()))
            else:
                report_models.fit(self, model)
        self.succeed("report", *(f"{model}.json" for model in PAGES[name]), "-o", f"{name}.html")
        return self.path(f"{name}.html")

    def test_every_kind_opens_everywhere(self):
        for name in PAGES:
            with self.subTest(page=name):
                self.check_page(self.page(name))

    def test_it_needs_no_script_and_hides_nothing_on_paper(self):
        path = self.page("judged")
        with self.opened(path, script=False) as page:
            self.assertIn("guesses right at most", page.inner_text("main"))
        with self.opened(path) as page:
            page.emulate_media(media="print")
            self.assertTrue(page.evaluate("() => document.querySelector('details table').getBoundingClientRect().height > 20"),
                            "what is folded on a screen is open on paper")
            # 297 mm less margins at 96 pixels an inch: nothing that may not be cut is taller than a page.
            page.set_viewport_size({"width": 680, "height": 900})
            self.assertEqual(page.evaluate(SPLIT, 980), [])

    def test_a_keyboard_reaches_what_scrolls_and_headings_are_in_order(self):
        with self.opened(self.page("several"), size=DESK) as page:
            levels = page.evaluate("() => [...document.querySelectorAll('h1,h2,h3,h4,h5')].map(h => +h.tagName[1])")
            self.assertEqual(levels[0], 1)
            self.assertTrue(all(b <= a + 1 for a, b in zip(levels, levels[1:])), levels)
            self.assertEqual(page.evaluate("() => [...document.querySelectorAll('.scroll')].filter(e => e.tabIndex < 0).length"), 0)


if __name__ == "__main__":
    unittest.main()
