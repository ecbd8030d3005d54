"""The world: isolation, ids, patches, changes."""

from __future__ import annotations

import pytest

from skillbench_tasks.models import CollectionSpec, Patch, Record
from skillbench_tasks.tools.world import World

SPECS = {
    "pets": CollectionSpec(key="pet_id", prefix="PET"),
    "visits": CollectionSpec(key="visit_id", prefix="VIS", start=500),
}


@pytest.fixture
def world() -> World:
    pets: dict[str, Record] = {"PET-1": {"pet_id": "PET-1", "name": "Ida", "legs": 4}}
    return World(SPECS, {"pets": pets}, "2026-01-01T08:00:00")


def test_copy_written_to_leaves_the_original(world: World) -> None:
    twin = world.copy()
    twin.put("pets", {"pet_id": "PET-1", "name": "Bo", "legs": 4})
    assert world.get("pets", "PET-1") == {"pet_id": "PET-1", "name": "Ida", "legs": 4}


def test_original_written_to_leaves_the_copy(world: World) -> None:
    twin = world.copy()
    world.put("pets", {"pet_id": "PET-2", "name": "Bo"})
    assert twin.get("pets", "PET-2") is None


def test_copy_of_copy_is_isolated_from_both(world: World) -> None:
    twin = world.copy()
    third = twin.copy()
    twin.remove("pets", "PET-1")
    assert [w.get("pets", "PET-1") is None for w in (world, twin, third)] == [False, True, False]


def test_next_id_counts_for_each_copy_alone(world: World) -> None:
    twin = world.copy()
    assert [world.next_id("visits"), world.next_id("visits")] == ["VIS-500", "VIS-501"]
    assert twin.next_id("visits") == "VIS-500"


def test_next_id_skips_a_taken_one(world: World) -> None:
    world.put("visits", {"visit_id": "VIS-500"})
    assert world.next_id("visits") == "VIS-501"


def test_changes_of_equal_rewrite_are_none(world: World) -> None:
    twin = world.copy()
    twin.put("pets", {"pet_id": "PET-1", "name": "Ida", "legs": 4.0})
    assert twin.changes_since(world) == ()


def test_changes_name_made_changed_and_removed(world: World) -> None:
    twin = world.copy()
    twin.put("visits", {"visit_id": "VIS-500"})
    twin.put("pets", {"pet_id": "PET-1", "name": "Bo"})
    made, removed = twin.changes_since(world)[1], twin.copy()
    assert (made.before, made.after) == (None, {"visit_id": "VIS-500"})
    removed.remove("pets", "PET-1")
    assert removed.changes_since(world)[0].after is None


@pytest.mark.parametrize(
    "patch",
    [
        pytest.param({"update": "pets", "key": "PET-9", "set": {"name": "x"}}, id="no_record"),
        pytest.param({"delete": "pets", "key": "PET-9"}, id="delete_nothing"),
        pytest.param({"create": "pets", "record": {"pet_id": "PET-1"}}, id="exists"),
        pytest.param({"create": "pets", "record": {"name": "x"}}, id="no_key"),
        pytest.param({"update": "cars", "key": "C-1"}, id="no_collection"),
    ],
)
def test_patch_that_leads_nowhere_is_refused(world: World, patch: dict[str, object]) -> None:
    with pytest.raises(KeyError):
        world.apply(Patch.model_validate(patch))


def test_patch_update_keeps_other_fields(world: World) -> None:
    world.apply(Patch(update="pets", key="PET-1", set={"name": "Bo"}))
    assert world.get("pets", "PET-1") == {"pet_id": "PET-1", "name": "Bo", "legs": 4}
