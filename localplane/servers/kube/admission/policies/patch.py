"""One mutation: its expression is evaluated, and what it made is laid over the object.

Kubernetes: plugin/policy/mutating/patch, smd.go and json_patch.go.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from localplane.apimachinery.errors import ServiceUnavailable
from localplane.apimachinery.managedfields.errors import Unmanageable
from localplane.apimachinery.managedfields.merge import merge
from localplane.apimachinery.managedfields.typed import Type, root_type
from localplane.apimachinery.managedfields.validation import faults
from localplane.apimachinery.objects import JSONObject
from localplane.apimachinery.patch import json_patch
from localplane.apimachinery.patch.errors import PatchError
from localplane.catalog.admissionregistration.patch_types import json_of
from localplane.servers.kube.admission.matching.evaluation import BUDGET, Activation, Evaluation, OutOfBudget

from .configuration import Mutation


class MutationFailed(Exception):
    """The policy's failure policy says what that means."""


async def mutate(mutation: Mutation, subject: Activation) -> bool:
    """Whether it changed the object. Raises MutationFailed."""
    write, kind = subject.write, subject.match.kind
    live = (await write.seen_as(kind)).object
    if live is None:
        return False
    made = await _evaluated(mutation, subject)
    if mutation.is_json_patch:
        changed = _patched(made, live)
    else:
        changed = _merged(subject, {**made, "kind": kind.kind, "apiVersion": str(kind.group_version)}, live)
    return await write.replace(kind, changed)


async def _evaluated(mutation: Mutation, subject: Activation) -> Any:
    if mutation.expression.wrong:
        raise MutationFailed(mutation.expression.wrong)
    evaluation = await Evaluation.of(subject, BUDGET)
    try:
        result = await evaluation.evaluate(mutation.expression)
    except OutOfBudget as error:
        raise MutationFailed(str(error)) from error
    if result.error:
        raise MutationFailed(result.error)
    return json_of(result.value)


def _patched(operations: list[JSONObject], live: JSONObject) -> JSONObject:
    """A test that fails leaves everything as it is."""
    try:
        changed = json_patch.apply(json_patch.json_patch_of(operations), live)
    except PatchError as error:
        if str(error).endswith("test failed"):
            return live
        raise MutationFailed(f"JSON Patch: {error}") from error
    if not isinstance(changed, dict):
        raise MutationFailed("JSON Patch: the result is no object")
    return changed


def _merged(subject: Activation, configuration: JSONObject, live: JSONObject) -> JSONObject:
    schema = subject.write.schema_of(subject.match.kind)
    if schema is None:
        about = "There can be a delay between when CustomResourceDefinitions are created and when they are available."
        raise ServiceUnavailable(f"Resource kind {subject.match.kind} not found. {about}")
    kind = root_type(schema)
    problems = [str(each) for each in faults(kind, configuration)]
    if problems:
        what = "failed to convert patch object to typed object"
        raise MutationFailed(f"error applying patch: {what}: {'; '.join(problems)}")
    if atomic := list(_atomics(kind, configuration, "")):
        what = "invalid ApplyConfiguration: may not mutate atomic arrays, maps or structs"
        raise MutationFailed(f"error applying patch: {what}: {', '.join(atomic)}")
    try:
        merged: JSONObject = merge(kind, live, configuration)
    except Unmanageable as error:
        raise MutationFailed(f"error applying patch: failed to merge patch: {error}") from error
    return merged


def _atomics(kind: Type, value: Any, path: str) -> Iterator[str]:
    """Where a configuration would replace a whole without meaning to."""
    if isinstance(value, dict) and kind.map is not None:
        if kind.map.atomic:
            yield path
        for name, each in value.items():
            if name in kind.map.declared:
                yield from _atomics(kind.map.child(name), each, f"{path}.{name}")
    elif isinstance(value, list) and kind.list is not None:
        if kind.list.atomic:
            yield path
        for number, each in enumerate(value):
            yield from _atomics(kind.list.element, each, f"{path}[{number}]")
