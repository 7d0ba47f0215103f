"""The only place where a StorageError becomes an APIError.

Kubernetes: apiserver/pkg/registry/generic/registry and apiserver/pkg/storage/errors.
"""

from __future__ import annotations

from localplane.apimachinery import errors as api
from localplane.apimachinery.gotext import go_quote
from localplane.apimachinery.groups import GroupResource
from localplane.apiserver.storage import errors as storage


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
        case storage.TimedOut():
            return api.Timeout(f"Timeout: {error}", retry_after_seconds=1)
        case storage.Unavailable() | storage.NoSpace():
            return api.ServiceUnavailable(str(error), retry_after_seconds=1)
        case _:
            return api.InternalError(f"Internal error occurred: {error}")
