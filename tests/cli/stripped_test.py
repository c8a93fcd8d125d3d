# SPDX-License-Identifier: Apache-2.0
"""Somebody takes something out of a model file, or changes it, and computes the digest anew. For every key of a file with
inferred bounds, a unit, held-out rows and a ledger's mark: dperm verify refuses the file, or says among what it takes on
trust that it cannot know this; and a signature shows every change."""

import json
import re
import unittest
from concurrent.futures import ThreadPoolExecutor

import cli_case
from ledger_test import LedgerCase
from model_file_test import Number, canonical, digest

# What no check can bind, with the words by which verify admits it. Everything else must be refused. "*" stands for the
# number of an item; lines of the schema are named by their key.
WORDS = "Words beside numbers"
READ = "that the records were read by this schema"
BOUNDS = "that carry no seal of an inference are taken as public"
COUNTED = "Whether that entry counted this very file, the ledger's owner can tell"
ADMITTED = {
    ("changed", "dperm_version"): WORDS,
    ("changed", "remarks"): WORDS,
    ("changed", "plan.utility.holds"): WORDS,
    ("changed", "plan.utility.theorem"): WORDS,
    ("changed", "plan.derivation.*.quantity"): WORDS,
    ("changed", "plan.derivation.*.reason"): WORDS,
    ("changed", "ledger.id"): COUNTED,
    ("changed", "ledger.entry"): COUNTED,
    ("changed", "ledger.head"): COUNTED,
    # Other records would have been read. Of lines that may be removed each says what a schema says without it.
    ("removed", "schema: delimiter"): READ,
    ("removed", "schema: header"): READ,
    ("removed", "schema: skip_rows"): READ,
    ("changed", "schema: skip_rows"): READ,
    ("removed", "schema: missing"): READ,
    ("removed", "schema: shape"): READ,
    ("changed", "schema: column"): READ,  # of the target
    ("changed", "schema: positive"): READ,
    # What was asked stays in the total; which column it was asked for is not told any more.
    ("removed", "schema: inferred"): BOUNDS,
}


def places(value, path=()):
    """Every key and, of lists, the first item: (path, value)."""
    items = value.items() if isinstance(value, dict) else list(enumerate(value))[:1] if isinstance(value, list) else ()
    for key, inner in items:
        yield (*path, key), inner
        yield from places(inner, (*path, key))


def at(model, path):
    for key in path:
        model = model[key]
    return model


def name(path):
    return ".".join("*" if isinstance(key, int) else key for key in path)


def changed(value):
    """Other values of the same type that someone might prefer."""
    if isinstance(value, bool):
        return [not value]
    if isinstance(value, Number):
        number = float(value)
        return [Number(repr(number * 0.5 if number else 0.25)), Number(str(int(number) + 1))]
    if isinstance(value, str):
        return [value + "x", ""]
    if isinstance(value, list):
        return [value[:-1], value + value[-1:]] if value else [["x"]]
    return [Number("null")] if value is None else []


