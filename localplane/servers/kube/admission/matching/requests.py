"""The AdmissionRequest: what webhooks are sent, and what expressions know as `request`.

Kubernetes: apiserver/pkg/admission/plugin/webhook/request and plugin/cel, CreateAdmissionRequest.
"""

from __future__ import annotations

from localplane.apimachinery.groups import GroupVersionKind
from localplane.apimachinery.objects import JSONObject
from localplane.apiserver.admission import Attributes
from localplane.apiserver.request import User
from localplane.client import GroupVersionResource

from .writes import Write, WriteMatch


def admission_request(write: Write, match: WriteMatch) -> JSONObject:
    """Without a uid and without objects. What is empty is not there."""
    asked = write.attributes
    request = {
        "kind": _kind(match.kind),
        "resource": _resource(match.resource),
        "subResource": asked.subresource,
        "requestKind": _kind(write.as_itself.kind),
        "requestResource": _resource(write.as_itself.resource),
        "requestSubResource": asked.subresource,
        "name": asked.name,
        "namespace": asked.namespace,
        "operation": str(asked.operation),
        "userInfo": _user(asked.user),
    }
    return {
        **{key: value for key, value in request.items() if value or key == "userInfo"},
        "dryRun": asked.dry_run,
        "options": _options(asked),
    }


def _kind(kind: GroupVersionKind) -> JSONObject:
    return {"group": kind.group, "version": kind.version, "kind": kind.kind}


def _resource(resource: GroupVersionResource) -> JSONObject:
    return {"group": resource.group, "version": resource.version, "resource": resource.resource}


def _user(user: User) -> JSONObject:
    told = {
        "username": user.name,
        "uid": user.uid,
        "groups": list(user.groups),
        "extra": {key: list(values) for key, values in user.extra.items()},
    }
    return {key: value for key, value in told.items() if value}


def _options(asked: Attributes) -> JSONObject | None:
    """A connection has none: what it was asked for is its object."""
    return dict(asked.options) if asked.options and asked.operation != "CONNECT" else None
