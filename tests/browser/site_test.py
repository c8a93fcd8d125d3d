# SPDX-License-Identifier: Apache-2.0
"""The documentation site opened from its folder, without a server. DPERM_SITE says where docs.site has built it."""

import os
import pathlib
import sys
import unittest

from browser_case import BrowserCase

SITE = pathlib.Path(os.environ.get("DPERM_SITE", "build/site")).resolve()
# One page of every kind, and how it is looked at: first page, story, moving pictures, wide tables, theorem with its
# picture, generated pages, proof note.
PAGES = {
    "docs/index.html": ("phone", "desk"),
    "docs/start.html": ("phone", "dark"),
    "docs/epsilon.html": ("phone", "desk", "dark"),
    "docs/peers.html": ("phone",),
    "docs/theorems/sgd.html": ("dark",),
    "docs/reference/fit.html": ("phone",),
    "docs/model_file.html": ("dark",),
    "dperm/methods/sgd/sgd.html": ("phone",),
}


def setUpModule():
    if not (SITE / "index.html").is_file():
        sys.stderr.write(f"skipped: there is no site in {SITE} (make docs)\n")
        raise unittest.SkipTest("no site")


class Site(BrowserCase):
    def test_pages(self):
        for page, views in PAGES.items():
            with self.subTest(page=page):
                self.check_page(SITE / page, within=SITE, views=views)

    def test_no_page_is_wider_than_a_phone(self):
        with self.opened(SITE / "docs" / "index.html", within=SITE, size={"width": 375, "height": 740}) as page:
            wide = []
            for path in sorted(SITE.glob("docs/**/*.html")):
                page.goto(path.as_uri(), wait_until="load")
                if page.evaluate("document.documentElement.scrollWidth > document.documentElement.clientWidth"):
                    wide.append(path.relative_to(SITE).as_posix())
            self.assertEqual(wide, [])

    def test_search_finds_a_word(self):
        with self.opened(SITE / "docs" / "index.html", within=SITE) as page:
            page.fill("input[name=q]", "eigenvalue")
            page.press("input[name=q]", "Enter")
            page.wait_for_function("/^Search finished/.test(document.querySelector('.search-summary')?.textContent)")
            found = page.eval_on_selector_all("#search-results li a", "links => links.map(each => each.getAttribute('href'))")
            self.assertTrue(any("docs/methods/sufficient_statistics.html" in each for each in found), found)
            page.wait_for_function("document.querySelectorAll('#search-results li p.context').length >= 3")

    def test_pictures_move(self):
        with self.opened(SITE / "docs" / "epsilon.html", within=SITE) as page:
            figure = page.locator("#picture-guess")
            before = figure.locator(".answer").inner_text()
            marker = figure.locator("[data-part=pure]").get_attribute("cx")
            figure.locator("input").press("End")
            self.assertNotEqual(before, figure.locator(".answer").inner_text())
            self.assertIn("epsilon 10 ", figure.locator(".answer").inner_text())
            self.assertGreater(float(figure.locator("[data-part=pure]").get_attribute("cx")), float(marker))

    def test_pictures_are_readable_without_script(self):
        with self.opened(SITE / "docs" / "epsilon.html", within=SITE, script=False) as page:
            self.assertFalse(page.locator("#picture-guess .sliders").is_visible())
            self.assertIn("At epsilon 1 ", page.locator("#picture-guess .answer").inner_text())
            page.locator("#picture-guess summary").click()
            self.assertTrue(page.locator("#picture-guess table").is_visible())


if __name__ == "__main__":
    unittest.main()
