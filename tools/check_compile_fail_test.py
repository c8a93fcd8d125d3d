#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Shows that check_compile_fail.py rejects each way in which a compile-fail test can be worthless."""
import pathlib
import subprocess
import sys
import tempfile
import unittest

CHECK = pathlib.Path(__file__).with_name("check_compile_fail.py")
COMPILER = sys.argv.pop(1) if len(sys.argv) > 1 else "g++"
SECRET = "class Box { int value_ = 0; };\nint peek(const Box& box) {\n"


class CheckCompileFail(unittest.TestCase):
    def run_on(self, text):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "case.cpp"
            path.write_text(text)
            result = subprocess.run([sys.executable, CHECK, path, COMPILER, "-std=c++20"], capture_output=True, text=True)
        return result.returncode, result.stdout + result.stderr

    def case(self, cheat, honest="return sizeof box;", expect="// expect: private\n"):
        return self.run_on(f"{expect}{SECRET}#ifdef CHEAT\n{cheat}\n#else\n{honest}\n#endif\n}}\n")

    def test_accepts_a_cheat_that_fails_for_the_named_reason(self):
        self.assertEqual(self.case("return box.value_;")[0], 0)

    def test_rejects_a_cheat_that_compiles(self):
        code, text = self.case("return sizeof box + 1;")
        self.assertEqual((code, "the door is open" in text), (1, True))

    def test_rejects_an_unrelated_error(self):
        code, text = self.case("return box.valeu_;")
        self.assertEqual((code, "another reason" in text), (1, True))

    def test_rejects_a_file_that_never_compiles(self):
        code, text = self.case("return box.value_;", honest="return box.value_;")
        self.assertEqual((code, "must compile" in text), (1, True))

    def test_rejects_a_file_without_an_expectation(self):
        self.assertEqual(self.case("return box.value_;", expect="")[0], 1)


unittest.main()
