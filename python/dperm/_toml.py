# SPDX-License-Identifier: Apache-2.0
"""Writes the few kinds of TOML values that a schema has. Reading and checking is the library's."""

import datetime
import json
import numbers


def text_of(value) -> str:
    """A value as TOML writes it. Texts, numbers, booleans, days and lists of them."""
    if hasattr(value, "tolist"):  # NumPy's scalars and arrays
        value = value.tolist()
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")
    if isinstance(value, numbers.Integral):
        return str(int(value))
    if isinstance(value, numbers.Real):
        return repr(float(value))
    if isinstance(value, datetime.datetime):
        return value.date().isoformat()
    if isinstance(value, datetime.date):
        return value.isoformat()
    if isinstance(value, (list, tuple)):
        return "[" + ", ".join(text_of(each) for each in value) + "]"
    raise TypeError(f"a schema holds texts, numbers, booleans, days and lists of them, not {type(value).__name__}")


def table(header: str, keys: dict) -> str:
    """A section with its keys; those that are None are left out."""
    lines = [f"{name} = {text_of(value)}" for name, value in keys.items() if value is not None]
    return "\n".join([header, *lines]) + "\n"
