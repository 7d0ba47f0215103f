"""What a kuberc makes of a command line. Kubernetes: kubectl/pkg/kuberc/kuberc.go, Preferences.Apply."""

from __future__ import annotations

import importlib
import os
import re
import sys
from collections.abc import Sequence
from typing import NamedTuple

from kctl.command_line.command import Command, find
from kctl.command_line.flags import Flag, first_word, parse
from kctl.command_line.global_flags import GLOBAL_FLAGS, HELP_FLAG
from kctl.command_line.klog import level_in, line
from kctl.command_line.preferences.decoding import Alias, Option, Preference, decode
from kctl.command_line.preferences.files import flag_in, locate
from kctl.command_line.verbs import GROUPS
from kctl.errors import KctlError
from localplane.apimachinery.golang import sources
from localplane.client.authentication import plugin_policy
from localplane.client.errors import ConfigError
from localplane.client.kubeconfig.model import PluginPolicy

_GLOBAL = (*GLOBAL_FLAGS, HELP_FLAG)
_DETAILS = 5
_ALIAS_NAME = re.compile(r"[a-zA-Z]+")
_SHORT_FLAGS = re.compile(r"-[a-zA-Z]+")


class Applied(NamedTuple):
    """`words` instead of the command line. `alias` is what the command is called in messages, if it was called by one;
    `defaults` are flags as if they had been given; `original` is what all of it stands for."""

    words: list[str]
    alias: str = ""
    defaults: tuple[str, ...] = ()
    policy: PluginPolicy | None = None
    original: str = ""


class _Found(NamedTuple):
    """A command by its words. `command` is None for verbs that are not declared as kubectl's are."""

    names: tuple[str, ...]
    command: Command | None

    @property
    def flags(self) -> tuple[Flag, ...]:
        return (*(self.command.flags if self.command else ()), *GLOBAL_FLAGS)


def apply_preferences(words: list[str]) -> Applied:
    """Raises KctlError with all that is to be printed."""
    try:
        preference = _load(words)
        if preference is None:
            return Applied(words)
        policy = _policy(preference)
        applied = _aliased(preference, words)
        return _with_defaults(preference, applied)._replace(policy=policy)
    except KctlError as error:
        raise KctlError(f"error occurred while applying preferences {error}", verbatim=True) from error


def _load(words: list[str]) -> Preference | None:
    flag = flag_in(words)
    try:
        place = locate(flag)
    except KctlError as error:
        raise KctlError(f"kuberc error {error}") from error
    if not place.path:
        return None
    try:
        decoded = decode(place.path, _log if level_in(words) >= _DETAILS else lambda _: None)
    except (KctlError, OSError, UnicodeDecodeError) as error:
        if isinstance(error, FileNotFoundError) and not place.explicitly:
            return None
        said = why(error)
        if place.explicitly:
            raise KctlError(f"kuberc error kuberc: {said}") from error
        sys.stderr.write(f"kuberc: no preferences loaded from {place.path}: {said}")
        return None
    if decoded.complaint:
        sys.stderr.write(f"kuberc: ignoring strict decoding error in {place.path}: {decoded.complaint}")
    if decoded.preference is not None:
        _validate(decoded.preference)
    return decoded.preference


def _log(text: str) -> None:
    sys.stderr.write(line(sources.KUBERC_DECODED, text))


def why(error: Exception) -> str:
    if isinstance(error, OSError):
        doing = "read" if isinstance(error, IsADirectoryError) else "open"
        return f"{doing} {error.filename}: {(error.strerror or '').lower()}"
    return str(error)


def _validate(preference: Preference) -> None:
    names: set[str] = set()
    for alias in preference.aliases:
        if not _ALIAS_NAME.fullmatch(alias.name):
            raise KctlError("invalid alias name, can only include alphabetical characters")
        _validate_options(alias.options)
        if alias.name in names:
            raise KctlError(f"duplicate alias name {alias.name}")
        names.add(alias.name)
    for one in preference.defaults:
        _validate_options(one.options or ())


def _validate_options(options: tuple[Option, ...]) -> None:
    for option in options:
        if option.name.startswith("-"):
            raise KctlError(f"flag name {option.name} should be in long form without dashes")


def _policy(preference: Preference) -> PluginPolicy | None:
    if not preference.policy and preference.allowed is None:
        return None
    policy = PluginPolicy(preference.policy, preference.allowed)
    try:
        plugin_policy.validate(policy)
    except ConfigError as error:
        raise KctlError(str(error)) from error
    return policy


