# SPDX-License-Identifier: Apache-2.0
"""Draws what tests/theorems measured: one SVG a theorem, a panel a varied quantity, both axes logarithmic.
Usage: draw_theorems.py FOLDER_WITH_JSON FOLDER_FOR_SVG"""

import html
import json
import math
import pathlib
import sys

PANEL, GAP, LEFT, TOP, HEIGHT, BOTTOM, RIGHT = 300, 76, 74, 84, 220, 66, 18
MEASURED, BOUND, INK, PALE = "#1f5fa8", "#b5521b", "#222222", "#d9d9d9"


def text(x: float, y: float, content: str, size: int = 12, anchor: str = "start", colour: str = INK, more: str = ""):
    return (
        f"<text x='{x:.1f}' y='{y:.1f}' font-size='{size}' text-anchor='{anchor}' fill='{colour}'{more}>"
        f"{html.escape(content)}</text>"
    )


def number(value: float) -> str:
    """Short and never in scientific notation where it can be avoided: 0.02, 1500."""
    return f"{value:.3g}" if 1e-4 <= value < 1e3 else f"{value:.0f}" if value >= 1e3 else f"{value:.0e}"


def ticks(low: float, high: float) -> list[float]:
    """1, 2 and 5 times powers of ten; only powers of ten where those are many."""
    exponents = range(math.floor(math.log10(low)), math.ceil(math.log10(high)) + 1)
    found = [m * 10.0**e for e in exponents for m in (1, 2, 5) if low <= m * 10.0**e <= high]
    return found if len(found) <= 7 else [10.0**e for e in exponents if low <= 10.0**e <= high]


def fixed_values(points: list[dict]) -> str:
    """What stays the same in this panel."""
    said = []
    for key, name in (("rows", "n"), ("epsilon", "epsilon"), ("rules", "|H|")):
        values = {point[key] for point in points}
        if len(values) == 1 and values != {0}:
            said.append(f"{name} = {number(values.pop())}")
    return ", ".join(said)


class Panel:
    def __init__(self, left: float, width: float, line: dict, spread: float):
        self.width = width
        self.left, self.line, self.points = left, line, line["points"]
        self.spread = spread
        xs = [point["x"] for point in self.points]
        ys = [point["bound"] for point in self.points]
        ys += [point["mean"] + spread * point["error"] for point in self.points]
        ys += [max(point["mean"] - spread * point["error"], point["mean"] / 3) for point in self.points]
        self.x_range = min(xs) / 1.15, max(xs) * 1.15
        self.y_range = min(ys) / 1.25, max(ys) * 1.25

    def x(self, value: float) -> float:
        low, high = map(math.log, self.x_range)
        return self.left + self.width * (math.log(value) - low) / (high - low)

    def y(self, value: float) -> float:
        low, high = map(math.log, self.y_range)
        return TOP + HEIGHT * (high - math.log(max(value, self.y_range[0]))) / (high - low)

    def axes(self) -> list[str]:
        right, bottom = self.left + self.width, TOP + HEIGHT
        drawn = []
        for tick in ticks(*self.y_range):
            drawn.append(f"<path d='M{self.left} {self.y(tick):.1f}H{right}' stroke='{PALE}'/>")
            drawn.append(text(self.left - 6, self.y(tick) + 4, number(tick), 11, "end"))
        for point in self.points:
            drawn.append(f"<path d='M{self.x(point['x']):.1f} {bottom}v5' stroke='{INK}'/>")
            drawn.append(text(self.x(point["x"]), bottom + 18, number(point["x"]), 11, "middle"))
        drawn.append(f"<path d='M{self.left} {TOP}V{bottom}H{right}' fill='none' stroke='{INK}'/>")
        fixed = fixed_values(self.points)
        label = self.line["axis"] + (f"   ({fixed})" if fixed else "")
        drawn.append(text(self.left + self.width / 2, bottom + 36, label, 12, "middle"))
        return drawn

    def curves(self) -> list[str]:
        path = "L".join(f"{self.x(p['x']):.1f} {self.y(p['bound']):.1f}" for p in self.points)
        drawn = [f"<path d='M{path}' fill='none' stroke='{BOUND}' stroke-width='1.6' stroke-dasharray='6 3'/>"]
        centre = math.exp(sum(math.log(p["x"]) for p in self.points) / len(self.points))
        level = math.exp(sum(math.log(p["mean"]) for p in self.points) / len(self.points))
        ends = [self.points[0]["x"], self.points[-1]["x"]]
        fit = "L".join(f"{self.x(x):.1f} {self.y(level * (x / centre) ** self.line['slope']):.1f}" for x in ends)
        drawn.append(f"<path d='M{fit}' fill='none' stroke='{MEASURED}' stroke-opacity='0.45'/>")
        for point in self.points:
            x, reach = self.x(point["x"]), self.spread * point["error"]
            top, foot = self.y(point["mean"] + reach), self.y(point["mean"] - reach)
            drawn.append(
                f"<path d='M{x:.1f} {top:.1f}V{foot:.1f}M{x - 4:.1f} {top:.1f}h8M{x - 4:.1f} {foot:.1f}h8' "
                f"stroke='{MEASURED}' stroke-width='1.3'/>"
            )
            drawn.append(f"<circle cx='{x:.1f}' cy='{self.y(point['mean']):.1f}' r='3.2' fill='{MEASURED}'/>")
        return drawn

    def slopes(self) -> list[str]:
        line = self.line
        measured = f"slope {line['slope']:.2f} +- {self.spread * line['slope_error']:.2f} measured"
        promised = f"{line['bound_slope']:.2f} of the bound"
        y = TOP + HEIGHT + 54
        return [
            text(self.left + self.width / 2 - 6, y, measured, 12, "end", MEASURED),
            text(self.left + self.width / 2 + 6, y, promised, 12, "start", BOUND),
        ]


