"""The only place where a StorageError becomes an APIError.

Kubernetes: apiserver/pkg/registry/generic/registry and apiserver/pkg/storage/errors.
"""

from __future__ import annotations

from localplane.apimachinery import errors as api
from localplane.apimachinery.groups import GroupResource
from localplane.apiserver.storage import errors as storage


def interpret(error: storage.StorageError, *, resource: GroupResource, name: str) -> api.APIError:
    """What to tell the client about an operation on one object of a resource."""
    match error:
        case storage.KeyNotFound():
            return api.NotFound(f'{resource} "{name}" not found', details=details_of(resource, name))
        case storage.KeyExists():
            return api.AlreadyExists(f'{resource} "{name}" already exists', details=details_of(resource, name))
        case storage.PreconditionFailed():
            return api.Conflict(
                f'Operation cannot be fulfilled on {resource} "{name}": StorageError: invalid object, Code: 4, '
                f"Key: {error.key}, ResourceVersion: 0, AdditionalErrorMsg: {error}",
                details=details_of(resource, name),
            )
        case storage.ResourceVersionOnCreate() | storage.InvalidResourceVersion() | storage.InvalidKey():
            # Kubernetes answers 500 to the first two; a 4xx tells the client that asking again is of no use.
            return api.BadRequest(str(error))
        case _:
            return _general(error)


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


def details_of(resource: GroupResource, name: str) -> dict[str, str]:
    """What a Status says about one object. Its `kind` is the resource: clients know it so."""
    group = {"group": resource.group} if resource.group else {}
    return {"name": name} | group | {"kind": resource.resource}