def _aliased(preference: Preference, words: list[str]) -> Applied:
    if _find(words) is not None:
        return Applied(words)
    position = next((index for index, word in enumerate(words) if not word.startswith(("-", "__complete"))), None)
    if position is None:
        return Applied(words)
    alias = next((one for one in preference.aliases if one.name == words[position]), None)
    if alias is None:
        return Applied(words)
    if _find([alias.name]) is not None:
        sys.stderr.write(f'Warning: Setting alias "{alias.name}" to a built-in command is not supported\n')
        return Applied(words)
    found = _find(alias.command.split())
    if found is None:
        shown = " ".join(alias.command.split())
        raise KctlError(f'command "{alias.command}" not found to set alias "{alias.name}": [{shown}]')
    return _expanded(alias, found, words, position)


def _expanded(alias: Alias, found: _Found, words: list[str], position: int) -> Applied:
    defaults = []
    for option in alias.options:
        flag = _flag(found, option)
        if flag is None:
            raise KctlError(f"invalid alias flag {option.name} in alias {_program()}")
        if _is_given(flag, words):
            continue
        try:
            defaults.append(_checked(found, option))
        except KctlError as error:
            raise KctlError(
                f"could not apply value {option.default} to flag {option.name} in alias {_program()} err: {error}"
            ) from error
    rest = [*alias.prepended, *words[position + 1 :], *alias.appended]
    said = " ".join((alias.command, *defaults, *words[:position], *rest))
    return Applied([*words[:position], *found.names, *rest], alias.name, tuple(defaults), original=said)


def _with_defaults(preference: Preference, applied: Applied) -> Applied:
    found = _find(applied.words)
    if found is None:
        return applied
    name = applied.alias or found.names[-1]
    defaults: list[str] = []
    changed = False
    for one in preference.defaults:
        called = one.command.split()
        is_alias = bool(applied.alias) and called[:1] == [applied.alias]
        target = _Found((applied.alias,), None) if is_alias else _find(called)
        if target is None:
            sys.stderr.write(f'Warning: command "{one.command}" not found to set kuberc override\n')
            continue
        if target.names[-1:] != (name,):
            continue
        if is_alias:
            raise KctlError(f"alias {name} can not be overridden")
        changed = True
        defaults += _chosen(found, one.command, one.options or (), applied.words)
    if not changed:
        return applied
    said = " ".join((*applied.words, *defaults))
    return applied._replace(defaults=(*applied.defaults, *defaults), original=said)


def _chosen(found: _Found, command: str, options: tuple[Option, ...], words: Sequence[str]) -> list[str]:
    chosen = []
    for option in options:
        flag = _flag(found, option)
        if flag is None and found.command is not None:
            raise KctlError(f"invalid flag {option.name} for command {command}")
        if flag is not None and _is_given(flag, words):
            continue
        try:
            chosen.append(_checked(found, option))
        except KctlError as error:
            raise KctlError(
                f"could not apply override value {option.default} to flag {option.name} in command {command} "
                f"err: {error}"
            ) from error
    return chosen


def _find(words: Sequence[str]) -> _Found | None:
    """None if no verb is meant; no names at all if there is no verb."""
    position = first_word(words, _GLOBAL)
    if position is None:
        return _Found((), None)
    verb = next((one for group in GROUPS for one in group.verbs if one.name == words[position]), None)
    if verb is None:
        return _Found(("help",), None) if words[position] == "help" else None
    rest = [*words[:position], *words[position + 1 :]]
    command = getattr(importlib.import_module(verb.module), "COMMAND", None)
    if command is None:
        return _Found((verb.name,), None)
    path, _ = find(command, rest, _GLOBAL)
    return _Found(tuple(one.name for one in path), path[-1])


def _flag(found: _Found, option: Option) -> Flag | None:
    return next((flag for flag in found.flags if flag.name == option.name), None)


def _is_given(flag: Flag, words: Sequence[str]) -> bool:
    """Kubernetes: searchInArgs."""
    for word in words:
        if word == f"--{flag.name}" or word.startswith(f"--{flag.name}="):
            return True
        if flag.short and (
            word.startswith(f"-{flag.short}") or (_SHORT_FLAGS.fullmatch(word) and flag.short in word[1:])
        ):
            return True
    return False


def _checked(found: _Found, option: Option) -> str:
    """As a word of a command line. Raises KctlError for a value that the flag can't have."""
    word = f"--{option.name}={option.default}"
    if found.command is not None:
        parse([word], found.flags)
    return word


def _program() -> str:
    return os.path.basename(sys.argv[0])  # noqa: PTH119 - pathlib is slow to load
