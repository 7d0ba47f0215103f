"""Flags that both commands have."""

from __future__ import annotations

from kctl.errors import KctlError
from kctl.flags import Flag, Given, switch

__all__ = ["NO_HEADERS", "PROTOBUF", "check_sorting", "sort_by", "switch"]

NO_HEADERS = switch("no-headers", "Leave the line of headers out.")
PROTOBUF = switch("use-protocol-buffers", "Ask for protobuf, which is smaller; with false, for JSON.", default=True)


def sort_by(what: str) -> Flag:
    return Flag("sort-by", usage=f"Sort {what} by what they use, the most first: cpu or memory. By name without it.")


def check_sorting(given: Given) -> None:
    if given.text("sort-by") not in ("", "cpu", "memory"):
        raise KctlError("--sort-by accepts only cpu or memory")
