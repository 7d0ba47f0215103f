"""What the values of ConfigMaps and Secrets amount to."""

from __future__ import annotations

LARGEST = 1024 * 1024
"""How much one object may hold, in bytes."""


def decoded_size(base64: str | None) -> int:
    """How many bytes a text in base64 stands for. Go's nil, which a null becomes, has none."""
    if base64 is None:
        return 0
    return len(base64) * 3 // 4 - base64.count("=", -2)
