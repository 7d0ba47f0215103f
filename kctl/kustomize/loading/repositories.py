"""Kustomizations in git repositories: `https://github.com/org/repo/path?ref=v1`, cloned with the git program.

Whoever writes a kustomization writes the address, and one that was itself cloned names others: so nothing in an address
becomes an option of git, and git speaks only to what an address can name, runs no hook and asks nobody.
Kubernetes: api/internal/git, which also fetches submodules unless an address forbids it; here it must ask for them.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import tempfile
from urllib.parse import parse_qs

from kctl.kustomize.errors import KustomizeError, Timeout
from localplane.apimachinery import times

_SECONDS = 27.0
_SCHEMES = ("ssh://", "https://", "http://", "file://")
_USER = re.compile(r"[a-zA-Z][a-zA-Z0-9-]*@")
_TRUE = ("1", "t", "T", "true", "TRUE", "True")
_REMOTE_PROTOCOLS = "https:http:ssh"
# Options of git itself, before its command: nothing that lies in a repository, or in a template, is run.
_NO_HOOKS = ("-c", f"core.hooksPath={os.devnull}", "-c", "core.fsmonitor=false")


class Repository:
    """`address` as it was written; `directory` is where the clone is, once there is one."""

    def __init__(self, address: str, clone_from: str, path: str, query: str) -> None:
        self.address = address
        self.clone_from = clone_from
        self.path = path
        self.directory = "/notCloned"
        values = parse_qs(query)
        self.ref = _last(values, "ref") or _last(values, "version")
        self._seconds = _seconds(_last(values, "timeout"))
        self._submodules = _last(values, "submodules") in _TRUE

    @property
    def root(self) -> str:
        return os.path.normpath(os.path.join(self.directory, self.path))  # noqa: PTH118 - as Go joins it

    @property
    def is_local(self) -> bool:
        """Is it a directory of this machine?"""
        return self.clone_from.startswith("file://")

    def clone(self) -> None:
        """Raises KustomizeError; nothing is left behind then."""
        self._refuse_options()
        program = shutil.which("git")
        if program is None:
            raise KustomizeError("no 'git' program on path: exec: \"git\": executable file not found in $PATH")
        self.directory = os.path.realpath(tempfile.mkdtemp(prefix="kustomize-"))
        try:
            self._run(program, "init", options=("--template=",))
            self._run(program, "remote", "add", words=("origin", self.clone_from))
            self._run(program, "fetch", "--depth=1", words=(self.clone_from, self.ref or "HEAD"))
            self._run(program, "checkout", "FETCH_HEAD")
            if self._submodules:
                self._run(program, "submodule", "update", "--init", "--recursive")
        except KustomizeError:
            self.remove()
            raise

    def remove(self) -> None:
        if self.directory != "/notCloned":
            shutil.rmtree(self.directory, ignore_errors=True)

    def _refuse_options(self) -> None:
        """Raises KustomizeError for a part of the address that ssh, or an older git, would take for an option."""
        host = self.clone_from.partition("://")[2] or self.clone_from
        host = host.rpartition("@")[2] if "@" in host else host
        for part, text in (("ref", self.ref), ("repository", self.clone_from), ("host", host)):
            if text.startswith("-"):
                raise KustomizeError(f"invalid git address '{self.address}': its {part} '{text}' begins with a dash")

    def _run(self, program: str, *arguments: str, options: tuple[str, ...] = (), words: tuple[str, ...] = ()) -> None:
        """`words` are what an address says; `options`, which nobody needs to be told of, come before them."""
        shown = " ".join((program, *arguments, *words))
        guarded = ("--end-of-options", *words) if words else ()
        try:
            done = subprocess.run(
                [program, *_NO_HOOKS, *arguments, *options, *guarded],
                cwd=self.directory,
                env={**os.environ, **self._environment()},
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                timeout=self._seconds,
                check=False,
            )
        except subprocess.TimeoutExpired:
            raise Timeout(f"hit {_shown_seconds(self._seconds)} timeout running '{shown}'") from None
        except OSError as error:
            raise KustomizeError(f"failed to run '{shown}': : {error}") from error
        if done.returncode:
            output = done.stdout.decode("utf-8", "replace")
            raise KustomizeError(f"failed to run '{shown}': {output}: exit status {done.returncode}")

    def _environment(self) -> dict[str, str]:
        """Submodules and redirects may not lead to another protocol than addresses have; files only from files."""
        protocols = f"{_REMOTE_PROTOCOLS}:file" if self.is_local else _REMOTE_PROTOCOLS
        return {"GIT_ALLOW_PROTOCOL": protocols, "GIT_TERMINAL_PROMPT": "0"}


def parse(address: str) -> Repository | None:
    """None if it is no address of a repository."""
    if address.startswith("/"):
        return None
    before, _, query = address.partition("?")
    host = _host(before)
    if host is None:
        return None
    clone_host, rest = host
    parts = _parts(rest, whole=clone_host.startswith("file://"))
    if parts is None:
        return None
    repository, path = parts
    inside = os.path.normpath(path.removeprefix("/") or ".")
    if not repository or inside.split("/")[0] == "..":
        return None
    return Repository(address, clone_host + repository, path.removeprefix("/"), query)


def _host(text: str) -> tuple[str, str] | None:
    """The part that names the machine, and what is behind it."""
    if text[:5].lower() == "git::":
        text = text[5:]
    scheme = next((one for one in _SCHEMES if text[: len(one)].lower() == one), "")
    text = text[len(scheme) :]
    match = _USER.match(text)
    user = match[0] if match else ""
    text = text[len(user) :]
    github = text.lower().startswith(("github.com/", "github.com:"))
    colon_style = not scheme and (bool(user) or github)
    if not scheme and not colon_style:
        return None
    if scheme == "file://":
        return scheme, user + text
    end = _separator(text, colon_style=colon_style)
    host, rest = (text[: end + 1], text[end + 1 :]) if end >= 0 else (text, "")
    if github:
        if scheme == "ssh://" or user:
            scheme, host = "", "github.com:"
        else:
            scheme, host = "https://", "github.com/"
    return (scheme + user + host, rest) if host else None


def _separator(text: str, *, colon_style: bool) -> int:
    slash = text.find("/")
    colon = text.find(":") if colon_style else -1
    return colon if colon_style and (slash == -1 or 0 < colon < slash) else slash


def _parts(text: str, *, whole: bool) -> tuple[str, str] | None:
    """The repository, and the path in it."""
    if "_git/" in text:
        before, _, after = text.partition("_git/")
        name, _, path = after.partition("/")
        return f"{before}_git/{name}", path
    if "//" in text:
        before, _, after = text.partition("//")
        return before, after
    if ".git" in text:
        before, _, after = text.partition(".git")
        return f"{before}.git", after
    if whole:
        return text, ""
    segments = text.split("/")
    return ("/".join(segments[:2]), "/".join(segments[2:])) if len(segments) >= 2 else None


def _last(values: dict[str, list[str]], name: str) -> str:
    return values.get(name, [""])[0]


def _seconds(text: str) -> float:
    if text.isascii() and text.isdigit() and int(text) > 0:
        return float(text)
    try:
        found = times.parse_duration(text).total_seconds() if text else 0.0
    except times.InvalidDuration:
        found = 0.0
    return found if found > 0 else _SECONDS


def _shown_seconds(seconds: float) -> str:
    minutes, rest = divmod(seconds, 60)
    return f"{int(minutes)}m{rest:g}s" if minutes else f"{rest:g}s"
