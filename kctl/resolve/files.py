"""Manifests: files, directories, patterns, URLs, stdin. Kubernetes: Builder.FilenameParam and its visitors."""

from __future__ import annotations

import os
import stat
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from kctl.errors import KctlError, raise_all
from localplane.apimachinery.gotext import go_json, go_quote
from localplane.apimachinery.serializers.errors import SerializationError, YAMLError
from localplane.apimachinery.serializers.yaml_documents import parse_yaml_documents

_EXTENSIONS = (".json", ".yaml", ".yml")
_LARGEST = 64 * 1024 * 1024
STDIN = "STDIN"


class Manifest(NamedTuple):
    """One document. `line` is where it begins."""

    source: str
    line: int
    value: dict[str, Any]


class Sources(NamedTuple):
    """Where documents come from. `single` if it is one file, so one object may be meant."""

    names: tuple[str, ...]
    single: bool


def sources(filenames: Sequence[str], *, recursive: bool) -> Sources:
    """Every file that is to be read, in order; `-` and URLs as they are. Raises all that is wrong with them."""
    found: list[str] = []
    errors: list[Exception] = []
    has_directory = has_stream = False
    for name in filenames:
        if name == "-" or name.startswith(("http://", "https://")):
            has_stream = has_stream or name == "-"
            if name == "-" and "-" in found:
                errors.append(KctlError("standard input cannot be used for multiple arguments"))
            found.append(name)
            continue
        try:
            paths = [path for pattern in _expanded(name) for path in _walked(pattern, recursive=recursive)]
        except KctlError as error:
            errors.append(error)
            continue
        has_directory = has_directory or len(paths) > 1
        found += paths
        if not found and not errors:
            errors.append(
                KctlError(f"error reading [{name}]: recognized file extensions are [{' '.join(_EXTENSIONS)}]")
            )
    raise_all(errors)
    return Sources(tuple(found), single=len(found) == 1 and not has_directory and not has_stream)


def read(name: str, *, validates: bool = False) -> Iterator[Manifest]:
    """The documents of one source, up to the first that can't be read."""
    shown, data = _content(name)
    try:
        for document in parse_yaml_documents(data):
            if document.value is None:
                continue
            if validates:
                _validate(document.value, shown)
            yield Manifest(shown, document.line, _object(document.value, shown))
    except YAMLError as error:
        raise KctlError(f"error parsing {shown}: error converting YAML to JSON: {error}") from error
    except SerializationError as error:
        raise KctlError(f"error parsing {shown}: {error}") from error


def _validate(value: Any, source: str) -> None:
    """What kubectl looks at itself where the server validates fields. Kubernetes: getObjectKind in validation.go."""
    fault = ""
    if not isinstance(value, dict):
        fault = "invalid object to validate"
    else:
        for name in ("apiVersion", "kind"):
            if not fault and not isinstance(value.get(name), str):
                fault = f"{name} not set" if value.get(name) is None else f"{name} isn't string type"
    if fault:
        raise KctlError(
            f"error validating {go_quote(source)}: error validating data: {fault}; if you choose to ignore these "
            "errors, turn validation off with --validate=false"
        )


def _object(value: Any, source: str) -> dict[str, Any]:
    from kctl.printers.objects import sorted_keys

    if not isinstance(value, dict):
        raise KctlError(
            f"unable to decode {go_quote(source)}: json: cannot unmarshal {_json_kind(value)} into Go value of type "
            "unstructured.detector"
        )
    if not value.get("kind"):
        raise KctlError(
            f"unable to decode {go_quote(source)}: Object 'Kind' is missing in '{go_json(sorted_keys(value))}'"
        )
    return value


def _json_kind(value: Any) -> str:
    if isinstance(value, list):
        return "array"
    if isinstance(value, bool):
        return "bool"
    return "string" if isinstance(value, str) else "number"


def _content(name: str) -> tuple[str, bytes]:
    if name == "-":
        return STDIN, b"" if sys.stdin is None else sys.stdin.buffer.read()
    if name.startswith(("http://", "https://")):
        return name, _download(name)
    try:
        with Path(name).open("rb") as file:
            data = file.read(_LARGEST + 1)
    except OSError as error:
        raise KctlError(f"open {name}: {(error.strerror or str(error)).lower()}") from error
    if len(data) > _LARGEST:
        raise KctlError(f"error parsing {name}: it is larger than {_LARGEST} bytes")
    return name, data


def _expanded(name: str) -> list[str]:
    if Path(name).exists() or Path(name).is_symlink():
        return [name]
    import glob

    matches = sorted(glob.glob(name))  # noqa: PTH207 - the shell's own rules
    if not matches:
        raise KctlError(f"the path {go_quote(name)} does not exist")
    return matches


def _walked(name: str, *, recursive: bool) -> list[str]:
    """A file, whatever it is called; of a directory those with the right endings, in order."""
    path = Path(name)
    try:
        if not stat.S_ISDIR(path.stat().st_mode):
            return [name]
    except OSError as error:
        raise KctlError(f"the path {go_quote(name)} cannot be accessed: {error.strerror}") from error
    found = []
    for entry in sorted(os.listdir(name)):  # noqa: PTH208 - names, not paths
        inner = os.path.normpath(os.path.join(name, entry))  # noqa: PTH118 - as Go joins it
        if Path(inner).is_dir() and not Path(inner).is_symlink():
            found += _walked(inner, recursive=True) if recursive else []
        elif entry.endswith(_EXTENSIONS):
            found.append(inner)
    return found


def _download(url: str) -> bytes:
    import time
    import urllib.error
    import urllib.request

    problem = ""
    for attempt in range(3):
        if attempt:
            time.sleep(1)
        try:
            with urllib.request.urlopen(url) as answer:  # noqa: S310 - http and https are all that get here
                data: bytes = answer.read(_LARGEST)
                return data
        except urllib.error.HTTPError as error:
            status = f"{error.code} {error.reason}"
            problem = f"unable to read URL {go_quote(url)}, server reported {status}, status code={error.code}"
            if error.code < 500:
                break
        except urllib.error.URLError as error:
            problem = f"Get {go_quote(url)}: {error.reason}"
    raise KctlError(problem)
