"""Named formats: `format.dns1123Label().validate(text)`. Upstream: pkg/cel/library/format.go."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import ClassVar, Final

from localplane.apimachinery import names
from localplane.apimachinery.cel.declarations import Function, member, overload
from localplane.apimachinery.cel.types import FORMAT, STRING, Type, list_of, optional_of
from localplane.apimachinery.cel.values import NONE, Extension, Optional
from localplane.apimachinery.schema.validation.formats import has_format

from .urls import InvalidURL, parse_request_uri

Check = Callable[[str], list[str]]


@dataclass(frozen=True, slots=True, eq=False)
class NamedFormat(Extension):
    """`regex_size` is what a check is charged for."""

    name: str
    check: Check
    regex_size: int
    cel_type: ClassVar[Type] = FORMAT

    def __eq__(self, other: object) -> bool:
        return isinstance(other, NamedFormat) and self.name == other.name

    def __hash__(self) -> int:
        return hash(self.name)


def _uri(text: str) -> list[str]:
    try:
        parse_request_uri(text)
    except InvalidURL as error:
        return [str(error)]
    return []


def _format(name: str, message: str) -> Check:
    return lambda text: [] if has_format(text, name) else [message]


FORMATS: Final = {
    "dns1123Label": NamedFormat("DNS1123Label", names.dns1123_label, 30),
    "dns1123Subdomain": NamedFormat("DNS1123Subdomain", names.dns1123_subdomain, 60),
    "dns1035Label": NamedFormat("DNS1035Label", names.dns1035_label, 30),
    "qualifiedName": NamedFormat("QualifiedName", names.qualified_name, 60),
    "dns1123LabelPrefix": NamedFormat("DNS1123LabelPrefix", lambda text: names.dns1123_label(text, prefix=True), 30),
    "dns1123SubdomainPrefix": NamedFormat(
        "DNS1123SubdomainPrefix", lambda text: names.dns1123_subdomain(text, prefix=True), 60
    ),
    "dns1035LabelPrefix": NamedFormat("DNS1035LabelPrefix", lambda text: names.dns1035_label(text, prefix=True), 30),
    "labelValue": NamedFormat("LabelValue", names.label_value, 40),
    "uri": NamedFormat("URI", _uri, 1103),
    "uuid": NamedFormat("uuid", _format("uuid", "does not match the UUID format"), 70),
    "byte": NamedFormat("byte", _format("byte", "invalid base64"), 84),
    "date": NamedFormat("date", _format("date", "invalid date"), 71),
    "datetime": NamedFormat("datetime", _format("datetime", "invalid datetime"), 71),
}


def _validate(format_: NamedFormat, text: str) -> Optional:
    wrong = format_.check(text)
    return Optional(wrong) if wrong else NONE


def _named(name: str) -> Optional:
    found = FORMATS.get(name)
    return Optional(found) if found is not None else NONE


def _constant(name: str, value: NamedFormat) -> Function:
    return Function(f"format.{name}", (overload(f"format.{name}", (), FORMAT, lambda: value),))


NAMED_FORMATS: tuple[Function, ...] = (
    Function("validate", (member("format-validate", (FORMAT, STRING), optional_of(list_of(STRING)), _validate),)),
    Function("format.named", (overload("format-named", (STRING,), optional_of(FORMAT), _named),)),
    *(_constant(name, value) for name, value in FORMATS.items()),
)
