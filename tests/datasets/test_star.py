"""STAR dialogues: an invented folder, and the real one where it is there."""

from __future__ import annotations

import copy
import gzip
import json
from collections import Counter
from collections.abc import Callable, Iterator
from functools import lru_cache
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from skillbench_tasks.datasets.adapters.star import StarDialogues, open_data
from skillbench_tasks.datasets.adapters.star.queries import Constraint, arguments_of, tool_entry
from skillbench_tasks.datasets.adapters.star.reading import Api
from skillbench_tasks.datasets.conversations import open_conversations
from skillbench_tasks.errors import DataError
from skillbench_tasks.models.conversation import (
    CalledTool,
    Conversation,
    ConversationTool,
    Said,
)
from tests.conftest import SHARED_DATA

BOOK_API: dict[str, Any] = {
    "input": [
        {
            "Name": "Colour",
            "Type": "Categorical",
            "Categories": ["red", "green", "blue"],
            "ReadableName": "Colour of the kite",
        },
        {"Name": "Size", "Type": "Integer", "Min": 1, "Max": 9, "ReadableName": "Size"},
        {"Name": "Owner", "Type": "ShortString", "ReadableName": "Owner"},
        {"Name": "Wish", "Type": "LongString", "ReadableName": "Wish"},
        {"Name": "Rented", "Type": "Boolean", "ReadableName": "Rented"},
        {
            "Name": "Extras",
            "Type": "CategoricalMultiple",
            "Categories": ["tail", "bow"],
            "ReadableName": "Extras",
        },
        {
            "Name": "RequestType",
            "Type": "RequestType",
            "Categories": ["Check", "Book"],
            "ReadableName": "Request",
        },
    ],
    "output": [{"ReadableName": "Message", "Type": "ShortString"}],
    "required": ["Colour"],
    "db": "kite",
}
OTHER_API: dict[str, Any] = {"input": [], "output": [], "required": []}
FLOW: dict[str, Any] = {
    "task": "book_a_kite",
    "replies": {
        "hello": "Hello, what can I do?",
        "kite_ask_colour": "Which colour?",
        "query_check": "Query Check",
        "query_success": "Succeeded",
        "kite_offer": "A {colour:s} kite\nof size {size:d}. Take it?",
        "no": "No",
        "kite_none_left": "None is left.",
    },
    "graph": {
        "hello": "kite_ask_colour",
        "kite_ask_colour": "query_check",
        "query_success": "kite_offer",
        "no": "kite_ask_colour",
        "kite_offer": "kite_none_left",
    },
}
RESPONSES = {
    "hello": "Hello, what can I do?",
    "kite_ask_colour": "Which colour?",
    "kite_offer": "A {colour:s} kite\nof size {size:d}. Take it?",
    "kite_bye": "Fly well!",
}
DIALOGUE: dict[str, Any] = {
    "id": "star-1",
    "intent": "kite_book",
    "tasks": ["kite_book"],
    "happy_path": True,
    "user_instructions": "CANARY-card: you want a red kite.",
    "agent_instructions": "CANARY-told: help. Facts: \n\n* Today is Friday\n* It is windy",
    "reference_actions": ["CANARY-action"],
    "turns": [
        {"role": "user", "text": "A red kite!"},
        {
            "role": "tool_call",
            "call_id": "c1",
            "name": "kite_book",
            "arguments": {"Colour": {"op": "is_equal_to", "value": "red"}},
            "arguments_raw": ["CANARY-raw"],
        },
        {"role": "tool_result", "call_id": "c1", "result": {"Size": 3}, "total_items": 2},
        {"role": "event", "event": "select_primary", "data": {"x": "CANARY-event"}},
        {"role": "agent", "text": "A red kite of size 3. Take it?", "action_label": "CANARY-label"},
        {"role": "user", "text": "Yes."},
        {
            "role": "tool_call",
            "call_id": "c2",
            "name": "kite_book",
            "arguments": {
                "Colour": {"op": "is_equal_to", "value": "red"},
                "RequestType": {"op": "is_equal_to", "value": "Book"},
            },
        },
        {"role": "tool_result", "call_id": "c2", "result": {"Message": "ok"}, "total_items": -1},
        {"role": "agent", "text": "Fly well!", "action_label": "CANARY-bye"},
    ],
}
LIVE = {
    **DIALOGUE,
    "id": "star-2",
    "happy_path": False,
    "user_instructions": "Follow the MTurk System bot.",
}
EMPTY = {**DIALOGUE, "id": "star-3", "turns": []}


