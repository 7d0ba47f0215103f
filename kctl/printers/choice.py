"""From -o and --template to a printer, and the flags that say it.

Kubernetes: cli-runtime/pkg/genericclioptions, print_flags.go; kubectl/pkg/cmd/get/get_flags.go.
"""

from __future__ import annotations

import pathlib

from kctl.command_line.flags import Flag, FlagSet, switch
from kctl.errors import KctlError
from kctl.printers import custom_columns, templates
from kctl.printers.objects import JSONPrinter, KYAMLPrinter, NamePrinter, Write, YAMLPrinter, without_managed_fields
from localplane.apimachinery.golang.text import go_quote
from localplane.apimachinery.light_typing import Protocol
from localplane.apimachinery.objects import JSONObject

_JSONPATHS = ("jsonpath", "jsonpath-as-json", "jsonpath-file")
_TEMPLATES = ("template", "go-template", "go-template-file", "templatefile")
_COLUMNS = ("custom-columns", "custom-columns-file")
_OBJECTS = ("json", "yaml", "kyaml")

OBJECT_FORMATS = (*_OBJECTS, "name", *sorted(_TEMPLATES), *_JSONPATHS)
"""What verbs that change something know."""
GET_FORMATS = (*OBJECT_FORMATS, *_COLUMNS, "wide")


class Printer(Protocol):
    def print(self, obj: JSONObject, write: Write, *, event: str = "") -> None:
        """`event` is the type of a watch event whose wrapping should be shown as well."""


def output_flags(formats: tuple[str, ...] = OBJECT_FORMATS, *, default: str = "") -> tuple[Flag, ...]:
    """-o and those that only some formats know."""
    listed = ", ".join(formats)
    return (
        Flag("output", "text", default, f"Output format, one of: {listed}.", "o"),
        Flag(
            "template",
            usage="A Go template, or the file it is in, for -o go-template or go-template-file: '{{.metadata.name}}'.",
        ),
        switch(
            "allow-missing-template-keys",
            "What a template or JSONPath asks for may be missing.",
            default=True,
        ),
        switch("show-managed-fields", "With metadata.managedFields, in JSON and YAML."),
    )


def chosen_format(flags: FlagSet) -> str:
    """What -o says, or that a --template is all there is."""
    output = flags.text("output")
    is_default = not output or not flags.changed("output")
    return "go-template" if is_default and flags.text("template") else output


def printer_for(
    flags: FlagSet, *, formats: tuple[str, ...] = OBJECT_FORMATS, keep_managed_fields: bool = False
) -> Printer:
    """For every format but the tables. Raises KctlError for those that there are not."""
    output = chosen_format(flags)
    kind, argument = _split(output, flags.text("template"))
    if kind in _JSONPATHS and kind in formats:
        return _jsonpath(kind, argument, flags)
    if kind in _TEMPLATES and kind in formats:
        return _go_template(kind, argument, flags)
    if kind in _COLUMNS and kind in formats:
        return _custom_columns(kind, argument, flags)
    keep = keep_managed_fields or flags.is_on("show-managed-fields")
    return object_printer(output, formats=formats, keep_managed_fields=keep)


def object_printer(output: str, *, formats: tuple[str, ...] = OBJECT_FORMATS, keep_managed_fields: bool) -> Printer:
    match output.lower():
        case "json" if "json" in formats:
            return _Managed(JSONPrinter(), keep=keep_managed_fields)
        case "yaml" if "yaml" in formats:
            return _Managed(YAMLPrinter(), keep=keep_managed_fields)
        case "kyaml" if "kyaml" in formats:
            return _Managed(KYAMLPrinter(), keep=keep_managed_fields)
        case "name" if "name" in formats:
            return NamePrinter()
    raise no_such_format(output, formats)


def no_such_format(output: str, formats: tuple[str, ...]) -> KctlError:
    return KctlError(
        f"unable to match a printer suitable for the output format {go_quote(output)}, "
        f"allowed formats are: {','.join(sorted(formats))}"
    )


def _split(output: str, template: str) -> tuple[str, str]:
    """`jsonpath={.a}` in two, unless --template has the second half."""
    if template:
        return output, template
    kind, equals, argument = output.partition("=")
    return (kind, argument) if equals else (output, "")


class _Managed:
    def __init__(self, printer: Printer, *, keep: bool) -> None:
        self._printer = printer
        self._keep = keep

    def print(self, obj: JSONObject, write: Write, *, event: str = "") -> None:
        self._printer.print(obj if self._keep else without_managed_fields(obj), write, event=event)


def _jsonpath(kind: str, argument: str, flags: FlagSet) -> Printer:
    text = _argument(kind, argument, from_file=kind == "jsonpath-file")
    allow = flags.is_on("allow-missing-template-keys")
    return templates.JSONPathPrinter(text, allow_missing=allow, as_json=kind == "jsonpath-as-json")


def _go_template(kind: str, argument: str, flags: FlagSet) -> Printer:
    text = _argument(kind, argument, from_file=kind in ("templatefile", "go-template-file"))
    return templates.GoTemplatePrinter(text, allow_missing=flags.is_on("allow-missing-template-keys"))


def _argument(kind: str, argument: str, *, from_file: bool) -> str:
    del kind
    if not argument:
        raise KctlError("template format specified but no template given")
    if not from_file:
        return argument
    try:
        return _content(argument)
    except OSError as error:
        why = (error.strerror or str(error)).lower()
        raise KctlError(f"error reading --template {argument}, open {argument}: {why}") from error


def _custom_columns(kind: str, argument: str, flags: FlagSet) -> Printer:
    if not argument:
        raise KctlError("custom-columns format specified but no custom columns given")
    if kind == "custom-columns":
        return custom_columns.CustomColumnsPrinter.from_spec(
            argument, no_headers=flags.known("no-headers") and flags.is_on("no-headers")
        )
    try:
        text = _content(argument)
    except OSError as error:
        why = (error.strerror or str(error)).lower()
        raise KctlError(f"error reading template {argument}, open {argument}: {why}\n") from error
    return custom_columns.CustomColumnsPrinter.from_file(text)


def _content(file: str) -> str:
    return pathlib.Path(file).read_text()
