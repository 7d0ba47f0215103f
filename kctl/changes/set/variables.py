"""Environment variables as they are typed, and lists of them. Kubernetes: kubectl/pkg/cmd/set/env/env_parse.go."""

from __future__ import annotations

import re
import sys
from collections.abc import Sequence
from typing import NamedTuple

from kctl.changes.launch import names
from kctl.errors import KctlError
from localplane.apimachinery.golang.text import go_quote
from localplane.apimachinery.objects import JSONObject


class Parsed(NamedTuple):
    set: list[JSONObject]
    removed: list[str]


def split(arguments: Sequence[str]) -> tuple[list[str], list[str]]:
    """Objects, and the changes behind them."""
    resources: list[str] = []
    changes: list[str] = []
    for word in arguments:
        if re.match(r"(?ms)^(.+)=(.*)$", word) or word.endswith("-"):
            changes.append(word)
        elif changes:
            raise KctlError(f"all resources must be specified before environment changes: {' '.join(arguments)}")
        else:
            resources.append(word)
    return resources, changes


def parse(words: Sequence[str]) -> Parsed:
    found: list[JSONObject] = []
    named: set[str] = set()
    removed: list[str] = []
    for word in words:
        name, equals, value = word.partition("=")
        if word == "-":
            found += _from_stdin()
        elif equals:
            if problems := names.variable_errors(name):
                raise KctlError(f"{go_quote(name)} is not a valid key name: {';'.join(problems)}")
            named.add(name)
            found.append(_variable(name, value))
        elif word.endswith("-"):
            removed.append(word[:-1])
        else:
            raise KctlError(f"unknown environment variable: {word}")
    if named & set(removed):
        raise KctlError("can not both modify and remove the same environment variable in the same command")
    return Parsed(found, removed)


def _variable(name: str, value: str) -> JSONObject:
    return {"name": name, "value": value} if value else {"name": name}


def _from_stdin() -> list[JSONObject]:
    lines = [] if sys.stdin is None else [line.partition("#")[0] for line in sys.stdin.read().splitlines()]
    return [_variable(*line.split("=", 1)) for line in lines if "=" in line]


def check_overwrites(before: Sequence[JSONObject], changes: Sequence[JSONObject]) -> None:
    current = {one["name"]: one.get("value", "") for one in reversed(before)}
    for change in changes:
        name = change["name"]
        if name in current and current[name] != change.get("value", ""):
            raise KctlError(f"'{name}' already has a value ({current[name]}), and --overwrite is false")


def updated(before: Sequence[JSONObject], changes: Sequence[JSONObject], removed: Sequence[str]) -> list[JSONObject]:
    """What was there keeps its place; what is new comes last; of two with one name the first counts."""
    newer = {one["name"]: one for one in reversed(changes)}
    covered = set(removed)
    after: list[JSONObject] = []
    for one in before:
        name = one["name"]
        if name in covered:
            continue
        if name in newer:
            covered.add(name)
        after.append(newer.get(name, one))
    for one in changes:
        if one["name"] not in covered:
            covered.add(one["name"])
            after.append(one)
    return after


def shown_source(source: JSONObject) -> str:
    for kind, field in (("configmap", "configMapKeyRef"), ("secret", "secretKeyRef")):
        if reference := source.get(field):
            return f"{kind} {reference.get('name', '')}, key {reference.get('key', '')}"
    if reference := source.get("fieldRef"):
        return f"field path {reference.get('fieldPath', '')}"
    if reference := source.get("resourceFieldRef"):
        container = reference.get("containerName")
        return f"resource field {f'{container}/' if container else ''}{reference.get('resource', '')}"
    return "invalid valueFrom"
