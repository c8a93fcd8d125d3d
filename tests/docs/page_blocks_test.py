# SPDX-License-Identifier: Apache-2.0
"""The runner of pages must notice what is wrong with a page."""

import sys
import tempfile
import unittest

from page_blocks import Story, Wrong, blocks


class Blocks(unittest.TestCase):
    def tell(self, page):
        with tempfile.TemporaryDirectory() as folder:
            story = Story(folder, sys.executable)
            for block in blocks(page):
                story.tell(block)

    def assert_wrong(self, page, words):
        with self.assertRaises(Wrong) as caught:
            self.tell(page)
        self.assertIn(words, str(caught.exception))

    def test_a_story_goes_on_from_block_to_block(self):
        self.tell("```sh\necho one > a\n```\ntext\n```console\n$ cat a\none\n```\n")
        self.tell("<!-- file: b.txt -->\n```text\ntwo\n```\n\n```console\n$ cat \\\n  b.txt\ntwo\n```\n")

    def test_a_command_that_fails(self):
        self.assert_wrong("```sh\nfalse\n```\n", "ended with 1")
        self.assert_wrong("```sh\nfalse | cat\ntrue\n```\n", "ended with 1")
        self.assert_wrong("```console\n$ true\n$ no-such-program\n```\n", "ended with 127")

    def test_output_that_differs(self):
        self.assert_wrong("```console\n$ echo 1\n2\n```\n", "the page has")
        self.assert_wrong("```console\n$ printf '1\\n2\\n'\n1\n```\n", "the page has")
        self.assert_wrong("```console\n$ echo 1 >&2\n2\n```\n", "the page has")

    def test_wildcards(self):
        self.tell("```console\n$ printf 'a\\nb 0.25 c\\nd\\n'\n...\nb ... c\n...\n```\n")
        self.tell("```console\n$ printf 'a\\n'\n...\na\n...\n```\n")
        self.assert_wrong("```console\n$ printf 'a\\nb\\n'\n...\nc ...\n...\n```\n", "the page has")
        # A wildcard inside a line ends with the line.
        self.assert_wrong("```console\n$ printf 'a 1\\nb\\n'\na ...\n```\n", "the page has")

    def test_numbers_that_vary(self):
        page = "<!-- numbers vary: noise -->\n```console\n$ echo '{}'\nmean:  2.5 +- 0.1, 3 rows\n```\n"
        self.tell(page.format("mean: -12.25 +- 1e-05, 40 rows"))
        for printed in ("median: 2.5 +- 0.1, 3 rows", "mean: none +- 0.1, 3 rows", "mean: 2.5 +- 0.1, 3 rows more"):
            self.assert_wrong(page.format(printed), "the page has")
        self.assert_wrong("```console\n$ echo 2.5\n2.4\n```\n", "the page has")

    def test_blocks_that_nobody_runs(self):
        self.assert_wrong("```\ndperm fit a.csv\n```\n", "must say what it is")
        self.assert_wrong("```text\ndperm fit a.csv\n```\n", "a command in a block of text")
        self.assert_wrong("```text\n$ make test\n```\n", "a command in a block of text")
        self.assert_wrong("```bash\ntrue\n```\n", "nobody runs")
        self.tell("<!-- not run: needs a table -->\n```sh\nfalse\n```\n")
        # The reason belongs to the block that follows it, and to no later one.
        self.assert_wrong("<!-- not run: needs a table -->\n```sh\nfalse\n```\n\n```sh\nfalse\n```\n", "ended with 1")

    def test_a_schema_must_be_one(self):
        self.tell('```toml\n[target]\ncolumn = "a part of one"\n```\n')
        self.assert_wrong("```toml\nversion = 1\n```\n", "ended with")  # here `dperm` is Python, which refuses the arguments


if __name__ == "__main__":
    unittest.main()
