# SPDX-License-Identifier: Apache-2.0
"""The pictures of docs/epsilon.md. Every number is asked of the program here, so that the page's script only chooses among
them; a reader without script has the drawn lines and a table of the same numbers."""

import math

import program
from drawing import Axes, belief_bars, figure, table

BUDGETS = [0.01, 0.02, 0.03, 0.05, 0.07, 0.1, 0.15, 0.2, 0.3, 0.4, 0.5, 0.7, 1, 1.5, 2, 2.5, 3, 4, 5, 6, 8, 10]
DELTA = "1e-6"
IN_TABLE = [0.01, 0.1, 0.3, 0.5, 1, 2, 3, 5, 10]
BELIEFS = [0.01, 0.05, 0.1, 0.25, 0.5, 0.75, 0.9]
ROWS = [1000, 10000, 100000, 1000000]


def percent(share: float, digits: int = 1) -> str:
    """Rounded up: these are limits."""
    return f"{math.ceil(share * 100 * 10**digits - 1e-9) / 10**digits:.{digits}f}%"


def right_guesses(event: str, epsilon: float) -> float:
    """The most often that somebody who knows all other rows can say which of two values a row holds."""
    answer = program.ask_json("account", event, "--epsilon", epsilon, "--delta", DELTA)
    return (1 + answer["attacker"]["advantage"]) / 2


def guesses() -> list[tuple[float, float]]:
    """For each budget: the limit of pure epsilon, and that of a Gaussian release with this epsilon at DELTA."""
    found = []
    for epsilon in BUDGETS:
        sigma = program.ask_json("calibrate", "noise", "gaussian", "--epsilon", epsilon, "--delta", DELTA)["sigma"]
        found.append((right_guesses(f"pure:epsilon={epsilon}", epsilon), right_guesses(f"gaussian:sigma={sigma!r}", epsilon)))
    return found


def guess_picture() -> str:
    limits = guesses()
    axes = Axes(BUDGETS[0], BUDGETS[-1], 0.5, 1.0, "epsilon", "guesses right, at most", lambda y: f"{y:.0%}")
    body = axes.frame([0.01, 0.1, 1, 10], [0.5, 0.6, 0.7, 0.8, 0.9, 1.0])
    body += axes.line(BUDGETS, [gaussian for _, gaussian in limits], "one", "Gaussian noise, delta 1e-6")
    body += axes.line(BUDGETS, [pure for pure, _ in limits], "two", "any pure epsilon")
    start = BUDGETS.index(1)
    body += axes.marker("gaussian", BUDGETS[start], limits[start][1]) + axes.marker("pure", BUDGETS[start], limits[start][0])
    cells = [
        {
            "text": f"At epsilon {epsilon:g} the best attacker is right at most {percent(gaussian)} of the time against Gaussian "
                    f"noise (delta 1e-6), and at most {percent(pure)} against any pure promise. Guessing blindly: 50%.",
            "set": axes.move("gaussian", epsilon, gaussian) + axes.move("pure", epsilon, pure),
        }
        for epsilon, (pure, gaussian) in zip(BUDGETS, limits)
    ]
    rows = [[f"{epsilon:g}", percent(gaussian), percent(pure)] for epsilon, (pure, gaussian) in zip(BUDGETS, limits) if epsilon in IN_TABLE]
    return figure(
        "guess", axes.svg("The chance of the best guess about one row rises with epsilon, from one half to nearly one", body),
        [("epsilon", [f"{each:g}" for each in BUDGETS], start)], cells,
        "Someone knows every row but yours, and two things that yours may be. How often can they tell which one it is?",
        table(["epsilon", "Gaussian noise, delta 1e-6", "any pure epsilon"], rows))


def belief(before: float, epsilon: float) -> float:
    """Bayes' rule with odds multiplied by exp(epsilon), the most that pure epsilon allows."""
    odds = before / (1 - before) * math.exp(epsilon)
    return odds / (1 + odds)


