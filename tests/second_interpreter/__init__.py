"""A second, independent interpreter of the workflow language, with a random program generator.

Both were written from ``docs/workflow-language.md`` alone. They exist to be compared with the
interpreter of the package; nothing outside the tests imports them.
"""

from __future__ import annotations
