# SPDX-License-Identifier: Apache-2.0
"""A file that is sorted by an identifier: one record's other identifier moves every row. Whoever knows both files and
sees models is asked which file it was, and must not be right more often than the guarantee allows."""

import concurrent.futures
import json
import math
import statistics
import unittest

from cli_case import CliCase

ROWS, BATCH, FITS = 1020, 255, 100
EPSILON, DELTA = 1, 1e-5
SCHEMA = """version = 1
[[column]]
name = "x"
kind = "real"
lower = 0
upper = 1
[target]
column = "y"
kind = "binary"
positive = "1"
"""


def batches_by_places():
    """The batch of each row of a file, were batches fixed places that are spread by the golden section."""
    stride = 631
    batch = [0] * ROWS
    for i in range(ROWS):
        batch[i * stride % ROWS] = i // BATCH
    return batch


def largest_share():
    """Of right guesses, with one Gaussian release of this guarantee: Phi(mu / 2)."""
    normal = statistics.NormalDist()
    low, high = 0.0, 10.0
    for _ in range(100):
        mu = (low + high) / 2
        delta = normal.cdf(mu / 2 - EPSILON / mu) - math.exp(EPSILON) * normal.cdf(-mu / 2 - EPSILON / mu)
        low, high = (mu, high) if delta <= DELTA else (low, mu)
    return normal.cdf(low / 2)


def most_right(guesses, share, error):
    """So many right guesses or more come up with a chance below `error`."""
    chance, right = 0.0, guesses + 1
    while True:
        chance += math.comb(guesses, right - 1) * share ** (right - 1) * (1 - share) ** (guesses - right + 1)
        if chance > error:
            return right
        right -= 1


class RowOrder(CliCase):
    def setUp(self):
        super().setUp()
        self.write("sorted.toml", SCHEMA)
        # The second file's batches of places have one target each; the first holds the same rows, moved by one, and
        # the last one first, with another target.
        second = [batch % 2 for batch in batches_by_places()]
        self.write_table("second.csv", range(1, ROWS + 1), second)
        self.write_table("first.csv", range(ROWS), [1 - second[-1], *second[:-1]])

    def write_table(self, name, identifiers, targets):
        self.write(name, "".join(["id,x,y\n", *(f"{number},1,{y}\n" for number, y in zip(identifiers, targets))]))

    def weights(self, name, seed):
        output = f"{name}.{seed}.json"
        self.succeed("fit", name, "--schema", "sorted.toml", "--epsilon", EPSILON, "--delta", DELTA, "--seed", seed,
                     "--method", "output-perturbation", "--solver", "permutation-sgd", "--passes", 1,
                     "--batch", BATCH, "--step-size", 4, "--radius", 2, "--threads", 1, "--quiet", "-o", output)
        model = json.loads((self.folder / output).read_text())
        return [each["encoded"] for each in model["coefficients"]]

    def test_nobody_learns_which_of_two_sorted_files_it_was(self):
        with concurrent.futures.ThreadPoolExecutor(2) as pool:
            first, second = (list(pool.map(lambda seed, name=name: self.weights(name, seed), range(begin, begin + FITS)))
                             for name, begin in (("first.csv", 1), ("second.csv", 1001)))
        half = FITS // 2
        # The middle of each half of the models, by which the other half is told apart.
        means = [[statistics.fmean(column) for column in zip(*fits[:half])] for fits in (first, second)]
        right = sum(math.dist(point, means[own]) < math.dist(point, means[1 - own])
                    for own, fits in enumerate((first, second)) for point in fits[half:])
        limit = most_right(2 * half, largest_share(), 1e-9)
        self.assertLess(right, limit, f"{right} of {2 * half} guesses are right")
        self.assertLess(limit, 2 * half, "the test could not fail")


if __name__ == "__main__":
    unittest.main()