def bound_words(theorem: dict) -> str:
    if not theorem["failure"]:
        return "bound"
    points = [point for line in theorem["lines"] for point in line["points"]]
    share = sum(point["above"] for point in points) / (len(points) * theorem["runs"])
    return f"bound, probability of more at most {theorem['failure']}; measured {share:.2g}"


def picture(theorem: dict) -> str:
    lines, spread = theorem["lines"], theorem["allowed_errors"]
    panel_width = PANEL if len(lines) > 1 else 2 * PANEL
    width = LEFT + len(lines) * panel_width + (len(lines) - 1) * GAP + RIGHT
    height = TOP + HEIGHT + BOTTOM
    drawn = [
        f"<svg xmlns='http://www.w3.org/2000/svg' width='{width}' height='{height}' viewBox='0 0 {width} {height}' "
        "font-family='Helvetica, Arial, sans-serif'>",
        f"<rect width='{width}' height='{height}' fill='white'/>",
        text(16, 22, theorem["title"], 15, more=" font-weight='bold'"),
        text(16, 42, theorem["statement"], 12),
        text(16, 64, "excess risk:", 12),
        f"<circle cx='94' cy='60' r='3.2' fill='{MEASURED}'/>",
        text(103, 64, f"mean of {theorem['runs']} runs, {spread:.1f} standard errors", colour=MEASURED),
        f"<path d='M370 60h26' stroke='{BOUND}' stroke-width='1.6' stroke-dasharray='6 3'/>",
        text(402, 64, bound_words(theorem), colour=BOUND),
    ]
    for index, line in enumerate(lines):
        panel = Panel(LEFT + index * (PANEL + GAP), panel_width, line, spread)
        drawn += panel.axes() + panel.curves() + panel.slopes()
    return "\n".join(drawn + ["</svg>", ""])


def main() -> int:
    if len(sys.argv) != 3:
        print(__doc__, file=sys.stderr)
        return 2
    source, target = map(pathlib.Path, sys.argv[1:])
    found = sorted(source.glob("*.json"))
    if not found:
        print(f"draw_theorems: nothing in {source}; run theorems_test with DPERM_THEOREMS={source}", file=sys.stderr)
        return 1
    for path in found:
        (target / f"{path.stem}.svg").write_text(picture(json.loads(path.read_text())), encoding="ascii")
    print(f"draw_theorems: {len(found)} pictures in {target}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
