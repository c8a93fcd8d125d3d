# SPDX-License-Identifier: Apache-2.0
"""Schemas that cannot be used: status 3, file and line, what was expected."""

import unittest

from cli_case import BINARY, BUDGET, CliCase

AGE = 'name = "age"\nkind = "integer"\nlower = 0\nupper = 100'


class BadSchemas(CliCase):
    def refuse_schema(self, words, text):
        self.write("bad.toml", text)
        self.refuse(3, ["bad.toml", *words], "fit", "people.csv", "--schema", "bad.toml", *BUDGET, "-o", "model.json")
        self.refuse(3, ["bad.toml", *words], "plan", "--rows", "100", "--schema", "bad.toml", *BUDGET)
        self.refuse(3, ["bad.toml", *words], "schema", "check", "people.csv", "--schema", "bad.toml")

    def with_age(self, replacement):
        self.assertIn(AGE, BINARY)
        return BINARY.replace(AGE, replacement)

    def test_bounds(self):
        for lower, upper in (("100", "0"), ("5", "5"), ("nan", "1"), ("0", "inf"), ("-inf", "0")):
            with self.subTest(lower=lower, upper=upper):
                self.refuse_schema(["'age'", "lower"], self.with_age(
                    f'name = "age"\nkind = "real"\nlower = {lower}\nupper = {upper}'))
        self.refuse_schema(["'age'", "upper"], self.with_age('name = "age"\nkind = "real"\nlower = 0'))
        self.refuse_schema(["lower"], self.with_age('name = "age"\nkind = "real"\nlower = "ten"\nupper = 100'))

    def test_the_template_as_it_is(self):
        template = self.succeed("schema", "init", "people.csv").out
        self.refuse_schema(["filled in"], template)

    def test_words(self):
        self.refuse_schema(["kind"], self.with_age('name = "age"\nkind = "whole"'))
        self.refuse_schema(["'lowest'", "lower"], self.with_age(AGE.replace("lower", "lowest")))
        self.refuse_schema(["age"], BINARY + '\n[[column]]\n' + AGE + "\n")
        self.refuse_schema(["sick"], BINARY + '\n[[column]]\nname = "sick"\nkind = "boolean"\n')
        self.refuse_schema(["positive"], BINARY.replace('positive = "yes"\n', ""))

    def test_not_toml(self):
        for text in ("hello", "[[column]", "a = = 1", '{"version": 1}', "\x00\x01"):
            with self.subTest(text=text):
                self.refuse_schema([], text)
        self.refuse_schema([], b"\xff\xfe")
        self.refuse_schema([], "")

    def test_not_a_file(self):
        self.path("folder").mkdir()
        for name in ("none.toml", "folder"):
            with self.subTest(name=name):
                self.refuse(3, [name], "fit", "people.csv", "--schema", name, *BUDGET, "-o", "model.json")

    def test_column_names_that_are_not_utf8(self):
        self.write("latin.csv", b"gr\xf6sse,b\n1,2\n")
        self.refuse(3, ["latin.csv", "column 1", "UTF-8"], "schema", "init", "latin.csv")
        self.refuse(3, ["latin.csv", "column 1", "UTF-8"], "schema", "init", "latin.csv", "--json")


if __name__ == "__main__":
    unittest.main()
