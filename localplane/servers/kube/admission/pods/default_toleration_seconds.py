"""DefaultTolerationSeconds: a pod stays five minutes on a node that is not ready or can't be reached.

Kubernetes: plugin/pkg/admission/defaulttolerationseconds.
"""

from __future__ import annotations

from typing import Any, Final

from localplane.apiserver.admission import Attributes
from localplane.servers.kube.admission.plugin import PODS, WRITES, SelectivePlugin, spec, written

_TAINTS: Final = ("node.kubernetes.io/not-ready", "node.kubernetes.io/unreachable")
_NO_EXECUTE: Final = "NoExecute"
_SECONDS: Final = 300


class DefaultTolerationSeconds(SelectivePlugin):
    name = "DefaultTolerationSeconds"
    operations = WRITES
    resources = (PODS,)

    async def admit(self, attributes: Attributes) -> None:
        if attributes.subresource:
            return
        pod = spec(written(attributes))
        given: list[dict[str, Any]] = pod.get("tolerations") or []
        missing = [taint for taint in _TAINTS if not any(_tolerates(each, taint) for each in given)]
        if missing:
            pod["tolerations"] = [*given, *map(_toleration, missing)]


def _tolerates(toleration: dict[str, Any], taint: str) -> bool:
    return toleration.get("key", "") in ("", taint) and toleration.get("effect", "") in ("", _NO_EXECUTE)


def _toleration(taint: str) -> dict[str, Any]:
    return {"key": taint, "operator": "Exists", "effect": _NO_EXECUTE, "tolerationSeconds": _SECONDS}
