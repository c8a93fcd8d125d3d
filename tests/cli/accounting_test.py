# SPDX-License-Identifier: Apache-2.0
"""dperm account and dperm calibrate: numbers known elsewhere, JSON, files, and clear refusals."""

import json
import pathlib
import tempfile
import unittest

from cli_case import CliCase

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

    def test_what_is_wrong_with_an_event_is_said(self):
        for text, word in (("gauss:sigma=1", "no event"), ("gaussian", "needs sigma"), ("gaussian:sigma=1,x=2", "no 'x'"),
                           ("gaussian:sigma=nan", "sigma"), ("gaussian:sigma=1,count=0", "repetitions"),
                           ("sampled-gaussian:sigma=1,rate=2", "rate"), ("gaussian:sigma", "KEY=VALUE"),
                           ("sampled-gaussian:sigma=1,rate=0", "rate"), ("gaussian:sigma=inf", "sigma"),
                           ("sampled-gaussian:noise_multiplier=1,rate=0.1", "a noise multiplier is sigma"),
                           ("pure:epsilon=0", "epsilon"), ("pure:epsilon=-1", "epsilon")):
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
                                (("luck", "gaussian:sigma=1", "--epsilon", "1", "--delta", "1e-6"), "luck")):
            with self.subTest(arguments=arguments):
                self.refuse(2, [word], "calibrate", *arguments)

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
