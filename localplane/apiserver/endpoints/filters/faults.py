"""Do to a request what a rule says, if one strikes it; see `striking`.

It is the innermost filter: whoever gets here is known and may, so a fault is met exactly where the server would have
begun.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from datetime import timedelta
from typing import TYPE_CHECKING

from localplane.apiserver.faults import Faults
from localplane.apiserver.request import Answer, Filter, Handler, Request

if TYPE_CHECKING:
    from .striking import Striking

RevisionBefore = Callable[[timedelta], int]
"""How far the store had come so long ago."""


def faults(faults: Faults, revision_before: RevisionBefore = lambda _: 0, *, inside: bool = False) -> Filter:
    """Without rules a request pays for one look. With `inside` it is for the server's own clients."""

    def filtered(handler: Handler) -> Handler:
        striking: Striking | None = None

        def strike(request: Request) -> Awaitable[Answer]:
            nonlocal striking
            if striking is None:
                from .striking import Striking  # a plane without rules starts without it

                striking = Striking(faults, handler, revision_before, inside=inside)
            return striking.handle(request)

        def handle(request: Request) -> Awaitable[Answer]:
            return strike(request) if faults.outside else handler(request)

        def handle_inside(request: Request) -> Awaitable[Answer]:
            return strike(request) if faults.inside else handler(request)

        return handle_inside if inside else handle

    return filtered
