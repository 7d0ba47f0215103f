"""No cache remembers whatever a stranger sends: its keys are short, few, or nobody else's to choose."""

from __future__ import annotations

import ast

from tests.architecture.sources import trees

WHY_NOT: dict[str, str] = {
    "localplane/apimachinery/times.py": "the second that it is now",
    "localplane/apimachinery/golang/regexps/engines.py": "patterns up to a length that real ones have",
    "localplane/apimachinery/golang/regexps/syntax.py": "single characters",
    "localplane/apimachinery/managedfields/fieldset.py": "it is asked with short keys only",
    "localplane/apimachinery/managedfields/typed.py": "it is asked with short keys only",
    "localplane/apimachinery/serializers/media_types.py": "headers up to a length that real clients send",
    "localplane/apimachinery/serializers/protobuf/documents.py": "kinds that we answer with",
    "localplane/apiserver/endpoints/request_info.py": "paths up to a length, and so many",
    "localplane/apiserver/authentication/client_certificate.py": "certificates that our authority has signed",
    "localplane/scheduler/plugins/devices/selectors.py": "expressions that were stored, up to 10 KiB each, and so many",
    "localplane/catalog/core/pods/validation/pods.py": "specs up to a length",
    "localplane/catalog/resource/device_expressions.py": "one of it",
    "localplane/catalog/admissionregistration/patch_types.py": "one of it",
    "localplane/catalog/admissionregistration/compiler.py": "one of it",
}
"""Modules with an lru_cache of their own, and why that is no harm. `functools.cache` is for what has no arguments, or
takes them from our own tables: none of its uses is a function of a text that somebody sends."""

_ELSEWHERE = ("localplane/apimachinery/cel/", "localplane/client/")
"""Expressions have bounds, and tests, of their own; the client remembers what its user asks for."""


def test_a_cache_keeps_short_texts_or_says_why_not() -> None:
    users = {path for path, tree in trees(["localplane"], ["lru_cache"]) if _uses_lru_cache(tree)}
    assert {user for user in users if not user.startswith(_ELSEWHERE)} == set(WHY_NOT)


def _uses_lru_cache(tree: ast.Module) -> bool:
    return any(
        isinstance(node, ast.ImportFrom) and "lru_cache" in {name.name for name in node.names}
        for node in ast.walk(tree)
    )
