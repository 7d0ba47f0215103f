"""What an edited file says, apart from its comments. Kubernetes: StripComments in kubectl/pkg/cmd/util/helpers.go.

What became of an edited file, and what is written above it when it is shown again.

Kubernetes: editResults and editHeader in kubectl/pkg/cmd/util/editor/editoptions.go.

Show objects, let the user edit them, and try what comes back until it works or is given up.

Kubernetes: EditOptions.Run in kubectl/pkg/cmd/util/editor/editoptions.go.
"""

from __future__ import annotations

import pathlib
import re
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

from kctl import program
from kctl.changes.apply import last_applied
from kctl.changes.change_cause import recorded, with_annotations
from kctl.changes.edit import editor
from kctl.command_line.flags import FlagSet
from kctl.errors import Ended, KctlError, listed_as_one
from kctl.objects import Info, Query, client_validation, resolve
from kctl.printers.choice import object_printer
from kctl.session.session import Session
from localplane.apimachinery import serializers
from localplane.apimachinery.errors import APIError, Invalid, NotFound
from localplane.apimachinery.golang.text import go_json, go_quote
from localplane.apimachinery.objects import JSONObject, sorted_keys


def meaning(text: str) -> str:
    """Equal for files that say the same: their JSON, or the text of one that is no YAML."""
    value = _value(text)
    if value is _BROKEN:
        return without_comments(text)
    return go_json(sorted_keys(value))


def parsed(text: str) -> Any:
    """The first document. Raises SerializationError."""
    value = _value(text)
    return serializers.parse_yaml(without_comments(text)).value if value is _BROKEN else value


def without_comments(text: str) -> str:
    """Lines that begin with a hash are gone, unless they could be a script's first."""
    lines = text.split("\n")
    return "\n".join(line for line in lines if not line.strip().startswith("#") or line.strip().startswith("#!"))


def has_lines(text: str) -> bool:
    return any(line.strip() and not line.strip().startswith("#") for line in text.splitlines())


_BROKEN = object()


def _value(text: str) -> Any:
    try:
        return serializers.parse_yaml(text).value
    except serializers.SerializationError:
        return _BROKEN


