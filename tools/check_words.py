# SPDX-License-Identifier: Apache-2.0
"""Fails on words that must not stay: unfinished marks, paths of one machine, non-ASCII sources, missing licence lines,
citations that docs/bibliography.md does not know and links to files or headings that do not exist."""

import pathlib
import re

import tree

CODE = (".hpp", ".cpp", ".h", ".cc", ".cu")
SOURCES = CODE + (".py", ".sh", ".cmake", ".toml")
TEXTS = SOURCES + (".md", ".txt", ".json", ".html")

LICENCE = "SPDX-License-Identifier: Apache-2.0"
UNFINISHED = re.compile(r"\b(?:TO" r"DO|FIX" r"ME|XX" r"X)\b")
MACHINE_PATH = re.compile(r"(?<![\w.])/(?:work|root|home|Users|mnt|media)/[\w.~-]+")

# [BW18], [BW18, Theorem 8], [BW18; CKS20]; not an index such as weights[K10] and not a link's text.
CITATION = re.compile(r"(?<![\w\])])\[([A-Z][A-Za-z]*[0-9]{2}[a-z]?(?:[,;][^\]]*)?)\](?!\()")
KEY = re.compile(r"[A-Z][A-Za-z]*[0-9]{2}[a-z]?")
ENTRY = re.compile(r"^- \*\*\[([A-Z][A-Za-z]*[0-9]{2}[a-z]?)\]\*\* ", re.M)
LINK = re.compile(r"\]\(([^)\s#]*)(?:#([^)\s]*))?\)")
PAGE = re.compile(r"\bdocs/[\w/]+\.md\b")  # named by a message or a comment
HEADING = re.compile(r"^#+ +(.+?) *$", re.M)


def cited_keys(text: str) -> list[tuple[str, int]]:
    found = []
    for match in CITATION.finditer(text):
        for part in re.split(r"[,;]", match.group(1)):
            if KEY.fullmatch(part.strip()):
                found.append((part.strip(), match.start()))
    return found


def source_problems(relative: str, text: str) -> list[str]:
    found = []
    lines = text.split("\n", 2)
    first = lines[1] if lines[0].startswith("#!") and len(lines) > 1 else lines[0]
    if pathlib.Path(relative).suffix in CODE + (".py", ".sh") and LICENCE not in first:
        found.append(f"{relative}:1: the first line must be '{LICENCE}' in a comment")
    for number, line in enumerate(text.splitlines(), start=1):
        if not line.isascii():
            found.append(f"{relative}:{number}: a character outside ASCII")
    return found


def anchors(text: str) -> set[str]:
    """What forges call the headings of a page: letters, digits, hyphens; blanks become hyphens."""
    blocks_gone = re.sub(r"^```.*?^```", "", text, flags=re.S | re.M)
    names: list[str] = []
    for heading in HEADING.findall(blocks_gone):
        plain = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading)
        name = re.sub(r"[^\w\- ]", "", plain.lower()).replace(" ", "-")
        names.append(f"{name}-{names.count(name)}" if name in names else name)
    return set(names)


def link_problems(root: pathlib.Path, path: pathlib.Path, text: str) -> list[str]:
    found = []
    prose = re.sub(r"```.*?```|`[^`\n]*`", lambda m: "\n" * m.group().count("\n"), text, flags=re.S)
    for match in LINK.finditer(prose):
        file, anchor = match.groups()
        target = path.parent / file if file else path
        if "://" in file or file.startswith("mailto:"):
            continue
        where = f"{tree.name(path, root)}:{tree.line_of(prose, match.start())}"
        if not target.exists():
            found.append(f"{where}: the link {file} leads nowhere")
        elif anchor and target.suffix == ".md" and anchor not in anchors(target.read_text()):
            found.append(f"{where}: the link {file}#{anchor} leads to no heading")
    return found


def problems(root: pathlib.Path) -> list[str]:
    found = []
    page = root / "docs" / "bibliography.md"
    entries = ENTRY.findall(tree.read(page)) if page.exists() else []
    twice = sorted({key for key in entries if entries.count(key) > 1})
    found += [f"docs/bibliography.md: [{key}] is listed twice" for key in twice]
    for path in tree.files(root, *TEXTS):
        text, relative = tree.read(path), tree.name(path, root)
        if path.suffix in SOURCES or path.name in ("CMakeLists.txt", "run"):
            found += source_problems(relative, text)
        for rule, pattern in (("unfinished", UNFINISHED), ("a path of one machine", MACHINE_PATH)):
            for match in pattern.finditer(text):
                found.append(f"{relative}:{tree.line_of(text, match.start())}: {rule} ({match.group()})")
        if path.suffix in CODE:
            found += [
                f"{relative}:{tree.line_of(text, match.start())}: there is no {match.group()}"
                for match in PAGE.finditer(text)
                if not (root / match.group()).exists()
            ]
        if path.suffix in CODE + (".md",) and path != page:
            prose = tree.comments_only(text) if path.suffix in CODE else text
            found += [
                f"{relative}:{tree.line_of(prose, position)}: docs/bibliography.md does not know [{key}]"
                for key, position in cited_keys(prose)
                if key not in entries
            ]
        if path.suffix == ".md":
            found += link_problems(root, path, text)
    return found


if __name__ == "__main__":
    tree.run(problems, "words: licence lines, citations and links are in order")
