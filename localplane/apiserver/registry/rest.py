"""What a storage may be able to do. The verbs of a resource follow from which of these it has.

A custom storage (a binding, a review, a scale) has as its bases just what it can serve; the generic `store` has them
all. Kubernetes: apiserver/pkg/registry/rest.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from localplane.apimachinery.objects import JSONObject
from localplane.apimachinery.selectors import fields, labels
from localplane.apiserver.request import Answer, Request
from localplane.apiserver.storage.interface import ObjectList, Watch
from localplane.apiserver.storage.objects import StoredObject

if TYPE_CHECKING:
    from .definition import Definition

Result = StoredObject | JSONObject
"""A stored object with its finished bytes, or an object in the hub version that was never stored (a dry run).

A custom storage may also answer with a Status of its own, which reaches the client as it is.
"""

ValidateCreate = Callable[[JSONObject], Awaitable[None]]
"""Validating admission on a finished object; raises to refuse it. The endpoints make it (writes/admission), and the
registry calls it back when there is nothing more to do but write."""

ValidateUpdate = Callable[[JSONObject, JSONObject], Awaitable[None]]
"""As ValidateCreate, with the new and the old object."""

UpdatedObject = Callable[[JSONObject], Awaitable[JSONObject]]
"""Given the live object in the hub version ({} if there is none), what it should become: a new object, which leaves the
live one as it is. May run more than once, and raise NeedsData."""


@dataclass(frozen=True, slots=True)
class WriteOptions:
    """What create, update and patch have in common.

    `precondition_uid` is the uid that a client's object names: it must be that of the live one.
    """

    dry_run: bool = False
    field_manager: str = ""
    field_validation: str = ""
    precondition_uid: str | None = None


@dataclass(frozen=True, slots=True)
class Update:
    """One change to the object of this name: `changed` makes of the live one what it should become.

    `allow_create`: where there is none it is made. A storage that does something of its own around a change hands on a
    `replace` of it.
    """

    name: str
    changed: UpdatedObject
    validate_create: ValidateCreate | None = None
    validate_update: ValidateUpdate | None = None
    allow_create: bool = False
    options: WriteOptions = WriteOptions()


@dataclass(slots=True)
class DeleteOptions:
    """Mutable, because a strategy may settle the grace period."""

    dry_run: bool = False
    grace_period_seconds: int | None = None
    propagation_policy: str | None = None
    orphan_dependents: bool | None = None
    precondition_uid: str | None = None
    precondition_resource_version: str | None = None

    def copy(self) -> DeleteOptions:
        return replace(self)


@dataclass(frozen=True, slots=True)
class ListOptions:
    """A list or watch as asked for; selectors are None when they select everything."""

    label_selector: labels.Selector | None = None
    field_selector: fields.Selector | None = None
    resource_version: str = ""
    match: str = ""
    limit: int = 0
    continue_token: str = ""
    allow_bookmarks: bool = False
    send_initial_events: bool | None = None
    timeout_seconds: float | None = None


@dataclass(frozen=True, slots=True)
class ResultList:
    """A list that does not come from storage."""

    items: Sequence[Result]
    revision: int = 0
    continue_token: str = ""
    remaining: int | None = None


@dataclass(frozen=True, slots=True)
class Updated:
    result: Result
    created: bool


@dataclass(frozen=True, slots=True)
class Deleted:
    """`result` None: answer with a Status. `immediately` is False while the object waits for its time or its
    finalizers."""

    result: Result | None
    immediately: bool
    uid: str = ""


class ResourceStorage:
    """What serves a resource, or a subresource. Its bases are those of the following classes whose verbs it can do.

    `definition` is that of the objects it reads and writes, if it shows them as they are. One that `preserves_metadata`
    is given the uid that a client names in what it creates; for others the server takes it away.
    """

    definition: Definition | None = None
    preserves_metadata: bool = False


class Getter(ResourceStorage):
    async def get(self, request: Request, name: str, *, resource_version: str = "") -> Result | Answer:
        """What is no object (a log) is answered with a Response of its own."""
        raise NotImplementedError


class Lister(ResourceStorage):
    async def list(self, request: Request, options: ListOptions) -> ObjectList | ResultList:
        raise NotImplementedError


class Watcher(ResourceStorage):
    async def watch(self, request: Request, options: ListOptions) -> Watch:
        raise NotImplementedError


class Creater(ResourceStorage):
    async def create(
        self, request: Request, obj: JSONObject, *, validate: ValidateCreate | None, options: WriteOptions
    ) -> Result:
        raise NotImplementedError


class NamedCreater(ResourceStorage):
    """A create below a name: `pods/x/binding`."""

    async def create_named(
        self, request: Request, name: str, obj: JSONObject, *, validate: ValidateCreate | None, options: WriteOptions
    ) -> Result:
        raise NotImplementedError


class Updater(ResourceStorage):
    """With `get`, it can be patched too."""

    async def update(self, request: Request, update: Update) -> Updated:
        raise NotImplementedError


class GracefulDeleter(ResourceStorage):
    async def delete(
        self, request: Request, name: str, *, validate: ValidateCreate | None, options: DeleteOptions
    ) -> Deleted:
        raise NotImplementedError


class CollectionDeleter(ResourceStorage):
    async def delete_collection(
        self, request: Request, *, validate: ValidateCreate | None, options: DeleteOptions, selection: ListOptions
    ) -> ObjectList | ResultList:
        raise NotImplementedError


class Connecter(ResourceStorage):
    """A stream or a proxy, which answers for itself: `pods/x/exec`, `services/x/proxy/some/path`.

    `connect_methods` are the HTTP methods it takes, and `connects_below` says whether paths under it are its own too.
    """

    connect_methods: Sequence[str] = ()
    connects_below: bool = False

    def connect_options(self, request: Request, path: str) -> JSONObject:
        """The options object, which admission is shown and `connect` gets; `path` is what stands below, with its
        slash. Raises BadRequest for a query that can't be read."""
        raise NotImplementedError

    async def connect(self, request: Request, name: str, options: JSONObject) -> Answer:
        raise NotImplementedError


_CONNECT_VERBS = {"POST": "create", "DELETE": "delete", "GET": "get", "PATCH": "patch", "PUT": "update"}


def verbs_of(storage: ResourceStorage) -> tuple[str, ...]:
    """The API verbs that a storage can serve, in discovery's order."""
    if isinstance(storage, Connecter):
        return tuple(verb for method, verb in _CONNECT_VERBS.items() if method in storage.connect_methods)
    able = {
        "create": isinstance(storage, (Creater, NamedCreater)),
        "delete": isinstance(storage, GracefulDeleter),
        "deletecollection": isinstance(storage, CollectionDeleter),
        "get": isinstance(storage, Getter),
        "list": isinstance(storage, Lister),
        "patch": isinstance(storage, Getter) and isinstance(storage, Updater),
        "update": isinstance(storage, Updater),
        "watch": isinstance(storage, Watcher),
    }
    return tuple(verb for verb, is_able in able.items() if is_able)
