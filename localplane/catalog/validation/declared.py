"""Rules that Kubernetes' types declare by tags, whose words differ from those of the rules it wrote by hand.

Lengths are in bytes, and a field that may not change shows no value. Kubernetes: apimachinery/pkg/api/validate.
"""

from __future__ import annotations

from localplane.apimachinery.fieldpath import FieldError, Path, invalid
from localplane.apimachinery.names import dns1123_label, dns1123_subdomain


def unshown(_: object) -> None:
    """How `rules.Immutable` shows a new value where the rule is declared: not at all."""


def short_name_errors(name: str, path: Path) -> list[FieldError]:
    """The format k8s-short-name: a DNS label."""
    return [invalid(path, name, _in_bytes(problem)) for problem in dns1123_label(name)]


def long_name_errors(name: str, path: Path) -> list[FieldError]:
    """The format k8s-long-name: a DNS subdomain."""
    return [invalid(path, name, _in_bytes(problem)) for problem in dns1123_subdomain(name)]


def _in_bytes(problem: str) -> str:
    return problem.replace(" characters", " bytes") if problem.startswith("must be no more than") else problem
