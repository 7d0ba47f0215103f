"""The kubeconfig files in use: read as they are, merged, and changed where each entry comes from."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from kctl.errors import KctlError
from localplane.apimachinery.serializers.errors import SerializationError
from localplane.apimachinery.serializers.yaml import parse_yaml
from localplane.client.kubeconfig import default_paths
from localplane.client.kubeconfig.editing import edit, file_to_edit

from .fields import KINDS, complete

if TYPE_CHECKING:
    from kctl.session import Session

Document = dict[str, Any]
Entries = dict[str, Document]


class ConfigFiles:
    """Paths inside stay as they are written. Of two entries with the same name the first file's counts."""

    def __init__(self, session: Session) -> None:
        self._explicit = session.kubeconfig_path
        paths = (self._explicit,) if self._explicit is not None else default_paths()
        self._documents = {path: _read(path) for path in paths}

    @property
    def file(self) -> Path:
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
        found: Entries = {}
        for document in self._documents.values():
            for entry in document.get(kind) or ():
                found.setdefault(str(entry.get("name", "")), entry.get(KINDS[kind][0]) or {})
        return dict(sorted(found.items()))

    def put(self, kind: str, name: str, content: Document) -> None:
        """Replace an entry where it is, or add it."""
        field = KINDS[kind][0]
        self._put_whole(kind, name, {"name": name, field: complete(kind, content)})

    def _put_whole(self, kind: str, name: str, entry: Document) -> None:
        def change(document: Document) -> None:
            others = [one for one in document[kind] if one.get("name") != name]
            document[kind] = sorted([*others, entry], key=lambda one: str(one.get("name", "")))

        self._edit(self._origin(kind, name) or self.file, change)

    def delete(self, kind: str, name: str) -> None:
        def change(document: Document) -> None:
            document[kind] = [one for one in document[kind] if one.get("name") != name]

        while (origin := self._origin(kind, name)) is not None:
            self._edit(origin, change)

    def clear(self, kind: str) -> None:
        for path, document in self._documents.items():
            if document.get(kind):
                self._edit(path, lambda changed: changed.update({kind: []}))

    def set_current_context(self, name: str) -> None:
        """Kubernetes: writeCurrentContext."""
        if name == self.current_context:
            return
        target = self.file
        if not name and not self.is_explicit:
            target = next(path for path, document in self._documents.items() if document.get("current-context"))
        self._edit(target, lambda document: document.update({"current-context": name}))

    def set_field(self, name: str, value: str) -> None:
        """A field of the document itself."""
        self._edit(self.file, lambda document: document.update({name: value}))

    def _origin(self, kind: str, name: str) -> Path | None:
        for path, document in self._documents.items():
            if any(entry.get("name") == name for entry in document.get(kind) or ()):
                return path
        return None

    def _edit(self, path: Path, change: Any) -> None:
        edit(path, change)
        self._documents[path] = _read(path)


def _read(path: Path) -> Document:
    """A file that is not there is an empty one."""
    try:
        document = parse_yaml(path.read_bytes()).value
    except FileNotFoundError:
        return {}
    except OSError as error:
        raise KctlError(
            f'error loading config file "{path}": open {path}: {(error.strerror or str(error)).lower()}'
        ) from error
    except SerializationError as error:
        raise KctlError(f'error loading config file "{path}": {error}') from error
    return document if isinstance(document, dict) else {}
