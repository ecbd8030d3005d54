"""Every exception of the package.

```
Exception
├── SkillbenchError            our data, judge or harness broke: names the place and the mend
│   ├── DataError              a file that ships or that the user gave is wrong
│   ├── OptionError            a task argument or command option is wrong
│   ├── MockError              a model that answers in a tool's stead gives nothing usable
│   ├── ProviderError          a model did not answer in time
│   ├── WorkflowError          a workflow was run in a way its definition forbids
│   └── EpisodeError           a stored episode is missing or unreadable
└── ToolFailure                a tool answered with an error: data for the agent, never a crash
```

A model that misbehaves raises nothing: that is a score with a reason.
"""

from __future__ import annotations

__all__ = [
    "DataError",
    "EpisodeError",
    "MockError",
    "OptionError",
    "ProviderError",
    "SkillbenchError",
    "ToolFailure",
    "WorkflowError",
]


class SkillbenchError(Exception):
    """Base of all faults that are ours or the caller's, never the model's."""


class DataError(SkillbenchError):
    """A data file is wrong.

    Args:
        file: The file, as the user knows it.
        field: Where in the file, as a dotted path; empty for the file as a whole.
        problem: What is wrong.
        mend: What to do about it.
        line: Line in the file, from 1, where it is known.
    """

    def __init__(
        self, file: str, field: str, problem: str, mend: str, line: int | None = None
    ) -> None:
        self.file, self.field, self.problem, self.mend, self.line = file, field, problem, mend, line
        place = file if line is None else f"{file}:{line}"
        middle = f": {field}" if field else ""
        super().__init__(f"{place}{middle}: {problem}; {mend}")


class OptionError(SkillbenchError):
    """A task argument, model role or command option is wrong."""

    def __init__(self, option: str, problem: str, mend: str) -> None:
        self.option, self.problem, self.mend = option, problem, mend
        super().__init__(f"{option}: {problem}; {mend}")


class MockError(SkillbenchError):
    """A tool without a behaviour got no usable answer: the harness's fault, not the agent's.

    Args:
        case: Id of the case.
        tool: Full name, ``mcp.<server>:<tool>``.
        problem: What is wrong.
    """

    def __init__(self, case: str, tool: str, problem: str) -> None:
        self.case, self.tool, self.problem = case, tool, problem
        super().__init__(f"case {case}: no answer in the stead of {tool}: {problem}")


class ProviderError(SkillbenchError):
    """A model did not answer in time: a fault of infrastructure, never the agent's."""

    def __init__(self, sample: str, problem: str) -> None:
        self.sample = sample
        super().__init__(f"sample {sample}: {problem}")


class WorkflowError(SkillbenchError):
    """A workflow was started in a way its definition forbids (missing input, no respondent)."""


class EpisodeError(SkillbenchError):
    """A stored episode is missing or unreadable."""

    def __init__(self, sample: str, problem: str) -> None:
        self.sample = sample
        super().__init__(f"sample {sample}: {problem}")


class ToolFailure(Exception):
    """A failed tool call, as the agent (or a workflow's `catch`) sees it.

    Args:
        code: Short machine-readable reason, such as ``not_found``.
        message: One sentence for a reader.
        retryable: Whether the same call may succeed later.
        tool: Full name, ``mcp.<server>:<tool>``.
    """

    def __init__(self, code: str, message: str, retryable: bool, tool: str) -> None:
        self.code, self.message, self.retryable, self.tool = code, message, retryable, tool
        super().__init__(f"{tool}: {code}: {message}")

    def as_data(self) -> dict[str, str | bool]:
        """Return the error as a plain object with the keys of the workflow language."""
        return {
            "code": self.code,
            "message": self.message,
            "retryable": self.retryable,
            "tool": self.tool,
        }
