# SPDX-License-Identifier: Apache-2.0
"""Writes the few kinds of TOML values that a schema has. Reading and checking is the library's."""

import datetime
import json
import numbers
from collections.abc import Callable


def _quoted(text: str) -> str:
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")


_PLAIN: dict[type, Callable] = {str: _quoted, float: repr, int: str, bool: lambda value: "true" if value else "false"}


def text_of(value) -> str:
    """A value as TOML writes it. Texts, numbers, booleans, days and lists of them."""
    plain = _PLAIN.get(type(value))
    if plain is not None:
        return plain(value)
    if hasattr(value, "tolist"):  # NumPy's scalars and arrays
        value = value.tolist()
    if isinstance(value, (bool, str)):
        return text_of(bool(value) if isinstance(value, bool) else str(value))
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
