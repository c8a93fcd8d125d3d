# SPDX-License-Identifier: Apache-2.0
"""The site builds without a warning, reference pages say what the program says, and nothing is taken from elsewhere.
DPERM_PROGRAM names the program, DPERM_SITE where the site goes (tests/browser/site_test.py opens it there)."""

import importlib.util
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest
import urllib.parse

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tools" / "site"))

import build
import options
import pages
import program
import schema_keys

PROGRAM = os.environ.get("DPERM_PROGRAM", "dperm")
SITE = pathlib.Path(os.environ.get("DPERM_SITE") or tempfile.mkdtemp(prefix="dperm-site-")).resolve()
LOADED = re.compile(r'<(?:link|script|img|iframe|source)\b[^>]*?(?:href|src)="(https?:)?//', re.I)
LOCAL = re.compile(r'\b(?:href|src)="(?!#|[a-z]+:|//)([^"]+)"', re.I)
HELP = """Does something with <file>

Usage: dperm thing [OPTIONS]

Options:
  --short NUMBER          words beside
  --delta NUMBER REQUIRED words after one blank, and
                          on the next line; -- is no dash | at all
  --a-very-long-option-name NUMBER
                          words below

Notes, as they stand:
  a line
"""


def setUpModule():
    missing = [name for name in ("sphinx", "furo", "myst_parser") if importlib.util.find_spec(name) is None]
    if missing:
        sys.stderr.write(f"skipped: {', '.join(missing)} not in .venv (tools/requirements_test.txt)\n")
        raise unittest.SkipTest("the generator is missing")
    program.choose(PROGRAM)


class Site(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        command = [sys.executable, "-B", ROOT / "tools" / "site" / "build.py", PROGRAM, SITE]
        cls.result = subprocess.run(list(map(str, command)), capture_output=True, text=True)

    def test_it_builds_without_a_warning(self):
        self.assertEqual((self.result.returncode, self.result.stderr), (0, ""))

    def test_nothing_is_loaded_from_elsewhere(self):
        found = [page.relative_to(SITE).as_posix() for page in SITE.rglob("*.html") if LOADED.search(page.read_text())]
        self.assertEqual(found, [])
        styles = [style.name for style in SITE.rglob("*.css") if re.search(r"(?:@import|url\()\s*[\"']?(?:https?:)?//", style.read_text())]
        self.assertEqual(styles, [])

    def test_everything_that_a_page_refers_to_is_there(self):
        # Sphinx checks what was written as Markdown; this also sees HTML inside pages, and pages that are not its own.
        missing = set()
        for page in SITE.rglob("*.html"):
            for target in LOCAL.findall(page.read_text()):
                path = page.parent / urllib.parse.unquote(re.split(r"[?#]", target)[0])
                if not path.exists():
                    missing.add(f"{page.relative_to(SITE)}: {target}")
        self.assertEqual(sorted(missing), [])

    def test_every_command_and_option_is_in_the_reference(self):
        for command in options.commands():
            page = (SITE / "docs" / "reference" / ("_".join(command) + ".html")).read_text()
            for option in set(re.findall(r"^  (?:-\w,)?(--[a-z0-9-]+)", options.help_text(*command), re.M)):
                self.assertTrue(option in page, (command, option))

    def test_every_page_of_the_tree_is_there(self):
        for page in [*ROOT.glob("docs/**/*.md"), *ROOT.glob("dperm/**/*.md")]:
            self.assertTrue((SITE / page.relative_to(ROOT)).with_suffix(".html").is_file(), page)

    def test_generated_parts_are_filled_in(self):
        for page in SITE.rglob("*.html"):
            self.assertFalse("<!-- generated:" in page.read_text(), page)
        for page, words in (("schema_keys", "Keys by kind of column"), ("model_file", "<h2>A whole file")):
            self.assertTrue(words in (SITE / "docs" / f"{page}.html").read_text(), page)
        self.assertEqual((SITE / "docs" / "epsilon.html").read_text().count('<figure class="moving"'), 3)


class Parts(unittest.TestCase):
    def test_help_becomes_lists(self):
        found = dict(options.sections(HELP))
        self.assertEqual(found["Options"][0], ["--short NUMBER", "words beside"])
        self.assertEqual(found["Options"][1],
                         ["--delta NUMBER REQUIRED", "words after one blank, and on the next line; -- is no dash | at all"])
        self.assertEqual(found["Options"][2], ["--a-very-long-option-name NUMBER", "words below"])
        self.assertEqual([line for line in found["Notes, as they stand"] if line], ["  a line"])

    def test_markup_in_help_is_text(self):
        self.assertEqual(options.escape("<b> a|b *c*"), r"\<b\> a\|b \*c\*")
        self.assertEqual(options.escape("more (docs/privacy_model.md)"), r"more ([docs/privacy\_model.md](../privacy_model.md))")

    def test_a_key_that_is_not_described(self):
        known = {"`[unit]`": {"": ["column", "rows"]}}
        schema_keys.check(known, {"`[unit]`": {"column", "rows"}})
        for words in ({"column"}, {"column", "rows", "years"}):
            with self.assertRaises(program.Problem):
                schema_keys.check(known, {"`[unit]`": words})

    def test_a_place_to_fill_must_be_there(self):
        with tempfile.TemporaryDirectory() as folder:
            page = pathlib.Path(folder, "a.md")
            page.write_text("# A\n")
            with self.assertRaises(program.Problem):
                pages.fill(page, "table", "text")

    def test_first_words_are_plain(self):
        with tempfile.TemporaryDirectory() as folder:
            page = pathlib.Path(folder, "a.md")
            page.write_text("---\norphan: true\n---\n\n# A\n\n![p](p.svg)\n\n| a | b |\n| --- | --- |\n\nSee **the** [page](b.md) of `x`.\n")
            self.assertEqual(pages.first_words(page), "See the page of x.")
            page.write_text("# A\n\n" + 50 * "long " + "\n")
            self.assertLess(len(pages.first_words(page)), 170)

    def test_dead_links_fail_the_build(self):
        for text, warnings in (("[b](b.md#a-part)", 0), ("[b](b.md#no-part) [c](c.md) ![d](d.svg)", 3)):
            with self.subTest(text=text), tempfile.TemporaryDirectory() as folder:
                source = pathlib.Path(folder, "source")
                (source / "docs").mkdir(parents=True)
                (source / "docs" / "index.md").write_text(f"# Home\n\n{text}\n\n```{{toctree}}\nb\n```\n")
                (source / "docs" / "b.md").write_text("# B\n\n## A part\n")
                result = build.generate(source, pathlib.Path(folder, "site"))
                self.assertEqual((result.returncode, result.stderr.count("WARNING")), (int(warnings > 0), warnings), result.stderr)


if __name__ == "__main__":
    unittest.main()
