"""From `deployments.apps.spec.replicas` to a resource and the fields below it. Kubernetes: kubectl/pkg/explain.

What is typed is read as a JSONPath, which is why `pods['spec']` is the same as `pods.spec`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from kctl.errors import KctlError
from localplane.apimachinery.gotext import go_quote

if TYPE_CHECKING:
    from kctl.session import Session
    from localplane.apimachinery.jsonpath.nodes import Step
    from localplane.client.mapper import RESTMapper
    from localplane.client.names import GroupVersionResource

_NOT_A_FIELD = "invalid jsonpath syntax, first node must be field node"


class Asked(NamedTuple):
    resource: GroupVersionResource
    path: tuple[str, ...]


async def asked(session: Session, argument: str, *, whole_name: bool) -> Asked:
    """`whole_name` takes the group as part of the type's name where the server has such a type. Raises KctlError."""
    from localplane.client.errors import AmbiguousMatch, NoMatch
    from localplane.client.names import GroupVersionResource

    steps = _steps(argument)
    name = _field(steps[0], _NOT_A_FIELD)
    if not name:
        raise KctlError("a resource must be present, got: /, Resource=")
    try:
        await session.discovery.mapping_for(name)  # a name that is new to us may not be to the server
        mapper = await session.discovery.mapper()
        if whole_name:
            return _with_group(mapper, GroupVersionResource("", "", name), argument, steps)
        others = "invalid jsonpath syntax, all nodes must be field nodes"
        resource = mapper.resource_for(GroupVersionResource("", "", name))
        return Asked(resource, tuple(_field(step, others) for step in steps[1:]))
    except (NoMatch, AmbiguousMatch):
        raise KctlError(f"the server doesn't have a resource type {go_quote(name)}", verbatim=True) from None


def _with_group(mapper: RESTMapper, wanted: GroupVersionResource, argument: str, steps: list[Step]) -> Asked:
    """`deployments.apps.spec` names the group as well, `deployments.spec` does not."""
    found = mapper.resources_for(wanted)
    for one in found:
        name = str(one.group_resource)
        if argument.startswith(name):
            rest = _steps(argument[len(name) :]) if argument != name else []
            return Asked(one, tuple(_field(step, _NOT_A_FIELD) for step in rest[1:]))
    return Asked(found[0], tuple(_field(step, _NOT_A_FIELD) for step in steps[1:]))


def _steps(text: str) -> list[Step]:
    from localplane.apimachinery.jsonpath import JSONPathSyntaxError, parse
    from localplane.apimachinery.jsonpath.nodes import Action

    try:
        parts = parse("{." + text.removesuffix(".") + "}").parts
    except JSONPathSyntaxError as error:
        raise KctlError(str(error)) from error
    if len(parts) != 1:
        raise KctlError("must pass in 1 jsonpath string")
    return list(parts[0].steps) if isinstance(parts[0], Action) else []


def _field(step: Step, otherwise: str) -> str:
    from localplane.apimachinery.jsonpath.nodes import Field

    if not isinstance(step, Field):
        raise KctlError(otherwise)
    return step.name
