# SPDX-License-Identifier: Apache-2.0
"""The fenced blocks of a page, and how they are run: a page is a story, told in one folder from top to bottom.

sh         every line is run; a status other than 0 fails
console    lines after "$ " are commands, the others what they print, standard error included; a line "..." stands for any
           lines, "..." inside a line for any characters
toml       where it is a whole schema (version = 1), a plan must accept it
text, ...  shown only; it may hold no command

A comment before a block changes that: <!-- file: NAME --> writes the block into the story's folder,
<!-- not run: REASON --> leaves it alone, <!-- numbers vary: REASON --> lets any number stand for any other in what is printed.
"""

import dataclasses
import os
import pathlib
import re
import subprocess

ROOT = pathlib.Path(__file__).resolve().parents[2]
FENCE = re.compile(r"^(?P<indent> *)```(?P<language>[^\n`]*)\n(?P<text>.*?)^(?P=indent)```[ ]*$", re.M | re.S)
MARKER = re.compile(r"<!-- (file|not run|numbers vary): (.+?) -->\s*\Z")
NUMBER = re.compile(r"[-+]?[0-9]+(?:\.[0-9]+)?(?:e[-+]?[0-9]+)?")
COMMAND = re.compile(r"^\s*(?:\$ )?(?:dperm|make|cmake|ctest|pip|python3?|\.venv/\S+) \S", re.M)
SHOWN = {"text", "toml", "json", "csv"}
# Run by other tests: the examples of the library, the Python package.
ELSEWHERE = {"cpp", "cmake", "python", "pycon"}
SECONDS = 60


class Wrong(AssertionError):
    """What a page says does not hold."""


@dataclasses.dataclass
class Block:
    line: int
    language: str
    text: str
    file: str = ""
    not_run: str = ""
    numbers_vary: bool = False


def blocks(text: str) -> list[Block]:
    found = []
    for match in FENCE.finditer(text):
        marker = MARKER.search(text, 0, match.start())
        kind, words = marker.groups() if marker else ("", "")
        block = Block(text.count("\n", 0, match.start()) + 1, match["language"].strip(), match["text"])
        block.file, block.not_run = (words if kind == "file" else ""), (words if kind == "not run" else "")
        block.numbers_vary = kind == "numbers vary"
        found.append(block)
    return found


def check_language(block: Block) -> None:
    if not block.language:
        raise Wrong("a block must say what it is: sh, console, text, ...")
    if block.language not in SHOWN | ELSEWHERE | {"sh", "console"}:
        raise Wrong(f"nobody runs blocks of {block.language}")
    if block.language in SHOWN and not (block.file or block.not_run) and COMMAND.search(block.text):
        raise Wrong(f"a command in a block of {block.language}: make it sh or console, or say why it is not run")


def text_pattern(text: str, numbers_vary: bool) -> str:
    if not numbers_vary:
        return re.escape(text)
    # Columns move with the width of the numbers in them.
    words = [r"[ ]+".join(re.escape(word) for word in re.split(r" +", part)) for part in NUMBER.split(text)]
    return rf"[ ]*{NUMBER.pattern}".join(words)


def expected_pattern(lines: list[str], numbers_vary: bool = False) -> re.Pattern:
    parts = []
    for line in lines:
        if line.strip() == "...":
            parts.append(r"(?:[^\n]*\n)*?")
        else:
            texts = (text_pattern(part, numbers_vary) for part in line.rstrip().split("..."))
            parts.append(r"[^\n]*?".join(texts) + r"[ ]*\n")
    return re.compile("".join(parts))


def conversation(text: str) -> list[tuple[str, list[str]]]:
    """[(command, lines it prints)]; a command goes on after a backslash."""
    found: list[tuple[str, list[str]]] = []
    open_command = False
    for line in text.splitlines():
        if open_command:
            found[-1] = (found[-1][0] + "\n" + line, [])
        elif line.startswith("$ "):
            found.append((line[2:], []))
        elif found:
            found[-1][1].append(line)
        else:
            raise Wrong("a console block begins with '$ '")
        open_command = not found[-1][1] and found[-1][0].endswith("\\")
    return found


class Story:
    """A folder in which one page is told. It looks like the project's folder: examples and docs are there."""

    def __init__(self, folder: str, program: str):
        self.folder, self.program = pathlib.Path(folder), program
        (self.folder / "bin").mkdir()
        (self.folder / "bin" / "dperm").symlink_to(os.path.abspath(program))
        for name in ("docs", "examples"):
            (self.folder / name).symlink_to(ROOT / name)
        self.environment = dict(os.environ, PATH=f"{self.folder / 'bin'}:{os.environ['PATH']}", NO_COLOR="1", OMP_NUM_THREADS="1")

    def run(self, commands: str) -> str:
        try:
            result = subprocess.run(["bash", "-euo", "pipefail", "-c", commands], cwd=self.folder, env=self.environment,
                                    stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=SECONDS)
        except subprocess.TimeoutExpired:
            raise Wrong(f"takes more than {SECONDS} seconds: {commands}") from None
        if result.returncode != 0:
            raise Wrong(f"ended with {result.returncode}: {commands}\n{result.stdout}")
        return result.stdout

    def tell(self, block: Block) -> None:
        check_language(block)
        if block.file:
            (self.folder / block.file).write_text(block.text)
        if block.not_run:
            return
        if block.language == "sh":
            self.run(block.text)
        elif block.language == "console":
            for command, lines in conversation(block.text):
                printed = self.run(command)
                if lines and not expected_pattern(lines, block.numbers_vary).fullmatch(printed if printed.endswith("\n") else printed + "\n"):
                    raise Wrong(f"{command}\nprinted:\n{printed}\nthe page has:\n" + "\n".join(lines))
        elif block.language == "toml" and block.text.startswith("version = 1"):
            (self.folder / "shown.toml").write_text(block.text)
            self.run("dperm plan --schema shown.toml --rows 30000 --epsilon 1 --delta 1e-6")
