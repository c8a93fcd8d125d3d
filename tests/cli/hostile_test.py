# SPDX-License-Identifier: Apache-2.0
"""Hostile files and careless users: forged models, endless files, interrupts, races, full disks, files that change while
they are in use. Nothing crashes, nothing that was spent is lost, and what is said is short."""

import gzip
import json
import os
import pathlib
import pty
import resource
import select
import signal
import subprocess
import time
import unittest

from cli_case import BUDGET, PROGRAM, CliCase, csv_text, people
from model_file_test import Number, canonical, digest


def limited_memory():
    if "ASAN_OPTIONS" not in os.environ:  # which maps terabytes
        resource.setrlimit(resource.RLIMIT_AS, (4 << 30, 4 << 30))


class Running(CliCase):
    """Fits that take long enough for something to happen meanwhile."""
    overwrite = False

    def setUp(self):
        super().setUp()
        self.write("people.csv", csv_text(people(20_000)))

    def start(self, *arguments, **options):
        return subprocess.Popen([PROGRAM, *map(str, arguments)], cwd=self.folder, stdout=subprocess.PIPE,
                                stderr=subprocess.PIPE, text=True, **options)

    def start_fit(self, *arguments, steps="100000"):
        """Returns once the plan was shown: the rows are read, and noise may be drawn from then on."""
        process = self.start("fit", "people.csv", "--schema", "schema.toml", *BUDGET, "--method", "gradient-descent", "--steps",
                             steps, "-o", "model.json", *arguments)
        process.stderr.readline()
        return process


class Onlookers(Running):
    def test_a_process_with_records_leaves_no_core_dump_and_cannot_be_attached_to(self):
        def dumps():
            hard = resource.getrlimit(resource.RLIMIT_CORE)[1]
            resource.setrlimit(resource.RLIMIT_CORE, (hard, hard))

        process = self.start("schema", "init", "-", stdin=subprocess.PIPE, preexec_fn=dumps)
        process.stdin.write("a,b\n" * 100_000)  # more than a pipe takes, so the program has begun to read
        limits = pathlib.Path(f"/proc/{process.pid}/limits").read_text()
        owner = os.stat(f"/proc/{process.pid}").st_uid
        process.kill()
        process.communicate()
        self.assertRegex(limits, r"Max core file size +0 +0 ")
        self.assertEqual(owner, 0)  # the system's; that of a process that can be attached to is its user


class Interrupts(Running):
    def test_an_interrupt_says_what_was_spent(self):
        for number in (signal.SIGINT, signal.SIGTERM):
            process = self.start_fit()
            time.sleep(1)
            process.send_signal(number)
            _, err = process.communicate(timeout=60)
            self.assertEqual(process.returncode, -number)
            self.assertIn("interrupted", err)
            self.assertIn("count epsilon 1, delta 1e-06 as spent", err)
            self.assertEqual(sorted(self.listing()), ["people.csv", "real.toml", "schema.toml"])

    def test_a_killed_fit_leaves_nothing(self):
        process = self.start_fit("--tiles", "rows.tiles")
        process.kill()
        process.communicate()
        self.assertEqual(sorted(self.listing()), ["people.csv", "real.toml", "rows.tiles", "schema.toml"])
        self.assertEqual(self.path("rows.tiles").stat().st_mode & 0o777, 0o600)


