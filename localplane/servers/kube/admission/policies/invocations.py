"""Which policies are applied to a write, through which bindings, with which parameters.

Kubernetes: plugin/policy/generic, policy_dispatcher.go.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from localplane.apimachinery.errors import APIError
from localplane.apimachinery.objects import JSONObject
from localplane.apiserver.registry.lookup import Lookup
from localplane.servers.kube.admission.matching.writes import Write, WriteMatch

from .configuration import CompiledBinding, CompiledPolicy
from .params import Misconfigured, ParamKind

Fail = Callable[[CompiledPolicy, CompiledBinding | None, str], None]
"""Hears of a policy, or of a binding, that can't be applied."""


@dataclass(frozen=True, slots=True)
class Invocation:
    policy: CompiledPolicy
    binding: CompiledBinding
    match: WriteMatch
    params: JSONObject | None


async def invocations(
    policy: CompiledPolicy, bindings: Sequence[CompiledBinding], write: Write, objects: Lookup, fail: Fail
) -> list[Invocation]:
    """None for a policy without bindings."""
    if not bindings:
        return []
    try:
        match = await policy.criteria.match(write)
        if match is None:
            return []
        kind = None if policy.param_kind is None else ParamKind.find(objects, policy.param_kind)
    except (APIError, Misconfigured) as error:
        fail(policy, None, f"failed to configure policy: {error}")
        return []
    found = []
    for binding in bindings:
        try:
            params = await _params(binding, kind, write)
        except (APIError, Misconfigured) as error:
            fail(policy, binding, f"failed to configure binding: {error}")
            continue
        found += [Invocation(policy, binding, match, each) for each in params]
    return found


async def _params(binding: CompiledBinding, kind: ParamKind | None, write: Write) -> Sequence[JSONObject | None]:
    """What the policy is asked with: nothing if the binding is not about this write, None without parameters."""
    if binding.criteria is not None and await binding.criteria.match(write) is None:
        return ()
    if kind is None or binding.param_ref is None:
        return (None,)
    return await kind.objects(binding.param_ref, write.attributes.namespace)
