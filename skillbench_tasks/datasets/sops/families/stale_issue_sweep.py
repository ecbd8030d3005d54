"""Issues that nobody touches: remind, and end what stays untouched."""

from __future__ import annotations

from typing import Any, Final

from skillbench_tasks.datasets.sops.drafts import Choice, Draft, Family, Sentence, VariantDraft
from skillbench_tasks.datasets.sops.nodes import (
    NodeData,
    call,
    each,
    program,
    put,
    result,
    rule,
    when,
)
from skillbench_tasks.models import Record
from skillbench_tasks.models.sop import Resource, Template

__all__ = ["FAMILY"]

KEEPER = Resource(
    name="Wen Castellan", kind="keeper of the backlog", id="wen.castellan@example.com"
)
REMINDER = Template(
    name="reminder",
    text="Nothing has changed here since {last change}. Is this still needed?",
)

_IDLE: Final = {"days_between": [{"var": "issue.updated_at"}, {"var": "context.now"}]}
_CLOSING: Final = "Closed, because nothing has changed here for a long time."
_HANDING: Final = "Handed to the keeper of the backlog, because nothing has changed here."
_COUNTING: Final = (
    "How long an issue has been untouched is counted in calendar days, from the date of its last "
    "change (as the issue itself shows it) to today's date."
)


def _is_sweep(choice: Choice) -> bool:
    return choice["scope"] == "project"


def _noted(choice: Choice, what: str, word: str) -> NodeData:
    """Return the node that keeps in mind what was done with an issue."""
    if _is_sweep(choice):
        return put(f"count_{what}", what, rule({"+": [{"var": what}, 1]}))
    return put(f"say_{what}", "outcome", word)


def _ending(choice: Choice) -> list[NodeData]:
    issue_id = "${issue.issue_id}"
    if choice["ending"] == "cancel":
        return [
            call("farewell", "tracker:add_comment", issue_id=issue_id, text=_CLOSING),
            call(
                "close",
                "tracker:move_issue",
                issue_id=issue_id,
                status="cancelled",
                resolution="wont_do",
            ),
            _noted(choice, "ended", "closed"),
        ]
    return [
        call(
            "raise",
            "tracker:update_issue",
            issue_id=issue_id,
            priority="high",
            assignee=KEEPER.id,
        ),
        call("explain", "tracker:add_comment", issue_id=issue_id, text=_HANDING),
        _noted(choice, "ended", "handed over"),
    ]


def _reminding(choice: Choice) -> list[NodeData]:
    issue_id = "${issue.issue_id}"
    text = "Nothing has changed here since ${issue.updated_at}. Is this still needed?"
    remind = call("remind", "tracker:add_comment", issue_id=issue_id, text=text)
    mark = call("mark", "tracker:update_issue", issue_id=issue_id, add_label="stale")
    marks = [mark] if choice["ripe"] == "marked" else []
    return [remind, *marks, _noted(choice, "reminded", "reminded")]


def _handling(choice: Choice) -> list[NodeData]:
    """Return what is done with one issue that is open."""
    ending, reminding = _ending(choice), _reminding(choice)
    if choice["ripe"] == "age":
        younger = [when("idle", {">=": [_IDLE, 14]}, reminding)]
        found = [when("worn", {">=": [_IDLE, 30]}, ending, younger)]
    else:
        is_marked = {"in": ["stale", {"var": "issue.labels"}]}
        found = [when("idle", {">=": [_IDLE, 14]}, [when("marked", is_marked, ending, reminding)])]
    if choice["spare"] == "label":
        is_spared = {"in": ["keep", {"var": "issue.labels"}]}
        found = [when("spared", {"!": [is_spared]}, found)]
    return found


