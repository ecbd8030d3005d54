"""τ²-bench retail as a foreign domain: read where the user has it, nothing of it is copied.

From the user's folder come the database, the tools' names, descriptions and schemas, the policy,
the tasks and the recording. Ours is what the tools do (`tools.yaml`, `handlers.py`).

What compares how: τ² compares databases by a digest of everything. Here values compare as they
are and lists with their order too, so no list is declared a set. That the order in which an agent
lists items means nothing is seen to by the tools instead: τ² sorts the lists that a return or an
exchange leaves behind, and so do we; new items of a pending order are worked out here pair by pair,
by id, so that the world left behind does not depend on the listing. (In the recorded environment it
does: the last item listed gives its price and options to all the others.) A set would be wrong: two
pieces of one item are two. Payments keep the order in which they were made, a fact of the world.
"""

from __future__ import annotations

from pathlib import Path

from skillbench_tasks.datasets.adapters.tau2.reading import read_domain
from skillbench_tasks.datasets.adapters.tau2.source import Tau2Source

__all__ = ["Tau2Source", "open_data"]


def open_data(path: Path) -> Tau2Source:
    """Open a folder of τ² retail data.

    Args:
        path: A checkout of τ²-bench; or a folder that holds `db.json`, `tasks.json`, `policy.md`,
            `tools.json` and, where there is one, `gold_replay.jsonl`, each plain or gzipped.

    Raises:
        DataError: The folder or something in it is missing or broken.
    """
    return Tau2Source(read_domain(path))
