"""An operator of a kind of its own: every Book is bound, and its status says how.

It is run by `kopf run`, not imported: a handler is registered by being defined.
"""

from __future__ import annotations

from typing import Any

import kopf

BOOKS = ("library.example.com", "v1", "books")


@kopf.on.create(*BOOKS)
def bind(*, spec: kopf.Spec, patch: kopf.Patch, **_: Any) -> dict[str, Any]:
    patch.status["bound"] = spec["binding"]
    return {"pages": spec["pages"]}


@kopf.on.update(*BOOKS, field="spec.pages")
def rebind(*, old: Any, new: Any, patch: kopf.Patch, **_: Any) -> None:
    patch.status["grown"] = new - old


@kopf.on.delete(*BOOKS)
def pulp(**_: Any) -> None:
    """That there is a handler holds the object until it has run."""
