# SPDX-License-Identifier: Apache-2.0
"""What can go wrong, and what is worth a warning. No text holds a value from a record."""

from dperm import _core


class ArgumentError(ValueError):
    """Something impossible was asked for. `field` names the parameter where a single one is at fault."""

    def __init__(self, text: str, field: str = ""):
        super().__init__(text)
        self.field = field


class DataError(ValueError):
    """A file, table or schema cannot be used as it is."""

    def __init__(self, text: str, field: str = ""):
        super().__init__(text)


class BudgetError(RuntimeError):
    """The privacy budget does not allow it."""

    def __init__(self, text: str, field: str = ""):
        super().__init__(text)


class InternalError(RuntimeError):
    """A promise of the library is broken: a bug."""

    def __init__(self, text: str, field: str = ""):
        super().__init__(text)


class FitInterrupted(KeyboardInterrupt):
    """Ctrl-C ended a fit, or another release. Nothing came out, but when it ended may tell something: count `guarantee`
    as spent."""

    def __init__(self, guarantee, what: str = "fit"):
        super().__init__(
            f"the {what} was stopped; count its budget as spent: epsilon {guarantee.epsilon:.4g}, delta "
            f"{guarantee.delta:g}"
        )
        self.guarantee = guarantee


class PrivacyWarning(UserWarning):
    """Something is not private, or costs more than it seems."""


class NotPrivateWarning(PrivacyWarning):
    """A result that depends on records without any noise, or with noise that can be made again."""


class SpendingWarning(PrivacyWarning):
    """The same rows pay several times, a budget is so large that it protects little, or a ledger cannot keep a result."""


_core.set_errors(ArgumentError, DataError, BudgetError, InternalError)
