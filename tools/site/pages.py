# SPDX-License-Identifier: Apache-2.0
"""Copies the pages of the tree and derives the table of contents from docs/index.md: its headings are the chapters, the links
below them the pages, so that a page is listed once, where people read the list too."""

import os
import pathlib
import re
import shutil

from program import Problem

PAGES = ["docs/**/*.md", "dperm/**/*.md", "examples/health/README.md", "ARCHITECTURE.md", "SECURITY.md", "CONTRIBUTING.md", "CHANGELOG.md"]
LINK = re.compile(r"\]\(([^)\s#]+)(?:#[^)\s]*)?\)")
HEADING = re.compile(r"^## (.+)$", re.M)
# Pages below another one, in the order in which it links to them.
CHAPTERS = {"docs/methods.md": "docs/methods", "docs/theorems/README.md": "docs/theorems"}
PROOFS = "docs/proofs.md"


def copy(root: pathlib.Path, source: pathlib.Path) -> None:
    """Pages, and every file of the tree that a page links to or shows."""
    chosen = {path for pattern in PAGES for path in root.glob(pattern)}
    for page in list(chosen):
        for target in LINK.findall(page.read_text()):
            path = pathlib.Path(os.path.normpath(page.parent / target))
            if "://" not in target and path.is_file() and path.name != "README.md":
                chosen.add(path)
    for path in chosen:
        copy_to = source / path.relative_to(root)
        copy_to.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(path, copy_to)


def fill(page: pathlib.Path, name: str, text: str) -> None:
    """Puts generated text where the page says `<!-- generated: name -->`."""
    mark = f"<!-- generated: {name} -->"
    before = page.read_text()
    if before.count(mark) != 1:
        raise Problem(f"{page.name} must have exactly one {mark}")
    page.write_text(before.replace(mark, text))


def first_words(page: pathlib.Path, most: int = 160) -> str:
    """The beginning of a page's first paragraph as plain text, for the list of search results."""
    text = re.sub(r"\A---\n.*?\n---\n", "", page.read_text(), flags=re.S)
    text = re.sub(r"<!--.*?-->|^```.*?^```|!\[[^\]]*\]\([^)]*\)", "", text, flags=re.S | re.M)
    for paragraph in re.split(r"\n\s*\n", text):
        if re.match(r"\s*(?:#|\||<|$)", paragraph):
            continue
        plain = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", paragraph)
        plain = " ".join(re.sub(r"[*`]", "", plain).split())
        return plain if len(plain) <= most else plain[:most].rsplit(" ", 1)[0] + " ..."
    return ""


def title(page: pathlib.Path) -> str:
    found = re.search(r"^# (.+)$", page.read_text(), re.M)
    if not found:
        raise Problem(f"{page} has no title")
    return found.group(1)


def write_proofs(source: pathlib.Path) -> None:
    """The list of proof notes, room by room."""
    lines = ["# Proof notes", "", "Why each part of the program is private, told beside its code. A note carries a stamp of the",
             "code it is about: when the code changes, a test fails until somebody has read the note again.", ""]
    room = ""
    for note in sorted(source.glob("dperm/**/*.md")):
        parts = note.relative_to(source).parts
        if parts[1] != room:
            room = parts[1]
            lines += ["", f"## {room}", ""]
        lines.append(f"- [{title(note)}](../{note.relative_to(source).as_posix()})")
        # In the list and in the search, but not in the navigation of every page, which would double with them.
        note.write_text("---\norphan: true\n---\n\n" + note.read_text())
    (source / PROOFS).write_text("\n".join(lines) + "\n")


def toctree(entries: list[str], caption: str = "") -> str:
    options = [":hidden:"] + ([f":caption: {caption}"] if caption else [])
    return "\n\n```{toctree}\n" + "\n".join(options) + "\n\n" + "\n".join(entries) + "\n```\n"


def linked_pages(source: pathlib.Path, page: pathlib.Path, text: str) -> list[str]:
    """Pages that the text links to, as absolute names of the toctree, each once, in order."""
    found: list[str] = []
    for target in LINK.findall(text):
        path = pathlib.Path(os.path.normpath(page.parent / target))
        if path.suffix == ".md" and path.is_file():
            name = "/" + path.relative_to(source).with_suffix("").as_posix()
            if name not in found:
                found.append(name)
    return found


def write_contents(source: pathlib.Path, reference: list[str]) -> None:
    index = source / "docs" / "index.md"
    text = index.read_text()
    heads = list(HEADING.finditer(text))
    contents = ""
    for head, following in zip(heads, [*heads[1:], None]):
        section = text[head.end():following.start() if following else len(text)]
        entries = linked_pages(source, index, section)
        if head.group(1) == "Reference":
            entries = reference + entries
        if head.group(1) == "The guarantee":
            entries.append("/docs/proofs")
        contents += toctree(entries, head.group(1))
    index.write_text(text + contents)
    for page, folder in CHAPTERS.items():
        path = source / page
        below = [name for name in linked_pages(source, path, path.read_text()) if name.startswith(f"/{folder}/") and name != f"/{page[:-3]}"]
        path.write_text(path.read_text() + toctree(below))
