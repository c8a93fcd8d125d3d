# SPDX-License-Identifier: Apache-2.0
"""Makes the wheel from what a build folder holds and installs it into a virtual environment of its own.

Usage: install_wheel.py SOURCE BUILD ENVIRONMENT. Nothing is compiled and nothing is downloaded: what the package needs
comes from the environment that runs this, which the new one sees through a .pth file.
"""

import os
import pathlib
import shutil
import subprocess
import sys
import sysconfig
import venv


def run(*command, **environment):
    done = subprocess.run(
        [str(each) for each in command], capture_output=True, text=True, env={**os.environ, **environment}
    )
    if done.returncode != 0:
        sys.exit(f"{' '.join(map(str, command))}\n{done.stdout}{done.stderr}")


def main() -> None:
    source, build, environment = (pathlib.Path(each).resolve() for each in sys.argv[1:4])
    shutil.rmtree(environment, ignore_errors=True)
    wheels = environment / "wheels"
    venv.create(environment, with_pip=False)
    pip = [sys.executable, "-m", "pip", "--disable-pip-version-check"]
    run(
        *pip,
        "wheel",
        source,
        "--quiet",
        "--no-deps",
        "--no-build-isolation",
        "--no-index",
        "--wheel-dir",
        wheels,
        "-C",
        f"build-dir={environment / 'cmake'}",
        DPERM_PREBUILT=str(build),
    )
    (wheel,) = wheels.glob("dperm-*.whl")
    run(*pip, "--python", environment / "bin" / "python", "install", "--quiet", "--no-deps", "--no-index", wheel)
    (site,) = environment.glob("lib/python3*/site-packages")
    (site / "shared.pth").write_text(sysconfig.get_path("purelib") + "\n")
    print(f"{wheel.name} ({wheel.stat().st_size / 1e6:.1f} MB) installed in {environment}")


if __name__ == "__main__":
    main()
