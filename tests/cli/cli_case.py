# SPDX-License-Identifier: Apache-2.0
"""What the tests of the command line share: running the program, a small table with its schema, and the checks that hold
for every run, whatever was asked.

DPERM_PROGRAM names the program. Every test has a folder of its own, in which the program runs.
"""

import json
import os
import pathlib
import random
import re
import shutil
import subprocess
import tempfile
import unittest

PROGRAM = os.environ.get("DPERM_PROGRAM", "dperm")
ROOT = pathlib.Path(__file__).resolve().parents[2]
BUDGET = ["--epsilon", "1", "--delta", "1e-6"]
SEEDED = BUDGET + ["--seed", "7"]
NUMBER = re.compile(r"[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?")
# Signs that something else than dperm's own error handling spoke.
CRASH = ("terminate called", "Traceback", "Segmentation", "what():", "internal error", "runtime error:", "AddressSan")

COLUMNS = """version = 1

[[column]]
name = "age"
kind = "integer"
lower = 0
upper = 100

[[column]]
name = "income"
kind = "real"
lower = 0
upper = 100000
scale = "log"

[[column]]
name = "city"
kind = "category"
values = ["north", "south", "east"]
other = true

[[column]]
name = "smoker"
kind = "boolean"
missing = "category"
"""
BINARY = COLUMNS + '\n[target]\ncolumn = "sick"\nkind = "binary"\npositive = "yes"\n'
REAL = COLUMNS + '\n[target]\ncolumn = "cost"\nkind = "real"\nlower = -10\nupper = 10\n'
HEADER = "age,income,city,smoker,sick,cost"


class Result:
    def __init__(self, status, out, err):
        self.status, self.out, self.err = status, out, err

    def json(self):
        return json.loads(self.out)


def people(rows, seed=1):
    """Records as lists of texts, in the order of HEADER."""
    draw = random.Random(seed)
    table = []
    for _ in range(rows):
        age, income = draw.randrange(0, 101), round(draw.uniform(0, 100000), 2)
        city, smoker = draw.choice(["north", "south", "east", "west"]), draw.choice(["true", "false"])
        score = age / 25 - 2 + (smoker == "true") + draw.gauss(0, 1)
        table.append([str(age), str(income), city, smoker, "yes" if score > 0 else "no", f"{score:.3f}"])
    return table


def csv_text(table, header=HEADER):
    return "\n".join([header] + [",".join(row) for row in table]) + "\n"


class CliCase(unittest.TestCase):
    maxDiff = 4000
    overwrite = True  # fits replace an older model: tests refit into one name

    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="dperm_cli_"))
        self.addCleanup(shutil.rmtree, self.folder, ignore_errors=True)
        self.write("schema.toml", BINARY)
        self.write("real.toml", REAL)
        self.write("people.csv", csv_text(people(200)))

    def path(self, name):
        return self.folder / name

    def write(self, name, content):
        data = content if isinstance(content, bytes) else content.encode()
        self.path(name).write_bytes(data)
        return self.path(name)

    def listing(self):
        """Every file with its content: what a failed command must leave as it was."""
        return {str(p.relative_to(self.folder)): p.read_bytes() for p in self.folder.rglob("*") if p.is_file()}

    def run_program(self, *arguments, **options):
        seconds = 1200 if "ASAN_OPTIONS" in os.environ else 120  # sanitizers take their time
        options = {"cwd": self.folder, "capture_output": True, "timeout": seconds, **options}
        if self.overwrite and arguments[:1] == ("fit",):
            arguments = ("fit", "--overwrite", *arguments[1:])
        done = subprocess.run([PROGRAM, *map(str, arguments)], **options)
        out = (done.stdout or b"").decode(errors="replace")
        err = (done.stderr or b"").decode(errors="replace")
        result = Result(done.returncode, out, err)
        self.check_sane(result)
        return result

    def check_sane(self, result):
        self.assertIn(result.status, (0, 2, 3, 4), f"status {result.status}: {result.err}")
        for sign in CRASH:
            self.assertNotIn(sign, result.out + result.err)

    def succeed(self, *arguments, **options):
        result = self.run_program(*arguments, **options)
        self.assertEqual(result.status, 0, result.err)
        return result

    def refuse(self, status, words, *arguments, **options):
        """The command fails with this status, says all of `words`, prints no result and leaves the folder as it was."""
        before = self.listing()
        result = self.run_program(*arguments, **options)
        self.assertEqual(result.status, status, result.err + result.out)
        self.assertEqual(result.out, "", "a failed command printed a result")
        self.assertTrue(result.err.startswith("dperm: "), result.err)
        for word in words:
            self.assertIn(word, result.err)
        self.assertEqual(self.listing(), before, "a failed command left something behind")
        return result

    def fit(self, *arguments, data="people.csv", schema="schema.toml", output="model.json", budget=BUDGET):
        """A quick fit; method options in `arguments` win over the few steps it uses otherwise."""
        quick = [] if "--method" in arguments else ["--method", "gradient-descent", "--steps", "5"]
        return self.succeed("fit", data, "--schema", schema, *budget, *quick, "-o", output, *arguments)

    def model(self, name="model.json"):
        return json.loads(self.path(name).read_text())

    def weights(self, name="model.json"):
        """The released weights as they are written, digit by digit."""
        text = self.path(name).read_text()
        return [c["encoded"] for c in json.loads(text, parse_float=str)["coefficients"]]


def shape(text):
    """A text with every number replaced by #, and blanks folded: what two runs on neighbouring data must share. What
    follows from released weights, that they predict one class for every row, may differ with them."""
    text = re.sub(r"WARNING: this model predicts .*? may help\.\n", "", text, flags=re.S)
    return re.sub(r"[ \t]+", " ", NUMBER.sub("#", text))


def without_released_numbers(model):
    """A model file's content without what may differ between neighbours: the weights, and the digest over them."""
    model = json.loads(json.dumps(model))
    model["digest"] = ""
    for coefficient in model["coefficients"]:
        coefficient["value"] = coefficient["encoded"] = 0
        if "encoded_noise" in coefficient:  # of sufficient statistics: from the released moments
            coefficient["encoded_noise"] = 0
    return model
