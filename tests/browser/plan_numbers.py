# SPDX-License-Identifier: Apache-2.0
"""What `dperm plan` says, to be held against the planner page's numbers."""

import json
import math
import os
import pathlib
import re
import shlex
import subprocess
import tempfile

PROGRAM = os.environ.get("DPERM_PROGRAM", "dperm")
PAGE = pathlib.Path(__file__).resolve().parents[2] / "web" / "planner"
KINDS = ("classify", "number", "classes", "mean", "median")
FORECASTS = ("told", "told_lower", "told_upper", "risk", "risk_lower", "risk_upper")  # rounded to the nearest
UNIT = {"classify": 100, "number": 50, "classes": 100, "mean": 50, "median": 50}  # points, or % of the range


def asked(schema, command, *more):
    """The output of the command with this schema; `command` as the page shows it."""
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "schema.toml"
        path.write_text(schema)
        words = [str(path) if word == "schema.toml" else word for word in shlex.split(command)]
        done = subprocess.run([PROGRAM, *words[1:], *more], capture_output=True, text=True, check=True)
    return done.stdout


def bound_of(entry):
    utility = entry.get("plan", {}).get("utility", {})
    if utility.get("excess_risk") is None:
        return math.inf
    assert utility["holds"] == "on average over the noise", utility["holds"]  # what the page says of it
    return utility["excess_risk"]


def answer_of(schema, command):
    """The same fields as the page's answer has, from `dperm plan --json`; None where there is no such number."""
    entries = json.loads(asked(schema, command, "--json"))
    first = entries[0]
    predicted, worth = first.get("predicted", {}), first.get("model_worth_from", {})
    told = "accuracy_lost" if "accuracy_lost" in predicted else "score_noise"
    best = min(entries, key=bound_of)
    answer = {"method": first["method"], "best_method": best["method"]}
    answer |= {"bound": bound_of(first), "best_bound": bound_of(best)}
    answer |= {f"told{end}": predicted.get(told + end) for end in ("", "_lower", "_upper")}
    answer |= {f"risk{end}": predicted.get("excess_risk" + end) for end in ("", "_lower", "_upper")}
    answer["mean_error"] = math.sqrt(answer["bound"])  # of a mean: its excess risk is its squared error
    answer |= {"worth_rows": worth.get("rows"), "worth_epsilon": worth.get("epsilon")}
    return answer


def right_guesses_of(schema, command):
    """The percentage in the words of `dperm plan`: "guesses right at most 69.2% of the time"."""
    text = " ".join(asked(schema, command).split())
    return float(re.search(r"guesses right at most ([\d.]+)% of the time", text).group(1))


def percent_above(share):
    """As the words have it: not exceeded, one digit."""
    return math.ceil(1000 * share - 1e-6) / 10


def check(test, page, plan, what):
    """Every field of the page's answer is the plan's, in four digits."""
    for field, shown in page.items():
        if field == "right_guesses":  # only the words of `dperm plan` have it: right_guesses_of
            continue
        with test.subTest(field=field, what=what):
            true = plan[field]
            shown = math.inf if shown == "infinity" else shown
            if isinstance(true, str) or true is None or true == 0 or math.isinf(true):
                test.assertEqual(shown, true)
            elif field in FORECASTS:
                test.assertAlmostEqual(shown / float(f"{true:.3e}"), 1, delta=1e-9)
            else:  # a promise, or what is enough: rounded up, by less than one of four digits
                test.assertGreaterEqual(shown, true * (1 - 1e-9))
                test.assertLess(shown, true * (1 + 1.001e-3))
