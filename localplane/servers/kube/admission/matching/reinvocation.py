"""Which mutating webhooks and policies are asked a second time: those that want to be, if the object changed after
they saw it. Kubernetes: reinvocationcontext.go of both plugins."""

from __future__ import annotations

from localplane.apimachinery.objects import JSONObject
from localplane.apimachinery.patch.values import copied, same


class Rounds:
    """Lives as long as one write is admitted."""

    def __init__(self) -> None:
        self._last: JSONObject | None = None
        self._asked: set[str] = set()
        self._again: set[str] = set()

    def begin_again(self, obj: JSONObject | None) -> None:
        """Others may have changed the object since webhooks saw it last."""
        if not same(self._last, obj):
            self.changed()

    def ended(self, obj: JSONObject | None) -> None:
        self._last = copied(obj)

    def wants(self, uid: str) -> bool:
        return uid in self._again

    def asked(self, uid: str) -> None:
        """One that wants to see later changes has been asked."""
        self._asked.add(uid)

    def changed(self) -> None:
        """All that have been asked are to be asked again."""
        self._again |= self._asked
        self._asked = set()
