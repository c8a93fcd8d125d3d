# SPDX-License-Identifier: Apache-2.0
"""Which values a declared type holds without changing them."""

from __future__ import annotations

import datetime
import decimal
from fractions import Fraction

import numpy
import pandas
import pyarrow

from values import is_missing


NO_NUMBERS = (bool, numpy.bool_, numpy.timedelta64)  # although Python or NumPy count them among the whole numbers


class Cannot(Exception):
    """The type does not hold this value: nothing is claimed about it."""


NANOSECONDS = {"s": 10**9, "ms": 10**6, "us": 10**3, "ns": 1}
DAY = 86400 * 10**9
EPOCH = datetime.datetime(1970, 1, 1)


def _text(value) -> str:
    if type(value) not in (str, numpy.str_):
        raise Cannot
    try:
        str(value).encode()
    except UnicodeError:
        raise Cannot from None
    return str(value)


def _whole(value) -> int:
    if isinstance(value, NO_NUMBERS) or not isinstance(value, (int, numpy.integer)) or type(value).__module__ == "values":
        raise Cannot
    return int(value)


def _real(value, make) -> float:
    if isinstance(value, NO_NUMBERS) or not isinstance(value, (int, float, numpy.integer, numpy.floating)):
        raise Cannot
    if isinstance(value, (float, numpy.floating)) and not numpy.isfinite(value):
        return float(value)
    try:
        with numpy.errstate(over="ignore"):
            made = float(make(value))
    except OverflowError:
        raise Cannot from None
    exact = Fraction(int(value) if isinstance(value, (int, numpy.integer)) else float(value))
    if not numpy.isfinite(made) or Fraction(made) != exact:
        raise Cannot
    return made


def _decimal(value, type_) -> decimal.Decimal:
    if isinstance(value, NO_NUMBERS) or not isinstance(value, (int, numpy.integer, decimal.Decimal)):
        raise Cannot
    given = decimal.Decimal(int(value)) if not isinstance(value, decimal.Decimal) else value
    if not given.is_finite():
        raise Cannot
    try:
        made = pyarrow.scalar(given, type_).as_py()
    except (pyarrow.ArrowException, ValueError):
        raise Cannot from None
    if made != given:
        raise Cannot
    return made


def nanoseconds(value) -> int:
    """Of a time without a zone since 1970, or of a moment in UTC; exact."""
    if isinstance(value, numpy.datetime64):
        seconds = value.astype("datetime64[s]")
        return int(seconds.astype(int)) * 10**9 + int((value - seconds) / numpy.timedelta64(1, "ns"))
    extra = getattr(value, "nanosecond", 0)
    plain = value.to_pydatetime(warn=False) if isinstance(value, pandas.Timestamp) else value
    if plain.tzinfo is not None:
        plain = plain.astimezone(datetime.timezone.utc).replace(tzinfo=None)
    passed = plain - EPOCH
    return (passed.days * 86400 + passed.seconds) * 10**9 + passed.microseconds * 1000 + extra


def _time(value, unit: str, zoned: bool) -> int:
    """Ticks."""
    if isinstance(value, numpy.datetime64):
        if zoned or numpy.datetime_data(value.dtype)[0] in ("D", "M", "Y", "W"):
            raise Cannot
    elif not isinstance(value, datetime.datetime) or (value.tzinfo is not None) != zoned:
        raise Cannot
    try:
        ticks, rest = divmod(nanoseconds(value), NANOSECONDS[unit])
    except OverflowError:
        raise Cannot from None
    if rest or not -(2**63) < ticks < 2**63:
        raise Cannot
    return ticks


def _date(value) -> datetime.date:
    if type(value) is not datetime.date:
        raise Cannot
    return value


def held(value, type_: pyarrow.DataType):
    """The value as a cell of this type; None for a missing one. Cannot where it is not the same any more."""
    types = pyarrow.types
    if is_missing(value):
        return None
    if types.is_dictionary(type_):
        return held(value, type_.value_type)
    if types.is_boolean(type_):
        if not isinstance(value, (bool, numpy.bool_)):
            raise Cannot
        return bool(value)
    if types.is_integer(type_):
        number = _whole(value)
        low = 0 if types.is_unsigned_integer(type_) else -(2 ** (type_.bit_width - 1))
        if not low <= number < low + 2**type_.bit_width:
            raise Cannot
        return number
    if types.is_floating(type_):
        return _real(value, {16: numpy.float16, 32: numpy.float32, 64: float}[type_.bit_width])
    if types.is_decimal(type_):
        return _decimal(value, type_)
    if types.is_string(type_) or types.is_large_string(type_) or type_ == pyarrow.string_view():
        return _text(value)
    if types.is_binary(type_) or types.is_large_binary(type_) or type_ == pyarrow.binary_view():
        if type(value) is not bytes:
            raise Cannot
        return value
    if types.is_date(type_):
        return _date(value)
    if types.is_timestamp(type_):
        return _time(value, type_.unit, type_.tz is not None)
    raise Cannot


def arrow_array(values: list, type_: pyarrow.DataType) -> pyarrow.Array:
    """An array of declared type from held() values."""
    if pyarrow.types.is_timestamp(type_):
        return pyarrow.array(values, pyarrow.int64()).cast(type_)
    if pyarrow.types.is_dictionary(type_):
        plain = arrow_array(values, type_.value_type)
        return plain.dictionary_encode().cast(type_)
    if type_ in (pyarrow.string_view(), pyarrow.binary_view()):
        return pyarrow.array(values, pyarrow.string() if type_ == pyarrow.string_view() else pyarrow.binary()).cast(type_)
    return pyarrow.array(values, type_)


ARROW = [
    pyarrow.null(), pyarrow.bool_(), pyarrow.int8(), pyarrow.int16(), pyarrow.int32(), pyarrow.int64(), pyarrow.uint8(), pyarrow.uint16(), pyarrow.uint32(), pyarrow.uint64(),
    pyarrow.float16(), pyarrow.float32(), pyarrow.float64(), pyarrow.date32(), pyarrow.date64(), pyarrow.string(), pyarrow.binary(), pyarrow.large_string(),
    pyarrow.large_binary(), pyarrow.string_view(), pyarrow.binary_view(), pyarrow.decimal32(9, 2), pyarrow.decimal64(18, 3), pyarrow.decimal128(38, 0), pyarrow.decimal128(20, 4), pyarrow.decimal256(60, 9),
    *(pyarrow.timestamp(unit) for unit in NANOSECONDS), *(pyarrow.timestamp(unit, "UTC") for unit in NANOSECONDS), pyarrow.timestamp("us", "Europe/Zurich"), pyarrow.timestamp("ns", "+02:00"),
    *(pyarrow.dictionary(pyarrow.int32(), each) for each in (pyarrow.string(), pyarrow.int64(), pyarrow.bool_(), pyarrow.float64(), pyarrow.date32(), pyarrow.timestamp("us"),
      pyarrow.timestamp("us", "UTC"), pyarrow.decimal128(20, 4), pyarrow.binary(), pyarrow.large_string())),
    pyarrow.dictionary(pyarrow.uint8(), pyarrow.string()),
]  # fmt: skip
