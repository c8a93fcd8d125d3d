# SPDX-License-Identifier: Apache-2.0
"""dperm account and dperm calibrate: numbers known elsewhere, JSON, files, and clear refusals."""

import json
import os
import pathlib
import tempfile
import unittest

from cli_case import COLUMNS, SEEDED, CliCase
from model_file_test import Number, canonical, digest

STEP = "sampled-gaussian:sigma=1,rate=0.01,count=1000"


class Account(CliCase):
    def test_the_interval_contains_the_known_epsilon(self):
        result = self.succeed("account", STEP, "--neighbours", "add-remove", "--delta", "1e-5", "--json")
        answer = json.loads(result.out)
        interval = answer["accountants"]["privacy-loss"]
        self.assertLessEqual(interval["lower"], 1.828239)
        self.assertGreaterEqual(interval["upper"], 1.828237)
        self.assertLess(interval["upper"] - interval["lower"], 1e-3)
        self.assertEqual(answer["epsilon"], interval["upper"])
        self.assertGreater(answer["accountants"]["renyi"], interval["upper"])
        self.assertLess(answer["attacker"]["advantage"], 0.5)

    def test_noise_that_hides_nothing_has_its_pure_epsilon(self):
        shown = self.succeed("account", "k-norm:scale=2,sensitivity=10000", "--delta", "1e-6", "--json").json()
        self.assertEqual(shown["epsilon"], 5000)

    def test_replacing_costs_more_than_adding(self):
        epsilon = {}
        for relation in ("add-remove", "replace-one"):
            result = self.succeed("account", STEP, "--neighbours", relation, "--delta", "1e-5", "--json")
            epsilon[relation] = json.loads(result.out)["epsilon"]
        self.assertAlmostEqual(epsilon["replace-one"], 2.843446, delta=1e-3)
        self.assertAlmostEqual(epsilon["add-remove"], 1.828238, delta=1e-3)

    def test_events_come_from_a_file_too(self):
        event = {"what": "x", "mechanism": "gaussian", "l2_sensitivity": 1.0, "sigma": 2.0, "neighbours": "replace-one",
                 "repetitions": 1}
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "events.json"
            path.write_text(json.dumps({"events": [event]}))
            from_file = json.loads(self.succeed("account", "--file", str(path), "--delta", "1e-6", "--json").out)
        words = json.loads(self.succeed("account", "gaussian:sigma=2", "--delta", "1e-6", "--json").out)
        self.assertEqual(from_file["epsilon"], words["epsilon"])
        self.assertAlmostEqual(words["epsilon"], 2.25408465022, places=6)

    def test_every_event_has_its_own_word_and_keys(self):
        own = ("gaussian:l2_sensitivity=1,sigma=5", "discrete-laplace:l1_sensitivity=1,scale_numerator=5,scale_denominator=2",
               "k-norm:l2_sensitivity=1,scale=5", "exponential:range=2,scale_numerator=5,scale_denominator=1",
               "permute-and-flip:range=2,scale_numerator=5,scale_denominator=1", "randomised-response:epsilon=0.5",
               "objective-perturbation:sign=monotone,gradient=1,curvature=1,penalty=8,sigma=4,slack_delta=0",
               "objective-perturbation:sign=multinomial,gradient=1.4142135623730951,curvature=1,penalty=8,classes=3,sigma=4,"
               "slack_delta=0",
               "pure-objective-perturbation:sign=two-sided,gradient=1,curvature=1,penalty=8,scale=4",
               "sampled-gaussian:contribution=1,sigma=5,rate=0.1,sampling=fixed-size",
               "sampled-laplace:contribution=1,scale=5,rate=0.1,sampling=poisson",
               "selection:repetition_distribution=poisson,shape=0,parameter=5,base_epsilon=0,base_mu=0.1",
               "regularised-exponential:gradient_difference=1,inverse_temperature=0.1,penalty=1,log_error=0,total_variation=0")
        for text in own:
            with self.subTest(text=text):
                answer = json.loads(self.succeed("account", text, "--delta", "1e-6", "--json").out)
                description = answer["events"][0]["mechanism"]
                for item in text.split(":")[1].split(","):
                    self.assertIn(item.replace("=", " "), description)

    def test_short_forms_mean_the_event_itself(self):
        for short, own in (("gaussian:sigma=5,sensitivity=2", "gaussian:sigma=5,l2_sensitivity=2"),
                           ("gaussian:sigma=5", "gaussian:sigma=5,l2_sensitivity=1"),
                           ("k-norm:scale=5", "k-norm:scale=5,l2_sensitivity=1"),
                           ("laplace:scale=5", "sampled-laplace:scale=5,rate=1,contribution=0.5"),
                           ("laplace:scale=5,sensitivity=4", "sampled-laplace:scale=5,rate=1,contribution=2,sampling=poisson"),
                           ("pure:epsilon=1", "randomised-response:epsilon=1"),
                           ("selection:mu=0.1,gamma=0.2",
                            "selection:base_mu=0.1,base_epsilon=0,repetition_distribution=truncated-negative-binomial,shape=1,"
                            "parameter=0.2"),
                           ("selection:epsilon=0.1,runs=logarithmic,gamma=0.2",
                            "selection:base_epsilon=0.1,repetition_distribution=truncated-negative-binomial,shape=0,"
                            "parameter=0.2"),
                           ("selection:mu=0.1,runs=poisson,mean=9",
                            "selection:base_mu=0.1,repetition_distribution=poisson,shape=0,parameter=9")):
            with self.subTest(short=short):
                one, other = (json.loads(self.succeed("account", text, "--delta", "1e-6", "--json").out)
                              for text in (short, own))
                self.assertEqual(one["events"][0]["mechanism"], other["events"][0]["mechanism"])
                self.assertEqual(one["epsilon"], other["epsilon"])
        plain = json.loads(self.succeed("account", "exponential:epsilon=0.3", "--delta", "0", "--json").out)
        self.assertGreaterEqual(plain["epsilon"], 0.3)
        self.assertLess(plain["epsilon"], 0.3 * (1 + 1e-11))

    def test_the_epsilon_is_that_of_the_model_file(self):
        """Which is the library's: every shell shows the same number for the same releases."""
        folder = pathlib.Path(__file__).resolve().parent.parent / "golden" / "version1"
        for name in ("descent_logistic", "location_mean_pure", "location_median", "objective_logistic", "objective_pure",
                     "objective_softmax", "regularised", "rules_stumps", "sgd_add_remove", "sgd_fixed_size", "statistics",
                     "tuned_sgd", "tuned_pure", "output_pure"):
            with self.subTest(model=name):
                model = json.loads((folder / f"{name}.json").read_text())
                delta = model["plan"]["question"]["delta"]
                result = self.succeed("account", "--file", str(folder / f"{name}.json"), "--delta", str(delta), "--json")
                answer, guarantee = json.loads(result.out), model["guarantee"]
                for key in ("epsilon", "delta", "accountant"):
                    self.assertEqual(answer[key], guarantee[key])

    def test_a_pure_promise_is_not_given_up_for_a_little(self):
        answer = json.loads(self.succeed("account", "pure:epsilon=1", "--delta", "1e-6", "--json").out)
        self.assertEqual((answer["epsilon"], answer["delta"], answer["accountant"]), (1, 0, "pure"))
        self.assertLess(answer["accountants"]["privacy-loss"]["upper"], 1)

    def test_a_narrower_interval_is_a_smaller_epsilon(self):
        wide, narrow = (json.loads(self.succeed("account", STEP, "--neighbours", "add-remove", "--delta", "1e-5", "--width",
                                                width, "--json").out) for width in ("1e-2", "1e-5"))
        self.assertLess(narrow["epsilon"], wide["epsilon"])
        self.assertEqual(narrow["epsilon"], narrow["accountants"]["privacy-loss"]["upper"])

    def test_what_is_wrong_with_an_event_is_said(self):
        for text, word in (("gauss:sigma=1", "no event"), ("gaussian", "needs sigma"), ("gaussian:sigma=1,x=2", "no 'x'"),
                           ("gaussian:sigma=nan", "sigma"), ("gaussian:sigma=1,count=0", "repetitions"),
                           ("sampled-gaussian:sigma=1,rate=2", "rate"), ("gaussian:sigma", "KEY=VALUE"),
                           ("sampled-gaussian:sigma=1,rate=0", "rate"), ("gaussian:sigma=inf", "sigma"),
                           ("sampled-gaussian:noise_multiplier=1,rate=0.1", "a noise multiplier is sigma"),
                           ("pure:epsilon=0", "epsilon"), ("pure:epsilon=-1", "epsilon"),
                           ("gaussian:sigma=1,sensitivity=1,l2_sensitivity=2", "twice"), ("exponential", "needs epsilon"),
                           ("exponential:range=1,scale_numerator=2", "scale_denominator"),
                           ("exponential:epsilon=1,range=1", "twice"), ("laplace:scale=1,rate=0.5", "rate"),
                           ("discrete-laplace:l1_sensitivity=0.5,scale_numerator=1,scale_denominator=1", "l1_sensitivity"),
                           ("sampled-gaussian:sigma=1,rate=0.1,sampling=some", "poisson or fixed-size"),
                           ("selection:mu=1,runs=poisson,gamma=0.5", "mean"), ("selection:mu=1", "gamma"),
                           ("selection:mu=1,gamma=0.5,mean=3", "no 'mean'"), ("selection:mu=1,runs=some", "geometric"),
                           ("selection:runs=poisson,mean=3,alternatives=1", "--file")):
            with self.subTest(text=text):
                self.refuse(2, [word], "account", text, "--delta", "1e-6")

    def test_what_is_wrong_with_a_flag_is_said(self):
        for flags, word in ((("--delta", "1"), "delta"), (("--delta", "0"), "delta"), (("--delta", "nan"), "delta"),
                            (("--delta", "-1e-6"), "delta"), (("--epsilon", "-1"), "--epsilon"),
                            (("--epsilon", "1e9"), "--epsilon"), (("--epsilon", "nan"), "--epsilon"),
                            (("--delta", "1e-6", "--width", "0"), "--width"), (("--delta", "1e-6", "--group", "3"), "--group"),
                            (("--epsilon", "1", "--group", "0"), "--group"), ((), "--delta")):
            with self.subTest(flags=flags):
                self.refuse(2, [word], "account", "gaussian:sigma=1", *flags)

    def test_a_lower_end_is_given_or_said_to_be_unknown(self):
        exact = json.loads(self.succeed("account", "permute-and-flip:epsilon=0.5,count=9", "--delta", "1e-6", "--json").out)
        interval = exact["accountants"]["privacy-loss"]
        self.assertFalse(interval["lower_is_partial"])
        self.assertGreater(interval["lower"], 1)
        self.assertLess(interval["lower"], interval["upper"])
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "events.json"
            event = {"what": "x", "mechanism": "k-norm", "l2_sensitivity": 0.5, "scale": 1.0, "neighbours": "replace-one",
                     "repetitions": 1}
            path.write_text(json.dumps({"events": [event]}))
            result = self.succeed("account", "--file", str(path), "--delta", "1e-6")
            self.assertIn("not known", result.out)

    def test_a_list_of_pure_releases_profits_from_a_delta(self):
        answer = json.loads(self.succeed("account", "pure:epsilon=0.1,count=1000", "--delta", "1e-6", "--json").out)
        self.assertLess(answer["epsilon"], 30)
        self.assertAlmostEqual(answer["accountants"]["pure"], 100, places=6)


