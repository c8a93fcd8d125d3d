# SPDX-License-Identifier: Apache-2.0
"""A table, and records to stand in one of its places.

Records of one group are encoded alike, by docs/schema_keys.md and docs/schema_cells.md: a missing number and a text where a
number should be, two numbers beyond the same bound, any two texts in a column that the schema does not name. Runs on two of them
must not differ in a single byte. Runs on records of different groups may differ in released fields alone.
"""

import pathlib
import random
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "golden"))
import golden_cases  # noqa: E402

NAMES = ["age", "income", "visits", "city", "smoker", "sick", "cost", "ward", "person", "admitted", "note"]
ORDINARY = [b"40", b"20000", b"3", b"north", b"true", b"yes", b"1.5", b"b", b"p7", b"2020-02-03", b"n"]
ROWS = 300

# Cells that no kind of column can read.
UNREADABLE = [b"abc", b"\xff\xfe", b"\xed\xa0\x80", b"x" * 70_000, b"a\0b", b"(1+2j)", b"=1+1", b"--1", b"%s%n", b"{}", b"\xef\xbb\xbf"]
MISSING = [b"", b"NA", b"?"]
CELLS = {
    "age": [MISSING + UNREADABLE, [b"101", b"1000", b"1e300"], [b"-1", b"-1e300"], [b"40", b"40.0", b" 40 "]],
    "income": [MISSING + UNREADABLE, [b"100001", b"1e99"], [b"-0.5", b"-7"]],
    "visits": [MISSING + UNREADABLE, [b"21", b"22"]],
    "city": [MISSING, [b"west", *UNREADABLE]],
    "smoker": [MISSING, [b"false", b"no", b"0", *UNREADABLE], [b"true", b"YES", b"1"]],
    "sick": [[b"no", *MISSING, *UNREADABLE]],
    "cost": [MISSING + UNREADABLE, [b"10", b"11", b"1e9"], [b"-11", b"-1e9"]],
    "ward": [[b"a", *MISSING, *UNREADABLE]],
    "person": [MISSING],
    "admitted": [[*MISSING, *UNREADABLE, b"2020-02-30", b"30/30/2020", b"0000-00-00"], [b"2031-01-01", b"9999-01-31"]],
    "note": [[b"n", b"1", b"1e400", b"true", b"2020-02-03", *MISSING, *UNREADABLE]],
}


def line(cells: list[bytes]) -> bytes:
    return b",".join(cells)


def changed(name: str, cell: bytes) -> bytes:
    return line([cell if name == each else old for each, old in zip(NAMES, ORDINARY)])


def groups() -> list[list[bytes]]:
    """Lines by group."""
    made = [[changed(name, cell) for cell in group] for name, group in ((n, g) for n in NAMES for g in CELLS[n])]
    whole, few = line(ORDINARY), line(ORDINARY[:2])
    made.append([whole, whole + b",x", whole + b"," * 4000, whole + b"\r", whole.replace(b"north", b'"north"')])
    made.append([few, few + b"," * 9, few + b",NA", line([*ORDINARY[:2], b"", b"?"])])
    made.append([b"", b" ", b",,,", b"\r", b","])
    return made


PIECES = [b",", b",", b",", b"\t", b"\t", b";", b";", b'"', b'""', b'"""', b"\r", b" ", b"1", b"30", b"north", b"yes", b"-1e400",
          b"nan", b"1:1", b"2:", b":1", b":", b"1:2:3", b"-1:1", b"99999999999999999999:1", b"18446744073709551615:1", b"qid:7", b"#",
          b"\xff\xfe", b"\xef\xbb\xbf", b"\xc3", b"\xed\xa0\x80", b"\x00", b"a\x00b", b"\x1a", b"\\", b"'", b"\x1f\x8b", b"PK\x03\x04",
          b"ARROW1", b"=1+1", b"%s%n", b"9" * 70, b'"a""b"', b'"x",', b',"y', b'"z"w', b"age,income,city,smoker,sick,cost"]  # fmt: skip


def hostile(draw: random.Random) -> bytes:
    """A line without a line feed; most are put together from pieces that mean something to a reader of text."""
    kind = draw.randrange(16)
    if kind == 0:
        return b""
    if kind == 1:
        return bytes([draw.choice(b'",;\t\r :#x\0')]) * draw.choice((1, 50, 3000, 300_000))
    if kind < 4:
        return draw.randbytes(draw.randrange(40)).replace(b"\n", b"\0")
    return b"".join(draw.choice(PIECES) for _ in range(draw.randrange(14)))


def others(rows: int = ROWS) -> list[bytes]:
    """The records that stay."""
    draw, made = random.Random(11), []
    for number in range(rows):
        age, income, visits = draw.randrange(0, 101), round(draw.uniform(0, 100000), 2), draw.randrange(0, 25)
        city, smoker = draw.choice(["north", "south", "east", "west"]), draw.choice(["true", "false", ""])
        score = age / 25 - 2 + (smoker == "true") + draw.gauss(0, 1)
        ward, day = "abc"[(score > -0.5) + (score > 1)], f"2020-{draw.randrange(1, 13):02}-{draw.randrange(1, 29):02}"
        cells = [age, income, visits, city, smoker, "yes" if score > 0 else "no", f"{score:.3f}", ward, f"p{number // 2}", day, "n"]
        made.append(",".join(map(str, cells)).encode())
    return made


def place_of(where: str, rows: int = ROWS) -> int:
    return {"first": 0, "middle": rows // 2, "last": rows - 1}[where]


def table(record: bytes, where: str, rows: list[bytes] | None = None) -> bytes:
    """A CSV file with `record` at the place."""
    lines = list(others() if rows is None else rows)
    lines[place_of(where, len(lines))] = record
    return b"\n".join([line([name.encode() for name in NAMES]), *lines, b""])


ADMITTED = '[[column]]\nname = "admitted"\nkind = "date"\nlower = 2010-01-01\nupper = 2029-12-31\nparts = ["month"]\n'
UNIT = '[unit]\ncolumn = "person"\nrows = 2\n\n'


def schemas() -> dict[str, bytes]:
    made = {name: "\n".join(parts) for name, parts in golden_cases.SCHEMAS.items()}
    made["dated"] = "\n".join([*golden_cases.ALL, ADMITTED, golden_cases.SICK])
    made["persons"] = UNIT + made["dated"]
    made["named"] = '[ledger]\ndataset = "people"\n\n' + made["sick"]
    return {f"{name}.toml": f"version = 1\n\n{text}".encode() for name, text in made.items()}
