# SPDX-License-Identifier: Apache-2.0
"""The privacy-loss accountant beside dp-accounting and prv-accountant, in one run.

Usage: python accountants.py BUILD/bench/accountants        (a Python that has the peers, see 'make bench-peers')

prv-accountant is asked for the same width. dp-accounting has no such setting: it runs once for the upper and once for the
lower end ("both ends") on the grid it needs for the width, and once for the upper end alone, on the coarsest of a few grids
whose end is within the width of the exact value. Both widths are shown as reached, and the ratio is of processor times.
"""

import json
import logging
import subprocess
import sys
import time

GRIDS = (1e-2, 1e-3, 1e-4, 1e-5)


def epsilon(case: dict, grid: float, pessimistic: bool) -> float:
    from dp_accounting.pld import privacy_loss_distribution as pld

    one = pld.from_gaussian_mechanism(
        case["sigma"], sampling_prob=case["rate"], value_discretization_interval=grid, pessimistic_estimate=pessimistic)
    return one.self_compose(case["steps"]).get_epsilon_for_delta(case["delta"])


def dp_accounting(case: dict) -> tuple[float, float, float]:
    grid = 1e-4 if case["width"] > 5e-3 else 1e-5
    start = time.process_time()
    low, high = epsilon(case, grid, False), epsilon(case, grid, True)
    return low, high, time.process_time() - start


def dp_accounting_upper(case: dict) -> tuple[float, float, float]:
    for grid in GRIDS:
        start = time.process_time()
        high = epsilon(case, grid, True)
        seconds = time.process_time() - start
        if high - case["lower"] <= case["width"]:
            break
    return float("nan"), high, seconds


def prv_accountant(case: dict) -> tuple[float, float, float]:
    from prv_accountant import Accountant

    start = time.process_time()
    accountant = Accountant(
        noise_multiplier=case["sigma"], sampling_probability=case["rate"], delta=case["delta"],
        eps_error=case["width"] / 2, max_compositions=case["steps"])
    low, _, high = accountant.compute_epsilon(num_compositions=case["steps"])
    return low, high, time.process_time() - start


PEERS = (("dp-accounting, both ends", dp_accounting), ("dp-accounting, upper end", dp_accounting_upper),
         ("prv-accountant", prv_accountant))


def main() -> None:
    logging.disable(logging.WARNING)
    lines = subprocess.run([sys.argv[1]], check=True, capture_output=True, text=True).stdout.splitlines()
    cases = [json.loads(line) for line in lines]
    for case in cases:
        if "events" in case:
            print(f"{case['events']} different releases, {case['kind']:40} {case['lower']:.5f} to {case['upper']:.5f} "
                  f"in {case['seconds']:.3f} s")
    print(f"{'sigma':>6} {'rate':>6} {'steps':>6} {'delta':>7} {'width':>6}  {'program':25} "
          f"{'lower':>10} {'upper':>10} {'reached':>8} {'seconds':>8} {'ratio':>6}")
    for case in cases:
        if "events" in case:
            continue
        head = f"{case['sigma']:6g} {case['rate']:6g} {case['steps']:6d} {case['delta']:7g} {case['width']:6g}"
        rows = [("dperm", lambda own: (own["lower"], own["upper"], own["seconds"]))]
        # The peers take minutes on the finer width: they run it for the first case only.
        if case["width"] > 5e-3 or (case["sigma"] == 1 and case["delta"] == 1e-5):
            rows += PEERS
        for name, program in rows:
            try:
                low, high, seconds = program(case)
            except Exception as error:  # a peer may be missing or refuse
                print(f"{head}  {name:25} {type(error).__name__}: {str(error)[:60]}")
                continue
            print(f"{head}  {name:25} {low:10.5f} {high:10.5f} {high - low:8.5f} {seconds:8.4f} "
                  f"{seconds / case['seconds']:6.0f}", flush=True)


if __name__ == "__main__":
    main()