def _program(choice: Choice) -> dict[str, Any]:
    if _is_sweep(choice):
        return program(
            {"project": {"type": "string", "description": "Key of the project."}},
            [
                put("none_ended", "ended", 0),
                put("none_reminded", "reminded", 0),
                call("found", "tracker:find_issues", project="${inputs.project}", is_open=True),
                each("sweep", "${found.issues}", "issue", _handling(choice)),
                result("end", ended="${ended}", reminded="${reminded}"),
            ],
            {name: {"type": "integer"} for name in ("ended", "reminded")},
        )
    is_over = {"in": [{"var": "issue.status"}, ["done", "cancelled"]]}
    return program(
        {"issue_id": {"type": "string", "description": "The issue."}},
        [
            put("begin", "outcome", "left alone"),
            call("issue", "tracker:get_issue", issue_id="${inputs.issue_id}"),
            when("alive", {"!": [is_over]}, _handling(choice)),
            result("end", outcome="${outcome}"),
        ],
        {"outcome": {"type": "string"}},
    )


def _scope_sentences(choice: Choice) -> list[Sentence]:
    is_cancel = choice["ending"] == "cancel"
    word = "closed" if is_cancel else "handed over"
    if _is_sweep(choice):
        return [
            Sentence(
                "The run goes through the issues of the project given as `project` that are "
                "neither done nor cancelled, one after the other, as the issue tracker lists them.",
                ("input:project", "call:found", "each:sweep"),
            ),
            Sentence(
                "The run returns two numbers, each of which may be 0: `ended`, how many issues "
                f"were {word}, and `reminded`, how many were reminded of.",
                ("return:end", "set:count_ended", "set:count_reminded"),
            ),
        ]
    return [
        Sentence(
            "The run is given one issue as `issue_id` and reads it in the issue tracker.",
            ("input:issue_id", "call:issue"),
        ),
        Sentence(
            "An issue that is “done” or “cancelled” is left alone, however old it is; any other "
            f"issue can be reminded of or {word}.",
            ("if:alive",),
        ),
        Sentence(
            f"The run returns as `outcome` what was done with the issue: “reminded”, “{word}”, or "
            "“left alone” when nothing was done.",
            ("return:end", "set:begin", "set:say_ended", "set:say_reminded"),
        ),
    ]


def _ripeness_sentences(choice: Choice) -> list[Sentence]:
    word = "closed" if choice["ending"] == "cancel" else "handed over"
    if choice["ripe"] == "age":
        return [
            Sentence(
                f"{_COUNTING} After at least 30 days the issue is {word} and not reminded of; "
                "after at least 14 but fewer than 30 it is only reminded of; otherwise nothing is "
                "done with it.",
                ("if:worn", "if:idle"),
            ),
        ]
    return [
        Sentence(
            f"{_COUNTING} Nothing is done with an issue that has been untouched for fewer than 14 "
            "days.",
            ("if:idle",),
        ),
        Sentence(
            f"An issue that has been untouched for at least 14 days is {word} if it carries the "
            "label “stale”; if it does not, it is reminded of.",
            ("if:marked",),
        ),
    ]


def _action_sentences(choice: Choice) -> list[Sentence]:
    found = [
        Sentence(
            "To remind of an issue is to put the reminder on it as a comment, with the date and "
            "time of its last change as the issue shows it.",
            ("call:remind",),
        )
    ]
    if choice["ripe"] == "marked":
        found.append(
            Sentence(
                "An issue that was reminded of gets the label “stale”, after the comment.",
                ("call:mark", "order:remind<mark"),
            )
        )
    if choice["ending"] == "cancel":
        return [
            *found,
            Sentence(
                f"Before an issue is closed, it gets the comment “{_CLOSING}”",
                ("call:farewell",),
            ),
            Sentence(
                "Closing puts the issue into the status “cancelled” with the resolution “wont_do”, "
                "once the comment about it stands.",
                ("call:close", "order:farewell<close"),
            ),
        ]
    return [
        *found,
        Sentence(
            "An issue that is handed over gets the priority “high” and Wen Castellan as its "
            "assignee, both in one change and whatever they were before.",
            ("call:raise",),
        ),
        Sentence(
            f"An issue that has been handed over gets the comment “{_HANDING}” after the change.",
            ("call:explain", "order:raise<explain"),
        ),
    ]


def _sentences(choice: Choice) -> tuple[Sentence, ...]:
    found = [*_scope_sentences(choice), *_ripeness_sentences(choice), *_action_sentences(choice)]
    if choice["spare"] == "label":
        found.append(
            Sentence(
                "An issue that carries the label “keep” is spared: nothing is done with it, "
                "however long it has been untouched.",
                ("if:spared",),
            )
        )
    return tuple(found)


