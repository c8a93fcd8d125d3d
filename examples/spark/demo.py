# SPDX-License-Identifier: Apache-2.0
"""The bundled health data on a Spark cluster of three processes on this machine: fit, verify, judge, compare.

Usage: demo.py FOLDER     (with health_train.csv.gz, health_test.csv.gz and schema.toml)
"""

import os
import pathlib
import shutil
import sys
import warnings

warnings.simplefilter("ignore", FutureWarning)  # pyspark's about pandas

if shutil.which("java") is None:
    sys.exit("skipped: Java is not installed")
try:
    from pyspark.sql import SparkSession, functions
except ImportError:
    sys.exit("skipped: pyspark is not installed (make setup)")

import dperm
import dperm.spark


def cluster() -> SparkSession:
    os.environ["PYSPARK_PYTHON"] = sys.executable
    os.environ["SPARK_LOCAL_IP"] = "127.0.0.1"
    session = (
        SparkSession.builder.master("local-cluster[2,1,1024]")
        .config("spark.driver.host", "127.0.0.1")
        .config("spark.ui.enabled", "false")
        .config("spark.ui.showConsoleProgress", "false")
        .config("spark.locality.wait", "30s")
        .getOrCreate()
    )
    session.sparkContext.setLogLevel("OFF")
    return session


def main() -> None:
    sys.stdout.reconfigure(line_buffering=True)
    folder = pathlib.Path(sys.argv[1]).resolve()
    schema = dperm.Schema.read(folder / "schema.toml")
    session = cluster()
    # A compressed text file is one partition; numbered in its order, its rows go into four.
    read = session.read.csv((folder / "health_train.csv.gz").as_uri(), header=True)
    numbered = read.withColumn("row", functions.monotonically_increasing_id()).repartitionByRange(4, "row")
    with dperm.spark.read(numbered.sortWithinPartitions("row"), schema) as rows:
        print(f"1. Encoded where they lie: {rows!r}")
        plan = rows.plan(epsilon=1, delta=1e-6, method="objective-perturbation")
        print(f"2. Planned from public facts: {plan!r}")
        model = dperm.fit(plan, rows)
        print(f"3. Fitted, one Spark job a pass: {model!r}\n   {dperm.verify(model)!r}")
        seeded = dperm.fit(plan, rows, random_state=1)
    alone = dperm.fit(plan, dperm.read(str(folder / "health_train.csv.gz"), schema), random_state=1)
    print(f"4. With a fixed seed (not private), the model of one machine is the same, bit for bit: {seeded == alone}")
    test = session.read.csv((folder / "health_test.csv.gz").as_uri(), header=True)
    print(f"5. Judged on other rows, privately: {dperm.spark.evaluate(model, test, epsilon=1)!r}")
    session.stop()
    if seeded != alone:
        sys.exit("the models differ")


if __name__ == "__main__":
    main()
