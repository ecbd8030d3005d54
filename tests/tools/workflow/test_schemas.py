"""Schemas of plans: references that never end."""

from __future__ import annotations

from typing import Any

import pytest

from skillbench_tasks.tools.workflow.schemas import misfits


@pytest.mark.parametrize(
    "schema", [{"$ref": "#"}, {"not": {"$ref": "#"}}, {"anyOf": [{"$ref": "#"}]}]
)
def test_a_reference_that_leads_back_to_itself_is_one_misfit_r1(schema: Any) -> None:
    found = list(misfits(schema, {"a": {"a": {}}}))
    assert [one.keyword for one in found] == ["$schema"]


def test_a_reference_that_goes_on_with_the_value_is_followed() -> None:
    node = {"type": "object", "properties": {"next": {"$ref": "#/$defs/node"}}}
    schema: Any = {"$defs": {"node": node}, "$ref": "#/$defs/node"}
    assert list(misfits(schema, {"next": {"next": {}}})) == []
    assert [one.location for one in misfits(schema, {"next": {"next": 3}})] == [("next", "next")]
