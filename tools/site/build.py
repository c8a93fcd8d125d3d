# SPDX-License-Identifier: Apache-2.0
"""Builds the documentation site: pages of the tree as they stand, the proof notes, and reference pages that the program
itself is asked for. A warning of the generator fails the build.

Usage: python tools/site/build.py PROGRAM FOLDER     (the site goes to FOLDER, its sources to FOLDER-source)
"""

import json
import os
import pathlib
import shutil
import subprocess
import sys

import epsilon
import model_keys
import options
import pages
import program
import python_api
import schema_keys

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[1]
FRONT_DOOR = """<!doctype html><html lang="en"><head><meta charset="utf-8"><title>dperm</title>
<meta http-equiv="refresh" content="0; url=docs/index.html"></head>
<body><p><a href="docs/index.html">The documentation of dperm</a></p></body></html>
"""


def stage(source: pathlib.Path) -> None:
    """The tree's own layout, so that every relative link of a page holds on the site as it does beside the code."""
    shutil.rmtree(source, ignore_errors=True)
    pages.copy(ROOT, source)
    reference = options.write_pages(source / "docs" / "reference")
    python_api.write_page(ROOT / "python" / "dperm", source / "docs" / "reference" / "python.md")
    reference.append("/docs/reference/python")
    pages.write_proofs(source)
    pages.fill(source / "docs" / "schema_keys.md", "schema_keys", schema_keys.table(ROOT / "docs" / "schema_keys.md"))
    pages.fill(source / "docs" / "model_file.md", "model_keys", model_keys.section(ROOT / "docs" / "model_file.md"))
    for name, html in epsilon.pictures().items():
        pages.fill(source / "docs" / "epsilon.md", name, html)
    pages.write_contents(source, reference)


def add_planner(site: pathlib.Path) -> None:
    """The planner is a page of its own, which no generator touches."""
    planner = ROOT / "web" / "planner"
    for pattern in ("*.html", "*.js", "*.css", "grid/*.js"):
        for path in planner.glob(pattern):
            copy_to = site / "planner" / path.relative_to(planner)
            copy_to.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(path, copy_to)


def generate(source: pathlib.Path, site: pathlib.Path) -> subprocess.CompletedProcess:
    """Runs Sphinx. What it finds wrong stands in stderr; a clean build says nothing."""
    command = [sys.executable, "-m", "sphinx", "-q", "-W", "--keep-going", "-b", "html", "-c", HERE, "-d", f"{source}-trees"]
    environment = dict(os.environ, PYTHONDONTWRITEBYTECODE="1")
    return subprocess.run([*map(str, command), str(source), str(site)], env=environment, capture_output=True, text=True)


def main() -> int:
    if len(sys.argv) != 3:
        print(__doc__, file=sys.stderr)
        return 2
    program.choose(sys.argv[1])
    site = pathlib.Path(sys.argv[2]).resolve()
    source = site.with_name(site.name + "-source")
    shutil.rmtree(site, ignore_errors=True)
    try:
        stage(source)
    except program.Problem as problem:
        print(f"site: {problem}", file=sys.stderr)
        return 1
    result = generate(source, site)
    sys.stderr.write(result.stderr)
    if result.returncode == 0:
        (site / "index.html").write_text(FRONT_DOOR)
        add_planner(site)
        words = {page.relative_to(source).with_suffix("").as_posix(): pages.first_words(page) for page in source.rglob("*.md")}
        (site / "_static" / "first_words.js").write_text(f"window.FIRST_WORDS = {json.dumps(words)};\n")
        print(f"site: open {site / 'index.html'}")
    return result.returncode


if __name__ == "__main__":
    sys.exit(main())
