# SPDX-License-Identifier: Apache-2.0
"""A real cluster of processes on this machine for tests: a driver and executors with their own Python workers.

Without Java or pyspark a test ends at once with one line.
"""

import atexit
import json
import os
import pathlib
import shutil
import signal
import socket
import subprocess
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


class Hosts:
    """Spark's own master and a worker of one core on each of these addresses: for Spark they are machines with disks of
    their own. (A local cluster is one machine, where it starts no second copy of a slow task.)
    """

    def __init__(self, addresses):
        import pyspark

        home = pathlib.Path(os.environ.get("SPARK_HOME") or pathlib.Path(pyspark.__file__).parent)
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="dperm-spark-hosts-"))
        self.program = str(home / "bin" / "spark-class")
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            port = free.getsockname()[1]
        self.url = f"spark://127.0.0.1:{port}"
        self.started = [self._start("master.Master", "127.0.0.1", "--port", str(port))]
        _wait_for(port)  # whoever comes too early tries again after many seconds
        for address in addresses:
            work = ["--cores", "1", "--memory", "1g", "--work-dir", str(self.folder / address / "work")]
            self.started.append(self._start("worker.Worker", address, *work, self.url))

    def _start(self, what: str, address: str, *arguments) -> subprocess.Popen:
        local = self.folder / address
        local.mkdir(exist_ok=True)
        environment = {**os.environ, "SPARK_LOCAL_IP": address, "SPARK_LOCAL_DIRS": str(local), "SPARK_DAEMON_MEMORY": "256m"}
        command = [self.program, f"org.apache.spark.deploy.{what}", "--host", address, "--webui-port", "0", *arguments]
        return subprocess.Popen(command, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)

    def stop(self) -> None:
        for process in self.started:
            process.terminate()
        for process in self.started:
            process.wait(30)
        shutil.rmtree(self.folder, ignore_errors=True)


class Cluster:
    """`executors` processes of one core each, or one on each of `hosts`. Files of executors go when it ends."""

    def __init__(self, executors: int, hosts: Hosts | None = None, **settings):
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
        master = hosts.url if hosts else f"local-cluster[{executors},1,512]"
        builder = SparkSession.builder.master(master).appName("test")
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

    def stages_won_by_copies(self) -> set[int]:
        """Stages in which a speculative copy of a task answered first."""
        return {
            task["Stage ID"]
            for task in self.tasks()
            if task["Task Info"]["Speculative"] and task["Task End Reason"]["Reason"] == "Success"
        }

    def tasks(self) -> list[dict]:
        """What the event log says about tasks that ended, by stage and partition."""
        self.context._jsc.sc().listenerBus().waitUntilEmpty()
        lines = [json.loads(line) for line in self.event_log().splitlines() if '"SparkListenerTaskEnd"' in line]
        return sorted(lines, key=lambda task: (task["Stage ID"], task["Task Info"]["Index"]))

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


def wait_until(happened) -> None:
    for _ in range(1200):
        if happened():
            return
        time.sleep(0.1)
    raise RuntimeError("waited two minutes in vain")


def _wait_for(port: int) -> None:
    def listens() -> bool:
        with socket.socket() as probe:
            return probe.connect_ex(("127.0.0.1", port)) == 0

    wait_until(listens)


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