def _folder(
    folder: Path, *dialogues: dict[str, Any], packed: bool = False, flow: object = FLOW
) -> Path:
    (folder / "apis").mkdir()
    (folder / "flowcharts").mkdir()
    (folder / "apis" / "kite_book.json").write_text(json.dumps(BOOK_API))
    (folder / "apis" / "kite_return.json").write_text(json.dumps(OTHER_API))
    (folder / "apis" / "boat_book.json").write_text(json.dumps(OTHER_API))
    (folder / "flowcharts" / "kite_book.flow.json").write_text(json.dumps(flow))
    (folder / "flowcharts" / "kite_book.responses.json").write_text(json.dumps(RESPONSES))
    data = "".join(json.dumps(one) + "\n" for one in dialogues or (DIALOGUE, LIVE, EMPTY)).encode()
    name = "single_task.jsonl" + (".gz" if packed else "")
    (folder / name).write_bytes(gzip.compress(data) if packed else data)
    return folder


@pytest.fixture
def mini(tmp_path: Path) -> StarDialogues:
    """The invented folder, opened."""
    return open_data(_folder(tmp_path))


def test_dialogue_becomes_a_conversation(mini: StarDialogues) -> None:
    conversation = mini.conversation("star-1")
    assert (conversation.workflow, conversation.kind) == ("kite_book", "happy_path")
    assert [tool.name for tool in conversation.tools] == ["kite_book", "kite_return"]
    assert conversation.steps == (
        Said(role="user", text="A red kite!"),
        CalledTool(
            tool="kite_book",
            arguments={"Colour": "red"},
            result={"total_items": 2, "item": {"Size": 3}},
        ),
        Said(role="assistant", text="A red kite of size 3. Take it?"),
        Said(role="user", text="Yes."),
        CalledTool(
            tool="kite_book",
            arguments={"Colour": "red", "RequestType": "Book"},
            result={"Message": "ok"},
        ),
        Said(role="assistant", text="Fly well!"),
    )


def test_policy_is_the_flowchart_in_numbered_steps(mini: StarDialogues) -> None:
    head, rest = mini.conversation("star-1").policy.split("\n\n# ", 1)
    assert "Your task here: kite book." in head
    assert rest == (
        "What you know\n\n- Today is Friday\n- It is windy\n\n"
        "# Course\n\n"
        '1. Say: "Hello, what can I do?"\n'
        '2. Say: "Which colour?"\n'
        "3. Call the tool (check).\n"
        '4. In case of "Succeeded":\n'
        '5. Say: "A {colour} kite of size {size}. Take it?"\n'
        '6. Say: "None is left."\n'
        '7. In case of "No":\n'
        "   Go on with step 2.\n\n"
        '# Further ready messages\n\n- "Fly well!"'
    )


def test_nothing_that_is_withheld_reaches_a_conversation(mini: StarDialogues) -> None:
    for conversation in mini.conversations():
        text = conversation.model_dump_json()
        assert "CANARY" not in text
        assert "kite_ask_colour" not in text


def test_users_with_one_card_are_one_and_live_ones_are_apart(tmp_path: Path) -> None:
    twin, other = {**DIALOGUE, "id": "star-4"}, {**LIVE, "id": "star-5"}
    source = open_data(_folder(tmp_path, DIALOGUE, LIVE, twin, other))
    users = {one.id: one.user for one in source.conversations()}
    assert users["star-1"] == users["star-4"]
    assert len(set(users.values())) == 3


def test_gzipped_dialogues_read_the_same(tmp_path: Path, mini: StarDialogues) -> None:
    folder = tmp_path / "packed"
    folder.mkdir()
    packed = open_conversations(f"star:{_folder(folder, packed=True)}")
    assert list(packed.conversations()) == list(mini.conversations())


def test_dialogue_without_turns_is_left_out_and_noted(mini: StarDialogues) -> None:
    assert mini.ids() == ("star-1", "star-2")
    assert mini.notes == ("dialogues without a turn or not completed, left out: 1",)


def _one(op: str, value: object) -> dict[str, object]:
    return {"op": op, "value": value}


