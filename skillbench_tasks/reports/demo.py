"""The demonstration: the reference agent over all cases, through Inspect's own command."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from urllib.parse import urlsplit

from inspect_ai.log import list_eval_logs, read_eval_log

from skillbench_tasks.errors import SkillbenchError
from skillbench_tasks.reports.tables import log_table

__all__ = ["run_demo"]


def run_demo(log_dir: Path) -> str:
    """Run the reference agent through `inspect eval` and return the results as text.

    Args:
        log_dir: Where the log goes.

    Raises:
        SkillbenchError: The run did not succeed.
    """
    inspect = Path(sys.executable).with_name("inspect")
    command = ["eval", "skillbench_tasks/zero_shot", "-T", "agent=reference", "--model", "none"]
    options = ["--log-dir", str(log_dir), "--display", "none"]
    print("$ inspect", *command, flush=True)
    done = subprocess.run([str(inspect), *command, *options], check=False)
    logs = list_eval_logs(str(log_dir))
    if done.returncode != 0 or not logs:
        raise SkillbenchError(f"inspect ended with exit code {done.returncode}")
    log = read_eval_log(logs[0], header_only=True)
    if log.status != "success":
        reason = log.error.message if log.error else log.status
        raise SkillbenchError(f"the run ended as {log.status}: {reason}")
    view = f"{_shown(inspect)} view --log-dir {log_dir}"
    return f"{log_table(log)}\n\nLog: {_shown(Path(urlsplit(log.location).path))}\nSee it: {view}"


def _shown(path: Path) -> Path:
    """Return a path as a user of this folder would type it."""
    return path.relative_to(Path.cwd()) if path.is_relative_to(Path.cwd()) else path
