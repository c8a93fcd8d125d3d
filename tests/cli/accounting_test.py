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
                           ("sampled-gaussian:sigma=1,rate=2", "rate"), ("gaussian:sigma", "KEY=VALUE")):
            with self.subTest(text=text):
                self.refuse(2, [word], "account", text, "--delta", "1e-6")


class Calibrate(CliCase):
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
