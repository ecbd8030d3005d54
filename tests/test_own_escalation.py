"""An own skill's escalation tool hands the conversation over as the shipped one does (A11)."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

from inspect_ai import eval as inspect_eval

from skillbench_tasks import zero_shot
from skillbench_tasks.datasets.loaders import cases_of, load_skills
from skillbench_tasks.models import EPISODE_KEY
from tests.mock import MOCK_SKILLS

ESCALATE = """server: helpline
title: Helpline
description: Passes a contact on to a duty manager.
tools:
  - name: raise_to_duty_manager
    title: Raise to the duty manager
    description: Passes the contact on to the duty manager and returns the record.
    access: write
    hands_over: true
    input_schema:
      type: object
      properties:
        reason_code: {type: string, description: "Why."}
        queue: {type: string, description: "The team."}
        summary: {type: string, minLength: 10, x-free-text: true, description: "What is wanted, done and open."}
        customer_id: {type: string, description: "The file."}
      required: [reason_code, queue, summary]
      additionalProperties: false
    behaviour:
      - op: create
        collection: transfers
        record: {customer_id: "${args.customer_id}", reason_code: "${args.reason_code}", queue: "${args.queue}", summary: "${args.summary}"}
        as: made
    returns: "${made}"
"""


def _desk_with_own_escalation(folder: Path) -> Path:
    shutil.copytree(MOCK_SKILLS, folder / "skills")
    desk = folder / "skills" / "visit-desk"
    (desk / "tools").mkdir()
    (desk / "tools" / "helpline.yaml").write_text(ESCALATE, encoding="utf-8")
    for name in ("SKILL.md", "flow.yaml", "scenarios.yaml", "policy.yaml"):
        text = (desk / name).read_text(encoding="utf-8")
        own = text.replace("mcp.desk:transfer_to_human", "mcp.helpline:raise_to_duty_manager")
        (desk / name).write_text(own, encoding="utf-8")
    gold = json.loads((desk / "gold.json").read_text(encoding="utf-8"))
    (skill,) = load_skills(folder / "skills")
    for case in cases_of(skill, words=False):
        gold[case.id]["skeleton"] = case.gold.skeleton
    (desk / "gold.json").write_text(json.dumps(gold), encoding="utf-8")
    return folder / "skills"


def test_own_escalation_tool_ends_the_talk_as_transferred_a11(tmp_path: Path) -> None:
    skills = _desk_with_own_escalation(tmp_path)
    (log,) = inspect_eval(
        zero_shot(agent="reference", skills=str(skills), kind="identity_fails"),
        model="none",
        log_dir=str(tmp_path / "logs"),
        display="none",
    )
    assert log.samples is not None
    (sample,) = log.samples
    assert sample.store[EPISODE_KEY]["termination"]["state"] == "transferred"
    assert sample.store[EPISODE_KEY]["termination"]["by"] == "agent"
    assert sample.scores is not None
    assert sample.scores["verified"].value == "C"
