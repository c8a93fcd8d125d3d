# SPDX-License-Identifier: Apache-2.0
"""The reference of options: what `dperm COMMAND --help-all` prints, as a page per command."""

import pathlib
import re

import program

COMMAND = re.compile(r"^  ([a-z]+)  +(\S.*)$")
# A flag's words begin in their own column, in the same line where the flag is short, else in the next one.
WORDS = 26
FLAG = re.compile(r"^  (?:-|[A-Z][A-Z]+ )")
HEADINGS = {"Positionals": "Arguments"}
CONTINUED = re.compile(rf"^ {{{WORDS}}}\s*(\S.*)$")


def help_text(*command: str) -> str:
    """All of the help. Programs that have no --help-all print it with --help."""
    try:
        return program.run(*command, "--help-all").stdout
    except program.Problem:
        return program.run(*command, "--help").stdout


def subcommands(*command: str) -> list[str]:
    # --help lists them; --help-all of a command with others below it tells all of theirs instead.
    listed = re.split(r"^Subcommands:\s*$", program.run(*command, "--help").stdout, flags=re.M)
    if len(listed) < 2:
        return []
    return [found.group(1) for line in listed[1].splitlines() if (found := COMMAND.match(line))]


def commands() -> list[tuple[str, ...]]:
    found: list[tuple[str, ...]] = []
    for name in subcommands():
        below = subcommands(name)
        found += [(name, each) for each in below] if below else [(name,)]
    return found


def escape(text: str) -> str:
    """Help is plain text: nothing in it is markup. Pages that it names become links."""
    plain = re.sub(r"([\\|<>*_`\[\]#])", r"\\\1", text)
    return re.sub(r"\bdocs/([\w\\]+)\.md\b", lambda match: f"[{match.group()}](../{match.group(1).replace(chr(92), '')}.md)", plain)


def sections(text: str) -> list[tuple[str, list]]:
    """[(heading, [line or (flag, words)])] of a help text; a flag's words may go on in the next lines."""
    found: list[tuple[str, list]] = [("", [])]
    for line in text.splitlines():
        option, continued = FLAG.match(line), CONTINUED.match(line)
        content = found[-1][1]
        if line and not line.startswith(" ") and line.rstrip().endswith(":"):
            found.append((line.rstrip()[:-1], []))
        elif continued and content and isinstance(content[-1], list):
            content[-1][1] = f"{content[-1][1]} {continued.group(1)}".strip()
        elif option and found[-1][0]:
            beside = len(line) > WORDS and line[WORDS - 1] == " " and line[WORDS] != " "
            content.append([line[:WORDS].strip(), line[WORDS:].strip()] if beside else [line.strip(), ""])
        else:
            content.append(line)
    return found


def body(content: list) -> list[str]:
    """A list of flags with their words, a block for all other lines."""
    lines, plain = [], []

    def end_block() -> None:
        text = "\n".join(plain).strip("\n")
        if text:
            lines.extend(["", "```text", *text.split("\n"), "```", ""])
        plain.clear()

    for each in content:
        if isinstance(each, list):
            end_block()
            lines.extend(["", f"`{each[0]}`", f": {escape(each[1]) or '-'}"])
        elif each.strip():
            plain.append(each)
    end_block()
    return lines


def page(command: tuple[str, ...]) -> str:
    text = help_text(*command)
    name = " ".join(("dperm", *command))
    lines = [f"# {name}", ""]
    for heading, content in sections(text):
        if not heading:
            usage = [line for line in content if line.startswith("Usage:")]
            lines += [escape(line) for line in content if line.strip() and line not in usage]
            lines += ["", "```text", *(line.removeprefix("Usage: ") for line in usage), "```", ""]
            continue
        lines += [f"## {escape(HEADINGS.get(heading, heading))}", *body(content)]
    return "\n".join(lines) + "\n"


def write_pages(folder: pathlib.Path) -> list[str]:
    """Writes a page per command and the page that lists them; returns the names for the table of contents."""
    folder.mkdir(parents=True, exist_ok=True)
    known = commands()
    if len(known) < 9:
        raise program.Problem(f"the help lists {len(known)} commands only")
    listed = ["# Options of every command", "", "Taken from `dperm COMMAND --help-all` when this site was built.", ""]
    below = []
    for command in known:
        stem = "_".join(command)
        (folder / f"{stem}.md").write_text(page(command))
        first = help_text(*command).split("\n", 1)[0]
        listed.append(f"- [dperm {' '.join(command)}]({stem}.md): {escape(first)}")
        below.append(f"/docs/reference/{stem}")
    listed += ["", "```{toctree}", ":hidden:", "", *below, "```"]
    (folder / "options.md").write_text("\n".join(listed) + "\n")
    return ["/docs/reference/options"]
