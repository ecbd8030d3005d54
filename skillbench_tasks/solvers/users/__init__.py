"""The customer's side of a conversation: who plays the user, and how he understands an agent."""

from __future__ import annotations

from skillbench_tasks.solvers.users.scripted import ScriptedUser, UserReply

__all__ = ["ScriptedUser", "UserReply"]