class Outputs(Running):
    def test_two_fits_with_one_name_lose_no_model(self):
        fit = ["fit", "people.csv", "--schema", "schema.toml", *BUDGET, "--method", "gradient-descent", "--steps", "500",
               "-o", "model.json"]
        processes = [self.start(*fit) for _ in range(3)]
        told = "".join(process.communicate(timeout=120)[1] for process in processes)
        written = [name for name in self.listing() if name.startswith("model.json")]
        done = sum(process.returncode == 0 for process in processes)
        self.assertEqual(len(written), done)
        self.assertGreaterEqual(done, 1)
        for name in written:
            self.succeed("verify", name)
            self.assertIn(f"{name} written" if name == "model.json" else f"this model is", told)

    def test_no_message_gets_into_a_file_where_standard_streams_are_closed(self):
        fit = f'"{PROGRAM}" fit people.csv --schema schema.toml --epsilon 1 --delta 1e-6 -o model.json --tiles rows.tiles'
        for closed in ("2>&-", "0<&- 2>&-", ">&- 2>&-", "0<&- >&- 2>&-"):
            self.path("model.json").unlink(missing_ok=True)
            subprocess.run(["sh", "-c", f"{fit} {closed}"], cwd=self.folder, stdout=subprocess.DEVNULL, timeout=60)
            self.succeed("verify", "model.json")

    def test_a_link_to_nowhere_is_not_replaced(self):
        os.symlink("nowhere", self.path("model.json"))
        self.refuse(3, ["model.json", "a link to a file that does not exist"], "fit", "people.csv", "--schema", "schema.toml",
                    *BUDGET, "-o", "model.json")
        self.assertTrue(self.path("model.json").is_symlink())

    def test_a_page_replaces_pages_only(self):
        """A model that is named by mistake is the record of a budget that is spent."""
        self.fit(output="a.json")
        self.fit(output="b.json")
        self.refuse(2, ["b.json", "no page"], "report", "a.json", "-o", "b.json")
        self.refuse(2, ["b.json", "no page"], "fit", "people.csv", "--schema", "schema.toml", *BUDGET, "-o", "c.json",
                    "--report", "b.json")
        self.succeed("report", "a.json", "-o", "page.html")
        self.succeed("report", "b.json", "-o", "page.html")

    @unittest.skipUnless(os.path.exists("/dev/full"), "no /dev/full")
    def test_a_failing_standard_output_does_not_hide_the_model(self):
        with open("/dev/full", "w") as full:
            result = self.run_program("fit", "people.csv", "--schema", "schema.toml", *BUDGET, "-o", "model.json",
                                      stdout=full, stderr=subprocess.PIPE, capture_output=False)
        self.assertEqual(result.status, 3)
        self.assertIn("The model is written all the same: model.json", result.err)
        self.succeed("verify", "model.json")


class Tiles(Running):
    def fit_with_tiles(self, change, steps):
        self.succeed("fit", "people.csv", "--schema", "schema.toml", *BUDGET, "--tiles", "rows.tiles", "-o", "first.json")
        process = self.start_fit("--tiles", "rows.tiles", steps=steps)
        change(self.path("rows.tiles"))
        _, err = process.communicate(timeout=120)
        self.assertFalse(self.path("model.json").exists())
        return process.returncode, err

    def test_cut_short_while_in_use(self):
        status, err = self.fit_with_tiles(lambda path: os.truncate(path, 0), "100000")
        self.assertEqual(status, 3, err)
        self.assertIn("cut short", err)
        self.assertIn("as spent", err)

    def test_overwritten_while_in_use(self):
        def overwrite(path):
            with open(path, "r+b") as file:
                file.seek(-8, os.SEEK_END)
                file.write(bytes(8))
        status, err = self.fit_with_tiles(overwrite, "2000")
        self.assertEqual(status, 3, err)
        self.assertIn("changed while it was in use", err)


