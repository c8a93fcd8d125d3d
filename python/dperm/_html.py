# SPDX-License-Identifier: Apache-2.0
"""Cards for notebooks. Nothing in them comes from records but released numbers."""

from __future__ import annotations

import datetime
from html import escape

STYLE = "border:1px solid #c8c8c8;border-radius:6px;padding:.6em 1em;display:inline-block;font-size:90%"
MOST_LINES = 24


def _card(title: str, *parts: str) -> str:
    return f"<div style='{STYLE}'><b>{escape(title)}</b>{''.join(parts)}</div>"


def _table(head: tuple[str, ...], rows) -> str:
    rows = list(rows)
    shown = "".join(
        "<tr>" + "".join(f"<td>{escape(str(cell))}</td>" for cell in row) + "</tr>" for row in rows[:MOST_LINES]
    )
    more = f"<tr><td colspan={len(head)}>... {len(rows) - MOST_LINES} more</td></tr>" if len(rows) > MOST_LINES else ""
    return f"<table><tr>{''.join(f'<th>{escape(each)}</th>' for each in head)}</tr>{shown}{more}</table>"


def _line(text: str) -> str:
    return f"<div>{escape(text)}</div>"


def _guarantee_line(guarantee) -> str:
    delta = "pure" if guarantee.pure else f"delta {guarantee.delta:g}"
    return _line(f"epsilon {guarantee.epsilon:.6g}, {delta}; protects {guarantee.unit} ({guarantee.neighbours})")


def guarantee_card(guarantee) -> str:
    return _card("Guarantee", _guarantee_line(guarantee), _line(f"accountant: {guarantee.accountant}"))


def certificate_card(certificate) -> str:
    rows = [("passed" if each.passed else "FAILED", each.what, each.detail) for each in certificate.checks]
    title = "Certificate: passed" if certificate.passed else "Certificate: FAILED"
    rows += [("on trust", each, "") for each in certificate.taken_on_trust]
    return _card(title, _guarantee_line(certificate.guarantee), _table(("", "check", ""), rows))


def schema_card(schema) -> str:
    target = _line(f"target: {schema.target} ({schema.target_kind})") if schema.target else ""
    return _card("Schema (public)", target, _table(("column", "kind"), schema.kinds.items()))


def _derivation(plan) -> str:
    steps = [(each["quantity"], f"{each['value']:.6g}", each["reason"]) for each in plan.derivation]
    return _table(("how epsilon follows", "", ""), steps)


def plan_card(plan) -> str:
    forecast = _line(repr(plan.forecast)) if plan.forecast else ""
    title = f"Plan: {plan.algorithm} on {plan.rows} rows"
    return _card(title, _guarantee_line(plan.guarantee), forecast, _derivation(plan))


def comparison_card(alternatives) -> str:
    rows = [(each.method, repr(each.plan.forecast) if each.plan else "", each.refusal) for each in alternatives]
    return _card("Methods, the automatic choice first", _table(("method", "forecast", "refused"), rows))


WIDTH, HEIGHT = 180, 60


def _curve_row(curve, lowest: float, highest: float) -> str:
    """A curve among its equals: all have the same scale of effects, and knots lie side by side."""
    marks = curve.labels if curve.kind == "labels" else [_mark(each, curve.date) for each in curve.values]
    last = max(len(curve.effects) - 1, 1)

    def up(effect: float) -> float:
        return HEIGHT * (highest - effect) / (highest - lowest or 1)

    heights = [up(effect) for effect in curve.effects]
    points = (
        [(WIDTH * place / last, y) for place, y in enumerate(heights)] if curve.kind == "lines" else _steps(heights)
    )
    line = " ".join(f"{x:.1f},{y:.1f}" for x, y in points)
    zero = f"<line x1='0' x2='{WIDTH}' y1='{up(0):.1f}' y2='{up(0):.1f}' stroke='#c8c8c8'/>"
    drawn = f"<polyline points='{line}' fill='none' stroke='#1f5fa8' stroke-width='2'/>"
    picture = f"<svg width='{WIDTH}' height='{HEIGHT + 4}' viewBox='0 -2 {WIDTH} {HEIGHT + 4}'>{zero}{drawn}</svg>"
    ends = f"{marks[0]} to {marks[-1]}" if marks else ""
    cells = (curve.name, curve.label, ends, f"{min(curve.effects):.3g} to {max(curve.effects):.3g}")
    return "<tr>" + "".join(f"<td>{escape(each)}</td>" for each in cells) + f"<td>{picture}</td></tr>"


def _mark(value: float, date: bool) -> str:
    return str(datetime.date(1970, 1, 1) + datetime.timedelta(days=value)) if date else f"{value:.6g}"


def _steps(heights: list[float]) -> list[tuple[float, float]]:
    width = WIDTH / len(heights)
    return [(width * end, height) for place, height in enumerate(heights) for end in (place, place + 1)]


def _curves(curves) -> str:
    effects = [effect for curve in curves for effect in curve.effects]
    lowest, highest = min([0.0, *effects]), max([0.0, *effects])
    rows = "".join(_curve_row(each, lowest, highest) for each in curves[:MOST_LINES])
    more = f"<tr><td colspan=5>... {len(curves) - MOST_LINES} more</td></tr>" if len(curves) > MOST_LINES else ""
    head = "".join(f"<th>{each}</th>" for each in ("curve", "class", "from", "effects", ""))
    return f"<table><tr>{head}</tr>{rows}{more}</table>"


def model_card(model) -> str:
    remarks = "".join(_line(f"WARNING: {remark}") for remark in model.remarks)
    body = _line(model.rule) if model.rule else ""
    curves = model.curves
    knots = tuple(curve.name + mark for curve in curves for mark in "@[=")  # of curves: coefficients as well
    drawn = {curve.name for curve in curves}
    plain = [each for each in model.coefficients if each.name not in drawn and not each.name.startswith(knots)]
    if plain:
        rows = [(each.name, each.label, f"{each.value:.6g}", each.per) for each in plain]
        body += _table(("coefficient", "class", "value", "per"), rows)
    if curves:
        body += _curves(curves)
    title = f"{'Private model' if model.is_private else 'Model, NOT private'}: {model.algorithm} on {model.rows} rows"
    plan = f"<details><summary>the plan</summary>{_derivation(model.plan)}</details>"
    return _card(title, _guarantee_line(model.guarantee), remarks, body, plan)


def location_card(location) -> str:
    interval = (
        _line(f"{100 * location.confidence:g}% interval: {location.interval[0]:.6g} to {location.interval[1]:.6g}")
        if location.interval
        else ""
    )
    return _card(f"{location.value:.6g}", interval, _guarantee_line(location.guarantee))


def evaluation_card(evaluation) -> str:
    rows = [
        (name, f"{each.value:.4g}", f"{each.radius:.2g}", f"{each.total_radius:.2g}")
        for name, each in evaluation.all.values.items()
    ]
    cost = (
        _guarantee_line(evaluation.guarantee)
        if evaluation.guarantee
        else _line("NOT private: exact, or noise that can be made again")
    )
    return _card("Evaluation", cost, _table(("measure", "value", "noise", "noise and sampling"), rows))
