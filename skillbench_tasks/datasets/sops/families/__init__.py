"""One module for each family; each has a `FAMILY`."""

__all__: list[str] = []
