# SPDX-License-Identifier: Apache-2.0
"""Every command on a page runs, in the order of the page, and prints what the page says. DPERM_PROGRAM names the program."""

import os
import tempfile
import unittest

from page_blocks import ROOT, Story, Wrong, blocks

PAGES = [*sorted(ROOT.glob("docs/**/*.md")), *sorted(ROOT.glob("examples/*/README.md"))]
PAGES += [ROOT / name for name in ("README.md", "ARCHITECTURE.md", "CONTRIBUTING.md")]
PROGRAM = os.environ.get("DPERM_PROGRAM", "dperm")


class Commands(unittest.TestCase):
    def test_pages(self):
        for page in PAGES:
            with self.subTest(page=page.relative_to(ROOT).as_posix()), tempfile.TemporaryDirectory() as folder:
                story = Story(folder, PROGRAM)
                for block in blocks(page.read_text()):
                    try:
                        story.tell(block)
                    except Wrong as wrong:
                        self.fail(f"{page.relative_to(ROOT)}:{block.line}: {wrong}")

    def test_there_is_something_to_run(self):
        run = [block for page in PAGES for block in blocks(page.read_text()) if block.language in ("sh", "console") and not block.not_run]
        self.assertGreater(len(run), 40)


if __name__ == "__main__":
    unittest.main()
