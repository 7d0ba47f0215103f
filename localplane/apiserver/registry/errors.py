"""The only place where a StorageError becomes an APIError.

An error that invites the client to try again says that nothing was done. Where that is not certain, it must not.

Kubernetes: apiserver/pkg/registry/generic/registry and apiserver/pkg/storage/errors.
"""

from __future__ import annotations

from localplane.apimachinery import errors as api
from localplane.apimachinery.golang.text import go_quote
from localplane.apimachinery.groups import GroupResource
from localplane.apiserver.storage import errors as storage

_OUTCOME_UNKNOWN = "the store did not say what became of this write, and it may or may not have happened"


def interpret(error: storage.StorageError, *, resource: GroupResource, name: str) -> api.APIError:
    """What to tell the client about an operation on one object of a resource."""
    match error:
        case storage.KeyNotFound():
            return api.NotFound.of(resource, name)
        case storage.InvalidKey() if name:
            return api.NotFound.of(resource, name)  # what can't exist isn't there
        case storage.KeyExists():
            return api.AlreadyExists.of(resource, name)
        case storage.PreconditionFailed():
            why = f"Code: 4, Key: {error.key}, ResourceVersion: 0, AdditionalErrorMsg: {error}"
            return api.Conflict.of(resource, name, f"StorageError: invalid object, {why}")
        case storage.ResourceVersionOnCreate() | storage.InvalidResourceVersion():
            return api.APIError(str(error))  # 500 without a reason: the client's mistake, but clients know it so
        case _:
            return _general(error)


def invalid_version_of_object(error: storage.InvalidResourceVersion) -> api.APIError:
    """What to tell the client about the resourceVersion in an object that it sends: Go's words alone."""
    return api.APIError(str(error).partition(f"{go_quote(error.value)}: ")[2])


def interpret_list(error: storage.StorageError) -> api.APIError:
    """What to tell the client about a list."""
    match error:
        case storage.InvalidResourceVersion():
            return api.BadRequest(f"invalid resource version: {error}")
        case storage.InvalidContinueToken():
            told = str(error)
            return api.BadRequest(told if told.startswith("specifying") else f"invalid continue token: {told}")
        case _:
            return _general(error)


def _general(error: storage.StorageError) -> api.APIError:
    match error:
        case storage.InvalidKey() | storage.InvalidObject():
            return api.BadRequest(str(error))
        case storage.ResourceVersionTooOld():
            return api.Expired(str(error), continue_token=error.continue_token)
        case storage.ResourceVersionTooLarge():
            cause = api.Cause("ResourceVersionTooLarge", "Too large resource version")
            return api.Timeout(f"Timeout: {error}", causes=(cause,), retry_after_seconds=1)
        case storage.NotReady():
            return api.TooManyRequests(str(error), retry_after_seconds=1)
        case storage.RequestTooLarge():
            return api.RequestEntityTooLarge(f"Request entity too large: {error}")
        case storage.Unavailable() if error.may_have_happened:
            # Without Retry-After: clients take it as "nothing was done" and send any request again.
            return api.Timeout.of(f"{_OUTCOME_UNKNOWN}: {error}")
        case storage.Unavailable() | storage.NoSpace():
            return api.ServiceUnavailable(str(error), retry_after_seconds=1)
        case storage.NotPermitted():
            return api.ServiceUnavailable(str(error))  # trying again would not help: another server leads
        case _:
            return api.InternalError(f"Internal error occurred: {error}")


def after_a_write(error: api.APIError) -> api.APIError:
    """The same error for a request of which a part was done: it no longer invites to try again."""
    error.retry_after_seconds = 0
    return error
