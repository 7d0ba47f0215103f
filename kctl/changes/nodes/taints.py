"""Taints as they are typed, and lists of them. Kubernetes: kubectl/pkg/cmd/taint/utils.go."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from kctl.errors import KctlError, raise_all
from localplane.apimachinery.golang.text import go_quote
from localplane.apimachinery.names import label_value, qualified_name

Taint = dict[str, str]

_EFFECTS = ("NoSchedule", "PreferNoSchedule", "NoExecute")


class Wanted(NamedTuple):
    added: list[Taint]
    removed: list[Taint]


def read(words: Sequence[str]) -> Wanted:
    added: list[Taint] = []
    removed: list[Taint] = []
    for word in words:
        if word.endswith("-"):
            taint = _taint(word[:-1])
            removed.append({key: value for key, value in taint.items() if key != "value"})
            continue
        taint = _taint(word)
        if not taint.get("effect"):
            raise KctlError(f"invalid taint spec: {word}")
        if any(_same(one, taint) for one in added):
            shown = f"{{{taint['key']} {taint.get('value', '')} {taint['effect']} <nil>}}"
            raise KctlError(f"duplicated taints with the same key and effect: {shown}")
        added.append(taint)
    return Wanted(added, removed)


def _taint(text: str) -> Taint:
    """In the order of the fields: key, value, effect."""
    parts = text.split(":")
    if len(parts) > 2:
        raise KctlError(f"invalid taint spec: {text}")
    effect = parts[1] if len(parts) == 2 else ""
    if len(parts) == 2 and effect not in _EFFECTS:
        raise KctlError(f"invalid taint effect: {effect}, unsupported taint effect")
    key, equals, value = parts[0].partition("=") if effect else (parts[0], "", "")
    if "=" in value:
        raise KctlError(f"invalid taint spec: {text}")
    problems = (label_value(value) if equals else []) or qualified_name(key)
    if problems:
        raise KctlError(f"invalid taint spec: {text}, {'; '.join(problems)}")
    fields = {"key": key, "value": value, "effect": effect}
    return {name: field for name, field in fields.items() if field}


def _same(one: Taint, other: Taint) -> bool:
    return one.get("key") == other.get("key") and one.get("effect", "") == other.get("effect", "")


def conflicts(wanted: Wanted) -> list[str]:
    """Those that are added and removed at once."""
    return [
        f"{gone['key']}={gone.get('effect', '')}"
        for new in wanted.added
        for gone in wanted.removed
        if new["key"] == gone["key"] and gone.get("effect", new["effect"]) == new["effect"]
    ]


def already_there(old: Sequence[Taint], wanted: Wanted) -> str:
    return ",".join(new["key"] for new in wanted.added for one in old if _same(one, new))


def changed(old: Sequence[Taint], wanted: Wanted, *, overwrite: bool) -> tuple[str, list[Taint]]:
    """What has been done, in a word, and the new list. Raises KctlErrors for taints that are not there."""
    new = [*wanted.added, *(one for one in old if not any(_same(one, each) for each in wanted.added))]
    added = len(old) != len(new)
    removed = False
    errors: list[Exception] = []
    for gone in wanted.removed:
        kept = [one for one in new if not (_same(one, gone) if gone.get("effect") else one.get("key") == gone["key"])]
        removed = len(kept) != len(new)
        if not removed:
            shown = f"{gone['key']}:{gone['effect']}" if gone.get("effect") else gone["key"]
            errors.append(KctlError(f"taint {go_quote(shown)} not found"))
        new = kept
    raise_all(errors)
    if (added and removed) or overwrite:
        return "modified", new
    return ("tainted" if added else "untainted"), new
