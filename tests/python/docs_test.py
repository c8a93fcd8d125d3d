# SPDX-License-Identifier: Apache-2.0
"""The Python of the documentation runs as it stands, block after block."""

import os
import pathlib
import re

import pytest

DOCS = pathlib.Path(__file__).resolve().parents[2] / "docs"
BLOCK = re.compile(r"(<!-- not run: [^\n]*-->\n)?```python\n(.*?)```", re.S)


@pytest.mark.parametrize("page", ["python.md", "python_tutorial.md", "python_moving.md", "ledger.md"])
def test_every_block_runs(page, tmp_path, monkeypatch):
    (tmp_path / "examples").symlink_to(DOCS.parent / "examples")
    monkeypatch.chdir(tmp_path)
    text = (DOCS / page).read_text()
    blocks = [
        (text[: match.start(2)].count("\n"), match.group(2)) for match in BLOCK.finditer(text) if not match.group(1)
    ]
    assert len(blocks) >= (1 if page == "ledger.md" else 3)
    names: dict = {}
    for line, block in blocks:
        exec(compile("\n" * line + block, os.fspath(DOCS / page), "exec"), names)
