# SPDX-License-Identifier: Apache-2.0
import unittest

import check_layers
from tree_test_case import TreeTestCase

TABLE = """| room | responsible for | may use |
| --- | --- | --- |
| `core` | checks | - |
| `random` | noise | {random} |

Another table | that | is not it
"""


class CheckLayers(TreeTestCase):
    check = check_layers

    def test_passes_a_room_that_uses_what_it_may(self):
        self.assert_good({
            "dperm/privacy/curator/curator.cpp": '#include "dperm/privacy/events/event.hpp"\n#include "dperm/random/bits.hpp"\n',
            "cli/fit.cpp": '#include "dperm/methods/fit.hpp"\n#include "dperm/report/html.hpp"\n',
        })

    def test_fails_an_upward_include(self):
        tree = {"dperm/core/a.hpp": '\n#include "dperm/privacy/events/event.hpp"\n'}
        self.assert_bad(tree, "dperm/core/a.hpp:2: core must not use privacy")

    def test_fails_a_solver_that_sees_data(self):
        self.assert_bad({"dperm/solve/a.cpp": "#include <dperm/data/tiles/tiles.hpp>\n"}, "solve must not use data")

    def test_holds_tests_of_a_room_to_its_layer(self):
        self.assert_bad({"dperm/loss/a_test.cpp": '#include "dperm/engine/cpu/sums.hpp"\n'}, "loss must not use engine")

    def test_fails_a_method_that_looks_at_tiles(self):
        tree = {"dperm/methods/a.cpp": "void f(const data::TileSet& tiles);\n"}
        self.assert_bad(tree, "only the engine and who builds a dataset know where rows lie")

    def test_fails_an_unknown_room(self):
        self.assert_bad({"dperm/attic/a.hpp": ""}, "room 'attic' is not in the table")
        self.assert_bad({"cli/a.cpp": '#include "dperm/attic/a.hpp"\n'}, "there is no room 'attic'")

    def test_fails_an_include_beside_the_file(self):
        self.assert_bad({"dperm/core/a.cpp": '#include "b.hpp"\n', "dperm/core/b.hpp": ""}, "by its path from the root")

    def test_fails_a_room_that_includes_a_shell(self):
        self.assert_bad({"dperm/report/a.cpp": '#include "cli/main.hpp"\n'}, "must not include the shell")

    def test_fails_a_forbidden_link(self):
        call = "dperm_room(random\n  SOURCES a.cpp\n  USES core data\n  PARTS fmt::fmt)\n"
        tree = {"dperm/random/CMakeLists.txt": call}
        self.assert_bad(tree, "random must not link data")

    def test_fails_test_access_outside_tests(self):
        include = '#include "tests/support/open_sensitive.hpp"\n'
        self.assert_good({"dperm/core/a_test.cpp": include + "SensitiveTestAccess::open(s);\n"})
        self.assert_bad({"dperm/core/a.cpp": include}, "only tests may include")
        self.assert_bad({"dperm/core/a.cpp": "SensitiveTestAccess::open(s);\n"}, "is for tests")
        self.assert_bad({"cli/a.cpp": "struct SensitiveTestAccess {};\n"}, "is for tests")

    def test_fails_declared_public_access_inside_a_room(self):
        self.assert_good({"cli/evaluate.cpp": "DeclaredPublicAccess::open(s);\n"})
        self.assert_bad({"dperm/methods/a.cpp": "DeclaredPublicAccess::open(s);\n"}, "is for the shells")

    def test_fails_other_sources_of_randomness(self):
        self.assert_good({"dperm/core/a_test.cpp": "#include <random>\nstd::mt19937_64 g;\n"})
        for line in ("std::mt19937 g;", "std::random_device d;", "int x = std::rand();", "#include <random>"):
            self.assert_bad({"cli/a.cpp": line + "\n"}, "randomness comes from dperm/random")
        self.assert_good({"dperm/random/bits.cpp": "randombytes_buf(p, n);\n"})
        self.assert_bad({"dperm/privacy/a.cpp": "randombytes_buf(p, n);\n"}, "are drawn in dperm/random")

    def test_fails_a_library_that_prints_or_ends_the_process(self):
        self.assert_good({"cli/a.cpp": "std::cout << 1;\n"})
        for line in ("std::cout << 1;", 'printf("x");', 'std::printf("x");', 'fmt::print("x");', "std::cerr << 1;"):
            self.assert_bad({"dperm/core/a.cpp": line + "\n"}, "never prints")
        for line in ("std::abort();", "abort();", "exit(1);"):
            self.assert_bad({"dperm/core/a.cpp": line + "\n"}, "never ends the process")

    def test_does_not_read_comments_and_strings(self):
        self.assert_good({
            "dperm/core/a.cpp": '// std::cout is not used, printf( neither\n/* std::abort */ auto s = "std::mt19937";\n'
            'auto r = R"x(std::rand " )x";  int n = 1\'000; snprintf(b, 2, "x"); on_exit(1);\n'
        })

    def test_compares_its_table_with_the_page(self):
        self.assert_good({"ARCHITECTURE.md": TABLE.format(random="core")})
        self.assert_bad({"ARCHITECTURE.md": TABLE.format(random="core, data")}, "room random may use ['core', 'data']")


if __name__ == "__main__":
    unittest.main()
