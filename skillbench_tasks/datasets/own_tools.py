"""Where a skill's tools come from: the catalogue that ships and folders of one's own."""

from __future__ import annotations

from pathlib import Path
from typing import Final

from skillbench_tasks.models import Skill
from skillbench_tasks.tools.catalogue.own import Catalogue, shipped, with_own

__all__ = ["OWN_TOOLS", "catalogue_of"]

OWN_TOOLS: Final = "tools"
_SHIPPED_SKILLS = Path(__file__).parent / "skills"


def catalogue_of(skill: Skill) -> Catalogue:
    """Return the tools that a skill may name and the collections that they work on.

    A folder `tools` beside the skills and one in the skill's folder add to what ships.

    Raises:
        DataError: A file there is broken, or a name in it is taken already.
    """
    folder = Path(skill.folder)
    if not skill.folder or _SHIPPED_SKILLS in folder.parents:
        return shipped()
    places = (folder.parent / OWN_TOOLS, folder / OWN_TOOLS)
    return with_own(tuple(place.resolve() for place in places if place.is_dir()))
