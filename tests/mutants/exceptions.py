"""Flags that change nothing, as in kubectl, and why. They are read all the same: a wrong value is refused."""

from __future__ import annotations

from collections.abc import Mapping

_FORGOTTEN = "kubectl has it there because its neighbours do, and never reads it"
_OF_DELETE = "kubectl run has all flags of delete, and deletes with --rm as it always does"
_NOT_MANAGED = "what is shown is no stored object, so nobody manages its fields"

_NOTHING_TO_MANAGE = "a service account that is new has no field that anybody could manage"

EXCEPTIONS: Mapping[str, str] = {
    "api-resources --show-managed-fields": _NOT_MANAGED,
    "apply edit-last-applied --show-managed-fields": _NOT_MANAGED,
    "auth whoami --show-managed-fields": _NOT_MANAGED,
    "config view --show-managed-fields": _NOT_MANAGED,
    "create service clusterip --save-config": _FORGOTTEN,
    "create service externalname --save-config": _FORGOTTEN,
    "create service loadbalancer --save-config": _FORGOTTEN,
    "create service nodeport --save-config": _FORGOTTEN,
    "create serviceaccount --show-managed-fields": _NOTHING_TO_MANAGE,
    "create token --show-managed-fields": _NOT_MANAGED,
    "events --allow-missing-template-keys": "kubectl events looks at no error of its printer",
    "kctl --log-flush-frequency": "every line is written at once, and its help says so",
    "kuberc view --show-managed-fields": _NOT_MANAGED,
    "run --cascade": _OF_DELETE,
    "run --force": _OF_DELETE,
    "run --grace-period": _OF_DELETE,
    "run --kustomize": _OF_DELETE,
    "run --recursive": _OF_DELETE,
    "run --timeout": _OF_DELETE,
    "run --wait": _OF_DELETE,
}
