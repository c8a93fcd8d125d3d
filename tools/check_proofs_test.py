# SPDX-License-Identifier: Apache-2.0
import unittest

import check_proofs
from tree_test_case import TreeTestCase

CODE = "int f() {\n  // [proof a.f]\n  return 2 * n;  // twice\n  // [/proof]\n}\n"
BODY = "\n".join(f"## {heading}\n\ntext\n" for heading in check_proofs.HEADINGS)
STAMP = check_proofs.digest("  return 2 * n;\n")
NOTE = f"# a\n\n{BODY}\n<!-- stamp a.f {STAMP} -->\n"


class CheckProofs(TreeTestCase):
    check = check_proofs

    def test_passes_a_current_stamp(self):
        self.assert_good({"dperm/core/a.cpp": CODE, "dperm/core/a.md": NOTE})

    def test_ignores_comments_and_spacing(self):
        reformatted = CODE.replace("2 * n;  // twice", "2   *  n; // two times\n\n")
        self.assert_good({"dperm/core/a.cpp": reformatted, "dperm/core/a.md": NOTE})

    def test_fails_changed_code_and_prints_the_new_stamp(self):
        changed = check_proofs.digest("  return n;\n")
        tree = {"dperm/core/a.cpp": CODE.replace("2 * n", "n"), "dperm/core/a.md": NOTE}
        self.assert_bad(tree, f"re-read 'a.f' against its code, then stamp {changed}")

    def test_fails_a_missing_note_and_prints_the_stamp(self):
        self.assert_bad({"dperm/core/a.cpp": CODE}, f"'a.f' has no proof note; its stamp is {STAMP}")

    def test_fails_a_stamp_without_code(self):
        self.assert_bad({"dperm/core/a.md": NOTE}, "'a.f' names no code")

    def test_fails_a_note_in_another_room(self):
        self.assert_bad({"dperm/core/a.cpp": CODE, "dperm/loss/a.md": NOTE}, "far from its code")

    def test_fails_each_missing_heading(self):
        for heading in check_proofs.HEADINGS:
            tree = {"dperm/core/a.cpp": CODE, "dperm/core/a.md": NOTE.replace(f"## {heading}", "## Else")}
            self.assert_bad(tree, f"no heading {heading}")

    def test_fails_a_note_without_a_stamp(self):
        self.assert_bad({"dperm/core/b.md": BODY}, "no stamp")

    def test_fails_a_malformed_stamp(self):
        broken = NOTE + "<!-- stamp a.g 123 -->\n"
        self.assert_bad({"dperm/core/a.cpp": CODE, "dperm/core/a.md": broken}, "not of the form")

    def test_fails_brackets_that_do_not_pair(self):
        for bad in (CODE + "// [proof a.g]\n", CODE + "// [/proof]\n", CODE + "// [proof a b]\n// [/proof]\n"):
            self.assert_bad({"dperm/core/a.cpp": bad, "dperm/core/a.md": NOTE}, "do not pair up")

    def test_fails_a_region_named_twice(self):
        tree = {"dperm/core/a.cpp": CODE, "dperm/core/b.cpp": CODE, "dperm/core/a.md": NOTE}
        self.assert_bad(tree, "also the name of a region in dperm/core/a.cpp")

    def test_fails_a_mention_of_a_note_that_is_not_there(self):
        self.assert_bad({"dperm/core/a.hpp": "// Exact. Proof note: b.md (why).\n"}, "the note b.md does not exist")


if __name__ == "__main__":
    unittest.main()
