# SPDX-License-Identifier: Apache-2.0
"""docs/released_fields.toml is what the page prints, and taking its fields out of an observation takes out nothing else."""

import json
import unittest

import declared
import observe

KEYS = {
    "released": {"name", "what", "json", "text", "page", "ledger"},
    "clock": {"name", "what", "json", "text", "page", "ledger"},
    "records": {"name", "what", "files"},
    "spark": {"name", "what", "events", "keys", "metrics"},
    "exempt": {"what", "why"},
}


class Fields(unittest.TestCase):
    def test_the_page_prints_the_file(self):
        page = declared.PAGE.read_text()
        self.assertEqual(page, declared.page_with_part(page), "run tests/noninterference/declared.py")

    def test_the_file_has_known_keys(self):
        self.assertEqual(set(declared.FIELDS), set(KEYS))
        for kind, known in KEYS.items():
            for row in declared.FIELDS[kind]:
                self.assertEqual(set(row) - known, set())


class Masks(unittest.TestCase):
    """Each pair differs in one place."""

    def expect(self, name: str, one, other, same: bool):
        texts = [each if isinstance(each, bytes) else json.dumps(each).encode() for each in (one, other)]
        seen = [{name: each} for each in texts]
        self.assertNotEqual(observe.differences(*seen), [], "every byte counts")
        self.assertEqual(observe.differences(*seen, "released") == [], same)

    def test_weights_are_taken_out_and_nothing_beside_them(self):
        model = {"rows": 3, "coefficients": [{"name": "age", "value": 1.5}]}
        self.expect("file m.json", model, {**model, "coefficients": [{"name": "age", "value": 2}]}, True)
        self.expect("file m.json", {"told": model}, {"told": {**model, "coefficients": [{"name": "age", "value": 2}]}}, True)
        self.expect("file m.json", model, {**model, "coefficients": [{"name": "city", "value": 1.5}]}, False)
        self.expect("file m.json", model, {**model, "coefficients": [{"name": "age", "value": 1.5, "count": 1}]}, False)
        self.expect("file m.json", model, {**model, "coefficients": model["coefficients"] * 2}, False)
        self.expect("file m.json", model, {**model, "rows": 4}, False)

    def test_messages_statuses_and_rights_are_compared_as_they_are(self):
        self.expect("1 fit: standard error", b"dperm: 3 cells could not be read\n", b"dperm: 4 cells could not be read\n", False)
        self.expect("1 fit: status", b"0", b"3", False)
        self.expect("rights of m.json", b"-rw-------", b"-rw-r--r--", False)
        self.assertNotEqual(observe.differences({"made": b""}, {}, "released"), [])


if __name__ == "__main__":
    unittest.main()
