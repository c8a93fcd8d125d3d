# SPDX-License-Identifier: Apache-2.0
"""dperm verify refuses a model whose guarantee does not follow from its parts, also when the digest was computed anew."""

import hashlib
import json
import unittest

from cli_case import SEEDED, CliCase


class Number(str):
    """A number as the file writes it; Python would write some of them otherwise."""


def canonical(value):
    """Keys sorted, nothing between the signs, numbers untouched: what the digest is computed from."""
    if isinstance(value, dict):
        return "{" + ",".join(f"{canonical(key)}:{canonical(value[key])}" for key in sorted(value)) + "}"
    if isinstance(value, list):
        return "[" + ",".join(map(canonical, value)) + "]"
    if isinstance(value, Number):
        return str(value)
    return json.dumps(value, ensure_ascii=False)


def digest(model):
    content = {key: value for key, value in model.items() if key != "digest"}
    return "blake2b-256:" + hashlib.blake2b(canonical(content).encode(), digest_size=32).hexdigest()


class ModelFile(CliCase):
    def setUp(self):
        super().setUp()
        self.fit()
        self.original = self.path("model.json").read_text()

    def parsed(self):
        return json.loads(self.original, parse_float=Number, parse_int=Number)

    def write_model(self, model, renewed=True):
        if renewed:
            model["digest"] = digest(model)
        self.write("edited.json", canonical(model))

    def assert_rejected(self, *words):
        result = self.run_program("verify", "edited.json")
        self.assertEqual(result.status, 3, result.out + result.err)
        self.assertIn("edited.json", result.err)
        self.assertNotIn("verified:", result.out)
        for word in words:
            self.assertIn(word, result.out + result.err)
        as_json = self.run_program("verify", "edited.json", "--json")
        self.assertEqual(as_json.status, 3)
        if as_json.out:
            self.assertFalse(as_json.json()["verified"])

    def test_a_plan_that_contradicts_itself_is_rejected(self):
        for edit, words in (
            (lambda model: model["plan"].update(method="sgd"), ["method"]),
            (lambda model: model["plan"].pop("algorithm"), ["algorithm"]),
            (lambda model: model["plan"].update(algorithm="magic"), ["no algorithm 'magic'"]),
            (lambda model: model["plan"].update(algorithm="newton"), ["no option"]),
            (lambda model: model["plan"]["options"].update(steps="6"), ["sensitivity and noise follow"]),
            (lambda model: model.update(format_version=Number("2.7")), ["integer"]),
            (lambda model: model["plan"]["task"].update(rows=Number("200.9")), ["integer"]),
            (lambda model: model["plan"]["task"].update(rows=Number("-1")), ["integer"]),
            (lambda model: model["plan"]["utility"].update(probability=Number("0.5")), ["guarantee, derivation"]),
        ):
            model = self.parsed()
            edit(model)
            self.write_model(model)
            with self.subTest(words=words):
                self.assert_rejected(*words)

    def test_the_digest_is_computed_as_the_program_does(self):
        model = self.parsed()
        self.assertEqual(model["digest"], digest(model))
        self.write_model(model)
        self.succeed("verify", "edited.json")

    def test_an_edit_without_a_new_digest(self):
        for key in ("guarantee", "plan"):
            model = self.parsed()
            part = model[key] if key == "guarantee" else model[key]["task"]
            part["epsilon"] = Number("0.1")
            self.write_model(model, renewed=False)
            self.assert_rejected("digest")
            for command in (["predict", "edited.json", "people.csv"], ["evaluate", "edited.json", "people.csv", "--public"],
                            ["explain", "edited.json"]):
                self.refuse(3, ["edited.json", "digest"], *command)

    def test_an_edited_epsilon(self):
        model = self.parsed()
        model["guarantee"]["epsilon"] = Number("0.1")
        self.write_model(model)
        self.assert_rejected("FAILED", "the guarantee follows from the recorded events")
        for part in (model["plan"]["guarantee"], model["plan"]["task"]):
            part["epsilon"] = Number("0.1")
        self.write_model(model)
        self.assert_rejected("FAILED")

    def test_an_edited_sigma(self):
        for places in (["events"], ["plan"], ["events", "plan"]):
            for factor in (0.5, 2.0):
                with self.subTest(places=places, factor=factor):
                    model = self.parsed()
                    for place in places:
                        event = (model if place == "events" else model["plan"])["events"][0]
                        event["sigma"] = Number(repr(float(event["sigma"]) * factor))
                    self.write_model(model)
                    self.assert_rejected("FAILED")

    def test_an_edited_sensitivity_or_number_of_releases(self):
        for key in ("l2_sensitivity", "repetitions"):
            model = self.parsed()
            for part in (model, model["plan"]):
                part["events"][0][key] = Number(str(int(float(part["events"][0][key])) // 2 or 1))
            self.write_model(model)
            with self.subTest(key=key):
                self.assert_rejected("FAILED")

    def test_an_edited_task(self):
        for key, value, word in (("delta", "1e-09", "FAILED"), ("epsilon", "0.5", "FAILED"), ("columns", "3", "columns"),
                                 ("weights", "10", "coefficients")):
            model = self.parsed()
            model["plan"]["task"][key] = Number(value)
            self.write_model(model)
            with self.subTest(key=key):
                self.assert_rejected(word)

    def test_an_edited_schema(self):
        # A column less changes the encoding; a bound that makes no sense is no schema.
        model = self.parsed()
        before, after = model["schema"].split('name = "smoker"')
        model["schema"] = before.rsplit("[[column]]", 1)[0] + after.split("\n\n", 1)[-1]
        self.write_model(model)
        self.assert_rejected("edited.json")
        model = self.parsed()
        model["schema"] = model["schema"].replace("upper = 100\n", "upper = -5\n")
        self.write_model(model)
        self.assert_rejected("lower")

    def test_an_edited_schema_bound_without_a_new_digest(self):
        self.assertIn("upper = 100\\n", self.original)
        self.write("edited.json", self.original.replace("upper = 100\\n", "upper = 90\\n"))
        self.assert_rejected("digest")

    def test_weights_no_fit_can_give(self):
        for value in ("1e+300", "1000.0"):
            model = self.parsed()
            category = next(each for each in model["coefficients"] if each["per"] == "if so")
            ratio = float(category["value"]) / float(category["encoded"])
            category["encoded"], category["value"] = Number(value), Number(repr(float(value) * ratio))
            self.write_model(model)
            with self.subTest(value=value):
                self.assert_rejected("FAILED", "feasible set")

    def test_a_bound_or_a_weight_edited_alone(self):
        model = self.parsed()
        model["schema"] = model["schema"].replace("upper = 100\n", "upper = 120\n")
        self.write_model(model)
        self.assert_rejected("does not follow from the weights and the schema")
        model = self.parsed()
        model["coefficients"][1]["encoded"] = Number("0.25")
        self.write_model(model)
        self.assert_rejected("does not follow from the weights and the schema")

    def test_a_weight_too_few(self):
        model = self.parsed()
        model["coefficients"].pop()
        self.write_model(model)
        self.assert_rejected("edited.json")

    def test_models_that_say_themselves_that_they_are_not_private(self):
        self.fit(budget=SEEDED, output="edited.json")
        self.assert_rejected("not private")
        self.fit("--unsafe-diagnostics", output="edited.json")
        self.assert_rejected("not private")

    def test_numbers_that_are_none(self):
        for text in ("null", '"1"', "[]", "-1", "1e999"):
            model = self.parsed()
            model["guarantee"]["epsilon"] = Number(text)
            self.write_model(model)
            with self.subTest(text=text):
                self.assert_rejected("edited.json")


if __name__ == "__main__":
    unittest.main()
