"""OwnerReferencesPermissionEnforcement: who gives an object another owner must be allowed to delete it, and who keeps
the owner from being deleted must be allowed to set its finalizers. Off unless asked for.

Kubernetes: plugin/pkg/admission/gc.
"""

from __future__ import annotations

from typing import Any, Final

from localplane.apimachinery.groups import GroupVersion
from localplane.apiserver.admission import Attributes, Operation
from localplane.apiserver.authorization import Attributes as Question
from localplane.apiserver.authorization import Authorizer
from localplane.client import Client
from localplane.client.mapper import NoMatch

from .plugin import PODS, WRITES, JSONObject, metadata, refused, written
