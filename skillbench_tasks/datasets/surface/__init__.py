"""How the values of records look when people write them.

`expresses` asks whether a text says a value, `tells` whether it says it other than to deny it,
`values_in` reads the values off a text,
`unknown_values` names what a text says that nothing known explains (`KnownValues` asks it of one
mention), and `say_value` writes a value
as a user would.
No locale, no clock: "tomorrow" expresses nothing, and a day without a month fits every month.
"""

from __future__ import annotations

from skillbench_tasks.datasets.surface.denial import tells
from skillbench_tasks.datasets.surface.expressing import expresses
from skillbench_tasks.datasets.surface.mentions import Surface, values_in
from skillbench_tasks.datasets.surface.saying import say_value
from skillbench_tasks.datasets.surface.unknown import KnownValues, unknown_values

__all__ = [
    "KnownValues",
    "Surface",
    "expresses",
    "say_value",
    "tells",
    "unknown_values",
    "values_in",
]
