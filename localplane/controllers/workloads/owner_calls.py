"""Who is to look when an object changes: whoever controls it, or everybody who may adopt it.

Kubernetes: the handlers that pkg/controller/statefulset and pkg/controller/daemon have for pods and revisions.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from localplane.apimachinery.objects import JSONObject
from localplane.apimachinery.selectors.labels import InvalidSelector, selector_of
from localplane.client import Lister
from localplane.controllers.ownership import controller_of, owner_of


class OwnerCalls:
    """`call` is given the owner, of this kind and with a label selector in its spec."""

    def __init__(self, kind: str, owners: Lister, call: Callable[[JSONObject], None]) -> None:
        self._kind = kind
        self._owners = owners
        self._call = call

    def owner(self, obj: Mapping[str, Any]) -> JSONObject | None:
        return owner_of(obj, self._owners, kind=self._kind)

    def call_owner(self, obj: Mapping[str, Any]) -> None:
        """For what is gone: nobody adopts that."""
        if (owner := self.owner(obj)) is not None:
            self._call(owner)

    def call(self, obj: Mapping[str, Any]) -> None:
        """For what is new."""
        if controller_of(obj) is not None:
            self.call_owner(obj)
        else:
            self.call_adopters(obj)

    def call_for_change(self, old: Mapping[str, Any], new: Mapping[str, Any]) -> None:
        """Its old owner too, if that was another; and for an orphan only if it could have become somebody's."""
        before, after = controller_of(old), controller_of(new)
        if before is not None and before != after:
            self.call_owner(old)
        if after is not None:
            self.call_owner(new)
        elif before is not None or old["metadata"].get("labels") != new["metadata"].get("labels"):
            self.call_adopters(new)

    def call_adopters(self, obj: Mapping[str, Any]) -> None:
        labels = obj["metadata"].get("labels") or {}
        for owner in self._owners.namespaced(obj["metadata"].get("namespace", "")).list():
            if labels and _selects(owner, labels):
                self._call(owner)


def _selects(owner: Mapping[str, Any], labels: Mapping[str, str]) -> bool:
    """An empty selector, which would select everything, selects nothing here."""
    try:
        selector = selector_of(owner["spec"].get("selector"))
    except InvalidSelector:
        return False
    return selector is not None and not selector.is_everything and selector.matches(labels)