class Models(CliCase):
    """What model files cost together: nothing that is only claimed adds up."""

    def forge(self, edit, name="forged.json"):
        model = json.loads(self.path("model.json").read_text(), parse_float=Number, parse_int=Number)
        edit(model)
        model["digest"] = digest(model)
        self.write(name, canonical(model))

    def assert_no_promise(self, *arguments):
        out = self.succeed("account", *arguments).out
        self.assertIn("epsilon     NONE  does not verify  forged.json\n  failed: ", out)
        self.assertIn("Together they promise nothing, because this does not verify: forged.json.", out)
        self.assertNotIn("Together: epsilon", out)
        shown = self.succeed("account", *arguments, "--json").json()
        self.assertEqual((shown["epsilon"], shown["delta"], shown["private"]), (None, None, False))
        part = next(each for each in shown["parts"] if each["what"] == "forged.json")
        self.assertEqual((part["epsilon"], part["delta"], part["verified"]), (None, None, False))
        self.assertIn("failed: ", part["why"])

    def test_a_claim_that_does_not_follow_adds_up_to_no_promise(self):
        self.fit()
        for claim in ({"epsilon": Number("-5")}, {"epsilon": Number("0.001")}, {"epsilon": None}, {"delta": Number("-0.5")}):
            with self.subTest(claim=claim):
                self.forge(lambda model: model["guarantee"].update(claim))
                for others in ([], ["model.json"]):
                    self.assert_no_promise("forged.json", *others)

    def test_a_model_without_releases_does_not_verify(self):
        self.fit()
        self.forge(lambda model: model.update(events=[]))
        for arguments in (["forged.json"], ["forged.json", "model.json"], ["model.json", "forged.json"],
                          ["forged.json", "--currency", "gaussian", "--delta", "1e-6"]):
            with self.subTest(arguments=arguments):
                self.assert_no_promise(*arguments)

    def test_releases_of_a_file_that_does_not_verify_are_not_composed(self):
        self.fit()
        self.forge(lambda model: model["guarantee"].update(epsilon=Number("0.5")))
        for arguments in (["forged.json", "--fixed-beforehand"], ["model.json", "forged.json", "--fixed-beforehand"],
                          ["--file", "forged.json"]):
            with self.subTest(arguments=arguments):
                self.refuse(3, ["forged.json", "does not verify"], "account", *arguments, "--delta", "1e-6")

    def test_seeded_noise_is_not_private_however_it_is_asked_for(self):
        self.fit(budget=SEEDED, output="seeded.json")
        self.fit()
        for arguments in (["seeded.json", "--fixed-beforehand"], ["model.json", "seeded.json", "--fixed-beforehand"],
                          ["--file", "seeded.json"]):
            with self.subTest(arguments=arguments):
                told = self.succeed("account", *arguments, "--delta", "1e-6").out
                self.assertIn("NOT private: seeded.json: made with a fixed seed", told)
                self.assertLess(told.index("NOT private"), told.index("epsilon"))
                self.assertNotIn("attacker", told)
                shown = self.succeed("account", *arguments, "--delta", "1e-6", "--json").json()
                self.assertIs(shown["private"], False)
                self.assertIn("seeded.json", shown["why"][0])
                self.assertNotIn("attacker", shown)
        shown = self.succeed("account", "--file", "model.json", "--delta", "1e-6", "--json").json()
        self.assertIs(shown["private"], True)
        self.assertIn("attacker", shown)
        self.assertNotIn("private", self.succeed("account", STEP, "--delta", "1e-6", "--json").json())

    def test_rows_and_persons_do_not_add_up(self):
        self.write("unit.toml", COLUMNS + '\n[target]\ncolumn = "sick"\nkind = "binary"\npositive = "yes"\n'
                   '\n[unit]\ncolumn = "cost"\nrows = 1\n')
        self.fit(output="rows.json")
        self.fit(output="persons.json", schema="unit.toml")
        words = ["rows.json protects rows", "persons.json protects persons by the column 'cost'", "do not add up"]
        for more in ([], ["--currency", "renyi", "--delta", "1e-5"], ["--fixed-beforehand", "--delta", "1e-5"], ["--json"]):
            with self.subTest(more=more):
                self.refuse(2, words, "account", "rows.json", "persons.json", *more)
                self.refuse(2, words, "account", "persons.json", "rows.json", *more)
        self.refuse(2, words, "account", "rows.json", "--fixed-beforehand", "--file", "persons.json", "--delta", "1e-5")
        self.assertIn("for one person", self.succeed("account", "persons.json").out)

    def test_a_list_and_models_are_all_counted(self):
        self.fit(output="a.json")
        self.fit(output="b.json")
        one, both, again = (self.succeed("account", *files, "--fixed-beforehand", "--delta", "1e-6", "--json").json()["epsilon"]
                            for files in (["a.json"], ["a.json", "--file", "b.json"], ["a.json", "--file", "a.json"]))
        self.assertGreater(both, 1.2 * one)
        self.assertEqual(again, one)

    def test_names_of_files_need_not_be_utf_8(self):
        self.fit()
        name = b"x\xff.json"
        with open(os.path.join(os.fsencode(self.folder), name), "wb") as copy:
            copy.write(self.path("model.json").read_bytes())
        shown = self.succeed("account", os.fsdecode(name), "--json").json()
        self.assertEqual(shown["parts"][0]["what"], "x\ufffd.json")


