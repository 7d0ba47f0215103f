"""Requests that last as long as the client likes: no deadline ends them, and they take no place from others.

Kubernetes: server/filters/longrunning.go, with what kube-apiserver configures.
"""

from __future__ import annotations

from localplane.apiserver.request import RequestInfo

_VERBS = ("watch", "proxy")
_SUBRESOURCES = ("attach", "exec", "proxy", "log", "portforward")


def is_long_running(info: RequestInfo) -> bool:
    if info.verb in _VERBS:
        return True
    if info.is_resource:
        return info.subresource in _SUBRESOURCES
    return info.path.startswith("/debug/pprof/")
