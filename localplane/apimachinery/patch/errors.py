"""What is wrong with a patch. The patch handler turns each into the answer that Kubernetes gives."""

from __future__ import annotations


class PatchError(Exception):
    """Its text is Kubernetes' message."""


class InvalidPatch(PatchError):
    """Not a patch: no JSON, or of another shape. A bad request."""


class PatchNotApplicable(PatchError):
    """A patch that the document does not fit, or a test that failed. Unprocessable; Kubernetes keeps the text to itself
    and tells the client that "the server rejected our request due to an error in our request"."""


class PatchFailed(PatchError):
    """A strategic merge patch that can't be merged. Kubernetes has no reason for these: a client sees a plain 500."""


class TooManyOperations(PatchError):
    """Request entity too large."""
