# SPDX-License-Identifier: Apache-2.0
"""Runs every reader under libFuzzer, from the seeds of fuzz/corpus and the inputs of earlier runs in fuzz/kept. A
reader with an input that crashes, hangs or grows is left out from then on, and that input named at the end.
Usage: fuzz.py BUILD [--seconds N] [--processor-hours 0] [--jobs 1] [--only csv,tiles] [--keep]
Each run takes 15 seconds, some of which go into the inputs that are there. --processor-hours goes on in rounds of 300
seconds until that much processor time is used. --keep packs the inputs that reach something new into fuzz/kept, from
where the next run goes on. Every run is a line of BUILD/found/runs.jsonl."""

import argparse
import collections
import concurrent.futures
import dataclasses
import io
import json
import os
import pathlib
import re
import shutil
import subprocess
import tarfile

ROOT = pathlib.Path(__file__).resolve().parents[1]
READERS = ("csv", "libsvm", "parquet", "arrow", "tiles", "schema", "model", "rules", "events")
# An input may use 2 GB and 25 seconds. What it asks for beyond that and never uses is no growth.
LIMITS = ("-rss_limit_mb=2048", "-malloc_limit_mb=1000000", "-timeout=25")
# Arrow's buffers from the system's allocator, so that the sanitizer sees them.
ENVIRONMENT = {"ARROW_DEFAULT_MEMORY_POOL": "system", "ASAN_OPTIONS": "allocator_may_return_null=1"}
KEPT_SIZE = 16384  # bytes; larger inputs cost more time than they find


class Failure(Exception):
    """An input on which a reader fails."""


@dataclasses.dataclass
class Run:
    reader: str
    processor_seconds: float
    inputs: int
    corpus: int
    edges: int
    peak_mb: int


class Fuzzing:
    def __init__(self, build: pathlib.Path, root: pathlib.Path = ROOT):
        self.programs, self.found = build / "fuzz", build / "found"
        self.seeds, self.kept = root / "fuzz" / "corpus", root / "fuzz" / "kept"

    def corpus(self, reader: str) -> pathlib.Path:
        """What this build has found; a new one begins with what was kept."""
        folder = self.found / reader
        if not folder.exists():
            folder.mkdir(parents=True)
            if (self.kept / f"{reader}.tar.xz").exists():
                with tarfile.open(self.kept / f"{reader}.tar.xz") as archive:
                    for entry in archive:
                        (folder / entry.name).write_bytes(archive.extractfile(entry).read())
        return folder

    def start(self, reader: str, *options: str) -> tuple[int, float, str]:
        """Exit status, processor seconds and what the program said."""
        log = self.found / f"{reader}.log"
        with open(log, "wb") as out:
            process = subprocess.Popen(
                [self.programs / f"fuzz_{reader}", *LIMITS, *options], env=os.environ | ENVIRONMENT, stdout=out, stderr=out
            )
            _, status, used = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        return process.returncode, used.ru_utime + used.ru_stime, log.read_text(errors="replace")

    def run(self, reader: str, seconds: int) -> Run:
        """One run."""
        corpus = self.corpus(reader)
        status, processor, said = self.start(
            reader, f"-max_total_time={seconds}", "-print_final_stats=1", f"-artifact_prefix={self.found / reader}-",
            str(corpus), str(self.seeds / reader),
        )
        if status != 0:
            saved = re.findall(r"Test unit written to (\S+)", said)
            where = saved[-1] if saved else "no input was saved"
            raise Failure(f"fuzz_{reader} failed: {where}; what it said is in {self.found / reader}.log")
        edges, inputs = re.findall(r"cov: (\d+) ft: \d+ corp: (\d+)", said)[-1]
        stats = dict(re.findall(r"stat::(\w+):\s+(\d+)", said))
        return Run(
            reader, round(processor, 1), int(stats["number_of_executed_units"]), int(inputs), int(edges),
            int(stats["peak_rss_mb"]),
        )

    def keep(self, reader: str) -> int:
        """Packs the smallest set of inputs that reaches as much; returns how many."""
        least = self.found / f"{reader}.least"
        shutil.rmtree(least, ignore_errors=True)
        least.mkdir()
        status, _, _ = self.start(
            reader, "-merge=1", f"-max_len={KEPT_SIZE}", str(least), str(self.seeds / reader), str(self.corpus(reader))
        )
        if status != 0:
            raise SystemExit(f"fuzz_{reader} failed while inputs were merged: see {self.found / reader}.log")
        inputs = sorted(path for path in least.iterdir() if path.stat().st_size <= KEPT_SIZE)
        self.kept.mkdir(exist_ok=True)
        with tarfile.open(self.kept / f"{reader}.tar.xz", "w:xz", preset=9) as archive:
            for path in inputs:  # names and contents alone, so that the same inputs make the same file
                entry = tarfile.TarInfo(path.name)
                entry.size = path.stat().st_size
                archive.addfile(entry, io.BytesIO(path.read_bytes()))
        shutil.rmtree(least)
        return len(inputs)


def go(fuzzing: Fuzzing, readers: list[str], seconds: int, hours: float, jobs: int) -> None:
    """One run of each reader, then further rounds until the hours are used. A reader that fails has no further run."""
    fuzzing.found.mkdir(parents=True, exist_ok=True)
    waiting, first, running, used = collections.deque(readers), len(readers), set(), 0.0
    failures = []
    with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        while True:
            while waiting and len(running) < jobs and (first > 0 or used < 3600 * hours):
                running.add(pool.submit(fuzzing.run, waiting.popleft(), seconds))
                first -= 1
            if not running:
                break
            done, running = concurrent.futures.wait(running, return_when=concurrent.futures.FIRST_COMPLETED)
            failed = [str(each.exception()) for each in done if isinstance(each.exception(), Failure)]
            for each in failed:
                print(each, flush=True)
            failures += failed
            for run in [each.result() for each in done if not isinstance(each.exception(), Failure)]:
                used += run.processor_seconds
                waiting.append(run.reader)
                with open(fuzzing.found / "runs.jsonl", "a", encoding="utf-8") as log:
                    log.write(json.dumps(dataclasses.asdict(run)) + "\n")
                print(
                    f"{run.reader}: {run.inputs} inputs in {run.processor_seconds:.0f} s, {run.corpus} in the corpus, "
                    f"{run.edges} edges, {run.peak_mb} MB",
                    flush=True,
                )
    if failures:
        raise SystemExit("\n".join(failures))


def main() -> None:
    parser = argparse.ArgumentParser(description="runs every reader under libFuzzer")
    parser.add_argument("build", type=pathlib.Path)
    parser.add_argument("--seconds", type=int)
    parser.add_argument("--processor-hours", type=float, default=0)
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--only", type=lambda text: text.split(","), default=list(READERS))
    parser.add_argument("--keep", action="store_true")
    options = parser.parse_args()
    fuzzing = Fuzzing(options.build.resolve())
    seconds = options.seconds or (300 if options.processor_hours > 0 else 15)
    go(fuzzing, options.only, seconds, options.processor_hours, options.jobs)
    if options.keep:
        for reader in options.only:
            print(f"{reader}: {fuzzing.keep(reader)} inputs in fuzz/kept/{reader}.tar.xz")


if __name__ == "__main__":
    main()
