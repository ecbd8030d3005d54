"""The closed-loop replay: gold user turns, the model's own actions, calls matched as they come."""

from skillbench_tasks.solvers.replay.blocks import Block, blocks_of
from skillbench_tasks.solvers.replay.machine import CallAnswer, Replay, Reply
from skillbench_tasks.solvers.replay.matching import Matcher, StrictMatcher, Verdict
from skillbench_tasks.solvers.replay.world_matching import WorldMatcher

__all__ = [
    "Block",
    "CallAnswer",
    "Matcher",
    "Replay",
    "Reply",
    "StrictMatcher",
    "Verdict",
    "WorldMatcher",
    "blocks_of",
]
