# SPDX-License-Identifier: Apache-2.0
"""Small drawings for pages: inline SVG that takes its colours from the page, and the numbers that its script moves it by."""

import html
import json
import math
from collections.abc import Callable

WIDTH, HEIGHT = 480, 300
LEFT, RIGHT, TOP, BOTTOM = 66, 14, 12, 52


class Axes:
    """A logarithmic horizontal axis and a linear vertical one."""

    def __init__(self, x0: float, x1: float, y0: float, y1: float, x_title: str, y_title: str, y_text: Callable[[float], str]):
        self.x0, self.x1, self.y0, self.y1 = x0, x1, y0, y1
        self.x_title, self.y_title, self.y_text = x_title, y_title, y_text
        self.legend = 0

    def x(self, value: float) -> float:
        share = math.log(value / self.x0) / math.log(self.x1 / self.x0)
        return round(LEFT + share * (WIDTH - LEFT - RIGHT), 1)

    def y(self, value: float) -> float:
        share = (min(max(value, self.y0), self.y1) - self.y0) / (self.y1 - self.y0)
        return round(HEIGHT - BOTTOM - share * (HEIGHT - TOP - BOTTOM), 1)

    def frame(self, x_ticks: list[float], y_ticks: list[float]) -> str:
        parts = []
        for value in y_ticks:
            parts.append(f'<path class="grid" d="M{LEFT} {self.y(value)}H{WIDTH - RIGHT}"/>')
            parts.append(f'<text x="{LEFT - 8}" y="{self.y(value) + 4}" text-anchor="end">{self.y_text(value)}</text>')
        for value in x_ticks:
            parts.append(f'<path class="grid" d="M{self.x(value)} {TOP}V{HEIGHT - BOTTOM}"/>')
            parts.append(f'<text x="{self.x(value)}" y="{HEIGHT - BOTTOM + 18}" text-anchor="middle">{value:g}</text>')
        parts.append(f'<text x="{(LEFT + WIDTH - RIGHT) / 2}" y="{HEIGHT - 8}" text-anchor="middle">{self.x_title}</text>')
        middle = (TOP + HEIGHT - BOTTOM) / 2
        parts.append(f'<text transform="translate(14 {middle}) rotate(-90)" text-anchor="middle">{self.y_title}</text>')
        return "".join(parts)

    def line(self, xs: list[float], ys: list[float], style: str, label: str) -> str:
        """A line and its entry in the legend. Points beyond the frame are left out, but for the first within reach."""
        points = [(x, y) for x, y in zip(xs, ys) if self.y0 <= y <= self.y1]
        path = "M" + "L".join(f"{self.x(x)} {self.y(y)}" for x, y in points)
        at = TOP + 14 + 22 * self.legend
        self.legend += 1
        right = self.y(ys[-1]) > HEIGHT / 2
        left = WIDTH - RIGHT - 170 if right else LEFT + 14
        return (f'<path class="line {style}" d="{path}"/><path class="line {style}" d="M{left} {at}h24"/>'
                f'<text x="{left + 32}" y="{at + 5}">{html.escape(label)}</text>')

    def marker(self, part: str, x: float, y: float) -> str:
        return f'<circle class="marker" data-part="{part}" cx="{self.x(x)}" cy="{self.y(y)}" r="6"/>'

    def move(self, part: str, x: float, y: float) -> list[list]:
        return [[part, "cx", self.x(x)], [part, "cy", self.y(y)]]

    def svg(self, label: str, body: str) -> str:
        return f'<svg viewBox="0 0 {WIDTH} {HEIGHT}" role="img" aria-label="{html.escape(label)}">{body}</svg>'


def belief_bars(before: float, after: float) -> tuple[str, Callable[[float, float], list[list]]]:
    """Two bars, what was believed before and what may be believed after, and the function that moves them."""
    left, whole = 70, WIDTH - 70 - RIGHT
    body = ""
    for index, (name, share) in enumerate((("before", before), ("after", after))):
        y = 20 + 62 * index
        body += (f'<text x="{left - 10}" y="{y + 25}" text-anchor="end">{name}</text>'
                 f'<rect class="rail" x="{left}" y="{y}" width="{whole}" height="40"/>'
                 f'<rect class="bar {("two", "one")[index]}" data-part="{name}" x="{left}" y="{y}" width="{share * whole:.1f}" height="40"/>')
    for share in (0, 0.25, 0.5, 0.75, 1):
        body += f'<text x="{left + share * whole}" y="150" text-anchor="{"end" if share == 1 else "middle"}">{share:.0%}</text>'

    def move(was: float, becomes: float) -> list[list]:
        return [["before", "width", round(was * whole, 1)], ["after", "width", round(becomes * whole, 1)]]

    label = "Two bars: the belief before a release, and the most it can become after it"
    return f'<svg viewBox="0 0 {WIDTH} 162" role="img" aria-label="{label}">{body}</svg>', move


def table(heads: list[str], rows: list[list[str]]) -> str:
    head = "".join(f'<th scope="col">{html.escape(each)}</th>' for each in heads)
    body = "".join(
        f'<tr><th scope="row">{html.escape(row[0])}</th>' + "".join(f"<td>{html.escape(each)}</td>" for each in row[1:]) + "</tr>"
        for row in rows)
    return f'<div class="table-wrapper" tabindex="0" role="region" aria-label="the numbers as a table"><table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table></div>'


def figure(name: str, picture: str, controls: list[tuple[str, list[str], int]], cells: list, question: str, numbers: str) -> str:
    """One block of HTML without empty lines. `cells` has a level for every control; its leaves say what to show."""
    sliders = "".join(
        f'<label>{html.escape(label)} <output>{html.escape(values[start])}</output>'
        f'<input type="range" min="0" max="{len(values) - 1}" value="{start}" step="1" aria-label="{html.escape(label)}"/></label>'
        for label, values, start in controls)
    shown = cells
    for _, _, start in controls:
        shown = shown[start]
    data = json.dumps({"values": [values for _, values, _ in controls], "cells": cells}).replace("<", "\\u003c")
    return (f'<figure class="moving" id="picture-{name}"><figcaption>{html.escape(question)}</figcaption>{picture}'
            f'<div class="sliders" hidden>{sliders}</div><p class="answer" role="status">{html.escape(shown["text"])}</p>'
            f'<details><summary>The numbers</summary>{numbers}</details>'
            f'<script type="application/json">{data}</script></figure>')
