# SPDX-License-Identifier: Apache-2.0
"""Results appear whole or not at all: failed and interrupted runs leave no model and keep an older one; inputs are never
overwritten; a full disk or a closed pipe is noticed."""

import os
import pty
import signal
import subprocess
import threading
import time
import unittest

from cli_case import BUDGET, PROGRAM, CliCase, csv_text, people


class Outputs(CliCase):
    def refuse_output(self, words, output, status=3):
        self.refuse(status, words, "fit", "people.csv", "--schema", "schema.toml", *BUDGET, "-o", output)

    def test_places_that_cannot_be_written(self):
        self.path("folder").mkdir()
        self.refuse_output(["none/model.json", "No such file", "check the path"], "none/model.json")
        self.refuse_output(["folder", "is a directory"], "folder")
        self.refuse_output(["people.csv/model.json"], "people.csv/model.json")

    def test_devices_and_pipes_are_not_replaced(self):
        # Only pipes, and only our own: a program that got this wrong as root would replace a real device for everyone.
        os.mkfifo(self.path("pipe"))
        for name, target in (("stdout", "/proc/self/fd/1"), ("to_pipe", "pipe")):
            self.path(name).symlink_to(target)
        for name in ("pipe", "stdout", "to_pipe"):
            with self.subTest(name=name):
                self.refuse_output([name, "not a file"], name)
                self.assertFalse(self.path(name).is_file())

    def test_inputs_are_never_overwritten(self):
        self.fit()
        self.path("link.csv").symlink_to("people.csv")
        for output in ("people.csv", "./people.csv", "schema.toml", "link.csv"):
            with self.subTest(output=output):
                self.refuse_output(["--output", "overwrite"], output, status=2)
        self.refuse(2, ["overwrite"], "fit", "*.csv", "--schema", "schema.toml", *BUDGET, "-o", "people.csv")
        self.refuse(2, ["overwrite"], "fit", "people.csv", "--schema", "schema.toml", *BUDGET, "-o", "x", "--tiles", "x")
        self.refuse(2, ["overwrite"], "predict", "model.json", "people.csv", "-o", "people.csv")
        self.refuse(2, ["overwrite"], "predict", "model.json", "people.csv", "-o", "model.json")
        self.refuse(2, ["overwrite"], "schema", "init", "people.csv", "-o", "people.csv")

    def test_a_template_does_not_replace_a_schema(self):
        before = self.path("schema.toml").read_text()
        self.refuse(2, ["schema.toml", "overwrite", "another path"], "schema", "init", "people.csv", "-o", "schema.toml")
        self.assertEqual(self.path("schema.toml").read_text(), before)

    def test_a_failed_fit_keeps_the_old_model(self):
        self.fit()
        self.write("bad.csv", csv_text(people(5)) + "1,2\n")
        self.refuse(3, ["bad.csv"], "fit", "bad.csv", "--schema", "schema.toml", *BUDGET, "-o", "model.json")
        self.refuse(2, [], "fit", "people.csv", "--schema", "schema.toml", *BUDGET, "-o", "model.json", "--steps", "0")
        self.succeed("verify", "model.json")

    def test_an_older_model_is_replaced_only_if_asked(self):
        self.fit()
        self.overwrite = False
        # Refused before data is read: there is no such file.
        command = ["fit", "none.csv", "--schema", "schema.toml", *BUDGET, "-o", "model.json"]
        self.refuse(2, ["model.json", "already exists", "--overwrite", "budget"], *command)
        self.refuse(2, ["no file", "none.csv"], *command, "--overwrite")
        self.write("empty.json", "")
        self.fit(output="empty.json")

    def test_a_new_model_replaces_the_old_one_and_keeps_links(self):
        self.fit(output="real.json")
        self.path("model.json").symlink_to("real.json")
        before = self.weights("real.json")
        self.fit()
        self.assertTrue(self.path("model.json").is_symlink())
        self.assertNotEqual(self.weights("real.json"), before)

    def test_files_are_ordinary_files(self):
        old = os.umask(0o022)
        try:
            self.fit()
        finally:
            os.umask(old)
        self.assertEqual(self.path("model.json").stat().st_mode & 0o777, 0o644)

    def interrupted(self, number, *arguments):
        self.write("people.csv", csv_text(people(20_000)))
        before = set(self.listing())
        process = subprocess.Popen(
            [PROGRAM, "fit", "people.csv", "--schema", "schema.toml", *BUDGET, "--method", "gradient-descent", "--steps",
             "1000000", "-o", "model.json", *arguments],
            cwd=self.folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        process.stderr.readline()  # the plan is shown: records are read, the fit begins
        time.sleep(0.2)
        self.assertIsNone(process.poll(), "the fit was too quick to be interrupted")
        process.send_signal(number)
        out, _ = process.communicate(timeout=30)
        self.assertEqual(process.returncode, -number)
        self.assertEqual(out, b"")
        return set(self.listing()) - before

    def test_interrupted_fits_leave_nothing(self):
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGKILL):
            with self.subTest(signal=number):
                self.assertEqual(self.interrupted(number), set())

    def test_an_interrupted_fit_keeps_the_old_model_and_whole_tiles(self):
        self.fit()
        old = self.path("model.json").read_bytes()
        self.assertEqual(self.interrupted(signal.SIGTERM, "--overwrite", "--tiles", "rows.tiles"), {"rows.tiles"})
        self.assertEqual(self.path("model.json").read_bytes(), old)
        self.succeed("evaluate", "model.json", "people.csv", "--public", "--tiles", "rows.tiles")

    def test_a_full_disk_and_a_closed_standard_output_are_noticed(self):
        self.fit()
        uses = [["predict", "model.json", "people.csv"], ["verify", "model.json"], ["explain", "model.json"], ["--help"],
                ["evaluate", "model.json", "people.csv", "--public"], ["schema", "init", "people.csv"],
                ["fit", "people.csv", "--schema", "schema.toml", *BUDGET, "--json"]]
        for use in uses:
            with self.subTest(use=use), open("/dev/full", "wb") as full:
                result = self.run_program(*use, capture_output=False, stdout=full, stderr=subprocess.PIPE)
                self.assertEqual(result.status, 3)
                self.assertIn("standard output", result.err)

    def test_a_closed_standard_error_does_no_harm(self):
        command = f'"{PROGRAM}" fit people.csv --schema schema.toml --epsilon 1 --delta 1e-6 -o model.json 2>&-'
        done = subprocess.run(["sh", "-c", command], cwd=self.folder, stdout=subprocess.PIPE, timeout=60)
        self.assertEqual(done.returncode, 0)
        self.assertIn(b"learned", done.stdout)
        self.succeed("verify", "model.json")


