"""From a kuberc file to a Preference, in any of its versions.

Kubernetes: kubectl/pkg/kuberc/marshal.go, kubectl/pkg/config/v1beta1 and v1alpha1.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any, Final, NamedTuple

from kctl.errors import KctlError
from localplane.apimachinery.serializers import errors, yaml

GROUP: Final = "kubectl.config.k8s.io"
VERSION: Final = f"{GROUP}/v1beta1"

_SEPARATOR = re.compile(r"^---[ \t]*$", re.MULTILINE)
# By version: what the lists are called there, and what their flags are called.
_VERSIONS: Final = {VERSION: ("defaults", "options"), f"{GROUP}/v1alpha1": ("overrides", "flags")}


class Option(NamedTuple):
    name: str
    default: str


class Defaults(NamedTuple):
    """Of one command's flags. None is no list at all, which is shown as such."""

    command: str
    options: tuple[Option, ...] | None = None


class Alias(NamedTuple):
    name: str
    command: str
    prepended: tuple[str, ...] = ()
    appended: tuple[str, ...] = ()
    options: tuple[Option, ...] = ()


class Preference(NamedTuple):
    """`allowed` are the credential plugins of the policy Allowlist; None if nothing is said about them."""

    defaults: tuple[Defaults, ...] = ()
    aliases: tuple[Alias, ...] = ()
    policy: str = ""
    allowed: tuple[str, ...] | None = None

    def document(self) -> dict[str, Any]:
        """As the newest version writes it, in its order."""
        found: dict[str, Any] = {
            "kind": "Preference",
            "apiVersion": VERSION,
            "defaults": [{"command": one.command, "options": _list(one.options)} for one in self.defaults],
            "aliases": [_alias(one) for one in self.aliases],
        }
        if self.policy:
            found["credentialPluginPolicy"] = self.policy
        if self.allowed:
            found["credentialPluginAllowlist"] = [{"command": command} for command in self.allowed]
        return found


def _options(options: tuple[Option, ...]) -> list[dict[str, str]]:
    return [{"name": one.name, "default": one.default} for one in options]


def _list(options: tuple[Option, ...] | None) -> list[dict[str, str]] | None:
    return None if options is None else _options(options)


def _alias(alias: Alias) -> dict[str, Any]:
    lists = {
        "prependArgs": list(alias.prepended),
        "appendArgs": list(alias.appended),
        "options": _options(alias.options),
    }
    return {"name": alias.name, "command": alias.command, **{name: value for name, value in lists.items() if value}}


class Decoded(NamedTuple):
    """`complaint`: what is in the file beside what was understood."""

    preference: Preference | None
    complaint: str = ""


class _Undecodable(Exception):
    pass


def decode(path: str, tell: Callable[[str], object] = lambda _: None) -> Decoded:
    """The first document that is a Preference; None if the file is empty. Raises OSError and KctlError.

    `tell` hears why a document was passed over.
    """
    attempted = 0
    for text in _SEPARATOR.split(Path(path).read_text()):
        if not text.strip():
            continue
        attempted += 1
        try:
            found = _decoded(text)
        except _Undecodable as error:
            tell(f"kuberc: strict decoding error for entry {attempted} in {path}: {error}")
            continue
        tell(f"kuberc: using entry {attempted} in {path}")
        return found
    if attempted:
        raise KctlError(f"no valid preferences found in {path}, use --v=5 to see details")
    tell(f"kuberc: no preferences found in {path}")
    return Decoded(None)


def _decoded(text: str) -> Decoded:
    try:
        parsed = yaml.parse_yaml(text, find_duplicates=True)
    except errors.SerializationError as error:
        raise _Undecodable(str(error)) from error
    document = parsed.value
    if not isinstance(document, dict):
        raise _Undecodable("it is no object")
    kind, version = document.get("kind") or "", document.get("apiVersion") or ""
    names = _VERSIONS.get(version)
    if names is None or kind != "Preference":
        raise _Undecodable(f'no kind "{kind}" is registered for version "{version}"')
    shape = _shape(*names, with_policy=names[0] == "defaults")
    _check(document, shape)
    complaints = [*parsed.strict, *(f'unknown field "{path}"' for path in _unknown(document, shape, ""))]
    said = f"strict decoding error: {', '.join(complaints)}" if complaints else ""
    return Decoded(_preference(document, *names), said)


def _shape(defaults: str, options: str, *, with_policy: bool) -> dict[str, Any]:
    """What may stand where: text, a list of text, or a list of what has fields itself."""
    option = {"name": str, "default": str}
    policy: dict[str, Any] = {
        "credentialPluginPolicy": str,
        "credentialPluginAllowlist": [{"name": str, "command": str}],
    }
    return {
        "kind": str,
        "apiVersion": str,
        defaults: [{"command": str, options: [option]}],
        "aliases": [{"name": str, "command": str, "prependArgs": [str], "appendArgs": [str], options: [option]}],
        **(policy if with_policy else {}),
    }


def _check(value: Any, shape: Any) -> None:
    if value is None:
        return
    if isinstance(shape, list) and isinstance(value, list):
        for item in value:
            _check(item, shape[0])
    elif isinstance(shape, dict) and isinstance(value, dict):
        for name, inner in shape.items():
            _check(value.get(name), inner)
    elif isinstance(shape, dict | list) or not isinstance(value, shape):
        raise _Undecodable(f"a field has a value of the wrong type: {value!r}")


def _unknown(value: Any, shape: Any, place: str) -> Iterator[str]:
    if isinstance(shape, list) and isinstance(value, list):
        for index, item in enumerate(value):
            yield from _unknown(item, shape[0], f"{place}[{index}]")
    elif isinstance(shape, dict) and isinstance(value, dict):
        for name in sorted(value):
            inner = f"{place}.{name}" if place else name
            if name not in shape:
                yield inner
            else:
                yield from _unknown(value[name], shape[name], inner)


def _preference(document: Mapping[str, Any], defaults: str, options: str) -> Preference:
    def texts(entry: Mapping[str, Any], name: str) -> tuple[str, ...]:
        return tuple(text or "" for text in entry.get(name) or ())

    def chosen(entry: Mapping[str, Any]) -> tuple[Option, ...]:
        return tuple(Option(one.get("name") or "", one.get("default") or "") for one in entry.get(options) or ())

    return Preference(
        defaults=tuple(
            Defaults(one.get("command") or "", None if one.get(options) is None else chosen(one))
            for one in document.get(defaults) or ()
        ),
        aliases=tuple(
            Alias(
                one.get("name") or "",
                one.get("command") or "",
                texts(one, "prependArgs"),
                texts(one, "appendArgs"),
                chosen(one),
            )
            for one in document.get("aliases") or ()
        ),
        policy=document.get("credentialPluginPolicy") or "",
        allowed=_allowed(document.get("credentialPluginAllowlist")),
    )


def _allowed(entries: Any) -> tuple[str, ...] | None:
    if entries is None:
        return None
    found = []
    for entry in entries:
        name, command = entry.get("name") or "", entry.get("command") or ""
        if name and command and name != command:
            raise _Undecodable(
                "both `Name` and `Command` were supplied with different values. `Name` is deprecated, use `Command` "
                "instead"
            )
        found.append(command or name)
    return tuple(found)
