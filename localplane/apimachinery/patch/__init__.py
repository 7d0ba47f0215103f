"""Patches: what a client sends to change an object without sending all of it.

The patch handler and admission call them, on decoded JSON; the command line makes merge patches. What comes in is never
changed, and what goes out shares nothing with it: a patch may be applied again to a newer object, and a result changed
beside the old one. Nothing here does I/O or knows HTTP. A body may be nested as deeply as its parser allowed, so every
walk keeps a stack of its own; only `strategic` recurses, as far as both sides have fields in common.

    PatchError
    ├── InvalidPatch          no patch at all: 400
    ├── PatchNotApplicable    a patch that does not fit the document: 422
    ├── PatchFailed           a strategic merge patch that can't be merged: 500
    └── TooManyOperations     413

Beside these:

    json_patch     JSON Patch (RFC 6902), as kube-apiserver's library applies it
    merge_patch    JSON Merge Patch (RFC 7386), as kube-apiserver's library applies it
    values         JSON values at any depth: comparing, copying and measuring them, however deeply they are nested
"""

from .errors import InvalidPatch, PatchError, PatchFailed, PatchNotApplicable, TooManyOperations

__all__ = ["InvalidPatch", "PatchError", "PatchFailed", "PatchNotApplicable", "TooManyOperations"]
