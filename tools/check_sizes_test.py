# SPDX-License-Identifier: Apache-2.0
import unittest

import check_sizes
from tree_test_case import TreeTestCase


def function(lines: int, signature: str = "int f(int a) {") -> str:
    return signature + "\n" + "  a += 1;\n" * (lines - 2) + "}\n"


class CheckSizes(TreeTestCase):
    check = check_sizes

    def test_passes_a_tree_at_the_limits(self):
        self.assert_good({"dperm/core/a.cpp": "// x\n" * (400 - 60) + function(60), "tools/a.py": "a = 1\n" * 400})

    def test_fails_a_long_file_of_any_language(self):
        self.assert_bad({"dperm/core/a.hpp": "// x\n" * 401}, "401 lines")
        self.assert_bad({"tools/a.py": "a = 1\n" * 401}, "401 lines")

    def test_fails_a_long_function(self):
        self.assert_bad({"dperm/core/a.cpp": "\n" + function(61)}, "dperm/core/a.cpp:2: a function of 61 lines")

    def test_sees_through_namespaces_and_does_not_add_neighbours(self):
        text = "namespace a {\n" + (function(60) + "\n") * 3 + "}  // namespace a\n"
        self.assert_good({"dperm/core/a.cpp": text})

    def test_does_not_take_a_table_or_a_class_for_a_function(self):
        table = "constexpr int kTable[] = {\n" + "    1,\n" * 100 + "};\n"
        members = "struct A {\n" + "  int a;\n" * 100 + "};\n"
        self.assert_good({"dperm/core/a.cpp": table + members + function(10)})

    def test_leaves_build_products_alone(self):
        self.assert_good({"build/a.cpp": "// x\n" * 401, ".venv/a.py": "a = 1\n" * 401})


if __name__ == "__main__":
    unittest.main()
