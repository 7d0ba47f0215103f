"""Kustomizations in git repositories: `https://github.com/org/repo/path?ref=v1`, cloned with the git program.

Kubernetes: api/internal/git.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import tempfile
from urllib.parse import parse_qs

from .errors import KustomizeError, Timeout

_SECONDS = 27.0
_SCHEMES = ("ssh://", "https://", "http://", "file://")
_USER = re.compile(r"[a-zA-Z][a-zA-Z0-9-]*@")


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
        self._submodules = _last(values, "submodules") not in ("0", "f", "F", "false", "FALSE", "False")

    @property
    def root(self) -> str:
        return os.path.normpath(os.path.join(self.directory, self.path))  # noqa: PTH118 - as Go joins it

    def clone(self) -> None:
        """Raises KustomizeError; nothing is left behind then."""
        program = shutil.which("git")
        if program is None:
            raise KustomizeError("no 'git' program on path: exec: \"git\": executable file not found in $PATH")
        self.directory = os.path.realpath(tempfile.mkdtemp(prefix="kustomize-"))
        try:
            self._run(program, "init")
            self._run(program, "remote", "add", "origin", self.clone_from)
            self._run(program, "fetch", "--depth=1", self.clone_from, self.ref or "HEAD")
            self._run(program, "checkout", "FETCH_HEAD")
            if self._submodules:
                self._run(program, "submodule", "update", "--init", "--recursive")
        except KustomizeError:
            self.remove()
            raise

    def remove(self) -> None:
        if self.directory != "/notCloned":
            shutil.rmtree(self.directory, ignore_errors=True)

    def _run(self, program: str, *arguments: str) -> None:
        shown = " ".join((program, *arguments))
        try:
            done = subprocess.run(
                [program, *arguments],
                cwd=self.directory,
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
    from localplane.apimachinery.times import InvalidDuration, parse_duration

    if text.isdigit() and int(text) > 0:
        return float(text)
    try:
        found = parse_duration(text).total_seconds() if text else 0.0
    except InvalidDuration:
        found = 0.0
    return found if found > 0 else _SECONDS


def _shown_seconds(seconds: float) -> str:
    minutes, rest = divmod(seconds, 60)
    return f"{int(minutes)}m{rest:g}s" if minutes else f"{rest:g}s"