@pytest.mark.parametrize(
    ("slot", "given", "argument"),
    [
        pytest.param("Colour", _one("is_equal_to", "red"), "red", id="equal"),
        pytest.param("Colour", _one("is_equal_to", ["red"]), "red", id="equal to a list of one"),
        pytest.param("Colour", _one("is_one_of", ["blue"]), "blue", id="one of one"),
        pytest.param(
            "Colour", _one("is_one_of", ["blue", "red", "blue"]), ["red", "blue"], id="one of two"
        ),
        pytest.param("Colour", _one("is_one_of", ["blue", "pink"]), ["blue", "pink"], id="unknown"),
        pytest.param("Colour", _one("is_equal_to", "null"), ..., id="null"),
        pytest.param("Size", _one("is_equal_to", ""), ..., id="empty"),
        pytest.param("Size", _one("is_equal_to", 3), 3, id="number"),
        pytest.param("Size", _one("is_at_least", 3), {"min": 3}, id="at least"),
        pytest.param("Size", _one("is_greater_than", 2), {"min": 3}, id="greater than"),
        pytest.param("Size", _one("is_at_most", 3), {"max": 3}, id="at most"),
        pytest.param("Size", _one("is_less_than", 4), {"max": 3}, id="less than"),
        pytest.param("Size", _one("is_not", 3), {"not": 3}, id="not"),
        pytest.param("Owner", _one("is_equal_to", 42), "42", id="number in a text slot"),
        pytest.param("Owner", _one("is_equal_to", " Bo "), "Bo", id="blanks around"),
        pytest.param("Rented", _one("is_equal_to", True), True, id="truth value"),
        pytest.param("Extras", _one("contains", "bow"), "bow", id="contains"),
        pytest.param(
            "Owner",
            [_one("is_equal_to", "Al"), _one("is_equal_to", "Bo"), _one("is_equal_to", "null")],
            "Bo",
            id="the last that says something",
        ),
    ],
)
def test_constraint_becomes_one_argument_that_fits_the_schema(
    slot: str, given: Any, argument: object
) -> None:
    api = Api.model_validate(BOOK_API)
    bound: Any = (
        [Constraint.model_validate(one) for one in given]
        if isinstance(given, list)
        else Constraint.model_validate(given)
    )
    base = {"Colour": Constraint(op="is_equal_to", value="green")}
    arguments = arguments_of({**base, slot: bound}, api)
    if argument is ...:
        assert slot not in arguments
    else:
        assert arguments[slot] == argument
        assert type(arguments[slot]) is type(argument)
    schema = tool_entry("kite_book", api)["input_schema"]
    fits = Draft202012Validator(schema).is_valid(arguments)
    assert fits == ("Colour" in arguments and argument != ["blue", "pink"])


def _edited(edit: Callable[[dict[str, Any]], Any]) -> dict[str, Any]:
    dialogue = copy.deepcopy(DIALOGUE)
    edit(dialogue)
    return dialogue


@pytest.mark.parametrize(
    ("edit", "message"),
    [
        pytest.param(lambda d: d.pop("intent"), "intent: Field required", id="missing field"),
        pytest.param(
            lambda d: d["turns"][1].update(name="kite_fly"),
            "turns.1.name: kite_fly is called, and is no API of the dialogue's tasks",
            id="unknown API",
        ),
        pytest.param(
            lambda d: d["turns"][1]["arguments"].update(Shape=_one("is_equal_to", "x")),
            "turns.1.arguments: the API has no slot Shape",
            id="unknown slot",
        ),
        pytest.param(
            lambda d: d["turns"][1]["arguments"]["Colour"].update(op="is_like"),
            "turns.1.arguments.Colour.op: Input should be",
            id="unknown operator",
        ),
        pytest.param(
            lambda d: d["turns"].pop(2), "turns.1.call_id: the query has no result", id="no result"
        ),
        pytest.param(
            lambda d: d.update(turns=d["turns"][:1]), "turns: no turn is the agent's", id="no agent"
        ),
        pytest.param(
            lambda d: d["turns"][0].update(role="wizard"), "turns.0: Input tag 'wizard'", id="role"
        ),
    ],
)
def test_odd_dialogue_is_left_out_and_told_with_its_line_d2(
    tmp_path: Path, edit: Callable[[dict[str, Any]], Any], message: str
) -> None:
    source = open_data(_folder(tmp_path, LIVE, _edited(edit)))
    assert source.ids() == ("star-2",)
    assert source.notes[0] == "lines left out because they are broken: 1 of 2"
    assert f"single_task.jsonl:2: {message}" in source.notes[1]


def test_file_of_odd_dialogues_alone_is_refused(tmp_path: Path) -> None:
    broken = _edited(lambda d: d.update(turns=d["turns"][:1]))
    with pytest.raises(DataError, match=r"single_task\.jsonl:1: turns: no turn is the agent's"):
        open_data(_folder(tmp_path, broken))


