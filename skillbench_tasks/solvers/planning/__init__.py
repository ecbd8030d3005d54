"""Plans: how they are asked for, read, checked and executed."""

__all__: list[str] = []
