# SPDX-License-Identifier: Apache-2.0
"""The pages of docs/theorems: each has its picture, and its command prints the number that the page names."""

import pathlib
import re
import shlex
import unittest

from cli_case import ROOT, CliCase

PAGES = ROOT / "docs" / "theorems"
COMMAND = re.compile(r"^```sh\n(dperm .*?)^```$", re.M | re.S)
PROMISE = re.compile(r'(?:It promises|, at most" is) ([0-9.e-]*[0-9])')


def pages() -> list[pathlib.Path]:
    return sorted(path for path in PAGES.glob("*.md") if path.name != "README.md")


class TheoremPages(CliCase):
    def test_every_page_has_its_picture_and_every_picture_its_page(self):
        self.assertGreater(len(pages()), 10)
        self.assertEqual([p.stem for p in pages()], sorted(p.stem for p in PAGES.glob("*.svg")))
        index = (PAGES / "README.md").read_text()
        for page in pages():
            self.assertIn(f"({page.name})", index)
            self.assertIn(f"({page.stem}.svg)", page.read_text())

    def test_every_command_prints_the_number_on_its_page(self):
        for page in pages():
            with self.subTest(page=page.name):
                text = page.read_text()
                command, promised = COMMAND.search(text).group(1), PROMISE.search(text).group(1)
                words = shlex.split(command.replace("\\\n", " "))
                words = [str(ROOT / word) if word.startswith("docs/") else word for word in words]
                self.assertEqual(words[:2], ["dperm", "plan"])
                out = self.succeed(*words[1:]).out
                # To the four digits of the page: "at most 0.06162", or a line of the derivation.
                found = re.findall(r"at most\s+([0-9][0-9.e-]*)", out)
                rounded = [f"{float(number):.4g}" for number in found]
                self.assertIn(promised, rounded)


if __name__ == "__main__":
    unittest.main()