MULTI = {**DIALOGUE, "id": "star-9", "intent": None, "tasks": ["boat_book", "kite_book"]}


def test_dialogue_of_several_tasks_is_offered_the_tools_of_all_d1(tmp_path: Path) -> None:
    source = open_data(_folder(tmp_path, MULTI))
    conversation = source.conversation("star-9")
    assert [tool.name for tool in conversation.tools] == ["boat_book", "kite_book", "kite_return"]
    assert conversation.workflow == "boat_book+kite_book"
    assert "Your task here: boat book, kite book." in conversation.policy
    assert "# Course: kite book" in conversation.policy


def test_dialogue_that_calls_what_is_not_offered_is_left_out_by_name_d1(tmp_path: Path) -> None:
    strange = _edited(lambda d: d["turns"][1].update(name="boat_book"))
    source = open_data(_folder(tmp_path, LIVE, strange))
    assert source.ids() == ("star-2",)
    assert (
        "turns.1.name: boat_book is called, and is no API of the dialogue's tasks"
        in source.notes[1]
    )


def _published(**changes: Any) -> dict[str, Any]:
    return {
        "DialogueID": 7,
        "CompletionLevel": "Complete",
        "Scenario": {
            "Happy": True,
            "MultiTask": False,
            "UserTask": DIALOGUE["user_instructions"],
            "WizardTask": DIALOGUE["agent_instructions"],
            "WizardCapabilities": [{"Task": "kite_book", "Domain": "kite"}],
        },
        "Events": [
            {"Agent": "UserGuide", "Action": "instruct", "Text": "CANARY-guide"},
            {"Agent": "User", "Action": "utter", "Text": "A red kite!"},
            {"Agent": "Wizard", "Action": "request_suggestions", "Text": "CANARY-draft"},
            {
                "Agent": "Wizard",
                "Action": "query",
                "APIName": "kite_book",
                "Constraints": [
                    {"Colour": 'api.is_equal_to("red")'},
                    {"Size": "api.is_at_least(2)"},
                    {"Owner": "true"},
                    {"Wish": "a \\ lone text"},
                    {"Rented": "False"},
                    {"Extras": 'api.contains_not("bow")'},
                    {"RequestType": "null"},
                ],
            },
            {
                "Agent": "KnowledgeBase",
                "Action": "return_item",
                "Item": {"Size": 3},
                "TotalItems": 2,
            },
            {"Agent": "Wizard", "Action": "select_task", "Task": "kite_book"},
            {"Agent": "Wizard", "Action": "pick_suggestion", "Text": "A red kite of size 3?"},
            {"Agent": "User", "Action": "complete"},
        ],
        **changes,
    }


def _clone(folder: Path, *dialogues: dict[str, Any]) -> Path:
    (folder / "dialogues").mkdir()
    (folder / "apis" / "apis").mkdir(parents=True)
    for api, data in (("kite_book", BOOK_API), ("kite_return", OTHER_API)):
        (folder / "apis" / "apis" / f"{api}.json").write_text(json.dumps(data))
    for dialogue in dialogues:
        path = folder / "dialogues" / f"{dialogue['DialogueID']}.json"
        path.write_text(json.dumps(dialogue, indent=1))
    return folder


def test_clone_as_published_reads_without_a_copy_of_ours_d2(tmp_path: Path) -> None:
    broken_off = _published(DialogueID=10, CompletionLevel="Incomplete")
    odd = {**_published(DialogueID=9), "Scenario": {}}
    source = open_data(_clone(tmp_path, broken_off, odd, _published()))
    assert source.ids() == ("star-7",)
    assert source.notes[0] == "dialogues without a turn or not completed, left out: 1"
    assert "dialogues:9: not as published: 'WizardCapabilities'" in source.notes[2]
    conversation = source.conversation("star-7")
    assert conversation.steps == (
        Said(role="user", text="A red kite!"),
        CalledTool(
            tool="kite_book",
            arguments={
                "Colour": "red",
                "Size": {"min": 2},
                "Owner": True,
                "Wish": "a \\ lone text",
                "Rented": False,
                "Extras": {"not": "bow"},
            },
            result={"total_items": 2, "item": {"Size": 3}},
        ),
        Said(role="assistant", text="A red kite of size 3?"),
    )
    assert "CANARY" not in conversation.model_dump_json()


