# SPDX-License-Identifier: Apache-2.0
"""Whole fits of tables that differ in one line, whatever it holds, in every text format: exit status, messages, number of
rows and everything but the released numbers are the same. DPERM_HOSTILE_RECORDS asks for more lines than a test's worth;
the reader alone is asked for 54,000 in dperm/data/hostile_records_test.cpp."""

import gzip
import os
import random
import sys
import unittest

from cli_case import BINARY, BUDGET, CliCase, csv_text, people, shape, without_released_numbers

RECORDS = int(os.environ.get("DPERM_HOSTILE_RECORDS", "64"))
ROWS = 12
PIECES = [b",", b",", b",", b"\t", b"\t", b";", b";", b'"', b'""', b'"""', b"\r", b" ", b"1", b"30", b"north", b"yes", b"-1e400",
          b"nan", b"1:1", b"2:", b":1", b":", b"1:2:3", b"-1:1", b"99999999999999999999:1", b"18446744073709551615:1", b"qid:7", b"#",
          b"\xff\xfe", b"\xef\xbb\xbf", b"\xc3", b"\xed\xa0\x80", b"\x00", b"a\x00b", b"\x1a", b"\\", b"'", b"\x1f\x8b", b"PK\x03\x04",
          b"ARROW1", b"=1+1", b"%s%n", b"9" * 70, b'"a""b"', b'"x",', b',"y', b'"z"w', b"age,income,city,smoker,sick,cost"]
LIBSVM = 'version = 1\n[target]\ncolumn = "label"\nkind = "binary"\npositive = "1"\n' + "".join(
    f'[[column]]\nname = "{name}"\nkind = "real"\nlower = 0\nupper = 10\n' for name in (1, 2, 3))


def lines(seed):
    """Lines without a line feed; most are put together from pieces that mean something to a reader of text."""
    draw = random.Random(seed)
    while True:
        kind = draw.randrange(16)
        if kind == 0:
            yield b""
        elif kind == 1:
            yield bytes([draw.choice(b'",;\t\r :#x\0')]) * draw.choice((1, 50, 3000, 300_000))
        elif kind < 4:
            yield draw.randbytes(draw.randrange(40)).replace(b"\n", b"\0")
        else:
            yield b"".join(draw.choice(PIECES) for _ in range(draw.randrange(14)))


class HostileRecords(CliCase):
    def outcome(self, name, content, schema, given):
        packed = gzip.compress(content, 1) if name.endswith(".gz") else content
        self.write(name, packed)
        data, options = (["-"], {"input": packed}) if given else ([name], {})
        result = self.run_program("fit", *data, "--schema", schema, *BUDGET, "--seed", "7", "--details", "--threads", "1",
                                  "--method", "gradient-descent", "--steps", "3", "-o", "model.json", **options)
        self.assertEqual(result.status, 0, result.err)
        return result.err, shape(result.out), without_released_numbers(self.model())

    def check(self, name, text, schema, given=False):
        self.write("format.toml", schema)
        plain = text.encode().rstrip(b"\n").split(b"\n")
        expected = self.outcome(name, b"\n".join(plain) + b"\n", "format.toml", given)
        self.assertEqual(expected[2]["plan"]["task"]["rows"], ROWS)
        first = len(plain) - ROWS
        for number, line in zip(range(RECORDS), lines(13)):
            place = first + number % ROWS
            changed = b"\n".join(plain[:place] + [line] + plain[place + 1:]) + b"\n"
            self.assertEqual(self.outcome(name, changed, "format.toml", given), expected, f"{name}: {line[:200]!r}")
        print(f"{name}{' (standard input)' if given else ''}: {RECORDS} records", file=sys.stderr)

    def test_commas(self):
        self.check("t.csv", csv_text(people(ROWS)), BINARY)

    def test_compressed(self):
        self.check("t.csv.gz", csv_text(people(ROWS)), BINARY)

    def test_standard_input(self):
        self.check("t.csv", csv_text(people(ROWS)), BINARY, given=True)

    def test_tabs(self):
        self.check("t.tsv", csv_text(people(ROWS)).replace(",", "\t"), BINARY)

    def test_semicolons(self):
        self.check("t.csv", csv_text(people(ROWS)).replace(",", ";"),
                   BINARY.replace("version = 1\n", 'version = 1\n[format]\ndelimiter = ";"\n', 1))

    def test_no_header(self):
        header, rest = csv_text(people(ROWS)).split("\n", 1)
        names = ", ".join(f'"{each}"' for each in header.split(","))
        self.check("t.csv", rest, BINARY.replace("version = 1\n", f"version = 1\n[format]\nheader = false\ncolumn_names = [{names}]\n", 1))

    def test_libsvm(self):
        self.check("t.libsvm", "".join(f"{i % 2} 1:{i % 9} 2:{i % 7} 3:{i % 3}\n" for i in range(ROWS)), LIBSVM)

    def test_libsvm_compressed(self):
        self.check("t.libsvm.gz", "".join(f"{i % 2} 1:{i % 9} 2:{i % 7} 3:{i % 3}\n" for i in range(ROWS)), LIBSVM)


if __name__ == "__main__":
    unittest.main()
