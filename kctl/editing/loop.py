"""Show objects, let the user edit them, and try what comes back until it works or is given up.

Kubernetes: EditOptions.Run in kubectl/pkg/cmd/util/editor/editoptions.go.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from kctl.errors import Ended, KctlError
from kctl.printers.choosing import object_printer
from localplane.apimachinery.errors import APIError, Invalid, NotFound
from localplane.apimachinery.gotext import go_quote

from . import editor

if TYPE_CHECKING:
    from kctl.flags import Given
    from kctl.resolve import Info
    from kctl.session import Session

Object = dict[str, Any]

_FORMATS = ("json", "yaml", "kyaml")
_HEADER = """\
# Please edit the object below. Lines beginning with a '#' will be ignored,
# and an empty file will abort the edit. If an error occurs while saving this file will be
# reopened with the relevant failures.
#
"""
LAST_APPLIED_HEADER = """\
# Please edit the 'last-applied-configuration' annotations below.
# Lines beginning with a '#' will be ignored, and an empty file will abort the edit.
#
"""


@dataclass(slots=True)
class Reason:
    """Why a file comes back, shown above it."""

    head: str
    causes: list[str] = field(default_factory=list)


@dataclass(slots=True)
class Results:
    """What became of one round. `invalid` objects are shown again."""

    reasons: list[Reason] = field(default_factory=list)
    invalid: int = 0
    not_found: int = 0
    retryable: int = 0

    def add_problem(self, problem: str, info: Info) -> str:
        """A file that nobody would be asked about."""
        what = f"{info.rest_mapping.resource.group_resource} {go_quote(info.name)}"
        cause = f'<nil>: Invalid value: "The edited file failed validation": {problem}'
        self.reasons.append(Reason(f"{what} was not valid", [cause]))
        return f"error: {what} is invalid"

    def add(self, error: APIError, info: Info) -> str:
        """What to say about it."""
        resource = info.rest_mapping.resource.group_resource
        what = f"{resource} {go_quote(info.name)}"
        if isinstance(error, Invalid):
            self.invalid += 1
            self.reasons.append(
                Reason(f"{what} was not valid", [f"{cause.field}: {cause.message}" for cause in error.causes])
            )
            return f"error: {what} is invalid"
        if isinstance(error, NotFound):
            self.not_found += 1
            return f"error: {what} could not be found on the server"
        self.retryable += 1
        return f"error: {what} could not be patched: {error.message}"


Attempt = Callable[[list["Info"], Results], Awaitable[None]]
"""Do something with edited objects. Raises for what ends the edit; what may be mended goes into the Results."""


class EditLoop:
    def __init__(self, session: Session, given: Given, attempt: Attempt, *, header: str = _HEADER) -> None:
        self._session = session
        self._attempt = attempt
        self._header = header
        self._format = given.text("output") or "yaml"
        self._suffix = ".json" if self._format == "json" else ".yaml"
        self._crlf = given.is_on("windows-line-endings")
        self._validates = given.text("validate") not in ("ignore", "false")

    async def run(self, infos: Sequence[Info]) -> None:
        original = self._printed([info.object or {} for info in infos])
        shown = original
        reasons: list[Reason] = []
        kept: Path | None = None
        had_errors = False
        while True:
            try:
                file = editor.edit(self._content(shown, reasons), self._suffix)
            except KctlError as error:
                raise self._preserved(error, kept) from error
            edited = file.read_text(errors="replace").replace("\r\n", "\n")
            if had_errors and _stripped(edited) == _stripped(shown):
                raise self._preserved(KctlError("Edit cancelled, no valid changes were saved."), file)
            if kept is not None:
                kept.unlink(missing_ok=True)
            if problem := _problem(edited) if self._validates else "":
                refused = Results()
                self._session.say(f"{refused.add_problem(problem, infos[0])}\n")
                kept, shown, reasons, had_errors = file, edited, refused.reasons, True
                continue
            if _stripped(edited) == _stripped(original):
                file.unlink(missing_ok=True)
                self._session.say("Edit cancelled, no changes made.\n")
                return
            if not _has_lines(edited):
                file.unlink(missing_ok=True)
                self._session.say("Edit cancelled, saved file was empty.\n")
                return
            kept, shown = file, edited
            results = await self._round(file)
            if results is None:
                return
            reasons, had_errors = results.reasons, True

    async def _round(self, file: Path) -> Results | None:
        """What has to be mended; None if all is done."""
        results = Results()
        try:
            infos = await self._read(file)
        except KctlError as error:
            results.reasons.append(Reason(f"The edited file had a syntax error: {error}"))
            return results
        try:
            await self._attempt(infos, results)
        except (KctlError, APIError) as error:
            raise self._preserved(error, file) from error
        if results.retryable:
            self._session.say(f"You can run `kctl replace -f {file}` to try this update again.\n")
            raise Ended(1)
        if results.not_found:
            self._session.say(f"The edits you made on deleted resources have been saved to {go_quote(str(file))}\n")
            raise Ended(1)
        if not results.invalid:
            file.unlink(missing_ok=True)
            return None
        return results

    async def _read(self, file: Path) -> list[Info]:
        from kctl.resolve import Query, resolve

        query = Query(filenames=[str(file)], flatten=True, validates=self._validates)
        found = await resolve(self._session, query)
        try:
            return await found.infos()
        except KctlError as error:
            raise KctlError(str(error).replace(str(file), "edited-file")) from error

    def _printed(self, objects: Sequence[Object]) -> str:
        texts: list[str] = []
        one: Object = (
            objects[0]
            if len(objects) == 1
            else {
                "apiVersion": "v1",
                "kind": "List",
                "metadata": {},
                "items": list(objects),
            }
        )
        printer = object_printer(self._format, formats=_FORMATS, keep_managed_fields=False)
        printer.print(one, texts.append)
        return "".join(texts)

    def _content(self, text: str, reasons: Sequence[Reason]) -> bytes:
        if self._suffix == ".json":
            content = text
        else:
            content = self._header + "".join(_commented(reason) for reason in reasons) + _without_comments(text)
        return (content.replace("\n", "\r\n") if self._crlf else content).encode()

    def _preserved(self, error: Exception, file: Path | None) -> Exception:
        if file is not None and file.exists():
            self._session.say(f"A copy of your changes has been stored to {go_quote(str(file))}\n")
        return error


def _commented(reason: Reason) -> str:
    lines = [f"# {_hashed(reason.head)}{':' if reason.causes else ''}\n"]
    lines += [f"# * {_hashed(cause)}\n" for cause in reason.causes]
    return "".join((*lines, "#\n"))


def _hashed(text: str) -> str:
    return text.replace("\n", "\n# ")


def _without_comments(text: str) -> str:
    lines = text.splitlines(keepends=True)
    while lines and lines[0].lstrip().startswith("#"):
        del lines[0]
    return "".join(lines)


def _problem(text: str) -> str:
    """What is wrong with the file, before anybody knows its kind."""
    from localplane.apimachinery.serializers import SerializationError, parse_yaml

    try:
        value = parse_yaml(_stripped(text)).value
    except SerializationError as error:
        return str(error)
    if not isinstance(value, dict):
        return "invalid object to validate"
    missing = next((name for name in ("apiVersion", "kind") if value.get(name) is None), None)
    return f"{missing} not set" if missing else ""


def _stripped(text: str) -> str:
    return "\n".join(line for line in text.splitlines() if not line.lstrip().startswith("#")).strip()


def _has_lines(text: str) -> bool:
    return any(line.strip() and not line.strip().startswith("#") for line in text.splitlines())
