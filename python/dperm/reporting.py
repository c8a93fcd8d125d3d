# SPDX-License-Identifier: Apache-2.0
"""One page about models for people who decide, audit or are in the table."""

from __future__ import annotations

import os
from dataclasses import dataclass

from dperm import _core
from dperm.model import model_of


@dataclass(frozen=True)
class Report:
    """A page of HTML: released and public numbers alone, no script, nothing from the network."""

    html: str

    def save(self, path: str | os.PathLike, *, overwrite: bool = False) -> None:
        with open(path, "w" if overwrite else "x", encoding="utf-8") as file:
            file.write(self.html)

    def __repr__(self) -> str:
        return f"Report({len(self.html)} characters of HTML)"

    def _repr_html_(self) -> str:
        return self.html


def report(*models, title: str = "", names: tuple[str, ...] = ()) -> Report:
    """What models promise, what they learned, what they cost together and why it holds. As `dperm report`.

    Takes models, fitted estimators or model files. A model that is not private, or does not verify, says so first.
    """
    return Report(_core.report_html([model_of(each)._core for each in models], title, list(names)))
