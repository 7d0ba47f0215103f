"""-o jsonpath and -o go-template, with what kubectl tells those whose template failed."""

from __future__ import annotations

from kctl.errors import KctlError
from kctl.printers import jsonpath
from kctl.printers.objects import Write
from localplane.apimachinery.golang import template
from localplane.apimachinery.golang.text import go_json, go_plain, go_quote, go_syntax
from localplane.apimachinery.objects import JSONObject, sorted_keys


class JSONPathPrinter:
    def __init__(self, text: str, *, allow_missing: bool, as_json: bool = False) -> None:
        try:
            self._template = jsonpath.parse(text)
        except jsonpath.JSONPathSyntaxError as error:
            raise KctlError(f"error parsing jsonpath {text}, {error}") from error
        self._allow_missing = allow_missing
        self._as_json = as_json

    def print(self, obj: JSONObject, write: Write, *, event: str = "") -> None:
        if event:
            obj = {"type": event, "object": obj}
        try:
            write(jsonpath.execute(self._template, obj, allow_missing=self._allow_missing, as_json=self._as_json))
        except jsonpath.JSONPathError as error:
            text = self._template.text
            raise KctlError(
                f"error executing jsonpath {go_quote(text)}: Error executing template: {error}. "
                f"Printing more information for debugging the template:\n\ttemplate was:\n\t\t{text}\n"
                f"\tobject given to jsonpath engine was:\n\t\t{go_syntax(obj)}\n\n\n"
            ) from error


class GoTemplatePrinter:
    def __init__(self, text: str, *, allow_missing: bool) -> None:
        try:
            self._template = template.parse(text, "output")
        except template.TemplateSyntaxError as error:
            raise KctlError(f"error parsing template {text}, {error}") from error
        self._allow_missing = allow_missing
        self.of_structs = False
        """Fields are in order already."""

    def print(self, obj: JSONObject, write: Write, *, event: str = "") -> None:
        """What went wrong is told on stdout as well, beside what the template had written."""
        if event:
            obj = {"type": event, "object": obj}
        text = self._template.text
        try:
            write(template.execute(self._template, obj, missing_is_error=not self._allow_missing))
        except template.TemplateError as error:
            write(
                f"{error.written}Error executing template: {error}. "
                f"Printing more information for debugging the template:\n\ttemplate was:\n\t\t{text}\n"
                f"\traw data was:\n\t\t{go_json(obj if self.of_structs else sorted_keys(obj))}\n"
                f"\tobject given to template engine was:\n\t\t{go_plain(obj)}\n\n"
            )
            raise KctlError(f"error executing template {go_quote(text)}: {error}") from error