def belief_picture() -> str:
    start = BELIEFS.index(0.1), BUDGETS.index(1)
    picture, move = belief_bars(BELIEFS[start[0]], belief(0.1, 1))
    cells = [
        [
            {
                "text": f"Who believed it with {before:.0%} before believes it with at most {percent(belief(before, epsilon))} "
                        f"after a release with epsilon {epsilon:g}.",
                "set": move(before, belief(before, epsilon)),
            }
            for epsilon in BUDGETS
        ]
        for before in BELIEFS
    ]
    rows = [[f"{before:.0%}", *(percent(belief(before, epsilon)) for epsilon in IN_TABLE)] for before in BELIEFS]
    return figure(
        "belief", picture,
        [("believed before", [f"{each:.0%}" for each in BELIEFS], start[0]), ("epsilon", [f"{each:g}" for each in BUDGETS], start[1])],
        cells, "Somebody suspects something about you. How much surer can a release make them?",
        table(["believed before", *(f"epsilon {each:g}" for each in IN_TABLE)], rows))


def points_lost(rows: int, epsilon: float) -> tuple[float, bool]:
    """Points of accuracy that the plan expects to be lost on the bundled table's columns, and whether a model is worth it."""
    schema = program.HEALTH / "schema.toml"
    plans = program.ask_json("plan", "--schema", schema, "--rows", rows, "--epsilon", epsilon, "--delta", "1e-7")
    sgd = next(each for each in plans if each["method"] == "sgd")
    return 100 * sgd["predicted"]["accuracy_lost"], plans[0]["method"] != "constant"


def accuracy_picture() -> str:
    budgets = [each for each in BUDGETS if each in (0.01, 0.03, 0.1, 0.2, 0.3, 0.5, 1, 2, 3, 5, 10)]
    lost = {rows: [points_lost(rows, epsilon) for epsilon in budgets] for rows in ROWS}
    axes = Axes(budgets[0], budgets[-1], 0, 20, "epsilon", "points of accuracy lost", lambda y: f"{y:g}")
    body = axes.frame([0.01, 0.1, 1, 10], [0, 5, 10, 15, 20])
    for rows, style in zip(ROWS, ("one", "two", "three", "four")):
        body += axes.line(budgets, [points for points, _ in lost[rows]], style, f"{rows:,} rows")
    start = ROWS.index(10000), budgets.index(1)
    body += axes.marker("points", 1, lost[10000][start[1]][0])

    def words(rows: int, epsilon: float, points: float, worth: bool) -> str:
        amount = f"about {points:.1f} points" if points >= 0.1 else "less than 0.1 points"
        worthless = "" if worth else " The table is too small for a model: dperm would take a constant."
        return f"With {rows:,} rows and epsilon {epsilon:g} expect to lose {amount} of accuracy.{worthless}"

    cells = [
        [
            {"text": words(rows, epsilon, *cell), "set": axes.move("points", epsilon, cell[0])}
            for epsilon, cell in zip(budgets, lost[rows])
        ]
        for rows in ROWS
    ]
    chosen = [index for index, each in enumerate(budgets) if each in IN_TABLE]
    numbers = [[f"{rows:,}", *(f"{lost[rows][index][0]:.1f}" for index in chosen)] for rows in ROWS]
    return figure(
        "accuracy", axes.svg("Points of accuracy lost fall with epsilon and with the number of rows", body),
        [("rows", [f"{each:,}" for each in ROWS], start[0]), ("epsilon", [f"{each:g}" for each in budgets], start[1])],
        cells, "A table with the nine columns of the bundled health data: what does dperm plan expect privacy to cost?",
        table(["rows", *(f"epsilon {budgets[index]:g}" for index in chosen)], numbers))


def pictures() -> dict[str, str]:
    return {"guess_picture": guess_picture(), "belief_picture": belief_picture(), "accuracy_picture": accuracy_picture()}
