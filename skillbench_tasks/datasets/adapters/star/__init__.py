"""STAR: human service dialogues, played by a user and a wizard; read where the user has them.

From the user's folder come the dialogues, the APIs' slots, the flowcharts and the wizard's ready
answers. Ours is the wording of the policy around them (`policy.py`), and how the wizard's query
constraints become arguments (`queries.py`). Labels of actions, instructions to the user and
annotations of the task are left behind; `docs/conversation-format.md` says what becomes of what.
"""

from __future__ import annotations

from pathlib import Path

from skillbench_tasks.datasets.adapters.star.source import StarDialogues

__all__ = ["StarDialogues", "open_data"]


def open_data(path: Path, *, skip: bool = True) -> StarDialogues:
    """Open a folder of STAR data.

    Args:
        path: A clone of the source, or a folder that holds `single_task.jsonl` or
            `multi_task.jsonl` (plain or gzipped), `apis/` and `flowcharts/`.
        skip: Odd dialogues are left out and told in `notes` in any case.

    Raises:
        DataError: The folder or something in it is missing or broken.
    """
    return StarDialogues(path)
