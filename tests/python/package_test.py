# SPDX-License-Identifier: Apache-2.0
"""The installed package itself: what it brings, what it needs, what it says where something is missing."""

import pathlib
import subprocess
import sys

import pytest

import dperm


def python(code: str) -> subprocess.CompletedProcess:
    return subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)


def test_the_wheel_is_what_is_tested():
    assert pathlib.Path(dperm.__file__).is_relative_to(sys.prefix)


def test_it_is_typed():
    folder = pathlib.Path(dperm.__file__).parent
    assert (folder / "py.typed").exists()
    assert "class Model" in (folder / "_core.pyi").read_text()


def test_the_command_line_comes_with_it():
    program = pathlib.Path(sys.prefix) / "bin" / "dperm"
    done = subprocess.run([program, "--version"], capture_output=True, text=True)
    assert done.stdout.split() == ["dperm", dperm.__version__]


def test_everything_it_names_is_there():
    assert set(dperm.__all__) <= set(dir(dperm)) and all(getattr(dperm, name) is not None for name in dperm.__all__)
    with pytest.raises(AttributeError):
        getattr(dperm, "nothing_of_this_name")


def test_another_pyarrow_is_told_in_one_line():
    done = python(
        "import pyarrow; pyarrow.__file__ = '/nowhere/__init__.py'; pyarrow.__version__ = '25.1.0'; import dperm"
    )
    last = done.stderr.strip().splitlines()[-1]
    assert done.returncode == 1
    assert last.startswith("ImportError: dperm was built with the Arrow library of pyarrow ")
    assert "found pyarrow 25.1.0; run: pip install 'pyarrow==" in last


def test_without_scikit_learn_only_estimators_are_missing():
    done = python(
        "import sys; sys.modules['sklearn'] = None; import dperm; dperm.mean([1.0], bounds=(0, 2), epsilon=1, delta=0);"
        "dperm.LogisticRegression"
    )
    assert done.stderr.strip().splitlines()[-1] == (
        "ImportError: dperm's estimators need scikit-learn 1.6 or later; run: pip install scikit-learn"
    )


def test_importing_it_brings_nothing_heavy():
    done = python(
        "import sys, dperm; print([each for each in ('sklearn', 'pandas', 'polars', 'scipy', 'matplotlib') "
        "if each in sys.modules])"
    )
    assert done.stdout.strip() == "[]"
