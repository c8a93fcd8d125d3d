# SPDX-License-Identifier: Apache-2.0
"""Cards for notebooks. Nothing in them comes from records but released numbers."""

from __future__ import annotations

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
    return _card(title, _guarantee_line(certificate.guarantee), _table(("", "check", ""), rows))


def schema_card(schema) -> str:
    target = _line(f"target: {schema.target} ({schema.target_kind})") if schema.target else ""
    return _card("Schema (public)", target, _table(("column", "kind"), schema.kinds.items()))


def plan_card(plan) -> str:
    steps = [(each["quantity"], f"{each['value']:.6g}", each["reason"]) for each in plan.derivation]
    forecast = _line(repr(plan.forecast)) if plan.forecast else ""
    title = f"Plan: {plan.algorithm} on {plan.rows} rows"
    return _card(title, _guarantee_line(plan.guarantee), forecast, _table(("how epsilon follows", "", ""), steps))


def model_card(model) -> str:
    remarks = "".join(_line(f"WARNING: {remark}") for remark in model.remarks)
    body = _line(model.rule) if model.rule else ""
    if model.coefficients:
        rows = [(each.name, each.label, f"{each.value:.6g}", each.per) for each in model.coefficients]
        body += _table(("coefficient", "class", "value", "per"), rows)
    title = f"{'Private model' if model.is_private else 'Model, NOT private'}: {model.algorithm} on {model.rows} rows"
    return _card(title, _guarantee_line(model.guarantee), remarks, body)


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
