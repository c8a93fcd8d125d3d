# SPDX-License-Identifier: Apache-2.0
import shutil
import unittest

import check_format
from tree_test_case import TreeTestCase

CONFIGURATION = "BasedOnStyle: Google\n"


@unittest.skipUnless(shutil.which(check_format.TOOL), "skipped: no clang-format")
class CheckFormat(TreeTestCase):
    check = check_format

    def test_passes_formatted_code(self):
        self.assert_good({".clang-format": CONFIGURATION, "dperm/core/a.cpp": "int f() { return 1; }\n"})

    def test_fails_unformatted_code(self):
        tree = {".clang-format": CONFIGURATION, "dperm/core/a.cpp": "int  f( ) {return 1;}\n"}
        self.assert_bad(tree, "dperm/core/a.cpp:1:")

    def test_passes_an_empty_tree(self):
        self.assert_good({})


if __name__ == "__main__":
    unittest.main()
