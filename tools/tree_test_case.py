# SPDX-License-Identifier: Apache-2.0
"""A tiny tree made of strings, for showing that a check passes a good tree and fails a bad one."""

import pathlib
import tempfile
import unittest

SPDX = "// SPDX-License-Identifier: Apache-2.0\n"


class TreeTestCase(unittest.TestCase):
    check = None  # the check's module

    def problems(self, tree: dict[str, str]) -> list[str]:
        with tempfile.TemporaryDirectory() as folder:
            root = pathlib.Path(folder)
            for relative, text in tree.items():
                path = root / relative
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_text(text, encoding="utf-8")
            return self.check.problems(root)

    def assert_good(self, tree: dict[str, str]) -> None:
        self.assertEqual(self.problems(tree), [])

    def assert_bad(self, tree: dict[str, str], *fragments: str) -> None:
        """Exactly one problem a fragment, in any order."""
        found = self.problems(tree)
        self.assertEqual(len(found), len(fragments), found)
        for fragment in fragments:
            self.assertTrue(any(fragment in problem for problem in found), f"'{fragment}' not in {found}")
