#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Checks that a forbidden use does not compile, for the right reason.

The file must compile as it stands and must fail with -DCHEAT. Its first error must match the regular expression on the
file's line "// expect: ...", so an unrelated error does not count as success.

Usage: check_compile_fail.py FILE COMPILER [FLAG...]
"""
import pathlib
import re
import subprocess
import sys


def compile_errors(command):
    result = subprocess.run(command, capture_output=True, text=True)
    return result.returncode, [line for line in result.stderr.splitlines() if re.search(r"\berror:", line)]


def main():
    source, compiler, flags = sys.argv[1], sys.argv[2], sys.argv[3:]
    expect = re.search(r"^// expect: (.+)$", pathlib.Path(source).read_text(), re.M)
    if not expect:
        return f"{source}: no line '// expect: REGEX'"
    command = [compiler, *flags, "-fsyntax-only", source]
    code, errors = compile_errors(command)
    if code != 0:
        return f"{source}: must compile without -DCHEAT, but:\n" + "\n".join(errors)
    code, errors = compile_errors([*command, "-DCHEAT"])
    if code == 0:
        return f"{source}: compiles with -DCHEAT; the door is open"
    if not errors or not re.search(expect[1], errors[0]):
        return f"{source}: fails for another reason than '{expect[1]}':\n" + "\n".join(errors)
    print(f"{source}: {errors[0]}")
    return None


sys.exit(main())
