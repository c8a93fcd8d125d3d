# SPDX-License-Identifier: Apache-2.0
"""The checks of pages fail on bad pages: each of these has one fault."""

import pathlib
import shutil
import tempfile
import unittest

from browser_case import BrowserCase

GOOD = """<!DOCTYPE html><html lang="en"><head><meta charset="utf-8"><title>A page</title>
<meta name="viewport" content="width=device-width"></head><body><main><h1>A page</h1>{}</main></body></html>"""
FAULTS = {
    "a script that fails": "<script>throw Error('no')</script>",
    "an error on the console": "<script>console.error('no')</script>",
    "a file outside the folder": "<img alt='' src='../elsewhere.png'>",
    "an address in the network": "<img alt='' src='https://example.org/a.png'>",
    "a file that is not there": "<img alt='' src='missing.png'>",
    "a dialog": "<script>alert(1)</script>",
    "text that can hardly be read": "<p style='color:#ccc;background:#fff'>pale</p>",
    "a picture without words": "<svg role='img' width='9' height='9'></svg>",
    "something too wide for a phone": "<div style='width:600px'>wide</div>",
}


class Faults(BrowserCase):
    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="dperm_browser_"))
        self.addCleanup(shutil.rmtree, self.folder, ignore_errors=True)

    def page(self, body):
        path = self.folder / "page.html"
        path.write_text(GOOD.format(body))
        return path

    def outcome(self, target, **options):
        """Failures of one check, as unittest counts them."""
        case = BrowserCase("check_page")
        case.browser = self.browser
        result = unittest.TestResult()
        case.check_page = lambda: BrowserCase.check_page(case, target, **options)
        case.setUpClass = lambda: None
        case.run(result)
        self.assertEqual(result.errors, [])
        return result.failures

    def test_a_good_page_passes_as_a_file_and_over_http(self):
        self.assertEqual(self.outcome(self.page("<p>fine</p>")), [])
        with self.served(self.folder) as address:
            self.assertEqual(self.outcome(f"{address}/page.html", within=address), [])

    def test_every_fault_is_found(self):
        for name, body in FAULTS.items():
            with self.subTest(fault=name):
                self.assertNotEqual(self.outcome(self.page(body), views=["phone"]), [])


if __name__ == "__main__":
    unittest.main()