class Stripped(LedgerCase):
    def setUp(self):
        super().setUp()
        table = [[f"p{number // 2}", *row] for number, row in enumerate(cli_case.people(6000))]
        self.write("visits.csv", cli_case.csv_text(table, "id," + cli_case.HEADER))
        self.register("visits", "--unit", "id", epsilon="9")
        self.write("draft.toml", 'version = 1\n[ledger]\ndataset = "visits"\n[unit]\ncolumn = "id"\nrows = 2\n'
                   + "".join(f'[[column]]\nname = "{each}"\n' for each in ("age", "city", "sick")))
        self.succeed("schema", "infer", "visits.csv", "--schema", "draft.toml", "--target", "sick", "--target-kind", "binary",
                     "--positive", "yes", "--epsilon", "2", "--delta", "1e-7", "-o", "s.toml", "--ledger", "l.db")
        self.fit("--holdout", "0.2", "--ledger", "l.db", data="visits.csv", schema="s.toml", output="whole.json")
        self.succeed("sign", "--new-key", "office")
        self.succeed("sign", "whole.json", "--key", "office")
        self.whole = json.loads(self.path("whole.json").read_text(), parse_float=Number, parse_int=Number)

    def written(self, model, file="edited.json"):
        model = {**model, "digest": digest(model)}
        self.write(file, canonical(model))
        return file

    def verdict(self, model, file):
        """None where the file is refused, else all that verify says."""
        told = self.run_program("verify", self.written(model, file))
        self.assertIn(told.status, (0, 3), told.err)
        self.path(file).unlink()
        return None if told.status else told.out

    def edits(self):
        """(what, name, model) for every removal and change of a key, and of a line of the schema."""
        for path, value in list(places(self.whole)):
            if path in (("digest",), ("schema",)):
                continue
            model = self.parsed()
            del at(model, path[:-1])[path[-1]]
            yield "removed", name(path), model
            for other in changed(value):
                model = self.parsed()
                at(model, path[:-1])[path[-1]] = other
                yield "changed", name(path), model
        lines = self.whole["schema"].split("\n")
        for number, line in enumerate(lines):
            if not line:
                continue
            # The first digit after the key, which no rounding hides; and every text.
            others = {re.sub(r"( = \D*)(\d)", lambda found: found[1] + str((int(found[2]) + 1) % 10), line, count=1),
                      re.sub(r'"([^"]*)"', r'"\1x"', line)}
            for what, rest in (("removed", []), *(("changed", [each]) for each in sorted(others - {line}))):
                model = self.parsed()
                model["schema"] = "\n".join([*lines[:number], *rest, *lines[number + 1:]])
                yield what, "schema: " + line.split(" = ")[0], model

    def parsed(self):
        return json.loads(self.path("whole.json").read_text(), parse_float=Number, parse_int=Number)

    def test_every_key_is_bound_or_admitted(self):
        all_edits = list(self.edits())
        self.assertGreater(len(all_edits), 200)
        with ThreadPoolExecutor(2) as pool:
            told = list(pool.map(lambda each: self.verdict(each[1][2], f"edited{each[0]}.json"), enumerate(all_edits)))
        accepted = {(what, key): text for (what, key, _), text in zip(all_edits, told) if text is not None}
        self.assertEqual(accepted.keys() - ADMITTED.keys(), set(), "verify accepts what nothing binds")
        self.assertEqual(ADMITTED.keys() - accepted.keys(), set(), "these are refused by now")
        for edit, text in accepted.items():
            self.assertIn(ADMITTED[edit], text, edit)

    def without(self, *tables, model=None, seals=False):
        """The schema's text without these tables, and without the seals of inferred entries."""
        parts = re.split(r"\n(?=\[)", (model or self.whole)["schema"])
        kept = "\n".join(part for part in parts if not part.startswith(tables))
        return re.sub(r"^inferred = .*\n?", "", kept, flags=re.M) if seals else kept

    def assert_shown_by_ledger_and_signature(self, file):
        told = self.run_program("ledger", "check", "l.db", file)
        self.assertEqual(told.status, 3, told.out)
        signed = self.run_program("verify", file, "--key", "office.pub", "--signature", "whole.json.sig")
        self.assertEqual(signed.status, 3, signed.out)

    def test_the_whole_file(self):
        told = self.succeed("verify", "whole.json", "--key", "office.pub").out
        self.assertIn("taken as public", told)
        self.assertNotIn("The digest finds accidents", told)
        self.assertIn("The digest finds accidents", self.succeed("verify", "whole.json").out)
        self.assertEqual(len(self.succeed("verify", "whole.json", "--json").json()["taken_on_trust"]), 4)
        self.succeed("ledger", "check", "l.db", "whole.json")

    def test_what_was_inferred_and_its_cost(self):
        model = self.parsed()
        del model["total_guarantee"]
        model["schema"] = self.without("[[inferred]]", seals=True)
        self.assertNotIn("inferred", model["schema"])
        told = self.succeed("verify", self.written(model)).out
        self.assertIn("verified: (epsilon 1,", told)
        self.assertIn("Bounds and values in the schema are taken as public. If they were asked of the records", told)
        self.assertIn("a file from which it was removed looks the same", told)
        self.assert_shown_by_ledger_and_signature("edited.json")
        # Not by halves.
        for seals, total in ((True, True), (False, False), (False, True)):
            model = self.parsed()
            model["schema"] = self.without("[[inferred]]", seals=seals)
            if not total:
                del model["total_guarantee"]
            with self.subTest(seals=seals, total=total):
                self.assertIsNone(self.verdict(model, "half.json"))

    def test_the_mark_of_the_ledger(self):
        model = self.parsed()
        del model["ledger"]
        self.assertIsNone(self.verdict(model, "edited.json"))
        model["schema"] = self.without("[ledger]")
        told = self.succeed("verify", self.written(model)).out
        self.assertIn("The file names no ledger", told)
        self.assert_shown_by_ledger_and_signature("edited.json")
        model["ledger"] = self.parsed()["ledger"]
        self.assertIn(COUNTED, self.succeed("verify", self.written(model)).out)
        self.assert_shown_by_ledger_and_signature("edited.json")

    def test_the_unit_and_held_out_rows(self):
        model = self.parsed()
        model["schema"] = self.without("[unit]", "[[inferred]]", seals=True)
        del model["total_guarantee"]
        for part in (model["guarantee"], model["plan"]["guarantee"]):
            part["unit"] = "one row"
        del model["plan"]["task"]["unit_rows"]
        self.assertIsNone(self.verdict(model, "edited.json"))
        model = self.parsed()
        del model["evaluation"], model["plan"]["holdout"]
        self.assertIsNone(self.verdict(model, "edited.json"))


if __name__ == "__main__":
    unittest.main()
