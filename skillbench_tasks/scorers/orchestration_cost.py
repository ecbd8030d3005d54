"""What a protocol of orchestration costs: answers of the model and their completion tokens.

Source: protocol C, *Cost*: model calls in total and per variant, completion tokens in total, per
variant and per call, ratio step : global. Pure.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from skillbench_tasks.models import Model

__all__ = ["Cost"]


class Cost(Model):
    """Cost over variants; the costs of several samples add up.

    Args:
        variants: Executions that the answers stand for.
        calls: Answers of the model, those from a cache too.
        completion_tokens: Tokens that it wrote, reasoning among them.
        calls_not_made: Answers taken from a finished log; the other figures leave them out.
    """

    variants: int = 0
    calls: int = 0
    completion_tokens: int = 0
    calls_not_made: int = 0

    @classmethod
    def added(cls, parts: Iterable[Cost]) -> Cost:
        """Return the cost of several samples together."""
        listed = list(parts)
        return cls(
            variants=sum(part.variants for part in listed),
            calls=sum(part.calls for part in listed),
            completion_tokens=sum(part.completion_tokens for part in listed),
            calls_not_made=sum(part.calls_not_made for part in listed),
        )

    def rows(self) -> Iterator[tuple[str, float]]:
        """Yield the published figures; those that divide by 0 are left out."""
        yield "model calls", float(self.calls)
        yield "completion tokens", float(self.completion_tokens)
        if self.variants:
            yield "model calls per variant", self.calls / self.variants
            yield "completion tokens per variant", self.completion_tokens / self.variants
        if self.calls:
            yield "completion tokens per call", self.completion_tokens / self.calls
        if self.calls_not_made:
            yield "answers from a log, not counted", float(self.calls_not_made)

    def ratios(self, other: Cost) -> Iterator[tuple[str, float]]:
        """Yield how many times the other cost this is, per variant; none where it cost nothing.

        Args:
            other: Mostly the global protocol's.
        """
        own, base = dict(self.rows()), dict(other.rows())
        for name in ("model calls per variant", "completion tokens per variant"):
            if name in own and base.get(name):
                yield name, own[name] / base[name]
