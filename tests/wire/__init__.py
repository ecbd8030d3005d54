"""Stub servers on loopback that real SDKs talk to, and what they capture."""
