# SPDX-License-Identifier: Apache-2.0
"""A real cluster of processes on this machine for tests: a driver and executors with their own Python workers.

Without Java or pyspark a test ends at once with one line.
"""

import atexit
import os
import pathlib
import shutil
import signal
import sys
import tempfile
import time
import warnings


HERE = pathlib.Path(__file__).resolve().parent  # executors need this file too
# Where executors keep files. All clusters of a process have the same: the first one's Java process, which has its
# environment from the first, starts the executors of the others too.
LOCAL = pathlib.Path(tempfile.gettempdir()) / f"dperm-spark-local-{os.getpid()}"


def missing() -> str:
    if shutil.which("java") is None and not os.environ.get("JAVA_HOME"):
        return "Java is not installed"
    try:
        import pyspark  # noqa: F401
    except ImportError:
        return "pyspark is not installed"
    return ""


class Cluster:
    """`executors` processes of one core each. Files of executors go when it ends."""

    def __init__(self, executors: int, **settings):
        os.environ["PYSPARK_PYTHON"] = os.environ["PYSPARK_DRIVER_PYTHON"] = sys.executable
        os.environ["SPARK_LOCAL_IP"] = "127.0.0.1"
        os.environ.setdefault("OMP_NUM_THREADS", "1")
        warnings.simplefilter("ignore", FutureWarning)  # pyspark's about pandas
        from pyspark.sql import SparkSession

        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="dperm-spark-"))
        LOCAL.mkdir(exist_ok=True)
        atexit.register(shutil.rmtree, LOCAL, ignore_errors=True)
        os.environ["SPARK_LOCAL_DIRS"] = str(LOCAL)
        common = {
            "spark.driver.host": "127.0.0.1",
            "spark.driver.bindAddress": "127.0.0.1",
            "spark.ui.enabled": "false",
            "spark.ui.showConsoleProgress": "false",
            "spark.network.timeout": "300s",
            "spark.eventLog.enabled": "true",
            "spark.eventLog.compress": "false",
            "spark.eventLog.dir": (self.folder / "events").as_uri(),
            "spark.sql.adaptive.enabled": "false",
            "spark.locality.wait": "5s",
            "spark.shuffle.compress": "false",
            "spark.executorEnv.PYTHONPATH": os.pathsep.join([str(HERE), os.environ.get("PYTHONPATH", "")]),
        }
        (self.folder / "events").mkdir()
        builder = SparkSession.builder.master(f"local-cluster[{executors},1,512]").appName("test")
        for name, value in {**common, **settings}.items():
            builder = builder.config(name, value)
        builder = builder.config("spark.executor.memory", "512m").config("spark.driver.memory", "512m")
        self.session = builder.getOrCreate()
        self.context = self.session.sparkContext
        self.context.setLogLevel("OFF")

    def executors(self) -> list[int]:
        """Process numbers of executors, as their workers see them."""

        def parent(_):
            import os

            time.sleep(0.3)  # so that each gets a task
            return [_executor_of(os.getpid())]

        tasks = 2 * self.context.defaultParallelism
        return sorted(set(self.context.parallelize(range(tasks), tasks).mapPartitions(parent).collect()))

    def holders(self, kept) -> list[int]:
        """The process that keeps each partition of a persisted RDD: tasks run where their partition is."""
        return kept.mapPartitions(lambda _: [_executor_of(os.getpid())]).collect()

    def event_log(self) -> str:
        return "".join(path.read_text() for path in (self.folder / "events").rglob("*") if path.is_file())

    def logs(self) -> str:
        """What executors wrote to their standard streams."""
        return "".join(path.read_text() for path in self._work().rglob("std*"))

    def tiles(self) -> list[pathlib.Path]:
        return [path for path in LOCAL.rglob("*.tiles")]

    def stop(self) -> None:
        work = self._work()
        self.session.stop()
        shutil.rmtree(work, ignore_errors=True)
        shutil.rmtree(self.folder, ignore_errors=True)

    def _work(self) -> pathlib.Path:
        import pyspark

        home = pathlib.Path(os.environ.get("SPARK_HOME") or pathlib.Path(pyspark.__file__).parent)
        return home / "work" / self.context.applicationId


def _executor_of(process: int) -> int:
    """The Java process above a Python worker."""
    while process > 1:
        if "java" in pathlib.Path(f"/proc/{process}/comm").read_text():
            return process
        status = pathlib.Path(f"/proc/{process}/stat").read_text()
        process = int(status.rpartition(")")[2].split()[1])
    return 0


def kill(process: int) -> None:
    os.kill(process, signal.SIGKILL)
