"""What a kustomization is refused for. The sentences are kustomize's; what stands outside is said first.

KustomizeError
├── MissingKustomization   a directory without kustomization file
├── HTTPStatus             a server had no such file: it is no repository either, so nothing else is tried
├── Timeout                git took too long
└── WrongKind              a mapping where a text should be, or the other way round
"""

from __future__ import annotations

from typing import Any

from kctl.errors import KctlError


class KustomizeError(KctlError):
    def within(self, prefix: str) -> KustomizeError:
        """The same error, with where it happened before it. It stays of its class."""
        outer = self.__class__.__new__(self.__class__)
        KustomizeError.__init__(outer, f"{prefix}: {self}")
        return outer


class MissingKustomization(KustomizeError):
    pass


class HTTPStatus(KustomizeError):
    pass


class Timeout(KustomizeError):
    pass


class WrongKind(KustomizeError):
    """`scalar` if what was found is text: kustomize tells it apart."""

    scalar = False

    def within(self, prefix: str) -> KustomizeError:
        outer: Any = super().within(prefix)
        outer.scalar = self.scalar
        return outer  # type: ignore[no-any-return]  # it is of this class


def is_malformed_yaml(error: Exception) -> bool:
    return "MalformedYAMLError" in str(error)
