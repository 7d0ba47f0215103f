"""Who provides a class of storage, and what it is told: words between an administrator and a driver.

Kubernetes: pkg/apis/storage/validation, validateProvisioner and validateParameters.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from localplane.apimachinery.fieldpath import FieldError, Path, invalid, too_long
from localplane.apimachinery.names import qualified_name, size
from localplane.catalog.validation.rules import Required

_MOST = 512
_LARGEST = 256 * 1024


def _provisioner_errors(name: str, path: Path) -> list[FieldError]:
    return [invalid(path, name.lower(), problem) for problem in qualified_name(name.lower())]


PROVISIONER = Required(_provisioner_errors)


def parameters_errors(parameters: Mapping[str, str], path: Path) -> Iterator[FieldError]:
    if len(parameters) > _MOST:
        yield too_long(path, _MOST)
        return
    if "" in parameters:
        yield invalid(path, "", "field can not be empty.")
    if sum(size(key) + size(value) for key, value in parameters.items()) > _LARGEST:
        yield too_long(path, _LARGEST)