HEADER = """\
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
    """Why a file comes back."""

    head: str
    causes: list[str] = field(default_factory=list)

    def commented(self) -> str:
        lines = [f"# {_hashed(self.head)}{':' if self.causes else ''}\n"]
        lines += [f"# * {_hashed(cause)}\n" for cause in self.causes]
        return "".join((*lines, "#\n"))


@dataclass(slots=True)
class Results:
    """Of one round. `invalid` objects are shown again; `file` is where what was edited still is."""

    file: pathlib.Path | None = None
    reasons: list[Reason] = field(default_factory=list)
    invalid: int = 0
    not_found: int = 0
    retryable: int = 0

    def add_problem(self, problem: str, info: Info) -> str:
        """Of a file that nobody would be asked about. What to say about it."""
        what = _named(info)
        cause = f'<nil>: Invalid value: "The edited file failed validation": {problem}'
        self.reasons.append(Reason(f"{what} was not valid", [cause]))
        return f"error: {what} is invalid"

    def add(self, error: APIError, info: Info) -> str:
        """What to say about it."""
        what = _named(info)
        if isinstance(error, Invalid):
            self.invalid += 1
            causes = [f"{cause.field}: {cause.message}" for cause in error.causes]
            self.reasons.append(Reason(f"{what} was not valid", causes))
            return f"error: {what} is invalid"
        if isinstance(error, NotFound):
            self.not_found += 1
            return f"error: {what} could not be found on the server"
        self.retryable += 1
        return f"error: {what} could not be patched: {error.message}"


def _named(info: Info) -> str:
    return f"{info.rest_mapping.resource.group_resource} {go_quote(info.name)}"


def _hashed(text: str) -> str:
    return re.sub(r"\n(?=[^#])", "\n# ", text)


_FORMATS = ("json", "yaml", "kyaml")

Attempt = Callable[[list["Info"], Results], Awaitable[None]]
"""Do something with edited objects. Raises for what ends the edit; what may be mended goes into the Results."""


class EditLoop:
    def __init__(self, session: Session, flags: FlagSet, attempt: Attempt, *, header: str = HEADER) -> None:
        self._session = session
        self._flags = flags
        self._attempt = attempt
        self._header = header
        self._format = flags.text("output") or "yaml"
        self._suffix = ".json" if self._format == "json" else ".yaml"
        self._crlf = flags.is_on("windows-line-endings")
        self._validates = flags.text("validate") not in ("ignore", "false")

    async def run(self, infos: Sequence[Info]) -> None:
        """`infos` are what is shown."""
        objects = [info.object or {} for info in infos]
        original = shown = self._printed(objects)
        results = Results()
        failed = False
        while True:
            try:
                file = editor.edit(self._content(shown, results.reasons, again=failed), self._suffix)
                before, shown = shown, editor.content(file)
            except KctlError as error:
                raise self._preserved(error, results.file) from error
            if failed and meaning(before) == meaning(shown):
                raise self._preserved(KctlError("Edit cancelled, no valid changes were saved."), file)
            if results.file is not None:
                results.file.unlink(missing_ok=True)
            results = Results(file)
            if problem := await self._problem(shown):
                self._session.say(f"{results.add_problem(problem, infos[0])}\n")
                failed = True
            elif self._is_cancelled(original, shown):
                file.unlink(missing_ok=True)
                return
            elif await self._is_done(file, objects, results):
                return
            else:
                failed = True

    def _is_cancelled(self, original: str, edited: str) -> bool:
        if meaning(original) == meaning(edited):
            self._session.say("Edit cancelled, no changes made.\n")
            return True
        if not has_lines(edited):
            self._session.say("Edit cancelled, saved file was empty.\n")
            return True
        return False

    async def _is_done(self, file: pathlib.Path, originals: Sequence[JSONObject], results: Results) -> bool:
        """Or it has to be edited again. Raises what ends the edit."""
        try:
            infos = await self._read(file)
        except KctlError as error:
            results.reasons.append(Reason(f"The edited file had a syntax error: {error}"))
            return False
        try:
            for info in infos:
                self._complete(info, originals)
            await self._attempt(infos, results)
        except (KctlError, APIError) as error:
            raise self._preserved(error, file) from error
        if results.retryable:
            self._session.say(f"You can run `{program.name()} replace -f {file}` to try this update again.\n")
            raise Ended(1)
        if results.not_found:
            self._session.say(f"The edits you made on deleted resources have been saved to {go_quote(str(file))}\n")
            raise Ended(1)
        if not results.invalid:
            file.unlink(missing_ok=True)
            return True
        return False

    async def _read(self, file: pathlib.Path) -> list[Info]:
        query = Query(
            filenames=[str(file)],
            flatten=True,
            keep_going=True,
            default_namespace=False,
            subresource=self._flags.text("subresource") if self._flags.known("subresource") else "",
        )
        result = await resolve(self._session, query)
        infos = await result.infos()
        for error in listed_as_one(result.errors):
            raise KctlError(str(error).replace(str(file), "edited-file")) from error
        return infos

    def _complete(self, info: Info, originals: Sequence[JSONObject]) -> None:
        """What was not shown comes back, and what the flags ask for goes in. Raises KctlError."""
        obj = _with_managed_fields(info.object or {}, originals)
        if info.is_namespaced:
            if not info.namespace:
                info.namespace = self._session.namespace
                obj = {**obj, "metadata": {**obj["metadata"], "namespace": info.namespace}}
            if info.namespace != self._session.namespace:
                raise KctlError(
                    f"the namespace from the provided object {go_quote(info.namespace)} does not match the namespace "
                    f"{go_quote(self._session.namespace)}. You must pass '--namespace={info.namespace}' to perform "
                    "this operation."
                )
        if self._flags.known("save-config") and self._flags.is_on("save-config"):
            obj = last_applied.annotated(obj)
        if self._flags.known("record") and (cause := recorded(self._session)):
            obj = with_annotations(obj, cause)
        info.object = obj

    async def _problem(self, text: str) -> str:
        """What is wrong with the file, before anybody knows its kind."""
        if not self._validates:
            return ""
        try:
            value = parsed(text)
        except serializers.SerializationError as error:
            return str(error)
        return await client_validation.ClientValidation(self._session).problem(value)

    def _printed(self, objects: Sequence[JSONObject]) -> str:
        texts: list[str] = []
        one: JSONObject = objects[0]
        if len(objects) > 1:
            one = {"apiVersion": "v1", "kind": "List", "metadata": {}, "items": list(objects)}
        printer = object_printer(self._format, formats=_FORMATS, keep_managed_fields=False)
        printer.print(one, texts.append)
        text = "".join(texts)
        return text.replace("\n", "\r\n") if self._crlf else text

    def _content(self, text: str, reasons: Sequence[Reason], *, again: bool) -> bytes:
        header = "" if self._suffix == ".json" else "".join((self._header, *(one.commented() for one in reasons)))
        if self._crlf:
            header = header.replace("\n", "\r\n")
        return (header + (without_comments(text) if again else text)).encode()

    def _preserved(self, error: Exception, file: pathlib.Path | None) -> Exception:
        if file is not None and file.exists():
            self._session.say(f"A copy of your changes has been stored to {go_quote(str(file))}\n")
        return error


def _with_managed_fields(obj: JSONObject, originals: Sequence[JSONObject]) -> JSONObject:
    """Those of the object that was shown. A copy."""
    metadata = {name: value for name, value in (obj.get("metadata") or {}).items() if name != "managedFields"}
    for original in originals:
        known = original.get("metadata") or {}
        if known.get("uid") == metadata.get("uid") and known.get("managedFields"):
            metadata["managedFields"] = known["managedFields"]
    return {**obj, "metadata": metadata}
