"""Paths in volumes and images: what must stay inside, and file modes."""

from __future__ import annotations

from collections.abc import Iterator

from localplane.apimachinery.fieldpath import FieldError, Path, invalid

_MODE = "must be a number between 0 and 0777 (octal), both inclusive"


def has_backsteps(target: str) -> bool:
    return ".." in target.split("/")


def backstep_errors(target: str, path: Path) -> list[FieldError]:
    return [invalid(path, target, "must not contain '..'")] if has_backsteps(target) else []


def descending_errors(target: str, path: Path) -> Iterator[FieldError]:
    """Relative, and never up."""
    if target.startswith("/"):
        yield invalid(path, target, "must be a relative path")
    yield from backstep_errors(target, path)


def unreserved_errors(target: str, path: Path) -> Iterator[FieldError]:
    """And no name that begins with two dots: the kubelet keeps those for itself."""
    yield from descending_errors(target, path)
    if target.startswith("..") and not target.startswith("../"):
        yield invalid(path, target, "must not start with '..'")


def mode_errors(mode: int | None, path: Path) -> list[FieldError]:
    return [invalid(path, mode, _MODE)] if mode is not None and not 0 <= mode <= 0o777 else []
