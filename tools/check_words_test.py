# SPDX-License-Identifier: Apache-2.0
import unittest

import check_words
from tree_test_case import SPDX, TreeTestCase

BIBLIOGRAPHY = "- **[BW18]** B. Balle, Y.-X. Wang. Title.\n- **[CKS20]** C. Canonne. Title.\n"


class CheckWords(TreeTestCase):
    check = check_words

    def test_passes_a_tidy_tree(self):
        self.assert_good({
            "docs/bibliography.md": BIBLIOGRAPHY,
            "dperm/core/a.cpp": SPDX + "// As in [BW18, Theorem 8].\nint b = weights[K10];\n",
            "dperm/core/a.md": "Shown in [BW18; CKS20], [here](a.cpp), [there](https://example.org/x), \u03b5 < 1.\n",
            "tools/a.sh": "#!/usr/bin/env bash\n# SPDX-License-Identifier: Apache-2.0\n",
        })

    def test_fails_a_missing_licence_line(self):
        self.assert_bad({"dperm/core/a.cpp": "int a;\n"}, "a.cpp:1: the first line")
        self.assert_bad({"tools/a.py": "import os\n"}, "a.py:1: the first line")

    def test_fails_unfinished_marks(self):
        for mark in ("TO" "DO", "FIX" "ME"):
            self.assert_bad({"dperm/core/a.cpp": SPDX + f"// {mark}: later\n"}, f"a.cpp:2: unfinished ({mark})")

    def test_fails_paths_of_one_machine(self):
        for path in ("/ho" "me/someone/x", "/wo" "rk/tree", "/ro" "ot/.cache"):
            self.assert_bad({"docs/a.md": f"See {path}.\n"}, "a path of one machine")

    def test_fails_characters_outside_ascii_in_sources(self):
        self.assert_bad({"dperm/core/a.cpp": SPDX + "// \u03b5\n"}, "a.cpp:2: a character outside ASCII")

    def test_fails_an_unknown_citation_in_notes_and_comments(self):
        self.assert_bad({"docs/bibliography.md": BIBLIOGRAPHY, "docs/a.md": "By [BW18, XYZ99].\n"}, "not know [XYZ99]")
        self.assert_bad({"dperm/core/a.hpp": SPDX + "// By [XYZ99, Lemma 2].\n"}, "a.hpp:2: docs/bibliography.md does")

    def test_fails_an_entry_listed_twice(self):
        self.assert_bad({"docs/bibliography.md": BIBLIOGRAPHY + BIBLIOGRAPHY}, "[BW18] is listed twice", "[CKS20]")

    def test_fails_a_link_that_leads_nowhere(self):
        self.assert_bad({"docs/a.md": "Text.\n\nSee [this](gone.md#part).\n"}, "docs/a.md:3: the link gone.md leads")
        self.assert_bad({"cli/a.cpp": SPDX + 'auto a = "see docs/gone.md";\n'}, "a.cpp:2: there is no docs/gone.md")
        self.assert_bad({"docs/a.md": "See [this](#no-part).\n"}, "docs/a.md:1: the link #no-part leads to no heading")
        self.assert_bad({"docs/a.md": "See [b](b.md#the-rest).\n", "docs/b.md": "# B\n\n```\n# The rest\n```\n"}, "no heading")
        self.assert_good({"docs/a.md": "See [b](b.md#the-rest-a-list), [c](#here).\n# `Here`?\n", "docs/b.md": "# The rest, a list\n"})
        self.assert_good({"docs/a.md": "`[this](gone.md)`\n```\n[this](gone.md)\n```\n"})


if __name__ == "__main__":
    unittest.main()
