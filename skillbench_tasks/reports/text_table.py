"""Text tables for a terminal."""

from __future__ import annotations

from collections.abc import Sequence

__all__ = ["Row", "text_table"]

Row = Sequence[str]


def text_table(head: Row, rows: Sequence[Row]) -> str:
    """Return rows under a head, columns aligned: text to the left, numbers to the right."""
    widths = [max(len(row[i]) for row in [head, *rows]) for i in range(len(head))]
    lines = []
    for row in [head, *rows]:
        cells = [
            cell.ljust(width) if index == 0 else cell.rjust(width)
            for index, (cell, width) in enumerate(zip(row, widths, strict=True))
        ]
        lines.append("  ".join(cells).rstrip())
    lines.insert(1, "  ".join("-" * width for width in widths))
    return "\n".join(lines)
