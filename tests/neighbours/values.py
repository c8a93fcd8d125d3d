# SPDX-License-Identifier: Apache-2.0
"""Cells as people's tables hold them: Python values of every type that a container can have."""

from __future__ import annotations

import datetime
import decimal
import enum
import fractions
import uuid
import zoneinfo

import numpy
import pandas

UTC = datetime.timezone.utc
EAST = datetime.timezone(datetime.timedelta(hours=2))
ZURICH = zoneinfo.ZoneInfo("Europe/Zurich")


class Mute:
    """An object whose own text fails."""

    def __str__(self):
        raise RuntimeError("no text")

    __repr__ = object.__repr__


class Subtext(str):
    """A text that tells another one."""

    def __str__(self):
        return "3"


class Colour(str, enum.Enum):
    """A text whose str() is its name."""

    RED = "a"


class Level(enum.IntEnum):
    HIGH = 3


MISSING = [None, float("nan"), pandas.NA, pandas.NaT, numpy.float64("nan"), numpy.datetime64("NaT")]
BOOLEANS = [True, False, numpy.True_, numpy.False_]
INTEGERS = [0, 1, 3, -9, 7, 40, 99, 2000, 2**31, 2**53, 2**53 + 1, 2**53 + 2, 2**63 - 1, -(2**63), 2**64 - 1, 10**30,
            numpy.int8(3), numpy.int64(2**53 + 1), numpy.uint64(2**64 - 1)]  # fmt: skip
REALS = [0.0, -0.0, 1.0, 2.5, -9.0, 0.1, 3.0, 40.25, 1e16, 1e22, 1e300, 5e-324, float("inf"), float("-inf"), 123456.789, 0.30000000000000004,
         float(2**53), numpy.float32(0.1), numpy.float32(2.5), numpy.float16(0.1), numpy.longdouble(2.5), 1e-7, 100000.0]  # fmt: skip
TEXTS = ["", " ", "a", "b", " a ", "A", "3", "3.0", "+3", "03", "-9", "1e0", "2.5", "1", "0", "1.0", "true", "TRUE", "True", "false", "yes", "no",
         "t", "40", "40.0", "99", "2019-07-14", "NA", "nan", "NaN", "null", "?", "None", "inf", "-inf", "Infinity", "1,5", "1.234,5", "1234.5", "\u20ac 3", "3 \u20ac", "\u00e9", "\u212b", "\ufffd", "x\x00y",
         "\ud800", "a\udcff", "2024-02-29", "2024-02-30", "2024-02-29T13:45", "2024-02-29 13:45:10.5", "2024-02-29 00:00:00", "29/02/2024 13:45", "2024-02-29T13:00:00Z",
         "2024-02-29T13:00+02:00", "2024-02-29 13:00:00+00:00", "9007199254740993", "9007199254740992", "18446744073709551615", "1e400", "0x10", "1_000",
         "\u0661", numpy.str_("a"), Subtext("a"), "01", "1000000000000000000000000000000", "100000.0", "1e+16", "1e16", "10000000000000000"]  # fmt: skip
BYTES = [b"a", b"3", b"\xff", b"\xfe", b"", numpy.bytes_(b"a"), bytearray(b"a"), memoryview(b"a")]
DECIMALS = [decimal.Decimal(each) for each in ("3", "3.50", "2.5", "0", "-9", "1E+5", "0.1", "40.25", "-0.00", "NaN", "Infinity", "9007199254740993", "123456.789", "1.0")]  # fmt: skip
DATES = [datetime.date(2024, 2, 29), datetime.date(1969, 12, 31), datetime.date(1970, 1, 1), datetime.date(1, 1, 1), datetime.date(9999, 12, 31),
         datetime.date(2019, 7, 14), numpy.datetime64("2024-02-29", "D")]  # fmt: skip
TIMES = [datetime.datetime(2024, 2, 29), datetime.datetime(2024, 2, 29, 13), datetime.datetime(2024, 2, 29, 13, 45), datetime.datetime(2019, 7, 14, 23, 59, 59),
         datetime.datetime(2024, 2, 29, 13, 45, 10, 500000), datetime.datetime(1969, 12, 31, 23, 0, 0, 1), datetime.datetime(2001, 9, 9, 1, 46, 40),
         datetime.datetime(2000, 1, 1, 7), datetime.datetime(2024, 12, 31, 23, 59, 59, 999999), datetime.datetime(1, 1, 1), datetime.datetime(9999, 12, 31, 23),
         pandas.Timestamp("2024-02-29 13:45:10.123456789"), pandas.Timestamp("2024-02-29 13:00"), numpy.datetime64("2024-02-29T13:00", "s"),
         numpy.datetime64("2024-02-29T13:00", "ns")]  # fmt: skip
ZONED = [datetime.datetime(2024, 2, 29, 13, tzinfo=UTC), datetime.datetime(2024, 2, 29, 1, 30, tzinfo=EAST), datetime.datetime(2024, 7, 1, 0, 30, tzinfo=ZURICH),
         datetime.datetime(2019, 7, 14, 23, 59, 59, 250000, tzinfo=UTC), pandas.Timestamp("2024-02-29 13:00", tz="UTC"), datetime.datetime(2024, 2, 29, tzinfo=UTC),
         pandas.Timestamp("2024-02-29 13:00:00.000000001", tz="Europe/Zurich")]  # fmt: skip
ODD = [1 + 2j, 3 + 0j, numpy.complex128(3), [1, 2], [], (1,), {}, {"a": 1}, Mute(), object, fractions.Fraction(1, 2), uuid.UUID(int=5), datetime.time(13, 0),
       datetime.timedelta(days=3), numpy.timedelta64(3, "D"), pandas.Timedelta(days=3), pandas.Period("2024-02-29", "D"), range(3), Ellipsis, numpy.array([1, 2]),
       numpy.array(3), numpy.void(b"abc"), pandas.Interval(0, 1), Colour.RED, Level.HIGH, numpy.datetime64("2024-02"), numpy.ma.masked]  # fmt: skip

EVERY = MISSING + BOOLEANS + INTEGERS + REALS + TEXTS + BYTES + DECIMALS + DATES + TIMES + ZONED + ODD


def is_missing(value) -> bool:
    """What holds nothing, in any library's word for it."""
    if value is None or type(value).__name__ in ("NAType", "NaTType"):
        return True
    if isinstance(value, (float, numpy.floating)):
        return bool(value != value)
    return isinstance(value, (numpy.datetime64, numpy.timedelta64)) and bool(numpy.isnat(value))


def told(value) -> str:
    """A value and its type, for messages and as the name of a reference."""
    try:
        text = repr(value)
    except Exception:
        text = "?"
    if isinstance(value, (Mute, memoryview)):
        text = "()"
    return f"{type(value).__module__}.{type(value).__name__} {text}".removeprefix("builtins.")
