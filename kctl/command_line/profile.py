"""--profile: where this program spends its time or its memory. Kubernetes: kubectl/pkg/cmd/profiling.go."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from kctl.errors import KctlError

_GO = ("goroutine", "threadcreate", "block", "mutex", "trace", "allocs")
"""What only a Go program has."""


@contextmanager
def profiled(name: str, output: str) -> Iterator[None]:
    """Written to `output` whatever happens inside. Raises KctlError for what can't be measured."""
    if name == "none":
        yield
    elif name == "cpu":
        yield from _cpu(_created(output))
    elif name == "heap":
        yield from _heap(_created(output))
    elif name in _GO:
        raise KctlError(f"there is no profile '{name}' of this program: it is one of cpu, heap")
    else:
        raise KctlError(f"unknown profile '{name}'")


def _created(output: str) -> Path:
    try:
        Path(output).touch()
    except OSError as error:
        raise KctlError(f"open {output}: {(error.strerror or str(error)).lower()}") from error
    return Path(output)


def _cpu(output: Path) -> Iterator[None]:
    import cProfile

    profile = cProfile.Profile()
    profile.enable()
    try:
        yield
    finally:
        profile.disable()
        profile.dump_stats(output)


def _heap(output: Path) -> Iterator[None]:
    import tracemalloc

    tracemalloc.start()
    try:
        yield
    finally:
        tracemalloc.take_snapshot().dump(str(output))
        tracemalloc.stop()
