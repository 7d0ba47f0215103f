"""exec, attach and portforward. Kubernetes: pkg/registry/core/pod/rest/subresources.go."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from localplane.apimachinery.errors import APIError, BadRequest, Forbidden
from localplane.apimachinery.groups import GroupResource
from localplane.apimachinery.objects import JSONObject
from localplane.apiserver.authorization import Attributes, Authorizer
from localplane.apiserver.endpoints.options.parameters import flag, integer
from localplane.apiserver.registry.definition import Definition
from localplane.apiserver.registry.rest import Connecter
from localplane.apiserver.request import Answer, Request, User

from .connections import Nodes, check_container, pod_of

_STREAMS = ("stdin", "stdout", "stderr", "tty")


@dataclass(frozen=True, slots=True)
class StreamStore(Connecter):
    """A stream to a pod; `kind` is that of its options, which say what they are about."""

    pods: Definition
    nodes: Nodes
    authorizer: Authorizer
    kind: str
    connect_methods: tuple[str, ...] = ("GET", "POST")
    connects_below: bool = False

    def connect_options(self, request: Request, path: str) -> JSONObject:
        query = request.query
        options: JSONObject = {"kind": self.kind, "apiVersion": "v1"}
        if self.kind == "PodPortForwardOptions":
            return options | _present(ports=[integer(text, bits=32) for text in query.all("ports")])
        options |= {name: True for name in _STREAMS if flag(query, name)}
        if self.kind == "PodExecOptions":
            options |= _present(command=list(query.all("command")))
        return options | _present(container=query.get("container"))

    async def connect(self, request: Request, name: str, options: JSONObject) -> Answer:
        await self._authorize_create(request)
        pod = await pod_of(self.pods, request, name)
        if self.kind != "PodPortForwardOptions":
            check_container(pod, options.get("container", ""))
        node = (pod.get("spec") or {}).get("nodeName", "")
        if not node:
            raise BadRequest(f"pod {name} does not have a host assigned")
        kubelet = await self.nodes.kubelet(request, node)
        raise kubelet.refuse_stream(pod, request.info.subresource)

    async def _authorize_create(self, request: Request) -> None:
        """Browsers connect by GET, but whoever may only look must not get in. Kubernetes: ensureAuthorizedForVerb."""
        info = request.info
        if info.verb == "create":
            return
        asked = replace(Attributes.of(request.user or User(""), info), verb="create")
        decision = await self.authorizer.authorize(asked)
        if decision.allowed:
            return
        if decision.error:
            raise APIError(decision.error)
        raise Forbidden.of(GroupResource(info.group, info.resource), info.name, decision.reason)


def _present(**values: Any) -> JSONObject:
    return {name: value for name, value in values.items() if value}