class Calibrate(CliCase):
    def test_what_is_wrong_is_said(self):
        for arguments, word in ((("noise", "gaussian", "--epsilon", "0", "--delta", "1e-6"), "epsilon"),
                                (("noise", "gaussian", "--epsilon", "1e9", "--delta", "1e-6"), "epsilon"),
                                (("noise", "gaussian", "--epsilon", "-1", "--delta", "1e-6"), "epsilon"),
                                (("noise", "gaussian", "--epsilon", "nan", "--delta", "1e-6"), "epsilon"),
                                (("noise", "gaussian", "--epsilon", "1", "--delta", "1"), "delta"),
                                (("noise", "gaussian", "--epsilon", "1", "--delta", "0"), "delta"),
                                (("noise", "exponential", "--epsilon", "1", "--delta", "1e-6"), "exponential"),
                                (("rate", "gaussian:sigma=1", "--epsilon", "1", "--delta", "1e-6"), "rate"),
                                (("noise", "gaussian:sigma=1", "--epsilon", "1", "--delta", "1e-6"), "leave sigma out"),
                                (("noise", "gaussian:sensitivity=-1", "--epsilon", "1", "--delta", "1e-6"), "sensitivity"),
                                (("steps", "gaussian:sigma=1,count=3", "--epsilon", "1", "--delta", "1e-6"), "leave count out"),
                                (("rate", "laplace:scale=1", "--epsilon", "1", "--delta", "1e-6"), "sampled-laplace"),
                                (("rate", "sampled-gaussian:sigma=1,rate=0.1", "--epsilon", "1", "--delta", "1e-6"),
                                 "leave rate out"),
                                (("luck", "gaussian:sigma=1", "--epsilon", "1", "--delta", "1e-6"), "luck")):
            with self.subTest(arguments=arguments):
                self.refuse(2, [word], "calibrate", *arguments)

    def test_a_rate_keeps_the_promise(self):
        arguments = ["--neighbours", "add-remove", "--delta", "1e-5"]
        found = self.succeed("calibrate", "rate", "sampled-gaussian:sigma=1,count=1000", "--epsilon", "1", *arguments, "--json")
        rate = json.loads(found.out)["rate"]
        again = self.succeed("account", f"sampled-gaussian:sigma=1,rate={rate!r},count=1000", *arguments, "--width", "1e-5",
                             "--json")
        self.assertLessEqual(json.loads(again.out)["epsilon"], 1)
        self.assertGreater(json.loads(again.out)["epsilon"], 0.995)

    def test_delta_zero_asks_for_a_pure_promise(self):
        result = self.succeed("calibrate", "noise", "laplace:count=2", "--epsilon", "0.5", "--delta", "0", "--json")
        scale = json.loads(result.out)["scale"]
        self.assertGreaterEqual(scale, 4)
        self.assertLess(scale, 4.004)

    def test_noise_is_that_of_the_analytic_mechanism(self):
        result = self.succeed("calibrate", "noise", "gaussian", "--epsilon", "1", "--delta", "1e-5", "--json")
        sigma = json.loads(result.out)["sigma"]
        self.assertGreaterEqual(sigma, 3.73063163482)
        self.assertLess(sigma, 3.73063163482 * 1.001)

    def test_steps_keep_the_promise(self):
        arguments = ["--neighbours", "add-remove", "--delta", "1e-5"]
        found = self.succeed("calibrate", "steps", "sampled-gaussian:sigma=1,rate=0.01", "--epsilon", "2", *arguments,
                             "--json")
        count = json.loads(found.out)["count"]
        again = self.succeed("account", f"sampled-gaussian:sigma=1,rate=0.01,count={int(count)}", *arguments, "--json")
        self.assertLessEqual(json.loads(again.out)["accountants"]["privacy-loss"]["lower"], 2)
        self.assertGreater(count, 1100)


if __name__ == "__main__":
    unittest.main()