class Endless(CliCase):
    def test_devices_are_no_models_or_schemas(self):
        self.refuse(3, ["/dev/zero", "device"], "verify", "/dev/zero")
        self.refuse(3, ["/dev/zero", "device"], "plan", "--schema", "/dev/zero", "--rows", "10", *BUDGET)
        self.refuse(3, ["/dev/zero", "device"], "fit", "people.csv", "--schema", "/dev/zero", *BUDGET, "-o", "model.json")

    def test_messages_quote_a_little_of_what_was_given(self):
        long = "x" * 100_000
        for arguments in (["plan", "--schema", "schema.toml", "--rows", "10", *BUDGET, "--method", long], ["account", long],
                          ["plan", "--schema", "schema.toml", "--rows", long, *BUDGET], [long]):
            self.assertLess(len(self.refuse(2, ["x" * 90, " bytes)"], *arguments).err), 4200)
        self.write("wide.csv", long + "\n1\n")
        self.assertLess(len(self.refuse(3, ["wide.csv"], "fit", "wide.csv", "--schema", "schema.toml", *BUDGET, "-o",
                                        "model.json").err), 4200)

    def test_memory_for_odd_text_is_bounded(self):
        """A header or a line without end, a million columns: refused or read within a few hundred megabytes."""
        for name in ("header.csv", "line.csv", "header.csv.gz", "line.csv.gz"):
            opened = gzip.open(self.path(name), "wb", 1) if name.endswith(".gz") else open(self.path(name), "wb")
            with opened as file:  # in pieces: a child's peak counts what its parent holds when it starts
                file.write(csv_text(people(3)).encode() if name.startswith("line") else b"")
                for _ in range(300):
                    file.write(b"y" * 1_000_000)
        with open(self.path("wide.csv"), "wb") as file:
            for _ in range(1_000):
                file.write(b"column," * 1_000)
            file.write(b"last\n" + b"1," * 1_000_000 + b"1\n")
        fit = ["--schema", "schema.toml", *BUDGET, "--method", "gradient-descent", "--steps", "3", "-o"]
        for name, status in (("header.csv", 3), ("line.csv", 0), ("header.csv.gz", 3), ("line.csv.gz", 0), ("wide.csv", 3)):
            done = subprocess.Popen([PROGRAM, "fit", name, *fit, name + ".json"], cwd=self.folder, stdout=subprocess.DEVNULL,
                                    stderr=subprocess.DEVNULL)
            _, found, usage = os.wait4(done.pid, 0)
            done.returncode = os.waitstatus_to_exitcode(found)
            self.assertEqual(done.returncode, status, name)
            kept = 600_000 if "ASAN_OPTIONS" in os.environ else 0  # the address sanitizer keeps what was freed
            self.assertLess(usage.ru_maxrss, 400_000 + kept, name)  # kilobytes


class Accountants(CliCase):
    def test_a_long_computation_says_so(self):
        """Once and in a plain line, on a terminal and in a log."""
        minutes = [f"sampled-laplace:scale=1.{i},rate=0.5,sampling=fixed-size,count=100000" for i in range(10, 60)]
        for streams in (pty.openpty, os.pipe):
            reader, writer = streams()
            process = subprocess.Popen([PROGRAM, "account", *minutes, "--delta", "1e-6"], stdout=subprocess.DEVNULL,
                                       stderr=writer)
            os.close(writer)
            self.addCleanup(os.close, reader)
            ready, _, _ = select.select([reader], [], [], 60)
            process.kill()
            process.wait()
            self.assertTrue(ready, "a minute in silence")
            self.assertRegex(os.read(reader, 1000), rb"^still computing; [^\r\n\x1b]*\r?\n$")

    def test_a_sensitivity_at_the_largest_integer(self):
        largest = 2**64 - 1
        for event in (f"l1_sensitivity={largest},scale_numerator=1,scale_denominator={largest}",
                      f"l1_sensitivity={largest},scale_numerator={largest},scale_denominator=1"):
            shown = self.succeed("account", f"discrete-laplace:{event}", "--delta", "1e-6", "--json",
                                 preexec_fn=limited_memory).json()
            self.assertGreaterEqual(shown["epsilon"], 1)

    def test_a_billion_releases_have_an_account(self):
        out = self.succeed("account", "sampled-laplace:scale=1,rate=0.5,sampling=fixed-size,count=1000000000", "--delta",
                           "1e-6").out
        self.assertIn("right at most 100% of the time", out)

    def test_counts_near_the_largest_integer(self):
        for event in ("laplace:scale=100,sensitivity=1", "randomised-response:epsilon=0.001",
                      "sampled-gaussian:sigma=100,rate=0.01"):
            with self.subTest(event=event):
                self.succeed("account", f"{event},count=4611686018427387000", "--delta", "1e-6")

    def test_noise_far_below_the_sensitivity(self):
        out = self.succeed("account", "k-norm:scale=2,sensitivity=10000", "--delta", "1e-6").out
        self.assertIn("epsilon 5000", out)
        self.assertIn("right at most 100% of the time", out)


