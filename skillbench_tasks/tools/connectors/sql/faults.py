"""The faults of statements: what is wrong or refused, and values that cannot be computed."""

from __future__ import annotations

__all__ = ["FunctionFault", "SqlFault"]


class SqlFault(Exception):
    """A statement cannot be read, is refused, or fails.

    Args:
        code: `invalid_sql`, `not_found`, `not_allowed`, `runtime_error`, `constraint_violation` or
            `limit_exceeded`.
        message: What is wrong, as a sentence for a reader.
    """

    def __init__(self, code: str, message: str) -> None:
        self.code, self.message = code, message
        super().__init__(message)


class FunctionFault(Exception):
    """A value cannot be computed; the message is for whoever wrote the statement."""
