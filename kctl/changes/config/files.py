"""The kubeconfig files in use: read as they are, merged, and changed where each entry comes from.

What was in use before, for `kctl ctx -` and `kctl ns -`.
"""

from __future__ import annotations

import json
import os
import pathlib

from kctl.errors import KctlError, raise_all
from kctl.session.session import Session
from localplane.apimachinery.light_typing import Any
from localplane.apimachinery.objects import JSONObject
from localplane.client.errors import ConfigError
from localplane.client.kubeconfig import default_paths
from localplane.client.kubeconfig.decoder import document as parsed
from localplane.client.kubeconfig.edits import edit, file_to_edit
from localplane.client.kubeconfig.fields import KINDS, checked, completed

Entries = dict[str, JSONObject]

_PATHS = {"clusters": ("certificate-authority",), "users": ("client-certificate", "client-key", "tokenFile")}


class ConfigFiles:
    """Paths inside stay as they are written. Of two entries with the same name the first file's counts."""

    def __init__(self, session: Session, *, must_exist: bool = False) -> None:
        self._explicit = session.kubeconfig_path
        paths = (self._explicit,) if self._explicit is not None else default_paths()
        self._documents: dict[pathlib.Path, JSONObject] = {}
        errors: list[Exception] = []
        for path in paths:
            try:
                self._documents[path] = _read(path, must_exist=must_exist and self.is_explicit)
            except KctlError as error:
                errors.append(error)
        raise_all(errors)
        if self._explicit is None and os.environ.get("KUBECONFIG") and not any(path.exists() for path in paths):
            session.log_warning(f"Config not found: {', '.join(map(str, paths))}")

    @property
    def file(self) -> pathlib.Path:
        """Where new entries go, and what messages name."""
        return file_to_edit(self._explicit)

    @property
    def is_explicit(self) -> bool:
        return self._explicit is not None

    @property
    def current_context(self) -> str:
        named = (str(document.get("current-context") or "") for document in self._documents.values())
        return next((name for name in named if name), "")

    def entries(self, kind: str) -> Entries:
        """By name, in the order of the names."""
        field, struct = KINDS[kind]
        found: Entries = {}
        for document in self._documents.values():
            for entry in document.get(kind) or ():
                found.setdefault(str(entry.get("name") or ""), completed(entry.get(field) or {}, struct, unknown=True))
        return dict(sorted(found.items()))

    def whole(self, name: str) -> Any:
        """A field of the document that is no list of entries; the first file that has it counts."""
        return next((document[name] for document in self._documents.values() if document.get(name)), None)

    def directory(self, kind: str, name: str) -> pathlib.Path:
        """What relative paths in an entry start from."""
        return (self._origin(kind, name) or self.file).absolute().parent

    def put(self, kind: str, name: str, content: JSONObject, *, relative: bool = True) -> None:
        """Replace an entry where it is, or add it. `relative`: paths below the file's directory are written so."""
        target = self._origin(kind, name) or self.file
        if relative:
            content = _relative(kind, content, target.absolute().parent)

        def change(document: JSONObject) -> None:
            field = KINDS[kind][0]
            found = next((one for one in document[kind] if (one.get("name") or "") == name), None)
            if found is None:
                document[kind] = [*document[kind], {"name": name, field: content}]
            else:
                found[field] = content

        self._edit(target, change)

    def delete(self, kind: str, name: str) -> None:
        """Where it comes from; what another file says about it counts from then on."""

        def change(document: JSONObject) -> None:
            document[kind] = [one for one in document[kind] if (one.get("name") or "") != name]

        if (origin := self._origin(kind, name)) is not None:
            self._edit(origin, change)

    def rename(self, kind: str, old: str, new: str) -> None:
        def change(document: JSONObject) -> None:
            for one in document[kind]:
                if (one.get("name") or "") == old:
                    one["name"] = new

        self._edit(self._origin(kind, old) or self.file, change)

    def clear(self, kind: str) -> None:
        for name in self.entries(kind):
            self.delete(kind, name)

    def set_current_context(self, name: str) -> None:
        """Kubernetes: writeCurrentContext."""
        if name == self.current_context:
            return
        target = self.file
        if not name and not self.is_explicit:
            target = next(path for path, document in self._documents.items() if document.get("current-context"))
        self._edit(target, lambda document: document.update({"current-context": name}))

    def set_preferences(self, value: JSONObject) -> None:
        """Kubernetes: writePreferences."""
        before = self.whole("preferences") or {}
        if completed(before, "Preferences") != completed(value, "Preferences"):
            self._edit(self.file, lambda document: document.update({"preferences": value}))

    def _origin(self, kind: str, name: str) -> pathlib.Path | None:
        for path, document in self._documents.items():
            if any((entry.get("name") or "") == name for entry in document.get(kind) or ()):
                return path
        return None

    def _edit(self, path: pathlib.Path, change: Any) -> None:
        edit(path, change)
        self._documents[path] = _read(path, must_exist=False)


def _relative(kind: str, content: JSONObject, base: pathlib.Path) -> JSONObject:
    """Kubernetes: RelativizePathWithNoBacksteps."""
    found = dict(content)
    for name in _PATHS.get(kind, ()):
        if content.get(name):
            found[name] = _shorter(str(content[name]), base)
    plugin = content.get("exec")
    if plugin and os.sep in (plugin.get("command") or ""):
        found["exec"] = {**plugin, "command": _shorter(plugin["command"], base)}
    return found


def _shorter(path: str, base: pathlib.Path) -> str:
    relative = os.path.relpath(base / path, base)
    return os.path.normpath(base / path) if relative.startswith("../") else relative


def _read(path: pathlib.Path, *, must_exist: bool) -> JSONObject:
    """A file that is not there is an empty one, unless it must exist."""
    try:
        return checked(parsed(path.read_bytes()))
    except FileNotFoundError as error:
        if must_exist:
            raise KctlError(f"open {path}: no such file or directory") from error
        return {}
    except OSError as error:
        doing = "read" if isinstance(error, IsADirectoryError) else "open"
        why = (error.strerror or str(error)).lower()
        raise KctlError(f'error loading config file "{path}": {doing} {path}: {why}') from error
    except ConfigError as error:
        raise KctlError(f'error loading config file "{path}": {error}') from error


def recall(session: Session, what: str) -> str:
    return str(_read_previous(_file(session)).get(what, ""))


def remember(session: Session, what: str, value: str) -> None:
    """It is a convenience: that it could not be written is nobody's problem."""
    file = _file(session)
    known = _read_previous(file) | {what: value}
    try:
        file.parent.mkdir(mode=0o750, parents=True, exist_ok=True)
        file.write_text(json.dumps(known))
    except OSError:
        return


def _file(session: Session) -> pathlib.Path:
    return pathlib.Path(session.cache_directory, "kctl", "previous.json")


def _read_previous(file: pathlib.Path) -> dict[str, str]:
    try:
        known = json.loads(file.read_text())
    except (OSError, ValueError):
        return {}
    return known if isinstance(known, dict) else {}
