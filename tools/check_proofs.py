# SPDX-License-Identifier: Apache-2.0
"""Fails when proved code changed since its note was last read, or when a note is missing or incomplete.

In code:      // [proof output_perturbation.sensitivity]  ...  // [/proof]
In the note:  <!-- stamp output_perturbation.sensitivity 1a2b3c4d5e6f -->
The note lies beside the code, in the same folder, or the code names it by its path from the root.
After re-reading the note against the changed code, paste the stamp this check prints. There is no option that writes
stamps: reading is the point.
"""

import hashlib
import pathlib
import re

import tree

OPEN = re.compile(r"//[ \t]*\[proof\b[^\n]*")
CLOSE = re.compile(r"//[ \t]*\[/proof\]")
REGION = re.compile(r"//[ \t]*\[proof ([\w.]+)\][ \t]*\n((?:(?!//[ \t]*\[proof ).)*?)//[ \t]*\[/proof\]", re.S)
STAMP = re.compile(r"<!-- stamp ([\w.]+) ([0-9a-f]{12}) -->")
ANY_STAMP = re.compile(r"<!--\s*stamp\b[^\n]*")
HEADINGS = ("Claim", "Needs", "Argument", "Numerics", "Sources", "Tests")
MENTION = re.compile(r"\b[Nn]otes?: ((?:[\w/]+\.md(?:, | and )?)+)")


def digest(body: str) -> str:
    """Twelve hex digits of the code without comments and spacing."""
    lines = (re.sub(r"\s+", " ", re.sub(r"//.*", "", line)).strip() for line in body.splitlines())
    return hashlib.sha256("\n".join(line for line in lines if line).encode()).hexdigest()[:12]


def code_problems(root: pathlib.Path, regions: dict[str, tuple[str, pathlib.Path]]) -> list[str]:
    """Collects the regions into `regions`; returns what is wrong with the brackets and with mentions of notes."""
    found = []
    for path in tree.files(root / "dperm", ".hpp", ".cpp", ".cu"):
        text, relative = tree.read(path), tree.name(path, root)
        here = REGION.findall(text)
        if not len(here) == len(OPEN.findall(text)) == len(CLOSE.findall(text)):
            found.append(f"{relative}: '// [proof topic]' and '// [/proof]' lines do not pair up")
        for region, body in here:
            if region in regions:
                other = tree.name(regions[region][1], root)
                found.append(f"{relative}: '{region}' is also the name of a region in {other}")
            regions[region] = (digest(body), path)
        for names in MENTION.findall(tree.comments_only(text)):
            for note in re.findall(r"[\w/]+\.md", names):
                if not (path.parent / note).exists() and not (root / note).exists():
                    found.append(f"{relative}: the note {note} does not exist")
    return found


def note_problems(root: pathlib.Path, stamps: dict[str, tuple[str, pathlib.Path]]) -> list[str]:
    """Collects the stamps into `stamps`; returns what is wrong with the notes themselves."""
    found = []
    for path in tree.files(root / "dperm", ".md"):
        if path.name == "README.md":
            continue
        text, relative = tree.read(path), tree.name(path, root)
        headings = set(re.findall(r"^#+ +(\w+)\s*$", text, re.M))
        absent = [heading for heading in HEADINGS if heading not in headings]
        if absent:
            found.append(f"{relative}: no heading {', '.join(absent)}")
        here = STAMP.findall(text)
        if not here:
            found.append(f"{relative}: no stamp ties this note to code")
        if len(ANY_STAMP.findall(text)) != len(here):
            found.append(f"{relative}: a stamp is not of the form '<!-- stamp topic 0123456789ab -->'")
        for region, value in here:
            if region in stamps:
                found.append(f"{relative}: '{region}' is also stamped in {tree.name(stamps[region][1], root)}")
            stamps[region] = (value, path)
    return found


def problems(root: pathlib.Path) -> list[str]:
    regions: dict[str, tuple[str, pathlib.Path]] = {}
    stamps: dict[str, tuple[str, pathlib.Path]] = {}
    found = code_problems(root, regions) + note_problems(root, stamps)
    for region, (value, path) in regions.items():
        if region not in stamps:
            found.append(f"{tree.name(path, root)}: '{region}' has no proof note; its stamp is {value}")
            continue
        stamp, note = stamps[region]
        if note.parent != path.parent and tree.name(note, root) not in tree.read(path):
            found.append(f"{tree.name(note, root)}: '{region}' is proved far from its code {tree.name(path, root)}")
        if stamp != value:
            found.append(f"{tree.name(note, root)}: re-read '{region}' against its code, then stamp {value}")
    found += [f"{tree.name(p, root)}: '{r}' names no code" for r, (_, p) in stamps.items() if r not in regions]
    return found


if __name__ == "__main__":
    tree.run(problems, "proofs: every stamp is current")