def _issue(number: int, changed: str, *labels: str, **more: Any) -> Record:
    return {
        "issue_id": f"ISS-66{number}",
        "project": "PEO",
        "issue_type": "task",
        "summary": f"Prepare training {number}",
        "description": "As agreed in the review.",
        "status": "open",
        "priority": "medium",
        "reporter": "noor.haddad@example.com",
        "assignee": "clara.ostrow@example.com",
        "labels": list(labels),
        "due_on": None,
        "parent_id": None,
        "resolution": None,
        "created_at": "2025-10-06T09:00:00",
        "updated_at": changed,
        **more,
    }


_FRESH, _IDLE_14 = "2026-03-03T08:00:00", "2026-03-02T18:30:00"  # 13 and 14 days
_IDLE_29, _IDLE_30, _OLD = "2026-02-15T07:00:00", "2026-02-14T23:10:00", "2025-12-01T09:00:00"


def _sweep_variants() -> tuple[VariantDraft, ...]:
    done = {"status": "done", "resolution": "completed"}

    def one(*issues: Record, project: str = "PEO") -> VariantDraft:
        return VariantDraft({"project": project}, {"tracker_issues": issues})

    return (
        one(_issue(11, _OLD, **done), _issue(12, _OLD, project="DAT")),
        one(_issue(13, _FRESH, "stale", due_on="2026-03-01")),
        one(_issue(14, _IDLE_14, "keeper", status="in_progress")),
        one(
            _issue(21, _IDLE_30, "docs"),
            _issue(22, _IDLE_29, "stale"),
            _issue(23, _OLD, "keep"),
            _issue(24, _OLD, "stale", status="blocked"),
            _issue(25, _OLD, status="cancelled", resolution="wont_do"),
            _issue(26, _FRESH),
        ),
        one(
            _issue(31, _OLD, project="OPS", priority="high"),
            _issue(32, _IDLE_14, "stale", "keep", project="OPS", status="in_review"),
            _issue(33, _IDLE_30, "stale", project="OPS", assignee=None),
            project="OPS",
        ),
    )


def _single_variants() -> tuple[VariantDraft, ...]:
    issues = (
        _issue(41, _OLD, "stale", status="cancelled", resolution="duplicate"),
        _issue(42, _FRESH, "stale", priority="low"),
        _issue(43, _IDLE_14, "stale_data", status="in_review"),
        _issue(44, _IDLE_30, "stale", "docs", assignee=None),
        _issue(45, _OLD, "stale", "keep", status="blocked"),
        _issue(46, _IDLE_29, "stale", assignee=KEEPER.id, priority="high"),
        _issue(47, _OLD, "keeper"),
    )
    return tuple(
        VariantDraft({"issue_id": issue["issue_id"]}, {"tracker_issues": (issue,)})
        for issue in issues
    )


def build(choice: Choice) -> Draft:
    """Return the draft of one choice."""
    is_sweep = _is_sweep(choice)
    few = ("No project has more than 50 issues that are open.",) if is_sweep else ()
    when_ = "every week for each project" if is_sweep else "for each issue once a week"
    return Draft(
        title="Sweep the stale issues of a project" if is_sweep else "Check an issue for staleness",
        purpose=f"Operations runs this {when_}, so that the backlog holds what is really wanted.",
        program=_program(choice),
        sentences=_sentences(choice),
        context=("Comments do not count as a change of an issue.", *few),
        resources=(KEEPER,) if choice["ending"] == "hand_over" else (),
        templates=(REMINDER,),
        variants=_sweep_variants() if is_sweep else _single_variants(),
    )


FAMILY = Family(
    name="stale-issue-sweep",
    axes={
        "scope": ("project", "issue"),
        "ripe": ("age", "marked"),
        "spare": ("none", "label"),
        "ending": ("cancel", "hand_over"),
    },
    build=build,
    picks=(
        {"scope": "project", "ripe": "age", "spare": "none", "ending": "cancel"},
        {"scope": "issue", "ripe": "marked", "spare": "label", "ending": "hand_over"},
    ),
)
