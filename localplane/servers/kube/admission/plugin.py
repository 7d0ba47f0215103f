"""What most plugins have in common: they are about a few resources, look at other objects, and refuse in one way."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any, ClassVar, Final

from localplane.apimachinery.errors import Forbidden
from localplane.apimachinery.groups import GroupResource
from localplane.apiserver.admission import Attributes, Operation
from localplane.apiserver.authorization import Authorizer
from localplane.apiserver.client_interface import Client
from localplane.apiserver.registry.lookup import Lookup

JSONObject = dict[str, Any]

PODS: Final = GroupResource("", "pods")
CLAIMS: Final = GroupResource("", "persistentvolumeclaims")
WRITES: Final = (Operation.CREATE, Operation.UPDATE)
