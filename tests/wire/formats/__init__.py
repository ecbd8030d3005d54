"""Wire formats of providers."""