class Progress(CliCase):
    def on_terminal(self, *arguments):
        try:
            leader, follower = pty.openpty()
        except OSError:
            self.skipTest("this system gives no pseudo-terminal")
        chunks = []

        def read():
            try:
                while chunk := os.read(leader, 4096):
                    chunks.append(chunk)
            except OSError:  # Linux's way to say that the other end is closed
                pass

        reader = threading.Thread(target=read)
        reader.start()
        done = subprocess.run(
            [PROGRAM, "fit", "people.csv", "--schema", "schema.toml", *BUDGET, "--method", "gradient-descent", "--steps",
             "200", "-o", "model.json", "--overwrite", *arguments],
            cwd=self.folder, stdout=subprocess.PIPE, stderr=follower, timeout=60)
        os.close(follower)
        reader.join()
        os.close(leader)
        self.assertEqual(done.returncode, 0)
        return b"".join(chunks).decode(), done.stdout.decode()

    def test_a_bar_on_a_terminal_only(self):
        screen, out = self.on_terminal()
        self.assertRegex(screen, r"step \d+ of 200")
        self.assertNotIn("step", out)
        self.assertIn("\r\x1b[K", screen)  # and it goes away
        self.assertNotIn("of 200", self.on_terminal("--quiet")[0])


if __name__ == "__main__":
    unittest.main()
