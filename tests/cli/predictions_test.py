# SPDX-License-Identifier: Apache-2.0
"""Predictions that people can use: labels, probabilities, thresholds, intervals, columns carried along, Parquet."""

import csv
import io
import json
import os
import stat
import unittest

import pyarrow.parquet

from cli_case import BUDGET, CliCase, csv_text, people

CLASSES = """version = 1

[[column]]
name = "age"
kind = "integer"
lower = 0
upper = 100

[target]
column = "city"
kind = "class"
values = ["north", "south", "east", "west"]
"""


class Predictions(CliCase):
    def predict(self, *arguments, data="people.csv"):
        return list(csv.DictReader(io.StringIO(self.succeed("predict", "model.json", data, *arguments).out)))

    def data(self):
        return list(csv.DictReader(io.StringIO(self.path("people.csv").read_text())))

    def test_labels_of_a_binary_target(self):
        self.fit("--seed", "1")
        plain = [row["prediction"] for row in self.predict()]
        self.assertEqual(set(plain), {"0", "1"})
        labels = [row["prediction"] for row in self.predict("--labels")]
        self.assertEqual(labels, ["yes" if each == "1" else "not yes" for each in plain])
        named = [row["prediction"] for row in self.predict("--label-names", "healthy,sick")]
        self.assertEqual(named, ["sick" if each == "1" else "healthy" for each in plain])
        self.refuse(2, ["--label-names"], "predict", "model.json", "people.csv", "--label-names", "one")

    def test_probabilities_and_thresholds(self):
        self.fit()
        p = [float(row["probability"]) for row in self.predict()]
        for row, share in zip(self.predict("--probabilities", "--threshold", "0.3"), p):
            self.assertAlmostEqual(float(row["probability_0"]) + float(row["probability_1"]), 1, 5)
            self.assertAlmostEqual(float(row["probability_1"]), share, 5)
            self.assertEqual(row["prediction"], "1" if share > 0.3 else "0")
        for threshold in ("0", "1", "nan"):
            self.refuse(2, ["threshold"], "predict", "model.json", "people.csv", "--threshold", threshold)
        self.fit("--loss", "hinge")
        self.refuse(2, ["--threshold"], "predict", "model.json", "people.csv", "--threshold", "0.3")
        self.refuse(2, ["--probabilities"], "predict", "model.json", "people.csv", "--probabilities")

    def test_every_class_has_its_probability(self):
        self.write("classes.toml", CLASSES)
        self.fit(schema="classes.toml")
        for row in self.predict("--probabilities"):
            shares = {name: float(row[f"probability_{name}"]) for name in ("north", "south", "east", "west")}
            self.assertAlmostEqual(sum(shares.values()), 1, 4)
            self.assertEqual(row["prediction"], max(shares, key=shares.get))

    def test_columns_are_carried_along_as_they_stand(self):
        table = people(50)
        table[3][2] = '"a, ""quoted"" city"'
        self.write("people.csv", csv_text(table))
        self.fit(data="people.csv")
        for row, original in zip(self.predict("--keep", "city,cost"), self.data()):
            self.assertEqual((row["city"], row["cost"]), (original["city"], original["cost"]))
            self.assertNotIn("age", row)
        kept = self.predict("--keep", "all")
        self.assertEqual(list(kept[0]), ["row", "prediction", "probability", *self.data()[0]])
        self.assertEqual([row["income"] for row in kept], [row["income"] for row in self.data()])
        lines = self.succeed("predict", "model.json", "people.csv", "--keep", "city", "--json").out.splitlines()
        self.assertEqual([json.loads(line)["city"] for line in lines], [row["city"] for row in self.data()])
        self.refuse(2, ["--keep", "'height'"], "predict", "model.json", "people.csv", "--keep", "height")
        self.refuse(2, ["did you mean 'city'"], "predict", "model.json", "people.csv", "--keep", "citty")

    def test_a_name_that_is_taken_gets_another(self):
        self.fit()
        text = self.path("people.csv").read_text().replace("age,", "row,age,", 1)
        lines = text.splitlines()
        self.write("numbered.csv", "\n".join([lines[0]] + [f"n{i},{line}" for i, line in enumerate(lines[1:])]) + "\n")
        (first, *_) = self.predict("--keep", "row", data="numbered.csv")
        self.assertEqual((first["row"], first["row_in_data"]), ("1", "n0"))

    def test_all_columns_of_libsvm_are_those_of_the_schema(self):
        columns = "".join(f'[[column]]\nname = "{i}"\nkind = "real"\nlower = 0\nupper = 1\n' for i in (1, 2, 3))
        self.write("wide.toml", f'version = 1\n[target]\ncolumn = "label"\nkind = "binary"\npositive = "1"\n{columns}')
        base = "+1 1:0.5 3:1\n-1 2:0.25\n" * 20
        self.write("data.libsvm", base)
        self.fit(data="data.libsvm", schema="wide.toml")
        # One record must neither make a million columns nor add one.
        for line in ("1 1:1", "1 999999:1", "1 18446744073709551615:1", "1 7:1", ""):
            with self.subTest(line=line):
                self.write("data.libsvm", base + line + "\n")
                kept = self.predict("--keep", "all", data="data.libsvm")
                self.assertEqual(list(kept[0]), ["row", "prediction", "probability", "label", "1", "2", "3"])
                self.assertEqual([(row["label"], row["3"]) for row in kept[:2]], [("1", "1"), ("-1", "0")])
        (first, *_) = self.predict("--keep", "3,999999", data="data.libsvm")
        self.assertEqual((first["3"], first["999999"]), ("1", "0"))
        self.refuse(2, ["--keep", "'3' twice"], "predict", "model.json", "data.libsvm", "--keep", "3,1,3")

    def test_wide_tables_are_carried_along_in_a_moment(self):
        self.fit()
        names = [f"x{i}" for i in range(200_000)]
        rows = people(3)
        self.write("wide.csv", csv_text([row + ["1"] * len(names) for row in rows],
                                        "age,income,city,smoker,sick,cost," + ",".join(names)))
        self.assertEqual(len(self.predict("--keep", "all", data="wide.csv")[0]), 3 + 6 + len(names))

    def test_every_column_has_a_name_of_its_own(self):
        self.fit()
        text = self.path("people.csv").read_text().replace("age,income", "age,row,row_in_data,income", 1).splitlines()
        lines = [text[0]] + [line.replace(",", ",a,b,", 1) for line in text[1:]]
        self.write("twice.csv", "\n".join(lines) + "\n")
        (first, *_) = self.predict("--keep", "row,row_in_data", data="twice.csv")
        self.assertEqual((first["row"], first["row_in_data"], first["row_in_data_in_data"]), ("1", "a", "b"))

    def test_names_that_are_no_utf8(self):
        self.fit()
        use = ["predict", "model.json", "people.csv", "--labels", "--probabilities"]
        for names in (b"a\xff,b", b"a,b\nc"):
            for flags in ([], ["--json"]):
                self.refuse(2, ["--label-names", "UTF-8"], *use, "--label-names", os.fsdecode(names), *flags)
        self.write("latin.csv", self.path("people.csv").read_bytes().replace(b"cost", b"co\xfbt", 1))
        for keep in ("all", os.fsdecode(b"co\xfbt")):
            lines = self.succeed("predict", "model.json", "latin.csv", "--json", "--keep", keep).out.splitlines()
            self.assertEqual([json.loads(line)["co\ufffdt"] for line in lines], [row["cost"] for row in self.data()])

    def test_parquet(self):
        self.fit()
        self.succeed("predict", "model.json", "people.csv", "--keep", "city", "--labels", "-o", "out.parquet")
        table = pyarrow.parquet.read_table(self.path("out.parquet"))
        self.assertEqual(table.column_names, ["row", "prediction", "probability", "city"])
        rows = self.predict("--labels", "--keep", "city")
        self.assertEqual(table.column("prediction").to_pylist(), [row["prediction"] for row in rows])
        self.assertEqual(table.column("city").to_pylist(), [row["city"] for row in rows])
        for a, b in zip(table.column("probability").to_pylist(), rows):
            self.assertAlmostEqual(a, float(b["probability"]), 5)
        # What was read from Parquet is carried along as well.
        self.succeed("predict", "model.json", "people.csv", "--keep", "all", "-o", "all.parquet")
        again = self.predict("--keep", "age,city", data="all.parquet")
        self.assertEqual([row["age"] for row in again], [row["age"] for row in self.data()])
        self.refuse(2, ["--json"], "predict", "model.json", "people.csv", "--json", "-o", "x.parquet")

    def test_files_hold_records_so_they_are_the_owners_and_not_replaced(self):
        self.fit()
        for name in ("out.csv", "out.parquet", "out.json"):
            flags = ["--json"] if name.endswith("json") else []
            self.succeed("predict", "model.json", "people.csv", "-o", name, *flags)
            self.assertEqual(stat.S_IMODE(self.path(name).stat().st_mode), 0o600)
            before = self.path(name).read_bytes()
            self.refuse(2, ["--overwrite"], "predict", "model.json", "people.csv", "-o", name, *flags)
            self.assertEqual(self.path(name).read_bytes(), before)
            self.succeed("predict", "model.json", "people.csv", "-o", name, "--overwrite", *flags)

    def test_intervals_by_two_quantile_models(self):
        self.write("people.csv", csv_text(people(3000)))
        for name, loss in (("low", ["--loss", "pinball", "--quantile", "0.1"]), ("high", ["--loss", "pinball", "--quantile", "0.9"]),
                           ("model", ["--loss", "absolute"])):
            self.succeed("fit", "people.csv", "--schema", "real.toml", "--epsilon", "8", "--delta", "1e-6", *loss, "--seed", "4",
                         "-o", f"{name}.json")
        rows = self.predict("--interval", "low.json,high.json", "--keep", "cost")
        inside = sum(float(row["lower"]) <= float(row["cost"]) <= float(row["upper"]) for row in rows)
        self.assertGreater(inside, 0.5 * 3000)  # 0.8 is what the quantiles say; noise and few rows take from it
        self.assertLess(inside, 0.95 * 3000)
        self.assertTrue(all(float(row["lower"]) <= float(row["upper"]) for row in rows))
        told = self.succeed("predict", "model.json", "people.csv", "--interval", "low.json,high.json").err
        self.assertIn(f"holds 'cost' in {inside / 30:.1f}% of 3000 rows that have it; its two models are for 80.0%", told)
        self.write("new.csv", self.path("people.csv").read_text().replace("cost", "price", 1))
        told = self.succeed("predict", "model.json", "new.csv", "--interval", "low.json,high.json").err
        self.assertIn("hold less often", told)
        for words, value in ((["two model files"], "low.json"), (["below"], "high.json,low.json"),
                             (["no quantile model"], "low.json,model.json")):
            self.refuse(2, words, "predict", "model.json", "people.csv", "--interval", value)
        self.fit(output="binary.json")
        self.refuse(2, ["real target"], "predict", "binary.json", "people.csv", "--interval", "low.json,high.json")


if __name__ == "__main__":
    unittest.main()
