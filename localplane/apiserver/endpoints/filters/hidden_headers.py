"""Taking headers from a request once they have been understood: nobody further in should be tempted by them."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from localplane.apiserver.request import Request


def hide_headers(request: Request, names: Collection[str]) -> None:
    """Names are in lower case, as they are in `request.headers`."""
    hidden = frozenset(names)
    values_of = request.header_values

    def header_values(name: str) -> Sequence[str]:
        return () if name.lower() in hidden else values_of(name)

    request.headers = {name: value for name, value in request.headers.items() if name not in hidden}
    request.header_values = header_values
