# SPDX-License-Identifier: Apache-2.0
"""No value of a record is ever repeated: a marker planted in odd cells stays out of every output, message and model, of
runs that succeed and of runs that fail."""

import gzip
import unittest

import pyarrow as pa
import pyarrow.parquet

from cli_case import BUDGET, CliCase, csv_text, people

TEXT, NUMBER = "SECRETMARKER123", "987654321.25"
TRACES = ("SECRETMARKER", "987654321", "9.87654")


class Secrets(CliCase):
    def check(self, result):
        for trace in TRACES:
            self.assertNotIn(trace, result.out)
            self.assertNotIn(trace, result.err)
        for path in self.folder.glob("*.json"):
            for trace in TRACES:
                self.assertNotIn(trace, path.read_text(errors="replace"))

    def every_use(self, data, schema="schema.toml"):
        """All commands that read records; returns the exit statuses."""
        quick = ["--method", "gradient-descent", "--steps", "3"]
        base = ["fit", data, "--schema", schema, *BUDGET, "-o", "model.json"]
        self.fit(output="ready.json")
        uses = [base + quick, base + quick + ["--strict"], base + ["--method", "output-perturbation"],
                base + quick + ["--json"], base + quick + ["--tiles", "rows.tiles"],
                base + quick + ["--unsafe-diagnostics"], base + quick + ["--holdout", "0.3", "--holdout-groups", "city"],
                ["schema", "init", data], ["schema", "init", data, "--json"],
                ["schema", "check", data, "--schema", schema], ["schema", "check", data, "--schema", schema, "--json"],
                ["predict", "ready.json", data], ["evaluate", "ready.json", data, "--public"],
                ["evaluate", "ready.json", data, "--epsilon", "1"], ["evaluate", "ready.json", data, "--epsilon", "1", "--groups", "city", "--json"],
                ["plan", "--rows", "10", "--schema", data, *BUDGET],  # data given as a schema by mistake
                ["fit", schema, "--schema", data, *BUDGET, "-o", "model.json"],
                ["verify", data], ["explain", data], ["predict", data, "people.csv"]]
        statuses = []
        for use in uses:
            with self.subTest(use=use):
                result = self.run_program(*use)
                self.check(result)
                statuses.append(result.status)
        return statuses

    def test_odd_cells_of_every_kind(self):
        table = people(20)
        table[3] = [TEXT, NUMBER, TEXT, TEXT, TEXT, NUMBER]
        table[4] = [NUMBER, TEXT, f'"{TEXT}, quoted"', NUMBER, NUMBER, TEXT]
        table[5] = ["-" + NUMBER, NUMBER + "e999", f'"{TEXT}\n{NUMBER}"', "", "", ""]
        self.write("odd.csv", csv_text(table))
        self.assertIn(0, self.every_use("odd.csv"))

    def test_a_secret_in_the_first_record(self):
        table = people(20)
        table[0] = [TEXT, NUMBER, TEXT, TEXT, TEXT, NUMBER]
        self.write("first.csv", csv_text(table))
        self.every_use("first.csv")

    def test_a_file_without_a_header(self):
        # Its first record stands where names are expected.
        self.write("bare.csv", "\n".join(",".join(r) for r in [[NUMBER, "1", TEXT, "0", TEXT, NUMBER]] + people(20)) + "\n")
        statuses = self.every_use("bare.csv")
        self.assertNotIn(0, statuses)

    def test_malformed_records(self):
        good = csv_text(people(20))
        for name, line in (("long", f"1,{NUMBER},{TEXT},0,no,1,{TEXT},{NUMBER}"), ("short", f"{TEXT},{NUMBER}"),
                           ("open", f'1,{NUMBER},"{TEXT},0,no,1')):
            self.write(f"{name}.csv", good + line + "\n" + good)
            statuses = self.every_use(f"{name}.csv")
            self.assertIn(3, statuses)

    def test_damaged_containers(self):
        table = people(400)
        table[3] = [NUMBER, NUMBER, TEXT, TEXT, TEXT, NUMBER]
        packed = gzip.compress(csv_text(table).encode(), compresslevel=0)  # stored as it is, so the text is in the file
        self.write("cut.csv.gz", packed[: len(packed) * 2 // 3])
        self.every_use("cut.csv.gz")
        columns = {"age": [float(NUMBER)], "income": [float(NUMBER)], "city": [TEXT], "smoker": [TEXT], "sick": [TEXT]}
        pa.parquet.write_table(pa.table(columns), self.path("whole.parquet"), compression="none")
        self.every_use("whole.parquet")
        whole = self.path("whole.parquet").read_bytes()
        self.write("cut.parquet", whole[: len(whole) // 2])
        self.every_use("cut.parquet")
        self.write("bent.parquet", whole.replace(b"\x15", b"\x16"))
        self.every_use("bent.parquet")

    def test_types_that_cannot_be_read(self):
        lists = pa.array([[TEXT, NUMBER]] * 3)
        columns = {"age": [1.0] * 3, "income": [1.0] * 3, "city": lists, "smoker": [True] * 3, "sick": [TEXT] * 3}
        pa.parquet.write_table(pa.table(columns), self.path("lists.parquet"))
        self.assertIn(3, self.every_use("lists.parquet"))

    def test_libsvm(self):
        columns = '[[column]]\nname = "1"\nkind = "real"\nlower = 0\nupper = 1\n'
        self.write("svm.toml", f'version = 1\n[target]\ncolumn = "label"\nkind = "binary"\npositive = "1"\n{columns}')
        for name, line in (("odd", f"{TEXT} 1:{NUMBER} 2:{TEXT}"), ("bad", f"1 {TEXT} {NUMBER}")):
            self.write(f"{name}.libsvm", f"1 1:1\n{line}\n")
            self.every_use(f"{name}.libsvm", schema="svm.toml")

    def test_data_taken_for_a_schema_or_a_model(self):
        for text in (f"a = {TEXT}", f'a = "{TEXT}', f"a = {NUMBER}.{TEXT}", f"[{TEXT}", f"{TEXT}",
                     f'[target]\ncolumn = "{TEXT}"\nkind = "{NUMBER}"', f'{{"a": {TEXT}}}', f'{{"{TEXT}": {NUMBER}'):
            self.write("data.csv", text + "\n")
            for use in (["plan", "--rows", "10", "--schema", "data.csv", *BUDGET], ["verify", "data.csv"]):
                with self.subTest(text=text, use=use[0]):
                    result = self.run_program(*use)
                    self.assertNotEqual(result.status, 0)
                    if "column =" not in text:  # a schema's own words may be repeated
                        self.check(result)


if __name__ == "__main__":
    unittest.main()