def test_clone_with_charts_has_them_in_the_policy_d2(tmp_path: Path) -> None:
    folder = _clone(tmp_path, _published())
    (folder / "tasks" / "kite_book").mkdir(parents=True)
    (folder / "tasks" / "kite_book" / "kite_book.json").write_text(json.dumps(FLOW))
    (folder / "tasks" / "kite_book" / "responses.json").write_text(json.dumps(RESPONSES))
    policy = open_data(folder).conversation("star-7").policy
    assert '2. Say: "Which colour?"' in policy


@pytest.mark.shared_data
def test_published_sample_reads_as_the_prepared_data_does_d2(real: StarDialogues) -> None:
    published = open_data(SHARED_DATA / "star" / "upstream")
    both = [one for one in published.ids() if one in real.ids()]
    assert len(both) == 6
    for one in both:
        ours, theirs = real.conversation(one), published.conversation(one)
        assert (ours.steps, ours.tools, ours.user) == (theirs.steps, theirs.tools, theirs.user)
    multi = [published.conversation(one) for one in published.ids() if one not in both]
    assert len(multi) == 4
    for conversation in multi:
        offered = {tool.name for tool in conversation.tools}
        assert {s.tool for s in conversation.steps if isinstance(s, CalledTool)} <= offered


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        pytest.param("apis", None, "apis: no API in it", id="no APIs"),
        pytest.param("apis/kite_book.json", "{}", "apis/kite_book.json: input: ", id="broken API"),
        pytest.param(
            "flowcharts/kite_book.flow.json", "[]", "kite_book.flow.json: replies: ", id="no chart"
        ),
        pytest.param(
            "flowcharts/kite_book.responses.json",
            None,
            "kite_book.responses.json: the file is missing",
            id="no ready messages",
        ),
        pytest.param(
            "single_task.jsonl",
            None,
            ": no dialogues/ and no single_task.jsonl in it",
            id="no data",
        ),
    ],
)
def test_broken_folder_is_told(tmp_path: Path, name: str, text: str | None, message: str) -> None:
    folder = _folder(tmp_path)
    path = folder / name
    if text is not None:
        path.write_text(text)
    elif path.is_dir():
        path.rename(folder / "elsewhere")
    else:
        path.unlink()
    with pytest.raises(DataError) as caught:
        open_data(folder)
    assert message in str(caught.value)


@pytest.fixture(scope="module")
def real() -> StarDialogues:
    """The real folder, opened; a test that uses it is marked shared_data."""
    return open_data(SHARED_DATA / "star")


def _misfits(conversation: Conversation) -> Iterator[str]:
    """Calls of a conversation whose arguments do not fit the tool's schema."""
    for step in conversation.steps:
        if isinstance(step, CalledTool):
            (tool,) = (one for one in conversation.tools if one.name == step.tool)
            yield from (e.message for e in _validator(tool).iter_errors(step.arguments))


@lru_cache
def _of_schema(text: str) -> Draft202012Validator:
    return Draft202012Validator(json.loads(text))


def _validator(tool: ConversationTool) -> Draft202012Validator:
    return _of_schema(json.dumps(tool.input_schema))


@pytest.mark.shared_data
def test_real_dialogues_read_without_a_label_or_a_misfit(real: StarDialogues) -> None:
    labels = {
        node
        for path in (SHARED_DATA / "star" / "flowcharts").glob("*.responses.json")
        for node in json.loads(path.read_text(encoding="utf-8"))
        if "_" in node
    }
    assert len(real.ids()) == 4150
    assert real.notes == ("dialogues without a turn or not completed, left out: 2",)
    for name in real.ids()[::40]:
        conversation = real.conversation(name)
        text = conversation.model_dump_json()
        assert [label for label in labels if label in text] == []
        assert list(_misfits(conversation)) == []


@pytest.mark.shared_data
@pytest.mark.slow
def test_all_real_dialogues_have_the_decisions_that_the_page_names(real: StarDialogues) -> None:
    counts: Counter[str] = Counter()
    misfits: list[str] = []
    courses: set[str] = set()
    for conversation in real.conversations():
        courses.add(conversation.policy.partition("# Course")[2])
        misfits += _misfits(conversation)
        for decision in conversation.decisions:
            counts[conversation.steps[decision.step].step] += 1
    assert counts == {"said": 29028, "called": 10716}
    assert misfits == ["'ApplicationFeePaid' is a required property"] * 3
    assert len(courses) == 24
