# SPDX-License-Identifier: Apache-2.0
"""Writes gaussian_dp.csv: 10,000 random targets (epsilon, delta) and the mu that meets each exactly, by mpmath.

Run: python3 gaussian_dp.py > gaussian_dp.csv      (mpmath 1.3 or later; about two minutes)
The inputs are the doubles nearest to the printed texts; mu is printed to 21 digits, rounded to nearest.
"""
import random

from mpmath import exp, findroot, log, mp, mpf, ncdf, sqrt

mp.dps = 60


def log_delta(epsilon, mu):
    first = ncdf(mu / 2 - epsilon / mu)
    return log(first - exp(epsilon) * ncdf(-mu / 2 - epsilon / mu))


def solve(epsilon, delta):
    """Newton on ln mu for ln delta(epsilon, mu) = ln delta, inside a bracket."""
    target = log(mpf(delta))
    epsilon = mpf(epsilon)
    low, high = mpf(10) ** -12, mpf(10) ** 4
    for _ in range(24):
        middle = sqrt(low * high)
        low, high = (middle, high) if log_delta(epsilon, middle) < target else (low, middle)
    root = findroot(lambda t: log_delta(epsilon, exp(t)) - target, (log(low), log(high)), solver="anderson",
                    tol=mpf(10) ** -40, maxsteps=60)
    mu = exp(root)
    assert log_delta(epsilon, mu * (1 - mpf(10) ** -24)) < target < log_delta(epsilon, mu * (1 + mpf(10) ** -24))
    return mu


def main():
    source = random.Random(20240917)
    print("epsilon,delta,mu")
    for index in range(10000):
        epsilon = f"{10 ** source.uniform(-4, 2.5):.4g}"
        depth = source.uniform(0.05, 12) if index % 10 else source.uniform(12, 300)
        delta = f"{10 ** -depth:.4g}"
        mu = solve(float(epsilon), float(delta))
        print(f"{epsilon},{delta},{mp.nstr(mu, 21)}", flush=True)


main()
