"""Who gets which names: within a group they are taken by whoever came first.

Kubernetes: pkg/controller/status, calculateNamesAndConditions.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from localplane.apimachinery.golang.text import go_quote
from localplane.apimachinery.objects import JSONObject

from .status import condition, find


@dataclass(frozen=True, slots=True)
class TakenNames:
    """The names that the definitions of a group have been given."""

    resources: frozenset[str]
    kinds: frozenset[str]

    @classmethod
    def by(cls, accepted: Iterable[Mapping[str, Any]]) -> TakenNames:
        resources, kinds = set[str](), set[str]()
        for names in accepted:
            resources |= {names.get("plural", ""), names.get("singular", ""), *(names.get("shortNames") or ())}
            kinds |= {names.get("kind", ""), names.get("listKind", "")}
        return cls(frozenset(resources), frozenset(kinds))


@dataclass(slots=True)
class Naming:
    """What became of a definition's wishes."""

    names: JSONObject
    accepted: JSONObject
    established: JSONObject


def accepted_names(obj: Mapping[str, Any]) -> JSONObject:
    names: JSONObject = (obj.get("status") or {}).get("acceptedNames") or {}
    return names


def names_wanted(obj: Mapping[str, Any]) -> JSONObject:
    names: JSONObject = (obj.get("spec") or {}).get("names") or {}
    return names


def has_its_names(obj: Mapping[str, Any]) -> bool:
    return said(names_wanted(obj)) == said(accepted_names(obj))


def said(names: Mapping[str, Any]) -> JSONObject:
    """Without those that are empty."""
    return {key: value for key, value in names.items() if value}


def decide(obj: Mapping[str, Any], taken: TakenNames) -> Naming:
    """The names that a definition gets, and the conditions that tell it. The last conflict is the one that is told."""
    wanted, had = names_wanted(obj), accepted_names(obj)
    names, conflict = dict(had), condition("NamesAccepted", "True", "NoConflicts", "no conflicts found")
    for key, used, reason in (
        ("plural", taken.resources, "PluralConflict"),
        ("singular", taken.resources, "SingularConflict"),
        ("shortNames", taken.resources, "ShortNamesConflict"),
        ("kind", taken.kinds, "KindConflict"),
        ("listKind", taken.kinds, "ListKindConflict"),
    ):
        problem = _problem(wanted.get(key), had.get(key), used)
        if problem:
            conflict = condition("NamesAccepted", "False", reason, problem)
        else:
            _set(names, key, wanted.get(key))
    _set(names, "categories", wanted.get("categories"))
    return Naming(names, conflict, _established(obj, conflict))


def _set(names: JSONObject, key: str, value: Any) -> None:
    if value:
        names[key] = value
    else:
        names.pop(key, None)


def _problem(wanted: Any, had: Any, used: Collection[str]) -> str:
    if isinstance(wanted, list) or isinstance(had, list):
        if (wanted or []) == (had or []):
            return ""
        found = [_in_use(name) for name in wanted or () if name not in (had or ()) and name in used]
        return found[0] if len(found) == 1 else f"[{', '.join(found)}]" if found else ""
    if (wanted or "") == (had or "") or (wanted or "") not in used:
        return ""
    return _in_use(wanted)


def _in_use(name: str) -> str:
    return f"{go_quote(name)} is already in use"


def _established(obj: Mapping[str, Any], accepted: JSONObject) -> JSONObject:
    """What was served once is served for good; otherwise it waits for its names."""
    known = find(obj, "Established")
    if known is not None and known.get("status") == "True":
        return known
    if accepted["status"] == "True":
        return condition("Established", "False", "Installing", "the initial names have been accepted")
    return known or condition("Established", "False", "NotAccepted", "not all names are accepted")