class Forged(CliCase):
    def edited(self, edit, name="model.json"):
        model = json.loads(self.path(name).read_text(), parse_float=Number, parse_int=Number)
        edit(model)
        model["digest"] = digest(model)
        self.write("edited.json", canonical(model))

    def test_a_network_of_other_classes_than_its_schema(self):
        self.write("kinds.toml", 'version = 1\n[target]\ncolumn = "city"\nkind = "class"\nvalues = ["north", "south", '
                   '"east", "west"]\n[[column]]\nname = "age"\nkind = "real"\nlower = 0\nupper = 100\n')
        self.fit("--method", "sgd", "--hidden", "3", "--steps", "5", schema="kinds.toml")
        self.edited(lambda model: model.update(schema=model["schema"].replace('"north", "south", "east", "west"',
                                                                             '"north", "south"')))
        for command in (["predict", "edited.json", "people.csv"], ["verify", "edited.json"], ["explain", "edited.json"],
                        ["evaluate", "edited.json", "people.csv", "--public"]):
            self.refuse(3, ["edited.json", "not those of its schema"], *command)

    def test_keys_twice_or_unknown(self):
        self.fit()
        for place in (lambda model: model, lambda model: model["plan"]["task"], lambda model: model["coefficients"][1]):
            self.edited(lambda model: place(model).update(note="approved by the board"))
            self.refuse(3, ["edited.json", "unknown key", "note"], "verify", "edited.json")
        text = self.path("model.json").read_text()
        self.write("edited.json", text.replace('"private": true', '"private": false,\n  "private": true', 1))
        self.refuse(3, ["edited.json", "'private'", "twice"], "verify", "edited.json")
        self.write("edited.json", "[" * 100_000 + "]" * 100_000)
        self.refuse(3, ["edited.json", "nested too deep"], "verify", "edited.json")

    def test_a_bound_where_there_is_none(self):
        """A finite utility bound is not close to an infinite one."""
        self.fit("--method", "sgd", "--steps", "5")
        self.assertIsNone(self.model()["plan"]["utility"]["excess_risk"])
        self.edited(lambda model: model["plan"]["utility"].update(excess_risk=Number("0.001")))
        told = self.run_program("verify", "edited.json")
        self.assertEqual(told.status, 3)
        self.assertRegex(told.out + told.err, "(?i)fail.*utility bound")  # and not that its digest is wrong

    def test_commands_that_go_on_say_first_that_a_file_does_not_verify(self):
        self.fit()
        self.edited(lambda model: model["guarantee"].update(epsilon=Number("0.001")))
        for command in (["predict", "edited.json", "people.csv"], ["explain", "edited.json"],
                        ["report", "edited.json", "-o", "page.html"]):
            err = self.succeed(*command).err
            self.assertTrue(err.startswith("WARNING: edited.json does not verify"), err)
        self.assertIn("does not verify", self.path("page.html").read_text())
        for command in (["predict", "model.json", "people.csv"], ["explain", "model.json"]):
            self.assertNotIn("verify", self.succeed(*command).err)


class SaysThatItDependsOnRecords(CliCase):
    def test_schema_init(self):
        result = self.succeed("schema", "init", "people.csv")
        self.assertIn("NOT private", result.err)
        self.assertIn("depends on records and is NOT private", result.out)
        self.assertIs(self.succeed("schema", "init", "people.csv", "--json").json()["private"], False)
        self.write("rows.libsvm", "1 1:2 7:1\n0 2:1\n")
        self.refuse(2, ["rows.libsvm", "depends on its records"], "schema", "infer", "rows.libsvm", "--epsilon", "1", "-o",
                    "new.toml")


if __name__ == "__main__":
    unittest.main()
