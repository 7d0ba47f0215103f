"""The objects that a rollout command means, and the flags that say so."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kctl import standard_flags
from kctl.errors import KctlError

if TYPE_CHECKING:
    from kctl.flags import Given
    from kctl.resolve import Found
    from kctl.session import Session

FLAGS = (
    standard_flags.SELECTOR,
    *standard_flags.filename_flags("that name the workloads."),
)


def require_resource(given: Given) -> None:
    if not given.arguments and not given.texts("filename") and not given.text("kustomize"):
        raise KctlError("required resource not specified")


async def find(session: Session, given: Given) -> Found:
    from kctl.resolve import Query, resolve

    query = Query.of(given)._replace(types_alone=True, latest=True, keep_going=True, flatten=True, typed=True)
    return await resolve(session, query)
