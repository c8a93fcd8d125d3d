# SPDX-License-Identifier: Apache-2.0
"""The fuzz runner, with a shell script in place of a reader."""

import contextlib
import io
import json
import pathlib
import tarfile
import tempfile
import unittest

import fuzz

# Writes one input as libFuzzer does; a merge copies what is there.
READER = """#!/usr/bin/env bash
case "$*" in
*-merge=1*) for each in "$@"; do case $each in *.least) to=$each;; esac; done; cp "${@: -1}"/* "$to"; exit 0;; esac
for each in "$@"; do case $each in -artifact_prefix=*) prefix=${each#*=};; *found/tiles) corpus=$each;; esac; done
[ "$ARROW_DEFAULT_MEMORY_POOL" = system ] || exit 3
printf new >"$corpus/b"
echo '#10 NEW    cov: 7 ft: 9 corp: 2/9b'
echo '#90 DONE   cov: 8 ft: 9 corp: 3/9b'
echo 'stat::number_of_executed_units: 90'
echo 'stat::peak_rss_mb:              64'
"""
CRASH = """#!/usr/bin/env bash
echo 'ERROR: AddressSanitizer: heap-buffer-overflow'
echo "artifact_prefix='x'; Test unit written to x-crash-1"
exit 77
"""


class Fuzz(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = pathlib.Path(folder.name)
        for each in ("build/fuzz", "fuzz/corpus/tiles", "fuzz/corpus/csv", "fuzz/kept"):
            (self.root / each).mkdir(parents=True)
        self.fuzzing = fuzz.Fuzzing(self.root / "build", self.root)

    def reader(self, text, name="tiles"):
        program = self.root / "build/fuzz" / f"fuzz_{name}"
        program.write_text(text)
        program.chmod(0o755)

    def go(self, hours=0.0, readers=("tiles",)):
        with contextlib.redirect_stdout(io.StringIO()):
            fuzz.go(self.fuzzing, readers, 1, hours, 2)
        return self.runs()

    def runs(self):
        return [json.loads(line) for line in (self.root / "build/found/runs.jsonl").read_text().splitlines()]

    def test_a_run_is_written_down(self):
        self.reader(READER)
        (run,) = self.go()
        self.assertEqual([run[key] for key in ("reader", "inputs", "corpus", "edges", "peak_mb")], ["tiles", 90, 3, 8, 64])

    def test_goes_on_until_the_processor_time_is_used(self):
        self.reader(READER + "i=0; while [ $i -lt 20000 ]; do i=$((i+1)); done\n")
        runs = self.go(hours=0.3 / 3600)
        self.assertGreater(len(runs), 1)
        self.assertGreaterEqual(sum(run["processor_seconds"] for run in runs), 0.3)

    def test_an_input_that_fails_is_named_and_other_readers_go_on(self):
        self.reader(CRASH, "csv")
        self.reader(READER + "i=0; while [ $i -lt 20000 ]; do i=$((i+1)); done\n")
        with self.assertRaisesRegex(SystemExit, "^fuzz_csv failed: x-crash-1; [^\n]*$"):
            self.go(hours=0.3 / 3600, readers=["csv", "tiles"])
        self.assertGreater(len(self.runs()), 1)

    def test_the_next_build_goes_on_with_what_was_kept(self):
        self.reader(READER)
        kept = self.root / "fuzz/kept/tiles.tar.xz"
        with tarfile.open(kept, "w:xz") as archive:
            entry = tarfile.TarInfo("a")
            entry.size = 3
            archive.addfile(entry, io.BytesIO(b"old"))
        self.go()
        self.assertEqual(self.fuzzing.keep("tiles"), 2)
        first = kept.read_bytes()
        with tarfile.open(kept) as archive:
            self.assertEqual({name: archive.extractfile(name).read() for name in archive.getnames()}, {"a": b"old", "b": b"new"})
        self.fuzzing.keep("tiles")
        self.assertEqual(first, kept.read_bytes())

    def test_every_reader_has_a_target(self):
        listed = (fuzz.ROOT / "fuzz" / "CMakeLists.txt").read_text()
        self.assertIn(f"foreach(reader {' '.join(fuzz.READERS)})", listed)


if __name__ == "__main__":
    unittest.main()
