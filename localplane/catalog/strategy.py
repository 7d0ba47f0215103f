"""What the built-in kinds have in common when they are written: their rules, and what a change is asked.

A kind says its rules as data where they are of a common sort (`validation.rules`), and overrides a method where fields
relate to one another. Kubernetes: the strategies in pkg/registry, which all call their kind's validation.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from enum import Enum
from itertools import chain
from typing import ClassVar, Final

from localplane.apimachinery.fieldpath import FieldError, Path, collected
from localplane.apimachinery.names import NameValidator, dns1123_subdomain
from localplane.apimachinery.objects import JSONObject
from localplane.apiserver.registry.strategy import StatusStrategy, Strategy
from localplane.apiserver.request import Request

from .validation.metadata import metadata_errors, metadata_update_errors
from .validation.rules import All, Changes, Fields, Immutable

ROOT: Final = Path()
STATUS: Final = Path("status")


class Asked(Enum):
    """What an update is asked, of which each kind has its own order: that of Kubernetes, in which errors are told."""

    METADATA = "whether metadata may change so"
    RULES = "the kind's rules"
    OBJECT = "all that a new object is asked: the rules for its metadata, and the kind's"
    CHANGES = "whether the rest may change so"


class BuiltinStrategy(Strategy):
    """A new object is asked the rules for its metadata, then those of its kind; an update, what `on_update` says."""

    validates_schema = False

    namespaced: bool = True
    """What the table of resources says; `declaring.builtin` fills it in."""

    valid_name: ClassVar[NameValidator] = staticmethod(dns1123_subdomain)
    """What is wrong with a name."""

    rules: ClassVar[Fields | All] = Fields()
    """What an object is asked, on create and on update."""

    changes: ClassVar[Immutable | Changes] = Immutable()
    """What a change of it is asked."""

    on_update: ClassVar[Sequence[Asked]] = (Asked.METADATA, Asked.RULES, Asked.CHANGES)

    def validate(self, request: Request, obj: JSONObject) -> Sequence[FieldError]:
        return collected(self.metadata_errors(obj), self.errors(obj, None))

    def validate_update(self, request: Request, obj: JSONObject, old: JSONObject) -> Sequence[FieldError]:
        return collected(*(self._errors_on_update(asked, obj, old) for asked in self.on_update))

    def _errors_on_update(self, asked: Asked, obj: JSONObject, old: JSONObject) -> Iterable[FieldError]:
        match asked:
            case Asked.METADATA:
                return metadata_update_errors(obj, old)
            case Asked.RULES:
                return self.errors(obj, old)
            case Asked.OBJECT:
                return chain(self.metadata_errors(obj), self.errors(obj, old))
            case Asked.CHANGES:
                return self.change_errors(obj, old)

    def metadata_errors(self, obj: JSONObject) -> list[FieldError]:
        return metadata_errors(obj, namespaced=self.namespaced, name=self.valid_name)

    def errors(self, obj: JSONObject, old: JSONObject | None) -> Iterable[FieldError]:
        """What is wrong with an object beside its metadata. `old` is there on update, for rules that forgive what was
        wrong before."""
        return self.rules(obj, ROOT)

    def change_errors(self, obj: JSONObject, old: JSONObject) -> Iterable[FieldError]:
        """What may not become of an object."""
        return self.changes(obj, old, ROOT)


class BuiltinStatusStrategy(StatusStrategy):
    """Of a status subresource: metadata is asked first."""

    changes_metadata: ClassVar[bool] = True
    """Whether labels and annotations may come with a status."""

    rules: ClassVar[Fields | All] = Fields()
    """What a status is asked."""

    def __init__(self, main: Strategy) -> None:
        super().__init__(main, changes_metadata=self.changes_metadata)

    def validate_update(self, request: Request, obj: JSONObject, old: JSONObject) -> Sequence[FieldError]:
        status, before = obj.get("status") or {}, old.get("status") or {}
        return collected(metadata_update_errors(obj, old), self.status_errors(status, before))

    def status_errors(self, status: JSONObject, before: JSONObject) -> Iterable[FieldError]:
        """What is wrong with a status; `before` is what it was."""
        return self.rules(status, STATUS)
