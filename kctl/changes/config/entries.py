"""set-cluster, set-credentials, set-context: an entry with what the flags say."""

from __future__ import annotations

import base64
import os
from pathlib import Path

from kctl.command_line.flags import FlagSet
from kctl.errors import KctlError
from localplane.apimachinery.objects import JSONObject

_MODES = ("IfAvailable", "Never", "Always")


def cluster(flags: FlagSet, before: JSONObject) -> JSONObject:
    """Kubernetes: setClusterOptions."""
    insecure, authority = flags.is_on("insecure-skip-tls-verify"), flags.text("certificate-authority")
    if insecure and authority:
        raise KctlError("you cannot specify a certificate authority and insecure mode at the same time")
    embed = flags.is_on("embed-certs")
    if embed:
        if not authority:
            raise KctlError("you must specify a --certificate-authority to embed")
        _check_file("certificate-authority", authority)
    content = dict(before)
    if flags.changed("server"):
        content |= {"server": flags.text("server"), "tls-server-name": ""}
    _take(flags, content, "tls-server-name", "proxy-url")
    # Who does not say it means false, whatever it was.
    content["insecure-skip-tls-verify"] = insecure
    if insecure:
        content |= {"certificate-authority": "", "certificate-authority-data": ""}
    if flags.changed("certificate-authority"):
        _take_file(content, "certificate-authority", authority, embed=embed)
        content["insecure-skip-tls-verify"] = False
    return content


def context(flags: FlagSet, before: JSONObject) -> JSONObject:
    content = dict(before)
    _take(flags, content, "cluster", "user", "namespace")
    return content


def credentials(flags: FlagSet, before: JSONObject) -> JSONObject:
    """Kubernetes: setCredentialsOptions."""
    _check_credentials(flags)
    content = dict(before)
    for name in ("client-certificate", "client-key"):
        if flags.changed(name):
            _take_file(content, name, flags.text(name), embed=flags.is_on("embed-certs"))
    _take(flags, content, "token", "username", "password")
    if flags.text("token"):
        content |= {"username": "", "password": ""}
    elif flags.text("username") or flags.text("password"):
        content["token"] = ""
    _auth_provider(flags, content)
    _exec(flags, content)
    return content


def _check_credentials(flags: FlagSet) -> None:
    methods = ["--token"] if flags.text("token") else []
    methods += ["--username/--password"] if flags.text("username") or flags.text("password") else []
    if len(methods) > 1:
        listed = ", ".join(methods)
        raise KctlError(f"you cannot specify more than one authentication method at the same time: {listed}")
    if flags.is_on("embed-certs"):
        files = [(name, flags.text(name)) for name in ("client-certificate", "client-key") if flags.text(name)]
        if not files:
            raise KctlError("you must specify a --client-certificate or --client-key to embed")
        for name, path in files:
            _check_file(name, path)
    if flags.changed("exec-interactive-mode") and flags.text("exec-interactive-mode") not in _MODES:
        raise KctlError("invalid interactive mode type, can be only IfAvailable, Never, Always")


def _auth_provider(flags: FlagSet, content: JSONObject) -> None:
    provider = dict(content.get("auth-provider") or {})
    name = flags.text("auth-provider")
    if flags.changed("auth-provider") and (not provider or provider.get("name") != name):
        provider = {"name": name}
    if not provider:
        return
    new, removed = pairs(flags.texts("auth-provider-arg"), "auth-provider-arg")
    kept = {key: value for key, value in (provider.get("config") or {}).items() if key not in removed}
    content["auth-provider"] = {**provider, "config": {**kept, **new}}


def _exec(flags: FlagSet, content: JSONObject) -> None:
    """All of it is only taken by an entry that has a plugin, or gets one."""
    plugin = dict(content.get("exec") or {})
    if flags.changed("exec-command"):
        plugin |= {"command": flags.text("exec-command"), "args": None}
    if not plugin:
        return
    if flags.changed("exec-api-version"):
        plugin["apiVersion"] = flags.text("exec-api-version")
    if flags.texts("exec-arg"):
        plugin["args"] = flags.texts("exec-arg")
    if flags.changed("exec-interactive-mode"):
        plugin["interactiveMode"] = flags.text("exec-interactive-mode")
    if flags.changed("exec-provide-cluster-info"):
        plugin["provideClusterInfo"] = flags.is_on("exec-provide-cluster-info")
    new, removed = pairs(flags.texts("exec-env"), "exec-env")
    if flags.texts("exec-env"):
        kept = [dict(one) for one in plugin.get("env") or () if one.get("name") not in removed]
        for one in kept:
            one["value"] = new.pop(one.get("name", ""), one.get("value", ""))
        plugin["env"] = [*kept, *({"name": name, "value": value} for name, value in new.items())]
    content["exec"] = plugin


def pairs(texts: list[str], what: str) -> tuple[dict[str, str], list[str]]:
    """`key=value` sets, `key-` removes. Kubernetes: cmdutil.ParsePairs."""
    new: dict[str, str] = {}
    removed: list[str] = []
    invalid: list[str] = []
    for text in texts:
        key, equals, value = text.partition("=")
        if equals and key:
            new[key] = value
        elif text.endswith("-") and text != "-":
            removed.append(text[:-1])
        else:
            invalid.append(text)
    if invalid:
        raise KctlError(f"invalid {what} format: {', '.join(invalid)}")
    return new, removed


def _take(flags: FlagSet, content: JSONObject, *names: str) -> None:
    for name in names:
        if flags.changed(name):
            content[name] = flags.text(name)


def _take_file(content: JSONObject, name: str, path: str, *, embed: bool) -> None:
    if embed:
        content |= {name: "", f"{name}-data": base64.b64encode(_contents(path)).decode()}
        return
    content[name] = os.path.normpath(Path(path).absolute())
    content[f"{name}-data"] = ""


def _contents(path: str) -> bytes:
    """Nothing of what can't be read: that the file is there has been looked after, and Kubernetes asks for no more."""
    try:
        return Path(path).read_bytes() if path else b""
    except OSError:
        return b""


def _check_file(name: str, path: str) -> None:
    try:
        Path(path).stat()
    except OSError as error:
        why = (error.strerror or str(error)).lower()
        raise KctlError(f"could not stat {name} file {path}: stat {path}: {why}") from error
