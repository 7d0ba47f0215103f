"""Which kuberc counts: --kuberc, then $KUBERC, then ~/.kube/kuberc. KUBERC=off turns it off.

Kubernetes: kubectl/pkg/kuberc/kuberc.go, LoadKuberc and getExplicitKuberc.

`kctl kuberc set`: one more default, alias or policy in the file. Kubernetes: kubectl/pkg/cmd/kuberc/set.go.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from kctl.command_line.flags import FlagSet
from kctl.command_line.preferences.decoding import Alias, Defaults, Option, Preference
from kctl.errors import KctlError, raise_all
from localplane.apimachinery.golang.text import go_quote
from localplane.apimachinery.serializers import yaml_writer


class Place(NamedTuple):
    """`path` is empty if it was turned off. Who names a file `explicitly` is told that it is not there."""

    path: str
    explicitly: bool = False


def locate(flag: str = "") -> Place:
    """`flag` is what --kuberc says."""
    variable = os.environ.get("KUBERC", "")
    if variable == "off":
        if flag:
            raise KctlError("disabling kuberc via KUBERC=off and passing kuberc flag are mutually exclusive")
        return Place("")
    if flag:
        return Place(flag, explicitly=True)
    if variable:
        return Place(variable, explicitly=True)
    return Place(os.path.join(os.environ.get("HOME", ""), ".kube", "kuberc"))  # noqa: PTH118 - pathlib is slow to load


def flag_in(words: Sequence[str]) -> str:
    """What --kuberc says, before anybody knows which flags there are."""
    for position, word in enumerate(words):
        if word == "--":
            break
        if word == "--kuberc":
            if position + 1 < len(words):
                return words[position + 1]
            raise KctlError("kuberc file is not found")
        if "--kuberc=" in word:
            if value := word.split("=")[1]:
                return value
            raise KctlError("kuberc file is not found")
    return ""


POLICIES = ("AllowAll", "DenyAll", "Allowlist")
RECOMMENDED = Preference(
    defaults=(
        Defaults("apply", (Option("server-side", "true"),)),
        Defaults("delete", (Option("interactive", "true"),)),
    )
)
"""What `kctl kuberc view` offers to write where there is nothing."""


def save(preference: Preference, path: str) -> None:
    file = Path(path)
    try:
        file.parent.mkdir(mode=0o755, parents=True, exist_ok=True)
    except OSError as error:
        why = f"mkdir {file.parent}: {(error.strerror or '').lower()}"
        raise KctlError(f"failed to create directory {file.parent}: {why}") from error
    document = preference.document()
    for name in ("defaults", "aliases"):
        document[name] = document[name] or None
    try:
        file.write_bytes(yaml_writer.to_yaml(document))
    except OSError as error:
        why = f"open {path}: {(error.strerror or '').lower()}"
        raise KctlError(f"failed to write kuberc file: {why}") from error


def options(texts: list[str]) -> tuple[Option, ...]:
    found = []
    for text in texts:
        name, equals, value = text.partition("=")
        if not equals:
            raise KctlError(f"invalid option format {go_quote(text)}, expected flag=value")
        found.append(Option(name.lstrip("-"), value))
    return tuple(found)


def with_defaults(preference: Preference, flags: FlagSet) -> Preference:
    command, chosen = flags.text("command"), options(flags.texts("option"))
    before = next((one for one in preference.defaults if one.command == command), None)
    if before is None:
        return preference._replace(defaults=(*preference.defaults, Defaults(command, chosen or None)))
    if not flags.is_on("overwrite"):
        raise KctlError(f'defaults for command "{command}" already exist, use --overwrite to replace')
    changed = before._replace(options=chosen or before.options)
    return preference._replace(defaults=tuple(changed if one is before else one for one in preference.defaults))


def with_alias(preference: Preference, flags: FlagSet) -> Preference:
    """What is not said again stays as it was."""
    name, chosen = flags.text("name"), options(flags.texts("option"))
    prepended, appended = tuple(flags.texts("prependarg")), tuple(flags.texts("appendarg"))
    before = next((one for one in preference.aliases if one.name == name), None)
    if before is None:
        alias = Alias(name, flags.text("command"), prepended, appended, chosen)
        return preference._replace(aliases=(*preference.aliases, alias))
    if not flags.is_on("overwrite"):
        raise KctlError(f'alias "{name}" already exists, use --overwrite to replace')
    changed = Alias(
        name,
        flags.text("command"),
        prepended or before.prepended,
        appended or before.appended,
        chosen or before.options,
    )
    return preference._replace(aliases=tuple(changed if one is before else one for one in preference.aliases))


def with_policy(preference: Preference, flags: FlagSet) -> Preference:
    options(flags.texts("option"))
    policy = flags.text("policy")
    if policy == "Allowlist":
        preference = preference._replace(allowed=_entries(flags.texts("allowlist-entry")))
    return preference._replace(policy=policy)


def _entries(texts: list[str]) -> tuple[str, ...]:
    found, errors = [], list[Exception]()
    for pair in (pair for text in texts for pair in text.split(",")):
        field, equals, value = pair.partition("=")
        if not equals:
            errors.append(KctlError(f"improperly formatted allowlist entry: {go_quote(pair)}"))
        elif field == "name":
            errors.append(KctlError('allowlist entry field "name" is deprecated, use "command" instead'))
        elif field != "command":
            errors.append(KctlError(f"unrecognized allowlist entry field: {go_quote(field)}"))
        elif not value.strip():
            errors.append(KctlError(f"empty value in allowlist entry for field {go_quote(field)}"))
        else:
            found.append(value)
    raise_all(errors)
    return tuple(found)
