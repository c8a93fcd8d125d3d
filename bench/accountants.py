# SPDX-License-Identifier: Apache-2.0
"""The privacy-loss accountant beside dp-accounting and prv-accountant, in one run.

Usage: python accountants.py BUILD/bench/accountants        (a Python that has the peers, see 'make bench-peers')
Peers are given what brings them to the same width: a grid for dp-accounting, an error for prv-accountant.
"""

import json
import subprocess
import sys
import time


def dp_accounting(case: dict) -> tuple[float, float]:
    from dp_accounting.pld import privacy_loss_distribution as pld

    # Pessimistic and optimistic estimate: two runs, as an interval needs both ends.
    grid = 1e-4 if case["width"] > 5e-3 else 1e-5
    ends = []
    for pessimistic in (True, False):
        one = pld.from_gaussian_mechanism(
            case["sigma"], sampling_prob=case["rate"], value_discretization_interval=grid,
            pessimistic_estimate=pessimistic)
        ends.append(one.self_compose(case["steps"]).get_epsilon_for_delta(case["delta"]))
    return ends[1], ends[0]


def prv_accountant(case: dict) -> tuple[float, float]:
    from prv_accountant import Accountant

    accountant = Accountant(
        noise_multiplier=case["sigma"], sampling_probability=case["rate"], delta=case["delta"],
        eps_error=case["width"] / 2, max_compositions=case["steps"])
    low, _, high = accountant.compute_epsilon(num_compositions=case["steps"])
    return low, high


def main() -> None:
    lines = subprocess.run([sys.argv[1]], check=True, capture_output=True, text=True).stdout.splitlines()
    print(f"{'sigma':>6} {'rate':>6} {'steps':>6} {'delta':>7} {'width':>6}  program          lower      upper      seconds")
    for case in map(json.loads, lines):
        head = f"{case['sigma']:6g} {case['rate']:6g} {case['steps']:6d} {case['delta']:7g} {case['width']:6g}"
        print(f"{head}  {'dperm':15} {case['lower']:10.5f} {case['upper']:10.5f} {case['seconds']:9.3f}")
        for name, peer in (("dp-accounting", dp_accounting), ("prv-accountant", prv_accountant)):
            start = time.perf_counter()
            try:
                low, high = peer(case)
            except Exception as error:  # a peer may be missing or refuse
                print(f"{head}  {name:15} {type(error).__name__}: {str(error)[:60]}")
                continue
            seconds = time.perf_counter() - start
            print(f"{head}  {name:15} {low:10.5f} {high:10.5f} {seconds:9.3f}  {seconds / case['seconds']:.0f} times", flush=True)


if __name__ == "__main__":
    main()
