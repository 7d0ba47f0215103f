"""What makes one kind behave differently from another: the hooks around a write.

Objects come to every hook in the hub version. A hook may change the object it is given, never `old`; validation returns
all it finds and changes nothing. Whatever a hook raises ends the request: APIErrors reach the client, anything else is
a 500. On update the hooks run again when somebody else's write came in between.
Kubernetes: apiserver/pkg/registry/rest (RESTCreateStrategy, RESTUpdateStrategy, RESTDeleteStrategy).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import timedelta

from localplane.apimachinery.fieldpath import FieldError
from localplane.apimachinery.objects import JSONObject
from localplane.apimachinery.patch.values import copied
from localplane.apiserver.request import Request

from .rest import DeleteOptions


class TakesLong(Exception):
    """What `validate` and `validate_update` may raise while the request is not heavy, instead of an answer that others
    would have to wait for. They are asked again, elsewhere, with the request being heavy."""


async def judged(request: Request, judge: Callable[[], None]) -> None:
    """What may be begun twice: a judgement that changes nothing before it is passed."""
    try:
        await request.do(judge)
    except TakesLong:
        request.heavy = True
        await request.do(judge)


class Strategy:
    """The defaults: everything is allowed, nothing is touched. A kind overrides what it needs."""

    allow_create_on_update: bool = False
    """PUT of an object that is not there creates it."""

    allow_unconditional_update: bool = False
    """PUT without a resourceVersion overwrites whatever is there."""

    tracks_generation: bool = True
    """metadata.generation starts at 1 and grows when anything but metadata and status changes."""

    resets_status: bool = True
    """A status with a subresource of its own is dropped on create and kept as it was on update, before the hooks."""

    reset_fields: Sequence[str] | None = None
    """The fields, as dotted paths, that a write has no say in, so that nobody comes to own them by it. None: a status
    with a subresource of its own. Kubernetes: GetResetFields of the kind's strategy."""

    validates_schema: bool = True
    """Objects are held against their schema, as custom resources are. Kinds that write all of their rules themselves
    say no."""

    validated_field: str = ""
    """The one field that the schema is held against; all of the object without one."""

    ttl: timedelta | None = None
    """How long an object stays after it was last written; for ever without one."""

    def prepare_for_create(self, request: Request, obj: JSONObject) -> None:
        """Before validation: drop what a client may not set."""

    def validate(self, request: Request, obj: JSONObject) -> Sequence[FieldError]:
        """What is wrong with a new object, beside what its schema finds. Without a word from here the common rules for
        metadata apply."""
        return ()

    def warnings_on_create(self, request: Request, obj: JSONObject) -> Sequence[str]:
        return ()

    def canonicalize(self, obj: JSONObject) -> None:
        """After validation, before storing, on create and update: bring equal objects to one form."""

    def prepare_for_update(self, request: Request, obj: JSONObject, old: JSONObject) -> None:
        """Before validation: keep what a client may not change."""

    def validate_update(self, request: Request, obj: JSONObject, old: JSONObject) -> Sequence[FieldError]:
        """What is wrong with a change, beside the common rules for metadata and what the schema finds."""
        return ()

    def warnings_on_update(self, request: Request, obj: JSONObject, old: JSONObject) -> Sequence[str]:
        return ()

    def check_graceful_delete(self, request: Request, obj: JSONObject, options: DeleteOptions) -> bool:
        """Whether the object is deleted gracefully: it is marked first and goes when its time is over. One that says
        so settles `options.grace_period_seconds`."""
        return False

    def is_held(self, obj: JSONObject) -> bool:
        """Whether something beside its finalizers keeps an object that is being deleted from going."""
        return False

    def default_garbage_collection_policy(self, request: Request) -> str:
        """What becomes of dependents when the client does not say: `Background`, `Orphan` or `Unsupported`."""
        return "Background"


class StatusStrategy(Strategy):
    """The strategy of a status subresource over that of its resource: nothing but status changes through it.

    Labels and annotations may come with it where `changes_metadata` says so, as for most built-in kinds.
    """

    tracks_generation = False
    resets_status = False
    reset_fields: Sequence[str] | None = ("metadata", "spec")
    validated_field = "status"

    def __init__(self, main: Strategy, *, changes_metadata: bool = False) -> None:
        self.main = main
        self.validates_schema = main.validates_schema
        self.allow_unconditional_update = main.allow_unconditional_update
        if changes_metadata:
            self.reset_fields = ("spec",)
        self._own = ("apiVersion", "kind", "status", *(("metadata",) if changes_metadata else ()))

    def prepare_for_update(self, request: Request, obj: JSONObject, old: JSONObject) -> None:
        for name in [name for name in obj if name not in self._own]:
            del obj[name]
        obj.update({name: copied(value) for name, value in old.items() if name not in self._own})

    def validate_update(self, request: Request, obj: JSONObject, old: JSONObject) -> Sequence[FieldError]:
        return self.main.validate_update(request, obj, old)
