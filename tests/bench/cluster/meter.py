"""The processor time that a server spends on managedFields: counted there, read here, through eight bytes of a file."""

from __future__ import annotations

import mmap
import struct
import time
from collections.abc import Callable
from functools import wraps
from pathlib import Path
from typing import Any, ParamSpec, TypeVar

from localplane.apimachinery.managedfields import FieldManager
from localplane.apiserver.registry import update

_SECONDS = struct.Struct("d")

Given = ParamSpec("Given")
Found = TypeVar("Found")


class Meter:
    def __init__(self, path: Path) -> None:
        with path.open("w+b") as file:
            file.write(bytes(_SECONDS.size))
            file.flush()
            self._total = mmap.mmap(file.fileno(), _SECONDS.size)

    def metered(self, function: Callable[Given, Found]) -> Callable[Given, Found]:
        """The same function, whose cost is added up. None of these waits for anything, so a thread's time is theirs."""

        @wraps(function)
        def run(*args: Given.args, **options: Given.kwargs) -> Found:
            begun = time.thread_time()
            try:
                return function(*args, **options)
            finally:
                spent = time.thread_time() - begun
                _SECONDS.pack_into(self._total, 0, _SECONDS.unpack_from(self._total)[0] + spent)

        return run


def meter_field_management(path: Path) -> None:
    """Count all that a write does for managedFields, but for the bytes that they add to the object."""
    meter = Meter(path)
    for owner, name in ((FieldManager, "update"), (FieldManager, "apply"), (update, "keep_times_of_unchanged")):
        setattr(owner, name, meter.metered(getattr(owner, name)))


def forget_field_management() -> None:
    """Let objects be written without managedFields, as if nobody had ever thought of them."""

    def untracked(_: FieldManager, live: Any, new: dict[str, Any], **options: Any) -> dict[str, Any]:
        return new

    setattr(FieldManager, "update", untracked)  # noqa: B010 - a method may not be assigned to, and here it is the point


def seconds_in(path: Path) -> float:
    found: float = _SECONDS.unpack(path.read_bytes())[0]
    return found
