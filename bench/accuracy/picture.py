# SPDX-License-Identifier: Apache-2.0
"""The accuracy table as one SVG: one panel per problem, score against epsilon, one line per method."""

import html
import math

WIDTH, HEIGHT, COLUMNS = 300, 210, 3
LEFT, RIGHT, TOP, BOTTOM = 44, 10, 34, 30
COLOURS = {
    "objective-perturbation": "#0b6e99", "gradient-descent": "#c4541b", "output-perturbation": "#8a8a8a",
    "sufficient-statistics": "#2d8a4e", "sgd": "#7b3fa0", "exponential": "#b8860b", "newton": "#a83261",
    "dperm": "#0b6e99", "dp-ebm tuned": "#c4541b", "dp-ebm": "#e8a27c", "dp-sgd tuned": "#7b3fa0", "diffprivlib": "#8a8a8a",
}
REMARK = "score on test rows against epsilon (log scale); ring: chosen by auto; dotted: without privacy, best constant"


def text(x, y, content, size=10, anchor="middle", weight="normal", colour="#222"):
    return (f'<text x="{x:.1f}" y="{y:.1f}" font-size="{size}" text-anchor="{anchor}" font-weight="{weight}" '
            f'fill="{colour}">{html.escape(content)}</text>')


def line(points, colour, dash="", width=1.6):
    path = " ".join(f"{x:.1f},{y:.1f}" for x, y in points)
    return f'<polyline points="{path}" fill="none" stroke="{colour}" stroke-width="{width}" stroke-dasharray="{dash}"/>'


class Panel:
    def __init__(self, block, x, y):
        self.block, self.x, self.y = block, x, y
        self.epsilons = [entry["epsilon"] for entry in block["epsilons"]]
        best = [each["mean"] for entry in block["epsilons"] for each in entry["methods"].values()]
        top = max(best + [value for value in (block["optimum"], block.get("boosting")) if value is not None])
        self.low = min(best) - 0.08 * (top - min(best)) - 1e-3
        self.high = top + 0.04 * (top - self.low)

    def at(self, epsilon, value):
        span = math.log(self.epsilons[-1] / self.epsilons[0]) or 1
        across = math.log(epsilon / self.epsilons[0]) / span
        up = (min(max(value, self.low), self.high) - self.low) / (self.high - self.low)
        return (self.x + LEFT + across * (WIDTH - LEFT - RIGHT), self.y + HEIGHT - BOTTOM - up * (HEIGHT - TOP - BOTTOM))

    def draw(self):
        parts = [text(self.x + WIDTH / 2, self.y + 16, f"{self.block['problem']} ({self.block['metric']})", 12, weight="bold")]
        for share in (0, 0.5, 1):
            value = self.low + share * (self.high - self.low)
            left, height = self.at(self.epsilons[0], value)
            right, _ = self.at(self.epsilons[-1], value)
            parts += [line([(left, height), (right, height)], "#e3e3e3", width=1), text(left - 5, height + 3, f"{value:.3f}", 9, "end")]
        for epsilon in self.epsilons:
            x, y = self.at(epsilon, self.low)
            parts.append(text(x, y + 14, f"{epsilon:g}", 9))
        for value, dash in ((self.block["optimum"], "2 3"), (self.block["trivial"], "2 3"), (self.block.get("boosting"), "7 4")):
            if value is not None and value >= self.low:
                parts.append(line([self.at(e, value) for e in (self.epsilons[0], self.epsilons[-1])], "#555", dash, 1))
        names = list(dict.fromkeys(name for entry in self.block["epsilons"] for name in entry["methods"]))
        for name in names:
            points = [self.at(entry["epsilon"], entry["methods"][name]["mean"]) for entry in self.block["epsilons"] if name in entry["methods"]]
            colour = COLOURS.get(name, "#333")
            parts.append(line(points, colour))
            parts += [f'<circle cx="{x:.1f}" cy="{y:.1f}" r="2.4" fill="{colour}"/>' for x, y in points]
        for entry in (each for each in self.block["epsilons"] if each["auto"] in each["methods"]):
            x, y = self.at(entry["epsilon"], entry["methods"][entry["auto"]]["mean"])
            parts.append(f'<circle cx="{x:.1f}" cy="{y:.1f}" r="5" fill="none" stroke="#111"/>')
        return parts


def draw(table, remark=REMARK):
    rows = (len(table) + COLUMNS - 1) // COLUMNS
    names = list(dict.fromkeys(name for block in table for entry in block["epsilons"] for name in entry["methods"]))
    height = rows * HEIGHT + 56
    parts = [f'<rect width="{COLUMNS * WIDTH}" height="{height}" fill="white"/>']
    for number, block in enumerate(table):
        parts += Panel(block, number % COLUMNS * WIDTH, number // COLUMNS * HEIGHT).draw()
    x = 20
    for name in names:
        y = rows * HEIGHT + 18
        parts += [line([(x, y - 3), (x + 18, y - 3)], COLOURS.get(name, "#333")), text(x + 23, y, name, 10, "start")]
        x += 40 + 6 * len(name)
    parts.append(text(20, rows * HEIGHT + 40, remark, 10, "start"))
    return (f'<svg xmlns="http://www.w3.org/2000/svg" width="{COLUMNS * WIDTH}" height="{height}" '
            f'font-family="sans-serif">' + "".join(parts) + "</svg>\n")
