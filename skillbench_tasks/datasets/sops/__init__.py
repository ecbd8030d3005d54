"""Standard operating procedures: reference workflows, their specifications and variants."""

__all__: list[str] = []
